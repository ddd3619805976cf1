"""Chowdhery et al. 2022 (PaLM): model FLOPs a token, the numerator of MFU."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import attention_flops, flops_per_token
from formulas.parameters import parameters
from formulas.utilization import mfu

chowdhery2022 = Citation(
    key="chowdhery2022",
    kind="paper",
    authors="Chowdhery et al.",
    year=2022,
    title="PaLM: Scaling Language Modeling with Pathways",
    locator="arXiv:2204.02311",
)

model_flops = claims(
    chowdhery2022, flops_per_token, "appendix B, 6N + 12LHQT", about=gpt, letters={"N": parameters},
    includes={Role.GAIN, Role.BIAS, Role.POSITIONS},
    rows={"mask=full": "6*N + 12*L*a*d*s"},
    note="for tied embeddings: an untied input table multiplies nothing, but is in N",
)  # fmt: skip

mfu_of_an_untied_model = claims(
    chowdhery2022, flops_per_token, "appendix B, 6N + 12LHQT, for untied tables", about=llama,
    letters={"N": parameters}, expected="refuted", rows={"mask=full": "6*N + 12*L*a*d*s"},
    note="PaLM ties its tables; an untied input table multiplies nothing: 6Vh too many, and 6 for each norm weight",
)  # fmt: skip

attention = claims(
    chowdhery2022, attention_flops, "appendix B, 6LH(2QT)", about=gpt, rows={"mask=full": "6*L*a*(2*d*s)"}
)

attention_with_a_causal_mask = claims(
    chowdhery2022, attention_flops, "appendix B, 6LH(2QT), for what a causal mask leaves", about=gpt,
    neglect={Role.DIAGONAL}, expected="refuted", rows={"mask=causal": "6*L*a*(2*d*s)"},
    note="counts the scores that the mask drops too, half of them",
)  # fmt: skip

utilization_of_a_gpt = claims(
    chowdhery2022, mfu, "appendix B: tokens a second over P/(6N + 12LHQT)", about=gpt,
    letters={"N": parameters}, includes={Role.GAIN, Role.BIAS, Role.POSITIONS},
    rows={"mask=full": "(B/T)/(G*P/(6*N + 12*L*a*d*s))"},
    note="its P is the peak of all devices, its T the sequence length; ours are of one device, and the step's time",
)  # fmt: skip
