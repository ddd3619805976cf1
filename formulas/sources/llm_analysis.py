"""cli99/llm-analysis: activation memory of a layer with scores written out, as its functions for the parts add up."""

from derive import Citation, Role, claims
from formulas.activations import activations, attention_activations, mlp_activations
from formulas.architectures.gpt import gpt

llm_analysis = Citation(
    key="llm-analysis",
    kind="tool",
    authors="Li",
    year=2024,
    title="LLM-Analysis, llm_analysis/analysis.py",
    locator="cli99/llm-analysis d841e40a",
)

attention = claims(
    llm_analysis, attention_activations,
    "get_activation_memory_per_layer_attn, lines 585-631, flash_attn=False, softmax_dropout=True", about=gpt,
    rows={"": "(s*b*h + 4*s*b*h)*2 + (2*a*s^2*b*2 + a*s^2*b) + s*b*h"},
)  # fmt: skip

mlp = claims(
    llm_analysis, mlp_activations, "get_activation_memory_per_layer_mlp, lines 715-734, a dense MLP", about=gpt,
    expected="refuted", rows={"": "2*s*b*h + (2 + 2)*(f/h)*s*b*h"},
    note="misses the mask of the dropout after the MLP, sbh: its with_dropout=False is never set by a caller",
)  # fmt: skip

layer = claims(
    llm_analysis, activations,
    "get_activation_memory_per_layer, lines 829-884, of these two and layernorm_dtype_bytes=2", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted",
    rows={"": "(11*s*b*h + 5*a*s^2*b) + 18*s*b*h + 2*(s*b*h*2)"},
    note="the sum that its code returns, 33sbh + 5as^2b, stated nowhere; short by the same mask, sbh",
)  # fmt: skip

layer_with_wide_norms = claims(
    llm_analysis, activations,
    "get_activation_memory_per_layer, lines 829-884, of these two and its default, layernorm_dtype_bytes=4", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted",
    rows={"tp=t,sp": "(11*s*b*h + 5*a*s^2*b)/t + 18*s*b*h/t + 2*(s*b*h/t*4)"},
    note="37sbh + 5as^2b for t = 1: short by the same mask, and 4 bytes for norm inputs that are kept in 2",
)  # fmt: skip

recomputed = claims(
    llm_analysis, activations, "get_activation_memory_per_layer, lines 815-827, ActivationRecomputation.FULL",
    about=gpt, rows={"tp=t,sp,recompute=layer": "s*b*h*2/t", "tp=t,recompute=layer": "s*b*h*2/t"},
    expected={"tp=t,recompute=layer": "refuted"},
    note="a layer's input is split by sequence parallelism alone",
)  # fmt: skip
