"""A Chinese article on the ledger of a training step, part 1 of a series, with its script train-ledger."""

from derive import Citation, Role, claims
from formulas.activations import logits
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.parameters import gemm_parameters, layer_parameters, parameters

train_ledger = Citation(
    key="train-ledger",
    kind="article",
    authors="Train-ledger article",
    year=2026,
    title="大规模训练工程：从并行策略到容错恢复 (Large-scale training engineering), part 1 of 9",
    locator="article with the script train-ledger",
)

heads = {"d": "h/a"}  # ModelSpec.head_dim

logits_of_a_gpt = claims(
    train_ledger, logits, "chapter 4, section 3: in bf16, and the fp32 copy for the loss", about=gpt,
    rows={"": "2*s*b*V + 4*s*b*V"},
)  # fmt: skip

logits_of_a_llama = claims(
    train_ledger, logits, "chapter 4, section 3: in bf16, and the fp32 copy for the loss", about=llama,
    rows={"": "2*s*b*V + 4*s*b*V"},
)  # fmt: skip

layer = claims(
    train_ledger, layer_parameters, "chapter 1, section 3, and ledger/model.py, layer_params", about=llama,
    given=heads, rows={"": "2*h^2 + 2*h*g*d + 3*h*f + 2*h"},
)  # fmt: skip

model = claims(
    train_ledger, parameters, "chapter 1, section 3, and ledger/model.py, params", about=llama, given=heads,
    rows={"": "L*(2*h^2 + 2*h*g*d + 3*h*f + 2*h) + 2*V*h + h"},
)  # fmt: skip

multiplied = claims(
    train_ledger, gemm_parameters, "ledger/flops.py, flops_per_token, gemm_params", about=llama, given=heads,
    letters={"N": parameters}, includes={Role.GAIN}, rows={"": "N - 2*V*h + h*V"},
    note="its text leaves norm weights out of the products, its code keeps them in: 2Lh + h",
)  # fmt: skip

flops = claims(
    train_ledger, flops_per_token, "ledger/flops.py, flops_per_token, causal", about=llama, given=heads,
    letters={"N": parameters}, includes={Role.GAIN}, neglect={Role.DIAGONAL},
    rows={"mask=causal": "6*(N - 2*V*h + h*V) + 12*L*s*h/2"},
)  # fmt: skip
