"""NVIDIA's Megatron-LM: what its two accounting files compute, for a dense model without multi-token prediction."""

from derive import Citation, Role, claims
from formulas.activations import activations, attention_activations, mlp_activations, model_activations
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import attention_flops, flops_per_token
from formulas.gemm import matmul_backward_flops, matmul_flops
from formulas.init import residual_scale
from formulas.parallelism import in_flight_microbatches, interleaved_in_flight_microbatches, interleaved_penalty
from formulas.parameters import parameters
from formulas.states import bytes_per_parameter, states

megatron = Citation(
    key="megatron",
    kind="tool",
    authors="NVIDIA",
    year=2026,
    title="Megatron-LM, megatron/training: training.py and theoretical_memory_usage.py",
    locator="NVIDIA/Megatron-LM d98e8a64",
)

product = claims(
    megatron, matmul_flops, "num_floating_point_operations, lines 1066-1067, fma_expansion_factor",
    rows={"": "2*m*n*p"},
)  # fmt: skip

product_backward = claims(
    megatron, matmul_backward_flops,
    "num_floating_point_operations, lines 1063-1067: wgrad and dgrad, one product each",
    rows={"": "2*(2*m*n*p)", "frozen=x": "2*m*n*p", "frozen=y": "2*m*n*p"},
)  # fmt: skip

flops = claims(
    megatron, flops_per_token, "num_floating_point_operations, lines 1255-1310, with swiglu, for each token",
    about=llama, neglect={Role.DIAGONAL},
    rows={
        "mask=causal": "3*2*h*(f*3)*L + 3*2*(h*(a*d + g*d + g*d) + a*d*h)*L + 3*2*h*V + s*(3*2*(a*d)/2*2)*L",
    },
    note="counts s^2/2 pairs where the causal triangle has s*(s + 1)/2; its V is padded",
)  # fmt: skip

scores = claims(
    megatron, attention_flops, "num_floating_point_operations, lines 1164-1170, standard_self_attn_core_term",
    about=llama, neglect={Role.DIAGONAL}, rows={"mask=causal": "s*(3*2*(a*d)/2*2)*L"},
)  # fmt: skip

weights = claims(
    megatron, parameters, "compute_weight_and_optimizer_memory, lines 82-178, with swiglu, RMSNorm, untied tables",
    about=llama,
    rows={"": "L*(2*h*h*((1 + g/a)*(a*d/h)) + 2*h*f*(3/2) + 2*h*1) + 1*h + 2*(h*V)"},
)  # fmt: skip

with_sequence_parallelism = claims(
    megatron, activations, "compute_activation_memory, lines 317-319 and 379, one layer", about=gpt,
    neglect={Role.STATISTICS}, rows={"tp=t,sp,recompute=core": "s*b*h*(18 + 4*(f/h))/t"},
)  # fmt: skip

gated = claims(
    megatron, activations, "compute_activation_memory, lines 317-319 and 379, one layer of a Llama", about=llama,
    given={"d": "h/a"}, expected="refuted", rows={"tp=t,sp": "s*b*h*(18 + 4*(f/h))/t"},
    note="counts two f-wide tensors where the gated MLP written out keeps four, and no fp32 copy of a norm's input",
)  # fmt: skip

gated_mlp = claims(
    megatron, mlp_activations, "compute_activation_memory, lines 317-319: its terms of the MLP, but a dropout mask",
    about=llama, expected="refuted", rows={"": "s*b*h*(2 + 4*(f/h))"},
    note="two f-wide tensors; a gated MLP keeps gate, its activation, up and their product, and three where one kernel "
    "makes the product",
)  # fmt: skip

grouped = claims(
    megatron, attention_activations, "compute_activation_memory, lines 317-319 and 379: its terms of attention, of "
    "grouped heads", about=gpt, given={"g": "a/8"}, expected="refuted", rows={"tp=t,sp,recompute=core": "s*b*h*11/t"},
    note="keys and values are as wide as queries in it: too large",
)  # fmt: skip

END = "4*(1 + V/h)*s*b*h"

model_with_sequence_parallelism = claims(
    megatron, model_activations, "compute_activation_memory, lines 317-379, pp = 1", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted",
    rows={"tp=t,sp,recompute=core": f"(s*b*h*(18 + 4*(f/h))*L + 8*s*b + s*b*h + {END})/t"},
    note="of ids it has those of the tokens, divided by t, and neither positions nor targets; all else agrees",
)  # fmt: skip

