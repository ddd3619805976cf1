"""The Llama layer and model, operation by operation as transformers writes them."""

from functools import partial

from derive import (
    Architecture,
    Remainder,
    Role,
    add,
    block,
    cast,
    compute,
    constant,
    cross_entropy,
    expand,
    fp32,
    identity,
    linear,
    lookup,
    mean,
    multiply,
    parameter,
    repeat,
    repeat_heads,
    rotate_half,
    rsqrt,
    silu,
    size_of,
    square,
)
from formulas.architectures.gpt import core, layer_input, targets, token_ids
from formulas.notation import common


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
def attention(x, share=expand):
    q = rope(linear(x, "h -> a d", tp="a", name="query"))
    k = rope(linear(x, "h -> g d", tp="g", uneven=Remainder.REPLICATE, name="key"))
    v = linear(x, "h -> g d", tp="g", uneven=Remainder.REPLICATE, name="value")
    y = core(q, share(k, "g -> a"), share(v, "g -> a"), identity)
    return linear(y, "a d -> h", tp="a", name="projection")


@block
def mlp(x):
    gate = silu(linear(x, "h -> f", tp="f", name="gate"))
    return linear(multiply(gate, linear(x, "h -> f", tp="f", name="up"), name="gated"), "f -> h", tp="f", name="down")


@block
def layer(x, share=expand):
    x = x + attention(norm(x), share)
    return x + mlp(norm(x))


@block
def embedding(ids):
    return lookup(parameter("token table", "V h", Role.TABLE, tp="V", uneven=Remainder.PAD), ids)


@block
def final_norm(x):
    return rms_norm(x)


@block
def head(x, targets):
    return cross_entropy(linear(x, "h -> V", tp="V", uneven=Remainder.PAD, name="logits"), targets)


def model(ids, targets, layer=layer):
    x = repeat(layer, size_of("L", "the stack of layers"), embedding(ids))
    return head(final_norm(x), targets)


llama = Architecture(
    name="llama",
    about="RMS norm, rotary positions, gated SiLU MLP, no biases, untied embeddings; key/value heads not repeated",
    notation=common,
    letters="s b h a g d f V L",
    relations={},
    divides=(("g", "a"),),
    sequence="s",
    layer=layer,
    layer_inputs=(layer_input,),
    model=model,
    model_inputs=(token_ids, targets),
    kernels=(("attention", "flash"),),
)

llama_repeat_kv = Architecture(
    name="llama-repeat-kv",
    about="the same with key/value heads copied out to the query heads (transformers' repeat_kv)",
    notation=common,
    letters=llama.letters,
    relations=llama.relations,
    divides=llama.divides,
    sequence=llama.sequence,
    layer=partial(layer, share=repeat_heads),
    layer_inputs=(layer_input,),
    model=partial(model, layer=partial(layer, share=repeat_heads)),
    model_inputs=(token_ids, targets),
    kernels=(("attention", "flash"),),
)
