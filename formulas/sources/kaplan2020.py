"""Kaplan et al. 2020: non-embedding parameters and FLOPs a token, with the causal half of attention."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.flops import attention_flops, flops_per_token, layer_flops
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

forward = claims(
    kaplan2020, layer_flops, "table 1, total, 2N + 2 n_layer n_ctx d_attn: of one layer, for s*b tokens", about=gpt,
    neglect={Role.DIAGONAL}, rows={"mask=causal": "(2*(2*h*(2*a*d + f)) + 2*s*a*d)*s*b"},
)  # fmt: skip

forward_by_width = claims(
    kaplan2020, layer_flops, "equation 2.2, 2N + 2 n_layer n_ctx d_model: of one layer, for s*b tokens", about=gpt,
    given={"d": "h/a"}, neglect={Role.DIAGONAL}, rows={"mask=causal": "(2*(2*h*(2*a*d + f)) + 2*s*h)*s*b"},
)  # fmt: skip

training = claims(
    kaplan2020, flops_per_token, "section 2.1, C = 6N floating point operators for each training token", about=gpt,
    neglect={"core", "head"}, rows={"mask=causal": "6*(2*h*L*(2*a*d + f))"},
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
