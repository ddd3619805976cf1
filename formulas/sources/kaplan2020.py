"""Kaplan et al. 2020: non-embedding parameters and FLOPs a token, with the causal half of attention."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.flops import attention_flops
from formulas.parameters import gemm_parameters

kaplan2020 = Citation(
    key="kaplan2020",
    kind="paper",
    authors="Kaplan et al.",
    year=2020,
    title="Scaling Laws for Neural Language Models",
    locator="arXiv:2001.08361",
)

non_embedding = claims(
    kaplan2020, gemm_parameters, "equation 2.1", about=gpt, neglect={"embedding"},
    rows={"": "2*h*L*(2*a*d + f)"},
    note="the tied table, which is the head's weight, is what the paper leaves out",
)  # fmt: skip

standard_shape = claims(
    kaplan2020, gemm_parameters, "equation 2.1, d_attn = d_ff/4 = d_model", about=gpt, neglect={"embedding"},
    rows={"": "12*L*h^2"},
)  # fmt: skip

attention = claims(
    kaplan2020, attention_flops, "table 1, row Attention: Mask; three passes, as in section 2.1", about=gpt,
    neglect={Role.DIAGONAL}, rows={"mask=causal": "3*(2*L*s*a*d)"},
)  # fmt: skip

attention_by_width = claims(
    kaplan2020, attention_flops, "equation 2.2, the context term; three passes, as in section 2.1", about=gpt,
    neglect={Role.DIAGONAL}, rows={"mask=causal": "3*(2*L*s*h)"},
    note="the equation writes d_model where table 1 writes d_attn",
)  # fmt: skip
