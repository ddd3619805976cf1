"""Dao 2023, FlashAttention-2: the FLOPs by which its benchmark divides time."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import attention_flops
from formulas.recompute import attention_hardware_flops

dao2023 = Citation(
    key="dao2023",
    kind="paper",
    authors="Dao",
    year=2023,
    title="FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning",
    locator="arXiv:2307.08691; Dao-AILab/flash-attention 0469c727, benchmarks/benchmark_flash_attention.py, flops",
)

full = {"attention=flash,mask=full": "3.5*(4*b*s^2*a*d)"}
causal = {"attention=flash,mask=causal": "3.5*(4*b*s^2*a*d/2)"}

whole = claims(dao2023, attention_hardware_flops, "mode fwd_bwd, causal=False", about=llama, rows=full)

halved = claims(
    dao2023, attention_hardware_flops, "mode fwd_bwd, causal=True", about=llama, neglect={Role.DIAGONAL}, rows=causal
)

all_heads = claims(dao2023, attention_hardware_flops, "mode fwd_bwd, causal=False", about=gpt, rows=full)

as_model_flops = claims(
    dao2023, attention_flops, "mode fwd_bwd, causal=False, of all layers, divided by the b*s tokens", about=llama,
    expected="refuted", rows={"mask=full": "3.5*(4*b*s^2*a*d)*L/(b*s)"},
    note="a hardware count: the backward pass needs four products, the kernel one more: 7/6",
)  # fmt: skip
