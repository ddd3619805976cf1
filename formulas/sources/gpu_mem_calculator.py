"""George614/gpu-mem-calculator: activations of a layer as sixteen bytes, and what it makes of sequence parallelism."""

from derive import Citation, Role, claims
from formulas.activations import activations
from formulas.architectures.gpt import gpt

gpu_mem_calculator = Citation(
    key="gpu-mem-calculator",
    kind="tool",
    authors="George614",
    year=2026,
    title="gpu-mem-calculator, src/gpu_mem_calculator: core/formulas.py and engines/megatron.py",
    locator="George614/gpu-mem-calculator 2f345d1d",
)

heuristic = claims(
    gpu_mem_calculator, activations, "calculate_activation_memory, lines 176-208, one layer, level 0", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"tp=t,recompute=core": "b*s*(h*16)/t"},
    note="meant to be near s*b*h*(10 + 24/t), which it quotes: less than half of it for t = 1, and the part that "
    "tensor parallelism leaves whole is divided too",
)  # fmt: skip

sequence_parallel = claims(
    gpu_mem_calculator, activations, "calculate_megatron_activations, lines 78-92, one layer, seq_parallel", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"tp=t,sp,recompute=core": "b*s*(h*16)/t*(1/t)"},
    note="divides by t what is divided by t already: with sequence parallelism a layer keeps 34*s*b*h/t",
)  # fmt: skip
