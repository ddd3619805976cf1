"""Gemma 2 (Gemma team 2024, arXiv 2408.00118): windows in every other layer, norms on both sides, capped logits."""

from functools import partial

from derive import (
    Remainder,
    Role,
    block,
    cast,
    compute,
    copy,
    cross_entropy,
    dropout,
    einsum,
    fp32,
    generated,
    linear,
    multiply,
    parameter,
    scaled,
    softmax,
    tanh,
)
from formulas.architectures import decoder
from formulas.architectures.decoder import HEADS, drop_of
from formulas.architectures.gpt import core
from formulas.architectures.llama import (
    ACTIVATIONS,
    LETTERS,
    attention,
    described,
    mlp,
    normalised,
    projections,
    sizes,
)
from formulas.architectures.windows import alternating, kinds, windowed

MODEL_TYPES = ("gemma2",)
GELU = "gelu_pytorch_tanh"
HEAD, SHARED = 256, 4  # transformers' width of a head and key/value heads, where the file has none


def shifted_norm(x):
    """RMS norm in fp32 whose weight is stored less one."""
    gain = copy(cast(parameter("norm weight", x.axes[-1:], Role.GAIN), fp32, name="1 + norm weight"))
    return cast(multiply(normalised(x), gain, name="norm output in fp32"), compute, name="norm output")


@block
def norm(x):
    return shifted_norm(x)


@block
def final_norm(x):
    return shifted_norm(x)


@block(name="core", fused_by="attention")
def capped_core(q, k, v, drop=dropout, window=None):
    """Attention whose scores are capped by a hyperbolic tangent, between numbers that stay numbers of the program."""
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k", window=window)
    p = drop(softmax(scaled(tanh(scaled(scores)))))
    return einsum("b a q k, k b a d -> q b a d", p, v, name="attention output", masked="q k", window=window)


@block
def layer(x, attention, mlp):
    x = x + norm(attention(norm(x)))
    return x + norm(mlp(norm(x)))


@block
def embedding(ids):
    """Rows of the token table times the root of the hidden size, a number in the table's format."""
    x, table = decoder.looked_up(ids)
    return multiply(x, generated("embedding scale", (), compute, Role.CONSTANT), name="scaled embedding"), table


def capped_head(x, table, targets, *, tied):
    """Logits capped by a hyperbolic tangent, and the loss."""
    weight = table if tied else None
    raw = linear(x, "h -> V", tp="V", uneven=Remainder.PAD, weight=weight, name="logits before the cap")
    return cross_entropy(scaled(tanh(scaled(raw)), name="logits"), targets)


CAPPED = {tied: block(name="head")(partial(capped_head, tied=tied)) for tied in (False, True)}


def read(fields):
    """transformers' Gemma2Config."""
    fields.ignores("rope_theta", "rope_scaling", "query_pre_attn_scalar", "cache_implementation")
    # Each is the number that caps logits; null says that none does.
    core_of = capped_core if fields.positive("attn_logit_softcapping", default=50.0) else core
    capped = fields.positive("final_logit_softcapping", default=30.0) is not None
    return outline(fields, core=core_of, capped=capped, is_window=lambda index: index % 2 == 0)


def outline(fields, about="", *, core, capped, is_window, project=projections, rotate=None, **usual):
    """What Gemma 2 and 3 have in common; `project` and `rotate`, by kind of layer, are what they have not.

    `usual` are sizes that published files leave out.
    """
    fields.only("use_bidirectional_attention", False, why="every token then attends to later ones too")
    fields.ignores("hidden_act")  # old files have both names; transformers reads the other
    activation = fields.choice("hidden_activation", known=ACTIVATIONS, default=GELU)
    projection, at = (
        partial(linear, bias=fields.flag("attention_bias", default=False)),
        sizes(fields, head=HEAD, grouped=SHARED, **usual),
    )
    own = partial(attention, project=partial(project, linear=projection), out=projection, drop=drop_of(fields))
    layers = {
        kind: partial(
            layer,
            attention=partial(each, rotate=rotate[kind]) if rotate else each,
            mlp=partial(mlp, activation=ACTIVATIONS[activation]),
        )
        for kind, each in windowed(own, core).items()
    }
    window = fields.optional("sliding_window", default=4096) or fields.size("sliding_window")
    types = alternating(fields, at["L"], window, is_window)
    reach = f"windows in {types.count('sliding_attention')} of {len(types)} layers"
    return described(
        fields,
        f"RMS norms before and behind attention and MLP, {about}{reach}, rotary positions, gated MLP",
        **kinds(types, layers, at, window, LETTERS),
        tied=True,
        norm=final_norm,
        heads=CAPPED if capped else HEADS,
        embedding=embedding,
    )
