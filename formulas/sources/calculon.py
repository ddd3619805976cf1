"""calculon-ai/calculon: the activations that one block of its model stores when it recomputes attention only."""

from derive import Citation, Role, claims
from formulas.activations import activations
from formulas.architectures.gpt import gpt

calculon = Citation(
    key="calculon",
    kind="tool",
    authors="Isaev et al.",
    year=2024,
    title="Calculon, calculon/llm/llm.py",
    locator="calculon-ai/calculon caa4b11f",
)

selective = claims(
    calculon, activations,
    "_build_attn_block and _build_mlp_block, lines 638-1025, attn_only, tensor_par_comm_type=ar", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"tp=t,recompute=core": "s*b*h*(8 + 24/t)"},
    note="stated nowhere; its code, run for t = 1, 2, 4 and 8, unfused activation, it gives 32, 20, 14 and 11 sbh. "
    "With attention it also drops the input of query, key and value, 2sbh (lines 642 and 695), but recomputes no norm",
)  # fmt: skip
