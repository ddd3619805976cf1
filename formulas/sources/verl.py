"""ByteDance's verl: the FLOPs behind its MFU, with two tables in every model."""

from derive import Citation, Role, claims
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token

verl = Citation(
    key="verl",
    kind="tool",
    authors="ByteDance",
    year=2026,
    title="verl, verl/utils/flops_counter.py",
    locator="volcengine/verl b178a3cd",
)

mfu = claims(
    verl, flops_per_token, "_estimate_qwen2_flops, lines 88-118, equally long sequences, divided by their tokens",
    about=llama, neglect={Role.DIAGONAL}, expected="refuted",
    rows={
        "mask=causal": "6*((h*f*3 + h*(a*d + g*d + g*d + a*d))*L + V*h*2) + 6*(b*s^2)*d*a*L/(b*s)",
    },
    note="the input table, tied or not, counted as a product: 6Vh too many; half of the scores, as it should be",
)  # fmt: skip
