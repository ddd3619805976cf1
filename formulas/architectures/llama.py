"""The Llama layer and model, operation by operation as transformers writes them."""

from functools import partial

from derive import (
    Described,
    Given,
    Remainder,
    Role,
    add,
    block,
    cached,
    cast,
    compute,
    constant,
    expand,
    fp32,
    identity,
    linear,
    mean,
    multiply,
    parameter,
    repeat_heads,
    rotate_half,
    rsqrt,
    silu,
    square,
)
from formulas.architectures.decoder import HEADS, decoder, drop_of
from formulas.architectures.fused import ACTIVATIONS
from formulas.architectures.gpt import core


def normalised(x, over=1):
    y = cast(x, fp32)
    return multiply(y, rsqrt(mean(square(y), over)), name="normalised input")


def rms_norm(x, over=1, name="norm output"):
    gain = parameter("norm weight", x.axes[-over:], Role.GAIN)
    return multiply(cast(normalised(x, over), compute), gain, name=name)


@block
def norm(x):
    return rms_norm(x)


def rope(x, of=""):
    """Rotary positions; `of` tells tables apart where a model has several."""
    cos, sin = (constant(f"{of}{name}", "s d") for name in ("cos", "sin"))
    return add(multiply(x, cos), multiply(rotate_half(x), sin), name=f"rotated {x.name}")


def rotated(q, k, rope=rope):
    """Queries and keys, rotated alike."""
    return rope(q), rope(k)


def projections(x, linear=linear, normed=identity):
    """Queries, keys and values; queries and keys may be normed."""
    q = normed(linear(x, "h -> a d", tp="a", name="query"))
    k = normed(linear(x, "h -> g d", tp="g", uneven=Remainder.REPLICATE, name="key"))
    return q, k, linear(x, "h -> g d", tp="g", uneven=Remainder.REPLICATE, name="value")


@block
def attention(
    x, *, project=projections, rotate=rotated, core=core, hold=cached, share=expand, out=linear, drop=identity
):
    q, k, v = project(x)
    q, k = rotate(q, k)
    k, v = hold(k), hold(v)
    y = core(q, share(k, "g -> a"), share(v, "g -> a"), drop)
    return out(y, "a d -> h", tp="a", name="projection")


@block
def mlp(x, activation=silu, linear=linear):
    gate = activation(linear(x, "h -> f", tp="f", name="gate"))
    return linear(multiply(gate, linear(x, "h -> f", tp="f", name="up"), name="gated"), "f -> h", tp="f", name="down")


@block
def layer(x, attention=attention, mlp=mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


@block
def final_norm(x):
    return rms_norm(x)


LETTERS = "s b h a g d f V L"
DIVIDES = (("g", "a"),)

llama = decoder(
    "llama",
    "RMS norm, rotary positions, gated SiLU MLP, no biases, untied embeddings; key/value heads not repeated",
    LETTERS,
    layer,
    final_norm=final_norm,
    head=HEADS[False],
    divides=DIVIDES,
)

llama_repeat_kv = decoder(
    "llama-repeat-kv",
    "the same with key/value heads copied out to the query heads (transformers' repeat_kv)",
    LETTERS,
    partial(layer, attention=partial(attention, share=repeat_heads)),
    final_norm=final_norm,
    head=HEADS[False],
    divides=DIVIDES,
)

MODEL_TYPES = ("llama",)


PAIR = Given(2, "elements that rotary positions turn together")


def sizes(fields, head=None, grouped=None, heads=None, vocabulary=None):
    """Sizes under the names that Llama's configuration gave them, which many took over.

    Where the file does not say how wide a head is, it is `head`, or what the heads share of the hidden size; where it
    does not say how many key/value heads there are, `grouped`, or as many as there are heads. Files of a type that are
    published without `heads` or `vocabulary` have these.
    """
    h, a = fields.size("hidden_size"), fields.size("num_attention_heads", default=heads)
    shared = None if head or fields.has("head_dim") else fields.quotient(h, a, "head_dim")
    d = fields.size("head_dim", default=head or shared)
    fields.divides(PAIR, d)
    return {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "a": a,
        "g": fields.optional("num_key_value_heads", default=grouped) or fields.size("num_key_value_heads", default=a),
        "d": d,
        "f": fields.size("intermediate_size"),
        "V": fields.size("vocab_size", default=vocabulary),
    }


def described(
    fields, about, layer, sizes, *, tied=False, norm=final_norm, heads=HEADS, letters=LETTERS, order=(), **more
):
    """A model of Llama's outline: `layer`, L times, or the kinds of its layers, between token table and head."""
    tied = fields.flag("tie_word_embeddings", default=tied)
    made = decoder(
        fields.model_type,
        f"{about}; {'tied' if tied else 'untied'} embeddings",
        letters,
        layer,
        final_norm=norm,
        head=heads[tied],
        divides=DIVIDES,
        **more,
    )
    return Described(made, sizes, order)


def read(fields):
    """transformers' LlamaConfig."""
    fields.ignores("pretraining_tp", "rope_theta", "rope_scaling")
    biases = fields.flag("attention_bias", default=False), fields.flag("mlp_bias", default=False)
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    drop, tied = drop_of(fields), fields.flag("tie_word_embeddings", default=False)
    if (tied, biases, ACTIVATIONS[activation], drop) == (False, (False, False), silu, identity):
        return Described(llama, sizes(fields))
    projection, products = (partial(linear, bias=bias) for bias in biases)
    own = partial(
        layer,
        attention=partial(attention, project=partial(projections, linear=projection), out=projection, drop=drop),
        mlp=partial(mlp, activation=ACTIVATIONS[activation], linear=products),
    )
    where = [name for name, there in zip(("attention", "MLP"), biases, strict=True) if there]
    about = f"RMS norm, rotary positions, gated MLP ({activation}), biases: {' and '.join(where) or 'none'}"
    return described(fields, about, own, sizes(fields))
