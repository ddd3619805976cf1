"""DeepSpeed: what its estimators say that a GPU holds under ZeRO stages 2 and 3 when nothing is offloaded."""

from derive import Citation, claims
from formulas.states import zero_2, zero_3

deepspeed = Citation(
    key="deepspeed",
    kind="tool",
    authors="Microsoft",
    year=2026,
    title="DeepSpeed, deepspeed/runtime/zero: stage_1_and_2.py and stage3.py, docs/code-docs/source/memory.rst",
    locator="deepspeedai/DeepSpeed edaa7221",
)

CONVENTION = (
    "counts fp32 gradients beside the 16-bit ones, all of them at once, which exist only while the optimizer steps"
)

stage_2 = claims(
    deepspeed, zero_2, "estimate_zero2_model_states_mem_needs, line 3095, cpu_offload=False", recipe="deepspeed",
    expected="refuted", rows={"": "2*N + 18*N/n"}, note=CONVENTION,
)  # fmt: skip

stage_2_documented = claims(
    deepspeed, zero_2, "memory.rst, line 137, offload_optimizer none", recipe="deepspeed", expected="refuted",
    rows={"": "4*N + 16*N/n"}, note="not what its code computes; the 16-bit gradients are not sharded in it",
)  # fmt: skip

alone = {"n": "1"}

stage_2_alone = claims(
    deepspeed, zero_2, "estimate_zero2_model_states_mem_needs, line 3095, on one GPU", recipe="deepspeed", given=alone,
    expected="refuted", rows={"": "2*N + 18*N/n"}, note="20N, where its stage 3 has 18N beside a layer",
)  # fmt: skip

stage_3_alone = claims(
    deepspeed, zero_3, "estimate_zero3_model_states_mem_needs, line 3774, on one GPU, a layer's weights aside",
    recipe="deepspeed", given=alone, expected="refuted", rows={"": "18*N/n"},
    note="18N, where its stage 2 has 20N: on one GPU there is nothing to shard, and both are 16N",
)  # fmt: skip

stage_3 = claims(
    deepspeed, zero_3, "estimate_zero3_model_states_mem_needs, line 3774, cpu_offload=False", recipe="deepspeed",
    expected="refuted", rows={"": "4*Y + 18*N/n"},
    note=f"{CONVENTION}; 4E is a layer's gathered weights and their gradients, which come and go with the layer. "
    "With 2N whole weights its stage 2 has 20N at n = 1, stage 3 has 18N",
)  # fmt: skip
