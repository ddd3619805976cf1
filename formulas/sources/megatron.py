"""NVIDIA's Megatron-LM: what its two accounting files compute."""

from derive import Citation, Role, claims
from formulas.activations import activations
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import attention_flops, flops_per_token
from formulas.gemm import matmul_backward_flops, matmul_flops

megatron = Citation(
    key="megatron",
    authors="NVIDIA",
    year=2026,
    title="Megatron-LM, training.py and theoretical_memory_usage.py",
    locator="NVIDIA/Megatron-LM d98e8a64",
)

product = claims(megatron, matmul_flops, "num_floating_point_operations, fma factor", rows={"": "2*m*n*p"})

product_backward = claims(
    megatron, matmul_backward_flops, "num_floating_point_operations, three products for each, two of them backward",
    rows={"": "2*(2*m*n*p)", "frozen=x": "2*m*n*p", "frozen=y": "2*m*n*p"},
)  # fmt: skip

flops = claims(
    megatron, flops_per_token, "num_floating_point_operations, over the tokens of the batch", about=llama,
    neglect={Role.DIAGONAL},
    rows={"mask=causal": "6*L*(h*(a*d + 2*g*d) + a*d*h) + 6*L*3*h*f + 6*h*V + 6*L*a*d*s"},
    note="counts s^2/2 pairs where the causal triangle has s*(s + 1)/2",
)  # fmt: skip

scores = claims(
    megatron, attention_flops, "num_floating_point_operations, standard_self_attn_core_term", about=llama,
    neglect={Role.DIAGONAL}, rows={"mask=causal": "6*L*a*d*s"},
)  # fmt: skip

with_sequence_parallelism = claims(
    megatron, activations, "compute_activation_memory, one layer", about=gpt, neglect={Role.STATISTICS},
    rows={"tp=t,sp,recompute=core": "s*b*h*(18 + 4*f/h)/t"},
)  # fmt: skip

gated = claims(
    megatron, activations, "compute_activation_memory, one layer of a Llama", about=llama,
    given={"d": "h/a"}, expected="refuted", rows={"tp=t,sp": "s*b*h*(18 + 4*f/h)/t"},
    note="counts two f-wide tensors where the gated MLP written out keeps four, and no fp32 copy of a norm's input",
)  # fmt: skip

without_sequence_parallelism = claims(
    megatron, activations, "compute_activation_memory_without_sp, one layer", about=gpt, neglect={Role.STATISTICS},
    expected="refuted", rows={"tp=t,recompute=core": "1.05*(s*b*h*(10 + 24/t))"},
    note="the 5% is an allowance for fragmentation, not a tensor",
)  # fmt: skip
