"""PyTorch's FlopCounterMode: the FLOPs of a training step that it counts, with attention on the math path."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.flops import attention_flops, flops_per_token
from formulas.gemm import matmul_flops
from formulas.parameters import gemm_parameters
from formulas.recompute import attention_hardware_flops, hardware_flops_per_token

flop_counter = Citation(
    key="flop-counter",
    kind="tool",
    authors="PyTorch",
    year=2026,
    title="torch/utils/flop_counter.py, torch 2.13.0",
    locator="torch.utils.flop_counter.FlopCounterMode",
)

product = claims(flop_counter, matmul_flops, "mm_flop, lines 76-85, m * n * 2 * k", rows={"": "m*p*2*n"})

step = claims(
    flop_counter, flops_per_token, "measured: forward and backward, SDPBackend.MATH, is_causal=True", about=llama,
    letters={"N": gemm_parameters}, rows={"mask=full": "6*N + 12*L*a*d*s"},
    note="a causal mask halves nothing in it; fused attention counts the backward's recomputed scores too, 14*L*a*d*s",
)  # fmt: skip

attention = claims(
    flop_counter, attention_flops, "measured: two bmm_flop forward, four backward", about=llama,
    rows={"mask=full": "12*L*a*d*s"},
)  # fmt: skip

fused = claims(
    flop_counter, hardware_flops_per_token, "measured: forward and backward, a fused CUDA kernel, is_causal=True",
    about=llama, letters={"N": gemm_parameters}, rows={"attention=flash,mask=full": "6*N + 14*L*a*d*s"},
    note="what the hardware runs, except that a causal mask halves nothing in it",
)  # fmt: skip

fused_as_model_flops = claims(
    flop_counter, flops_per_token, "measured: forward and backward, a fused CUDA kernel, is_causal=True", about=llama,
    letters={"N": gemm_parameters}, expected="refuted", rows={"mask=full": "6*N + 14*L*a*d*s"},
    note="counts the scores that the kernel's backward pass makes again: an MFU from it is an HFU",
)  # fmt: skip

uncounted = claims(
    flop_counter, attention_flops, "measured: flash attention on a CPU, for which it has no formula", about=llama,
    expected="refuted", rows={"mask=full": "0"}, note="its report leaves the operation out and does not say so",
)  # fmt: skip

fused_core = claims(
    flop_counter, attention_hardware_flops,
    "sdpa_flop_count and sdpa_backward_flop_count: two products forward, five backward",
    about=llama, rows={"attention=flash,mask=full": "2*(2*b*s^2*a*d) + 5*(2*b*s^2*a*d)"},
)  # fmt: skip
