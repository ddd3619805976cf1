"""Phi-3 (Abdin et al. 2024, arXiv 2404.14219): Llama's layer with queries, keys and values in one product."""

from functools import partial

from derive import Remainder, block, linear, multiply, part, silu
from formulas.architectures.decoder import drop_of
from formulas.architectures.fused import core, unshared
from formulas.architectures.llama import (
    ACTIVATIONS,
    LETTERS,
    attention,
    described,
    norm,
    sizes,
)
from formulas.architectures.rotary import laid, partly, relaid, rotary
from formulas.architectures.windows import alternating, kinds, windowed

MODEL_TYPES = ("phi3",)


def together(x, linear=linear):
    """Queries, keys and values as parts of one product."""
    qkv = linear(x, "h -> qkv", tp="qkv", name="query, key and value")
    return tuple(part(qkv, f"qkv -> {head} d", name=name, uneven=uneven) for head, name, uneven in PARTS)


KEYS = (("g", "key", Remainder.REPLICATE), ("g", "value", Remainder.REPLICATE))
PARTS = (("a", "query", Remainder.REFUSE), *KEYS)
AXES = {"qkv": "(a + 2*g)*d", "f_2": "2*f"}


@block(name="mlp")
def paired_mlp(x, activation=silu):
    """A gated MLP whose gate and up projection are one product."""
    both = linear(x, "h -> f_2", tp="f_2", name="gate and up")
    gate, up = (part(both, "f_2 -> f", name=name) for name in ("gate", "up"))
    return linear(multiply(up, activation(gate), name="gated"), "f -> h", tp="f", name="down")


@block
def layer(x, attention=attention, mlp=paired_mlp, *, drop):
    x = x + drop(attention(norm(x)))
    return x + drop(mlp(norm(x)))


def read(fields):
    """transformers' Phi3Config."""
    fields.ignores("original_max_position_embeddings", "embd_pdrop", "rope_theta")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    window, at = fields.optional("sliding_window", default=None), sizes(fields)
    rotated = rotary(fields, at["d"], default=1.0)
    out = relaid(linear, at["a"])
    own = partial(
        attention, project=together, rotate=partly(rotated), share=unshared, out=out, drop=drop_of(fields)
    )  # fmt: skip
    layers = {
        kind: partial(
            layer, attention=each, mlp=partial(paired_mlp, activation=ACTIVATIONS[activation]),
            drop=drop_of(fields, "resid_pdrop"),
        )
        for kind, each in windowed(own, partial(core, laid=laid(at["a"]))).items()
    }  # fmt: skip
    found = kinds(alternating(fields, at["L"], window, lambda _: True), layers, at | rotated.sizes, window, LETTERS)
    found["letters"] += rotated.letters
    about = "RMS norm, rotary positions, queries, keys and values in one product, gated MLP in two, no biases"
    return described(fields, about, **found, axes=AXES | rotated.axes)
