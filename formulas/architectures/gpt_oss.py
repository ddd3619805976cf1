"""gpt-oss (OpenAI 2025, arXiv 2508.10925): attention sinks, windows in every other layer, experts with biases."""

from functools import partial

from derive import (
    Role,
    add,
    block,
    clamp,
    concat,
    copy,
    dropout,
    einsum,
    expert_linear,
    extended,
    linear,
    multiply,
    parameter,
    part,
    scaled,
    sigmoid,
    softmax,
    top_k,
)
from formulas.architectures import experts
from formulas.architectures.decoder import drop_of
from formulas.architectures.experts import LETTERS, mixture
from formulas.architectures.llama import attention, described, projections, sizes
from formulas.architectures.olmo2 import final_norm, norm
from formulas.architectures.rotary import relaid, tables_of
from formulas.architectures.windows import alternating, kinds, windowed

MODEL_TYPES = ("gpt_oss",)
HEAD = 64  # transformers' width of a head where the file has none
AXES = experts.AXES | {"s_1": "s + 1", "d_2": "d/2"}


@block(name="core", fused_by="attention")
def sinking_core(q, k, v, drop=dropout, window=None):
    """Attention whose softmax has one more score for each head: a sink, which no value belongs to."""
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k", window=window)
    p = softmax(extended(scores, parameter("sinks", "a", Role.SINKS, tp="a"), "s_1"))
    p = drop(part(p, "s_1 -> s", name="attention probabilities"))
    return einsum("b a q k, k b a d -> q b a d", p, v, name="attention output", masked="q k", window=window)


def rotated(q, k):
    """Queries and keys rotated half against half, by tables of half the width."""
    cos, sin = tables_of("s d_2")

    def turned(x):
        left, right = (part(x, "d -> d_2") for _ in "lr")
        sides = (add(multiply(one, cos), multiply(other, sin)) for one, other in ((left, right), (right, left)))
        return concat("d_2 d_2 -> d", *sides, name=f"rotated {x.name}")

    return turned(q), turned(k)


@block
def router(x):
    """The largest logits, and a softmax over these alone."""
    scores, chosen = top_k(linear(x, "h -> E", bias=True, name="router", adapts=False), "E -> k")
    return softmax(scores), chosen


def clamped(both):
    """The gated product, both sides cut off, the gate by a sigmoid that is scaled."""
    gate, up = (clamp(part(both, "f_2 -> f_e", name=name)) for name in ("gate", "up"))
    return multiply(copy(up), multiply(gate, sigmoid(scaled(gate)), name="gate"), name="gated")


@block
def layer(x, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


def read(fields):
    """transformers' GptOssConfig; its intermediate_size is one expert's width."""
    fields.ignores(
        "rope_theta", "rope_scaling", "router_aux_loss_coef", "swiglu_alpha", "swiglu_limit",
        "initial_context_length", "experts_per_token", "hidden_act",
    )  # fmt: skip
    window, at = fields.optional("sliding_window", default=128), sizes(fields, head=HEAD, grouped=8)
    projection = partial(linear, bias=fields.flag("attention_bias", default=True))
    own = partial(
        attention,
        project=partial(projections, linear=projection),
        rotate=rotated,
        out=relaid(projection, at["a"]),
        drop=drop_of(fields),
    )
    mlp = partial(
        mixture,
        router=router,
        experts=partial(experts.experts, inner=clamped, linear=partial(expert_linear, bias=True)),
    )
    layers = {kind: partial(layer, attention=each, mlp=mlp) for kind, each in windowed(own, sinking_core).items()}
    del at["f"]
    at |= experts.sizes(fields, width="intermediate_size")
    types = alternating(fields, at["L"], window, lambda index: index % 2 == 0)
    about = "RMS norm, rotary positions, sinks, windows in every other layer, gated experts with biases"
    return described(
        fields, about, **kinds(types, layers, at, window, LETTERS), norm=final_norm, axes=AXES, bounds=experts.BOUNDS
    )
