"""DeepSeek-AI 2024 (DeepSeek LLM): three measures of a model's scale, in FLOPs a token."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.scaling import training_flops

deepseek2024 = Citation(
    key="deepseek2024",
    kind="paper",
    authors="DeepSeek-AI",
    year=2024,
    title="DeepSeek LLM: Scaling Open-Source Language Models with Longtermism",
    locator="arXiv:2401.02954",
)

shape = {"d": "h/a", "g": "a", "f": "8*h/3"}  # section 2.2: SwiGLU with 8/3 d_model; the 7B model has no grouped heads

without_attention = claims(
    deepseek2024, flops_per_token, "section 3.2, equation 2, 6N_1", about=llama, given=shape,
    neglect={"head", "core"}, rows={"mask=full": "72*L*h^2"},
)  # fmt: skip

with_vocabulary = claims(
    deepseek2024, flops_per_token, "section 3.2, equation 2, 6N_2", about=llama, given=shape, neglect={"core"},
    rows={"mask=full": "72*L*h^2 + 6*V*h"},
)  # fmt: skip

model_scale = claims(
    deepseek2024, flops_per_token, "section 3.2, equation 2, M", about=llama, given=shape, neglect={"head"},
    rows={"mask=full": "72*L*h^2 + 12*L*h*s"},
    note="non-embedding FLOPs a token: the head is left out on purpose",
)  # fmt: skip

compute = claims(
    deepseek2024, training_flops, "section 3.2, C = M D", about=llama, given=shape, neglect={"head"},
    rows={"mask=full": "(72*L*h^2 + 12*L*h*s)*D"},
)  # fmt: skip

grouped = {"h": "a*d", "a": "8*g", "f": "8*h/3"}  # its 67B model: 64 query heads, 8 key/value heads

model_scale_of_the_67b = claims(
    deepseek2024, flops_per_token, "section 3.2, equation 2, M, for the 67B model", about=llama, given=grouped,
    neglect={"head"}, expected="refuted", rows={"mask=full": "72*L*h^2 + 12*L*h*s"},
    note="with grouped heads the attention projections are 2.25h^2 weights, not 4h^2; its f is 8/3 h up to rounding",
)  # fmt: skip
