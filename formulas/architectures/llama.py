"""The Llama layer and model, operation by operation as transformers writes them."""

from functools import partial

from derive import (
    Described,
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
    gelu,
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
from formulas.architectures.decoder import HEADS, decoder
from formulas.architectures.gpt import core


def rms_norm(x):
    y = cast(x, fp32)
    y = multiply(y, rsqrt(mean(square(y))), name="normalised input")
    return multiply(cast(y, compute), parameter("norm weight", x.axes[-1:], Role.GAIN), name="norm output")


@block
def norm(x):
    return rms_norm(x)


def rope(x):
    cos, sin = (constant(name, "s d") for name in ("cos", "sin"))
    return add(multiply(x, cos), multiply(rotate_half(x), sin), name=f"rotated {x.name}")


@block
def attention(x, qkv=linear, out=linear, core=core, share=expand):
    q = rope(qkv(x, "h -> a d", tp="a", name="query"))
    k = cached(rope(qkv(x, "h -> g d", tp="g", uneven=Remainder.REPLICATE, name="key")))
    v = cached(qkv(x, "h -> g d", tp="g", uneven=Remainder.REPLICATE, name="value"))
    y = core(q, share(k, "g -> a"), share(v, "g -> a"), identity)
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
ACTIVATIONS = {"silu": silu, "gelu": gelu, "gelu_pytorch_tanh": gelu}


def sizes(fields):
    """Sizes under the names that Llama's configuration gave them, which many took over."""
    h, a = fields.size("hidden_size"), fields.size("num_attention_heads")
    d = fields.size("head_dim", default=None if fields.has("head_dim") else fields.quotient(h, a, "head_dim"))
    return {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "a": a,
        "g": fields.size("num_key_value_heads", default=a),
        "d": d,
        "f": fields.size("intermediate_size"),
        "V": fields.size("vocab_size"),
    }


def described(name, about, layer, fields, *, tied, **settings):
    """What a model of Llama's outline is: `layer`, L times, between token table and head."""
    words = f"{about}; {'tied' if tied else 'untied'} embeddings"
    made = decoder(
        f"{name}, {'tied' if tied else 'untied'}",
        words,
        LETTERS,
        layer,
        final_norm=final_norm,
        head=HEADS[tied],
        divides=DIVIDES,
        **settings,
    )
    return Described(made, sizes(fields))


def read(fields):
    """transformers' LlamaConfig."""
    fields.ignores("pretraining_tp", "rope_theta", "rope_scaling")
    fields.only("attention_dropout", 0.0, 0, why="dropout in attention is not counted for this type")
    tied = fields.flag("tie_word_embeddings", default=False)
    biases = fields.flag("attention_bias", default=False), fields.flag("mlp_bias", default=False)
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    if (tied, biases, activation) == (False, (False, False), "silu"):
        return Described(llama, sizes(fields))
    projection, products = (partial(linear, bias=bias) for bias in biases)
    own = partial(
        layer,
        attention=partial(attention, qkv=projection, out=projection),
        mlp=partial(mlp, activation=ACTIVATIONS[activation], linear=products),
    )
    where = [name for name, there in zip(("attention", "MLP"), biases, strict=True) if there]
    words = f"RMS norm, rotary positions, gated MLP ({activation}), biases: {' and '.join(where) or 'none'}"
    return described("llama", words, own, fields, tied=tied)
