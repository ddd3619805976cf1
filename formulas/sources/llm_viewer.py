"""hahnyuan/LLM-Viewer: the operations of the output head for one token."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.inference import decode_flops_per_token

llm_viewer = Citation(
    key="llm-viewer",
    kind="tool",
    authors="Yuan et al.",
    year=2024,
    title="LLM-Viewer, configs/Llama.py",
    locator="hahnyuan/LLM-Viewer 472f71f1",
)

head = claims(
    llm_viewer, decode_flops_per_token, "post_process, lm_head, OPs of each of its sequences", about=llama,
    neglect={"layer"}, expected="refuted", rows={"": "h*V*1"},
    note="a multiplication and an addition for each weight, as in the tool's own linear layers, are two",
)  # fmt: skip
