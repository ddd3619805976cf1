"""Korthikanti et al. 2022: activation memory of a GPT layer, by tensor, sequence parallelism and recomputation."""

from derive import Citation, Role, claims
from formulas.activations import activations, attention_activations, mlp_activations, model_activations
from formulas.architectures.gpt import gpt
from formulas.flops import flops_per_token, layer_flops
from formulas.recompute import hardware_flops_per_token, recompute_factor

korthikanti2022 = Citation(
    key="korthikanti2022",
    kind="paper",
    authors="Korthikanti et al.",
    year=2022,
    title="Reducing Activation Recomputation in Large Transformer Models",
    locator="arXiv:2205.05198",
)

statistics = Role.STATISTICS  # section 4 leaves out small buffers: a norm's mean and variance have sb elements each

table_2 = claims(
    korthikanti2022, activations, "table 2", about=gpt, neglect={statistics}, form=True,
    expected={"tp=t,recompute=layer": "proved"},  # nothing of the layer is left, statistics neither
    rows={
        "": "s*b*h*(34 + 5*a*s/h)",
        "tp=t": "s*b*h*(10 + 24/t + 5*a*s/(h*t))",
        "tp=t,sp": "s*b*h*(34/t + 5*a*s/(h*t))",
        "tp=t,recompute=core": "s*b*h*(10 + 24/t)",
        "tp=t,sp,recompute=core": "s*b*h*(34/t)",
        "tp=t,recompute=layer": "s*b*h*2",
    },
)  # fmt: skip

attention_block = claims(
    korthikanti2022, attention_activations, "section 4.1", about=gpt, rows={"": "11*s*b*h + 5*a*s^2*b"}
)

mlp_block = claims(korthikanti2022, mlp_activations, "section 4.1", about=gpt, rows={"": "19*s*b*h"})

ends = claims(
    korthikanti2022, model_activations, "equation 5 and the ends of section 4.3, p = 1", about=gpt,
    neglect={statistics, Role.INDEX},
    rows={"tp=t,sp": "s*b*h*L/t*(34 + 5*a*s/h) + s*b*h*L/t*(1/L + 4/L*(1 + V/h))"},
)  # fmt: skip

first_stage = claims(
    korthikanti2022, model_activations, "equation 5 and the embedding of section 4.3, first of p stages", about=gpt,
    given={"m": "p"}, neglect={statistics, Role.INDEX},
    rows={"tp=t,sp,pp=p,stage=first": "s*b*h*L/t*(34 + 5*a*s/h) + s*b*h*p/t"},
    note="p micro-batches are in flight, each with 1/p of the layers",
)  # fmt: skip

model_flops = claims(
    korthikanti2022, flops_per_token, "appendix A, equation 7, divided by its B*s tokens", about=gpt,
    rows={"mask=full": "72*b*L*s*h^2*(1 + s/(6*h) + V/(12*h*L))/(b*s)"},
)  # fmt: skip

layer_forward = claims(
    korthikanti2022, layer_flops, "appendix A", about=gpt, form=True, rows={"mask=full": "24*b*s*h^2 + 4*b*s^2*h"}
)

hardware_flops = claims(
    korthikanti2022, hardware_flops_per_token, "appendix A, after equation 7, divided by its B*s tokens", about=gpt,
    expected="refuted", rows={"mask=full,recompute=core": "72*b*L*s*h^2*(1 + s/(3*h) + V/(12*h*L))/(b*s)"},
    note="adding its two products of 2*B*s^2*h each gives 2*s/(9*h); an author agrees (NVIDIA/Megatron-LM issue 523)",
)  # fmt: skip

hardware_over_model = claims(
    korthikanti2022, recompute_factor, "appendix A, hardware FLOPs over the model FLOPs of equation 7", about=gpt,
    expected="refuted",
    rows={"mask=full,recompute=core": "(1 + s/(3*h) + V/(12*h*L))/(1 + s/(6*h) + V/(12*h*L))"},
    note="1 + s/(3*h) should be 1 + 2*s/(9*h)",
)  # fmt: skip
