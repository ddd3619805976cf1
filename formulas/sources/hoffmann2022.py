"""Hoffmann et al. 2022 (Chinchilla): compute as 6ND, a loss law, and the best share of compute between N and D."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token, layer_flops
from formulas.parameters import parameters
from formulas.scaling import (
    chinchilla_parameters,
    chinchilla_tokens,
    optimal_parameters,
    optimal_tokens,
    overtraining,
    parametric_loss,
    training_flops,
)

hoffmann2022 = Citation(
    key="hoffmann2022",
    kind="paper",
    authors="Hoffmann et al.",
    year=2022,
    title="Training Compute-Optimal Large Language Models",
    locator="arXiv:2203.15556",
)

compute = claims(
    hoffmann2022, training_flops, "section 3.3, FLOPs(N, D) = 6ND", rows={"": "6*N*D"},
)  # fmt: skip

compute_of_a_gpt = claims(
    hoffmann2022, training_flops, "section 3.3, FLOPs(N, D) = 6ND", about=gpt, letters={"N": parameters},
    neglect={"core"}, includes={Role.GAIN, Role.BIAS, Role.POSITIONS}, rows={"": "6*N*D"},
    note="no score products; norms, biases and the position table counted as weights of products",
)  # fmt: skip

compute_of_a_llama = claims(
    hoffmann2022, training_flops, "section 3.3, FLOPs(N, D) = 6ND", about=llama, letters={"N": parameters},
    neglect={"core"}, includes={Role.GAIN, Role.TABLE}, rows={"": "6*N*D"},
    note="no score products; norms and the input table, which multiplies nothing, counted as weights of products",
)  # fmt: skip

PRODUCTS = "2*3*s*h*(d*a) + 2*s*s*(d*a) + 2*s*s*(d*a) + 2*s*(d*a)*h + 2*s*(h*f + h*f)"

products_of_a_layer = claims(
    hoffmann2022, layer_flops, "appendix F, attention but its softmax, and the dense block, of b sequences", about=gpt,
    rows={"mask=full": f"b*({PRODUCTS})"},
)  # fmt: skip

layer_forward = claims(
    hoffmann2022, layer_flops, "appendix F, attention and the dense block, of b sequences", about=gpt,
    expected="refuted", rows={"mask=full": f"b*({PRODUCTS} + 3*a*s*s)"},
    note="counts the softmax, which is no product, with 3 operations for each score",
)  # fmt: skip

whole_model = claims(
    hoffmann2022, flops_per_token, "appendix F, the total of three passes, divided by the sequence's tokens", about=gpt,
    expected="refuted", rows={"mask=full": f"3*(2*s*V*h + L*({PRODUCTS} + 3*a*s*s) + 2*s*h*V)/s"},
    note="counts the lookup of the input table as a product, 6Vh, and the softmax, 9asL; all else agrees",
)  # fmt: skip

tokens = claims(
    hoffmann2022, chinchilla_tokens, "rule of thumb after section 3, D = 20N", rows={"": "20*N"}
)  # fmt: skip

tokens_of_a_budget = claims(
    hoffmann2022, chinchilla_tokens, "rule of thumb after section 3, within C = 6ND", rows={"": "20*sqrt(C/120)"}
)  # fmt: skip

parameters_of_a_budget = claims(
    hoffmann2022, chinchilla_parameters, "rule of thumb after section 3, within C = 6ND", rows={"": "sqrt(C/120)"}
)  # fmt: skip

ratio = claims(
    hoffmann2022, overtraining, "rule of thumb after section 3, tokens a parameter over 20", rows={"": "D/N/20"}
)  # fmt: skip

loss = claims(hoffmann2022, parametric_loss, "section 3.3, equation 2", rows={"": "E + A/N^alpha + B/D^beta"})

best_parameters = claims(
    hoffmann2022, optimal_parameters, "section 3.3, equation 4, with its G",
    rows={"": "(alpha*A/(beta*B))^(1/(alpha + beta))*(C/6)^(beta/(alpha + beta))"},
)  # fmt: skip

best_tokens = claims(
    hoffmann2022, optimal_tokens, "section 3.3, equation 4, with its G inverted",
    rows={"": "(beta*B/(alpha*A))^(1/(alpha + beta))*(C/6)^(alpha/(alpha + beta))"},
)  # fmt: skip
