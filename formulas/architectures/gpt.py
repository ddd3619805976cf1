"""The GPT layer and model, as Megatron-LM and Korthikanti et al. 2022 draw them, and as plain PyTorch runs them."""

from functools import partial

from derive import (
    Architecture,
    Input,
    Mesh,
    Remainder,
    Role,
    block,
    boolean,
    constant,
    cross_entropy,
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
    repeat,
    size_of,
    softmax,
)
from formulas.notation import common


@block
def norm(x):
    return layer_norm(x)


@block(fused_by="attention")
def core(q, k, v, drop=dropout):
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k")
    p = drop(softmax(scores))
    return einsum("b a q k, k b a d -> q b a d", p, v, name="attention output", masked="q k")


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
    y = core(q, expand(k, "g -> a"), expand(v, "g -> a"), drop)
    return drop(linear(y, "a d -> h", tp="a", bias=True, name="projection"))


@block
def mlp(x, activation=gelu, drop=dropout):
    y = activation(linear(x, "h -> f", tp="f", bias=True, name="up"))
    return drop(linear(y, "f -> h", tp="f", bias=True, name="down"))


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


@block
def head(x, table, targets):
    return cross_entropy(linear(x, "h -> V", tp="V", uneven=Remainder.PAD, weight=table, name="logits"), targets)


def model(ids, targets, layer=layer, drop=dropout):
    x, table = embedding(ids, drop)
    x = repeat(layer, size_of("L", "the stack of layers"), x)
    return head(final_norm(x), table, targets)


layer_input = Input("layer input", "s b h", split={"s": Mesh.SP})
token_ids = Input("token ids", "s b", gathered={"s": Mesh.SP}, dtype=int64, role=Role.INDEX, differentiable=False)
targets = Input("targets", "s b", dtype=int64, role=Role.INDEX, differentiable=False)

gpt = Architecture(
    name="gpt",
    about="GELU, biases, dropout, learned positions, tied embeddings; mask and scale fused into the softmax",
    notation=common,
    letters="s b h a g d f V S L",
    relations={"f": "4*h", "g": "a", "d": "h/a", "S": "s"},
    bounds=(("s", "S"),),
    divides=(("g", "a"),),
    sequence="s",
    layer=layer,
    layer_inputs=(layer_input,),
    model=model,
    model_inputs=(token_ids, targets),
)

gpt_unfused = Architecture(
    name="gpt-unfused",
    about="the same with scale, causal mask and softmax as separate operations (plain PyTorch)",
    notation=common,
    letters=gpt.letters,
    relations=gpt.relations,
    bounds=gpt.bounds,
    divides=gpt.divides,
    sequence=gpt.sequence,
    layer=partial(layer, core=unfused_core),
    layer_inputs=(layer_input,),
    model=partial(model, layer=partial(layer, core=unfused_core)),
    model_inputs=(token_ids, targets),
)
