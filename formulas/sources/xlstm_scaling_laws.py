"""NX-AI's xlstm_scaling_laws: the products of a Llama's forward pass, with an output projection of grouped width."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.inference import decode_flops_per_token

xlstm_scaling_laws = Citation(
    key="xlstm-scaling-laws",
    kind="tool",
    authors="NX-AI",
    year=2026,
    title="xlstm_scaling_laws, xlstm_scaling_laws/model_accounting/flops/llama_backbone.py",
    locator="NX-AI/xlstm_scaling_laws 604bb306",
)

products = {"": "L*(2*h*(d*a + d*g + d*g) + 2*h*g*d + 6*h*f) + 2*h*V"}

backbone = claims(
    xlstm_scaling_laws, decode_flops_per_token,
    "lines 22-41, its counts of norms, sums and activations aside, with grouped heads",
    about=llama, given={"a": "8*g"}, neglect={"core"}, expected="refuted", rows=products,
    note="line 24 gives the output projection the width of the key/value heads: it has that of the query heads",
)  # fmt: skip

backbone_without_groups = claims(
    xlstm_scaling_laws, decode_flops_per_token,
    "lines 22-41, its counts of norms, sums and activations aside, as many key/value heads as query heads",
    about=llama, given={"g": "a"}, neglect={"core"}, rows=products,
)  # fmt: skip
