"""Tazi et al. 2025, the Ultra-Scale Playbook of Hugging Face: parameters and activations of a simple transformer."""

from derive import Citation, Role, claims
from formulas.activations import model_activations
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.parameters import parameters

ultrascale2025 = Citation(
    key="ultrascale2025",
    kind="article",
    authors="Tazi et al.",
    year=2025,
    title="The Ultra-Scale Playbook: Training LLMs on GPU Clusters",
    locator="huggingface.co/spaces/nanotron/ultrascale-playbook",
)

parameters_of_a_model = claims(
    ultrascale2025, parameters, "Memory for weights/grads/optimizer states", about=gpt, neglect={Role.POSITIONS},
    rows={"": "h*V + L*(12*h^2 + 13*h) + 2*h"},
    note="leaves out the position table, and says so",
)  # fmt: skip

parameters_of_a_llama = claims(
    ultrascale2025, parameters, "Memory for weights/grads/optimizer states, for a layer of Llama", about=llama,
    given={"d": "h/a"}, expected="refuted", rows={"": "h*V + L*(12*h^2 + 13*h) + 2*h"},
    note="a gated MLP, norms without biases, grouped heads and a table for the head: 6969499648 for Llama 3 8B, which "
    "has 8030261248",
)  # fmt: skip

activations_of_a_model = claims(
    ultrascale2025, model_activations, "Memory for activations", about=gpt,
    neglect={Role.STATISTICS, "embedding", "final_norm", "head"},
    rows={"": "L*s*b*h*(34 + 5*a*s/h)"},
    note="all layers, nothing for the embedding's dropout, the final norm, the head and the loss",
)  # fmt: skip
