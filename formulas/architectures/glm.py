"""GLM-4 (GLM team 2024, arXiv 2406.12793), as transformers' glm: half of each head rotated, gate and up together."""

from functools import partial

from derive import linear
from formulas.architectures.decoder import drop_of
from formulas.architectures.llama import (
    ACTIVATIONS,
    LETTERS,
    attention,
    described,
    layer,
    projections,
    sizes,
)
from formulas.architectures.phi3 import paired_mlp
from formulas.architectures.rotary import new_tables_of, partly, relaid, rotary

MODEL_TYPES = ("glm",)
HALF = 0.5


def read(fields, layer=layer, about="RMS norm"):
    """transformers' GlmConfig."""
    fields.ignores("rope_theta")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    projection, at = (
        partial(linear, bias=fields.flag("attention_bias", default=True)),
        sizes(fields, head=128, grouped=2),
    )
    rotated = rotary(fields, at["d"], HALF)
    own = partial(
        attention,
        project=partial(projections, linear=projection),
        rotate=partly(rotated, new_tables_of),
        out=relaid(linear, at["a"]),
        drop=drop_of(fields),
    )
    layers = partial(layer, attention=own, mlp=partial(paired_mlp, activation=ACTIVATIONS[activation]))
    about = f"{about}, a part of each head rotated, biases at queries, keys and values, gated MLP in two products"
    letters = LETTERS + rotated.letters
    axes = {"f_2": "2*f"} | rotated.axes
    return described(fields, about, layers, at | rotated.sizes, letters=letters, axes=axes)
