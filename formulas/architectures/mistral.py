"""Mistral 7B (Jiang et al. 2023, arXiv 2310.06825): Llama's layer, its attention over a window."""

from functools import partial

from formulas.architectures.decoder import drop_of
from formulas.architectures.llama import (
    ACTIVATIONS,
    LETTERS,
    attention,
    described,
    layer,
    mlp,
    sizes,
)
from formulas.architectures.windows import alternating, kinds, windowed

MODEL_TYPES = ("mistral",)


def read(fields):
    """transformers' MistralConfig: a window of 4096 where the file has no such field, none where it is null."""
    fields.ignores("rope_theta", "rope_scaling", "max_window_layers")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    window = fields.optional("sliding_window", default=4096)
    own, at = partial(mlp, activation=ACTIVATIONS[activation]), sizes(fields, grouped=8)
    layers = {
        kind: partial(layer, attention=each, mlp=own)
        for kind, each in windowed(partial(attention, drop=drop_of(fields))).items()
    }
    types = alternating(fields, at["L"], window, lambda _: True)
    about = "RMS norm, rotary positions, attention over a window, gated MLP, no biases"
    return described(fields, about, **kinds(types, layers, at, window, LETTERS))
