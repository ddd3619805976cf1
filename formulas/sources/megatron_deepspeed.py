"""Microsoft's Megatron-DeepSpeed: the FLOPs of an iteration in its throughput calculator, in two versions."""

from derive import Citation, claims
from formulas.architectures.gpt import gpt
from formulas.recompute import hardware_flops_per_token

megatron_deepspeed = Citation(
    key="megatron-deepspeed",
    kind="tool",
    authors="Microsoft",
    year=2024,
    title="Megatron-DeepSpeed, megatron/utils.py, throughput_calculator",
    locator="microsoft/Megatron-DeepSpeed 0782d753; deepspeedai/Megatron-DeepSpeed 207b2d5a",
)

head_dim = {"d": "h/a"}

recomputed = claims(
    megatron_deepspeed, hardware_flops_per_token, "0782d753, checkpoint_activations_factor 4, divided by its tokens",
    about=gpt, rows={"mask=full,recompute=layer": "24*4*L*h^2*(1 + s/(6*h) + V/(16*L*h))"},
)  # fmt: skip

not_recomputed = claims(
    megatron_deepspeed, hardware_flops_per_token, "0782d753, checkpoint_activations_factor 3, divided by its tokens",
    about=gpt, expected="refuted", rows={"mask=full": "24*3*L*h^2*(1 + s/(6*h) + V/(16*L*h))"},
    note="the bracket belongs to the factor 4: with three passes of the layers the head's share is V/(12*L*h)",
)  # fmt: skip

selective = claims(
    megatron_deepspeed, hardware_flops_per_token, "207b2d5a, selective: mha_bgemm_macs once more, over its tokens",
    about=gpt, given=head_dim,
    rows={"mask=full,recompute=core": "2*(3*(L*4*h^2 + L*2*d*a*s + L*2*f*h + V*h) + L*2*d*a*s)"},
)  # fmt: skip

full = claims(
    megatron_deepspeed, hardware_flops_per_token, "207b2d5a, full: fwd_macs once more, divided by its tokens",
    about=gpt, given=head_dim, expected={"mask=full,recompute=layer": "refuted"},
    rows={
        "mask=full,recompute=layer": "2*4*(L*4*h^2 + L*2*d*a*s + L*2*f*h + V*h)",
        "mask=full,recompute=layer+head": "2*4*(L*4*h^2 + L*2*d*a*s + L*2*f*h + V*h)",
    },
    note="runs the head again too, which no layer's recomputation does",
)  # fmt: skip
