"""The GPT layer and model, as Megatron-LM and Korthikanti et al. 2022 draw them, and as plain PyTorch runs them."""

from functools import partial

from derive import (
    Remainder,
    Role,
    block,
    boolean,
    cached,
    constant,
    dropout,
    einsum,
    expand,
    fp64,
    gelu,
    generated,
    int64,
    layer_norm,
    linear,
    lookup,
    masked_fill,
    multiply,
    parameter,
    softmax,
)
from formulas.architectures.decoder import decoder, tied_head


@block
def norm(x):
    return layer_norm(x)


@block(fused_by="attention")
def core(q, k, v, drop=dropout, window=None):
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k", window=window)
    p = drop(softmax(scores))
    return einsum("b a q k, k b a d -> q b a d", p, v, name="attention output", masked="q k", window=window)


@block(name="core", fused_by="attention")
def unfused_core(q, k, v, drop=dropout):
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k")
    scores = multiply(scores, generated("scale", (), fp64, Role.CONSTANT), name="scaled scores")
    scores = masked_fill(scores, generated("causal mask", scores.axes[-2:], boolean, Role.CONSTANT))
    p = drop(softmax(scores))
    return einsum("b a q k, k b a d -> q b a d", p, v, name="attention output", masked="q k")


@block
def attention(x, core=core, drop=dropout):
    q = linear(x, "h -> a d", tp="a", bias=True, name="query")
    k, v = (
        linear(x, "h -> g d", tp="g", bias=True, uneven=Remainder.REPLICATE, name=name) for name in ("key", "value")
    )
    y = core(q, expand(cached(k), "g -> a"), expand(cached(v), "g -> a"), drop)
    return drop(linear(y, "a d -> h", tp="a", bias=True, name="projection"))


@block
def mlp(x, activation=gelu, drop=dropout, bias=True):
    y = activation(linear(x, "h -> f", tp="f", bias=bias, name="up"))
    return drop(linear(y, "f -> h", tp="f", bias=bias, name="down"))


@block
def layer(x, core=core, activation=gelu, drop=dropout):
    x = x + attention(norm(x), core, drop)
    return x + mlp(norm(x), activation, drop)


@block
def embedding(ids, drop=dropout):
    table = parameter("token table", "V h", Role.TABLE, tp="V", uneven=Remainder.PAD)
    positions = parameter("position table", "S h", Role.POSITIONS)
    x = lookup(table, ids) + lookup(positions, constant("position ids", "s", int64, Role.INDEX))
    return drop(x), table


@block
def final_norm(x):
    return layer_norm(x)


LETTERS = "s b h a g d f V S L"
RELATIONS = {"f": "4*h", "g": "a", "d": "h/a", "S": "s"}

gpt, gpt_unfused = (
    decoder(
        name,
        about,
        LETTERS,
        partial(layer, core=core),
        final_norm=final_norm,
        head=tied_head,
        embedding=embedding,
        relations=RELATIONS,
        bounds=(("s", "S"),),
        divides=(("g", "a"),),
        kernels=(("attention", "materialised"),),
    )
    for name, about, core in (
        (
            "gpt",
            "GELU, biases, dropout, learned positions, tied embeddings; mask and scale fused into the softmax",
            core,
        ),
        (
            "gpt-unfused",
            "the same with scale, causal mask and softmax as separate operations (plain PyTorch)",
            unfused_core,
        ),
    )
)
