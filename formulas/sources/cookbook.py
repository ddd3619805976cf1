"""EleutherAI's cookbook: what its calculators of memory and of FLOPs count."""

from derive import Citation, claims
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.inference import kv_cache
from formulas.parameters import parameters
from formulas.recompute import hardware_flops_per_token

cookbook = Citation(
    key="cookbook",
    kind="tool",
    authors="EleutherAI",
    year=2026,
    title="The Cookbook, calc: calc_transformer_mem.py and calc_transformer_flops.py",
    locator="EleutherAI/cookbook 827ee3b2",
)

cached = claims(
    cookbook, kv_cache, "calc_mem, line 364, its sequence_length + output_tokens as s", about=gpt, expected="refuted",
    rows={"": "2*h*L*s*b"},
    note="one vector of h a token and layer: keys or values, not both; and all query heads, where heads are grouped",
)  # fmt: skip

FEW = "2*V*h + h*s + (8*h*L + 2*h) + 2*(1 + g/a)*L*h*h"
PLACE = "calc_mem, lines 267-272, total_params"

parameters_of_a_gpt = claims(
    cookbook, parameters, PLACE, about=gpt, expected="refuted", rows={"": f"{FEW} + 2*L*h*(f/h)*h"},
    note="always two tables, and 8hL for norms and biases, which have 4hL and, with f = 4h, 9hL",
)  # fmt: skip

parameters_of_a_llama = claims(
    cookbook, parameters, f"{PLACE}, num_mlp_linears at its default", about=llama, given={"d": "h/a"},
    expected="refuted", rows={"": f"{FEW} + 2*L*h*(f/h)*h"},
    note="a gated MLP has three matrices; besides, it has a position table that is not there, and 8hL for two norms",
)  # fmt: skip

parameters_of_a_llama_with_three_matrices = claims(
    cookbook, parameters, f"{PLACE}, num_mlp_linears = 3", about=llama, given={"d": "h/a"}, expected="refuted",
    rows={"": f"{FEW} + 3*L*h*(f/h)*h"},
    note="a position table that is not there, and 8hL + 2h for norms, which have 2hL + h",
)  # fmt: skip

HEAD = "(4*h + 2*h*V)"
LAYERS = "2*(1 + 2*(g/a))*L*h*h + 2*L*s*h + 2*L*s*h + 2*L*h*h + 2*2*4*L*h*h"

flops = claims(
    cookbook, flops_per_token, "calc_flops, lines 103-126, --no-checkpoint-activations, for each token", about=gpt,
    expected="refuted", rows={"mask=full": f"3*({LAYERS}) + {HEAD}"},
    note="the head's product is counted forward alone: its backward pass is twice as much again",
)  # fmt: skip

flops_with_recomputation = claims(
    cookbook, hardware_flops_per_token, "calc_flops, lines 103-126, for each token", about=gpt, expected="refuted",
    rows={"mask=full,recompute=layer": f"4*({LAYERS}) + {HEAD}"}, note="as without recomputation",
)  # fmt: skip