without_sequence_parallelism = claims(
    megatron, activations, "compute_activation_memory_without_sp, line 386, per_layer_memory", about=gpt,
    neglect={Role.STATISTICS}, rows={"tp=t,recompute=core": "s*b*h*(10 + 24/t)"},
)  # fmt: skip

whatever_the_arguments = claims(
    megatron, activations, "compute_activation_memory_without_sp, line 386, whatever is recomputed", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted",
    rows={"tp=t": "s*b*h*(10 + 24/t)", "tp=t,recompute=layer": "s*b*h*(10 + 24/t)"},
    note="the scores are never in it, and full recomputation changes nothing",
)  # fmt: skip

whatever_the_width = claims(
    megatron, mlp_activations, "compute_activation_memory_without_sp, line 386: its terms of an MLP with f = 3h",
    about=gpt, given={"f": "3*h"}, expected="refuted", rows={"tp=t": "s*b*h*(3 + 16/t)"},
    note="its 24/t has f = 4h in it, whatever the width",
)  # fmt: skip

model_without_sequence_parallelism = claims(
    megatron, model_activations, "compute_activation_memory_without_sp, lines 386-451, pp = 1, on one device",
    about=gpt, neglect={Role.STATISTICS}, expected="refuted",
    rows={"recompute=core": "(s*b*h*(10 + 24)*L + 8*s*b + s*b*h + (s*b*V + s*b*h)*2)*1.05"},
    note="logits in 2 bytes and one of two inputs at the end, where compute_activation_memory, which is the same on "
    "one device, has 4 bytes and both; and 5% of all",
)  # fmt: skip

with_overhead = claims(
    megatron, activations, "compute_activation_memory_without_sp, lines 386 and 449-451, one layer", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"tp=t,recompute=core": "s*b*h*(10 + 24/t)*1.05"},
    note="the 5% is an allowance for the optimizer's buffers and temporaries, not for a tensor that the layer keeps",
)  # fmt: skip

TABLE = "docs/user-guide/features/dist_optimizer.md, table"

fp16_bytes = claims(
    megatron, bytes_per_parameter, f"{TABLE}, fp16 parameters, fp16 gradients", recipe="fp16-megatron", form=True,
    rows={"": "20", "zero=1,dp=n": "4 + 16/n"},
)  # fmt: skip

bf16_bytes = claims(
    megatron, bytes_per_parameter, f"{TABLE}, bf16 parameters, fp32 gradients; num_bytes_per_parameter, line 296",
    recipe="bf16-fp32-grads", form=True, rows={"": "18", "zero=1,dp=n": "6 + 12/n"},
)  # fmt: skip

fp32_bytes = claims(
    megatron, bytes_per_parameter, f"{TABLE}, fp32 parameters, fp32 gradients", recipe="fp32", form=True,
    rows={"": "16", "zero=1,dp=n": "8 + 8/n"},
)  # fmt: skip

ESTIMATE = "compute_weight_and_optimizer_memory, lines 293-303"
BF16_ONLY = "assumes bf16 training, whatever the arguments say"

weights_and_optimizer = claims(megatron, states, ESTIMATE, recipe="bf16-fp32-grads", rows={"": "N*18"}, note=BF16_ONLY)

distributed_optimizer = claims(
    megatron, states, ESTIMATE, recipe="bf16-fp32-grads", form=True, rows={"zero=1,dp=n": "N*(6 + 12/n)"},
    note=BF16_ONLY,
)  # fmt: skip

penalty = claims(
    megatron, interleaved_penalty, "compute_activation_memory, lines 343-346, interleaved_schedule_memory_penalty",
    form=True, rows={"": "1 + (p - 1)/(p*v)"},
)  # fmt: skip

in_flight = claims(
    megatron, in_flight_microbatches, "compute_activation_memory, line 362, in_flight_microbatches",
    rows={"": "min(m, p)"},
)  # fmt: skip

interleaved_in_flight = claims(
    megatron, interleaved_in_flight_microbatches, "compute_activation_memory, lines 347-349, in_flight_microbatches",
    expected="refuted", rows={"": "ceil((1 + (p - 1)/(p*v))*p)"},
    note="rounded up for a log line alone; and a step of m = p micro-batches never has more than m in flight",
)  # fmt: skip

branches = claims(
    megatron, residual_scale, "megatron/core/utils.py, scaled_init_method_normal, line 869, sigma and multiplier aside",
    rows={"": "1/sqrt(2*L)"},
)  # fmt: skip
