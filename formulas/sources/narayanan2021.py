"""Narayanan et al. 2021 (PTD-P): parameters and FLOPs of a GPT model, bubbles of its pipelines."""

from derive import Citation, claims
from formulas.architectures.gpt import gpt
from formulas.flops import layer_flops
from formulas.parallelism import interleaved_bubble, pipeline_bubble
from formulas.parameters import layer_parameters, parameters
from formulas.recompute import hardware_flops_per_token

narayanan2021 = Citation(
    key="narayanan2021",
    kind="paper",
    authors="Narayanan et al.",
    year=2021,
    title="Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM",
    locator="arXiv:2104.04473",
)

parameters_of_a_model = claims(
    narayanan2021, parameters, "section 5.1, equation 2", about=gpt, neglect={"final_norm"}, form=True,
    rows={"": "12*L*h^2*(1 + 13/(12*h) + (V + s)/(12*L*h))"},
)  # fmt: skip

parameters_of_a_layer = claims(
    narayanan2021, layer_parameters, "section 5.1, equation 2: what one layer adds", about=gpt,
    rows={"": "12*h^2*(1 + 13/(12*h))"},
)  # fmt: skip

forward = claims(
    narayanan2021, layer_flops, "appendix, the forward pass of a layer", about=gpt,
    rows={"mask=full": "24*b*s*h^2 + 4*b*s^2*h"},
)  # fmt: skip

with_recomputation = claims(
    narayanan2021, hardware_flops_per_token, "section 5.1, equation 3, divided by its B*s tokens", about=gpt,
    rows={"mask=full,recompute=layer": "96*b*s*L*h^2*(1 + s/(6*h) + V/(16*L*h))/(b*s)"},
    note="every layer's forward pass runs twice, the head's once",
)  # fmt: skip

bubble = claims(
    narayanan2021, pipeline_bubble, "section 2.2.1, bubble time fraction", form=True, rows={"": "(p - 1)/m"}
)

smaller_bubble = claims(
    narayanan2021, interleaved_bubble, "section 2.2.2, bubble time fraction", form=True, rows={"": "1/v*((p - 1)/m)"}
)
