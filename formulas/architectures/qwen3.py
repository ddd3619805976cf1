"""Qwen3 (Yang et al. 2025, arXiv 2505.09388): Llama's layer with norms of each query and key head."""

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
    rms_norm,
    sizes,
)
from formulas.architectures.qwen2 import window_of
from formulas.architectures.windows import alternating, kinds, windowed

MODEL_TYPES = ("qwen3",)
HEAD = 128  # transformers' width of a head where the file has none


def normed_attention(fields):
    """Attention whose queries and keys are normed head by head."""
    projection = partial(linear, bias=fields.flag("attention_bias", default=False))
    project = partial(projections, linear=projection, normed=rms_norm)
    return partial(attention, project=project, out=projection, drop=drop_of(fields))


def read(fields):
    """transformers' Qwen3Config."""
    fields.ignores("rope_theta", "rope_scaling")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    (window, first), at = window_of(fields), sizes(fields, head=HEAD, grouped=32)
    layers = {
        kind: partial(layer, attention=each, mlp=partial(mlp, activation=ACTIVATIONS[activation]))
        for kind, each in windowed(normed_attention(fields)).items()
    }
    types = alternating(fields, at["L"], window, lambda index: index >= first.value)
    about = "RMS norm, norms of query and key heads, rotary positions, gated MLP"
    return described(fields, about, **kinds(types, layers, at, window, LETTERS))
