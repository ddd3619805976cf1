"""EleutherAI's cookbook: what its memory calculator counts."""

from derive import Citation, claims
from formulas.architectures.gpt import gpt
from formulas.inference import kv_cache

cookbook = Citation(
    key="cookbook",
    kind="tool",
    authors="EleutherAI",
    year=2026,
    title="The Cookbook, calc/calc_transformer_mem.py",
    locator="EleutherAI/cookbook 827ee3b2",
)

cached = claims(
    cookbook, kv_cache, "calc_mem, line 364, its sequence_length + output_tokens as s", about=gpt, expected="refuted",
    rows={"": "2*h*L*s*b"},
    note="one vector of h a token and layer: keys or values, not both; and all query heads, where heads are grouped",
)  # fmt: skip
