"""MooreThreads' SimuMax: parameters and FLOPs of a model in closed form, with a square output projection."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.parameters import parameters

simumax = Citation(
    key="simumax",
    kind="tool",
    authors="Moore Threads",
    year=2026,
    title="SimuMax, simumax/core/config.py",
    locator="MooreThreads/SimuMax 4dcaae51",
)

SQUARE = "takes the output projection as h by h, where its own simulated layer has a*d by h"
square = {"h": "a*d"}
numel = {"": "2*(V*h) + (h*(d*a + 2*d*g) + 2*h + h*h + 3*h*f)*L + h"}
flops = {
    "mask=full": "3*2*L*(h*(d*a + 2*d*g) + h*h) + 3*2*L*(3*h*f) + 3*2*L*(2*s*h) + 3*2*(h*V)",
}

parameters_of_a_model = claims(
    simumax, parameters, "param_numel, lines 1113-1118, swiglu, one expert", about=llama, expected="refuted",
    rows=numel, note=SQUARE + ": 1006632960 too few for Qwen3-32B, where a*d is 8192 and h is 5120",
)  # fmt: skip

parameters_of_a_square_model = claims(
    simumax, parameters, "param_numel, lines 1113-1118, swiglu, one expert, a*d = h", about=llama, given=square,
    rows=numel,
)  # fmt: skip

flops_of_a_model = claims(
    simumax, flops_per_token, "flops_per_token, lines 1128-1156, swiglu, one expert", about=llama, expected="refuted",
    rows=flops, note=SQUARE + ", and the score products in h where they have a*d",
)  # fmt: skip

flops_of_a_square_model = claims(
    simumax, flops_per_token, "flops_per_token, lines 1128-1156, swiglu, one expert, a*d = h", about=llama,
    given=square, rows=flops,
)  # fmt: skip
