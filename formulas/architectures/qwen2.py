"""Qwen2 (Yang et al. 2024, arXiv 2407.10671): Llama's layer with biases at queries, keys and values."""

from functools import partial

from derive import linear
from formulas.architectures.decoder import drop_of
from formulas.architectures.llama import (
    ACTIVATIONS,
    LETTERS,
    attention,
    described,
    layer,
    mlp,
    projections,
    sizes,
)
from formulas.architectures.windows import alternating, kinds, windowed

MODEL_TYPES = ("qwen2",)


def window_of(fields):
    """The window, where one is used at all, and from which layer on layers have it."""
    first = fields.size("max_window_layers", default=28, least=0)
    window = fields.optional("sliding_window", default=4096)
    return (window if fields.flag("use_sliding_window", default=False) else None), first


def read(fields):
    """transformers' Qwen2Config; it has no field for the width of a head."""
    fields.ignores("rope_theta", "rope_scaling", "head_dim")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    project = partial(projections, linear=partial(linear, bias=True))
    (window, first), at = window_of(fields), sizes(fields, grouped=32)
    own = partial(attention, project=project, drop=drop_of(fields))
    layers = {
        kind: partial(layer, attention=each, mlp=partial(mlp, activation=ACTIVATIONS[activation]))
        for kind, each in windowed(own).items()
    }
    types = alternating(fields, at["L"], window, lambda index: index >= first.value)
    about = "RMS norm, rotary positions, biases at queries, keys and values, gated MLP"
    return described(fields, about, **kinds(types, layers, at, window, LETTERS))
