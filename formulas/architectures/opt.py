"""OPT (Zhang et al. 2022, arXiv 2205.01068): learned positions with two rows to spare, ReLU, norms before or behind."""

from functools import partial

from derive import (
    Described,
    Remainder,
    Role,
    block,
    constant,
    cross_entropy,
    identity,
    int64,
    layer_norm,
    linear,
    lookup,
    parameter,
    scaled,
)
from formulas.architectures.decoder import decoder, drop_of
from formulas.architectures.fused import ACTIVATIONS, then
from formulas.architectures.gpt import LETTERS, mlp
from formulas.architectures.gpt2 import unrotated
from formulas.architectures.llama import DIVIDES, attention, projections

MODEL_TYPES = ("opt",)
SPARE = 2  # rows of the position table that no token has


def projected(x, linear):
    """Queries, keys and values, the queries scaled."""
    q, k, v = projections(x, linear)
    return scaled(q, name="query"), k, v


@block
def layer(x, norm, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


@block(name="layer")
def post_norm_layer(x, norm, attention, mlp):
    x = norm(x + attention(x))
    return norm(x + mlp(x))


LAYERS = {True: layer, False: post_norm_layer}


@block
def embedding(ids, width="h"):
    """Rows of the token table, projected where it is of another width, and of the position table."""
    table = parameter("token table", f"V {width}", Role.TABLE, tp="V", uneven=Remainder.PAD)
    positions = parameter("position table", "S h", Role.POSITIONS)
    x = lookup(table, ids)
    if width != "h":
        x = linear(x, f"{width} -> h", name="projection in")
    return x + lookup(positions, constant("position ids", "s b", int64, Role.INDEX)), table


@block
def head(x, table, targets, width="h", tied=True):
    """Logits, projected to the width of the table first, and the loss."""
    if width != "h":
        x = linear(x, f"h -> {width}", name="projection out")
    weight = table if tied else None
    logits = linear(x, f"{width} -> V", tp="V", uneven=Remainder.PAD, weight=weight, name="logits")
    return cross_entropy(logits, targets)


def norms(affine):
    """Layer norm as a block for the layers, and one for the end."""
    return tuple(block(name=name)(partial(layer_norm, affine=affine)) for name in ("norm", "final_norm"))


def read(fields):
    """transformers' OPTConfig."""
    fields.only("layerdrop", 0, 0.0, why="layers are then skipped at random")
    fields.ignores("activation_dropout", "init_std")
    activation = fields.choice("activation_function", known=ACTIVATIONS, default="relu")
    bias = fields.flag("enable_bias", default=True)
    norm, last = norms(fields.flag("layer_norm_elementwise_affine", default=True))
    before = fields.flag("do_layer_norm_before", default=True)
    bare = fields.flag("_remove_final_layer_norm", default=False) or not before
    drop, products = drop_of(fields, "dropout", default=0.1), partial(linear, bias=bias)
    own = partial(
        LAYERS[before],
        norm=norm,
        attention=partial(
            attention,
            project=partial(projected, linear=products),
            rotate=unrotated,
            out=then(products, drop),
            drop=drop_of(fields, "attention_dropout"),
        ),
        mlp=partial(mlp, activation=ACTIVATIONS[activation], drop=drop, bias=bias),
    )
    h, a = fields.size("hidden_size"), fields.size("num_attention_heads")
    positions, width = fields.size("max_position_embeddings"), fields.size("word_embed_proj_dim", default=h)
    narrow = width.value != h.value
    at = {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "a": a,
        "g": a,
        "d": fields.quotient(h, a, "head_dim"),
        "f": fields.size("ffn_dim"),
        "V": fields.size("vocab_size"),
        "S": fields.plus(positions, SPARE),
        "s": positions,
    } | ({"h_e": width} if narrow else {})
    letter = "h_e" if narrow else "h"
    made = decoder(
        "opt",
        f"layer norms {'before' if before else 'behind'} attention and MLP, learned positions, {activation}",
        LETTERS + (" h_e" if narrow else ""),
        own,
        final_norm=identity if bare else last,
        head=partial(head, width=letter, tied=fields.flag("tie_word_embeddings", default=True)),
        embedding=partial(embedding, width=letter),
        bounds=(("s", f"S - {SPARE}"),),
        divides=DIVIDES,
    )
    return Described(made, at)
