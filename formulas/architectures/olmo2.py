"""OLMo 2 (OLMo team 2024, arXiv 2501.00656): norms behind attention and MLP, and of all queries and all keys."""

from functools import partial

from derive import Role, block, cast, compute, constant, fp32, linear, multiply, parameter
from formulas.architectures.decoder import drop_of
from formulas.architectures.llama import (
    ACTIVATIONS,
    attention,
    described,
    mlp,
    normalised,
    projections,
    sizes,
)
from formulas.architectures.rotary import turned

MODEL_TYPES = ("olmo2",)


def wide_norm(x, over=1):
    """RMS norm whose weight multiplies in fp32."""
    gain = parameter("norm weight", x.axes[-over:], Role.GAIN)
    return cast(multiply(normalised(x, over), gain, name="norm output in fp32"), compute, name="norm output")


def rotated(q, k):
    """Queries and keys, rotated in fp32."""
    angles = tuple(constant(name, "s d", fp32) for name in ("cos", "sin"))
    return tuple(cast(turned(each, *angles), compute, name=f"rotated {each.name}") for each in (q, k))


@block
def norm(x):
    return wide_norm(x)


@block
def final_norm(x):
    return wide_norm(x)


@block
def layer(x, attention=attention, mlp=mlp):
    x = x + norm(attention(x))
    return x + norm(mlp(x))


def read(fields):
    """transformers' Olmo2Config; it has no field for the width of a head."""
    fields.ignores("rope_theta", "rope_scaling")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    projection = partial(linear, bias=fields.flag("attention_bias", default=False))
    project = partial(projections, linear=projection, normed=partial(wide_norm, over=2))
    own = partial(
        layer,
        attention=partial(attention, project=project, rotate=rotated, out=projection, drop=drop_of(fields)),
        mlp=partial(mlp, activation=ACTIVATIONS[activation]),
    )
    about = "RMS norms behind attention and MLP, norms of all queries and keys, rotary positions, gated MLP"
    return described(fields, about, own, sizes(fields), norm=final_norm)
