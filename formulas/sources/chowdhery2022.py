"""Chowdhery et al. 2022 (PaLM): model FLOPs a token, the numerator of MFU."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.flops import attention_flops, flops_per_token
from formulas.parameters import parameters
from formulas.utilization import mfu as utilization

chowdhery2022 = Citation(
    key="chowdhery2022",
    kind="paper",
    authors="Chowdhery et al.",
    year=2022,
    title="PaLM: Scaling Language Modeling with Pathways",
    locator="arXiv:2204.02311",
)

mfu = claims(
    chowdhery2022, flops_per_token, "appendix B, 6N + 12LHQT", about=gpt, letters={"N": parameters},
    includes={Role.GAIN, Role.BIAS, Role.POSITIONS},
    rows={"mask=full": "6*N + 12*L*a*d*s"},
    note="for tied embeddings: an untied input table multiplies nothing, but is in N",
)  # fmt: skip

attention = claims(
    chowdhery2022, attention_flops, "appendix B, 6LH(2QT)", about=gpt, rows={"mask=full": "6*L*a*(2*d*s)"}
)

utilization_of_a_gpt = claims(
    chowdhery2022, utilization, "appendix B: tokens a second over P/(6N + 12LHQT)", about=gpt,
    letters={"N": parameters}, includes={Role.GAIN, Role.BIAS, Role.POSITIONS},
    rows={"mask=full": "(B/T)/(G*P/(6*N + 12*L*a*d*s))"},
    note="its P is the peak of all devices, its T the sequence length; ours are of one device, and the step's time",
)  # fmt: skip
