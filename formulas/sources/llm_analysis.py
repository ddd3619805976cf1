"""cli99/llm-analysis: activation memory of a layer with scores written out."""

from derive import Citation, Role, claims
from formulas.activations import activations
from formulas.architectures.gpt import gpt

llm_analysis = Citation(
    key="llm-analysis", authors="Li", year=2023, title="llm-analysis, analysis.py", locator="cli99/llm-analysis"
)

layer = claims(
    llm_analysis, activations, "get_activation_memory_per_layer, softmax_dropout=True", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"": "33*s*b*h + 5*a*s^2*b"},
    note="misses the dropout mask after the MLP, sbh",
)  # fmt: skip
