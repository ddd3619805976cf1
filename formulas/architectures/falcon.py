"""Falcon (Almazrouei et al. 2023, arXiv 2311.16867): attention and MLP side by side, one key/value head, or some."""

from functools import partial

from derive import (
    Described,
    add,
    block,
    cached,
    constant,
    copy,
    einsum,
    expand,
    identity,
    linear,
    repeat_heads,
    scaled,
    softmax,
)
from formulas.architectures.decoder import HEADS, decoder, drop_of, embedding
from formulas.architectures.fused import ACTIVATIONS, AXES
from formulas.architectures.gpt import final_norm, mlp, norm
from formulas.architectures.gpt2 import unrotated
from formulas.architectures.llama import DIVIDES, LETTERS, rotated
from formulas.architectures.phi3 import together
from formulas.architectures.rotary import laid

MODEL_TYPES = ("falcon",)


@block(name="core", fused_by="attention")
def core(q, k, v, drop, laid):
    """Attention whose scores are scaled by a number that the program holds.

    What torch's products cannot read where it lies is laid out for them first; a kernel reads it there.
    """
    _, _, lay = laid
    v = lay(v)
    scores = scaled(einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k"))
    return einsum("b a q k, k b a d -> q b a d", drop(softmax(scores)), v, name="attention output", masked="q k")


@block(name="core", fused_by="attention")
def biased_core(q, k, v, drop, laid):
    """Attention with ALiBi: what is added is one tensor with the causal mask, which a kernel keeps to run again.

    Nothing was rotated, so that queries and keys too may have to be laid out for torch's products.
    """
    q, k, v = (lay(each) for lay, each in zip(laid, (q, k, v), strict=True))
    scores = scaled(einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k"))
    p = softmax(add(scores, constant("ALiBi and mask", "b a s s", tp="a"), name="scores"))
    return einsum("b a q k, k b a d -> q b a d", drop(p), v, name="attention output", masked="q k")


def each_part(q, k, v):
    """A key and a value for each query, all three where they lie."""
    return q, k, v, (None, None)


def picked(q, k, v):
    """One key and value, which are picked out of the product by a list, and so copied."""
    return q, copy(k), copy(v), (None, None)


def spread(q, k, v, out=repeat_heads, laid=copy):
    """Keys and values picked and spread `out` to the query heads before they are cached: `shared` are those picked."""
    shared = copy(k), copy(v)
    return laid(q), *(out(each, "g -> a") for each in shared), shared


@block
def attention(x, *, linear, rotate, divide, laid, drop, core=core):
    """Attention; heads may be copied out to the query heads before they are cached, as transformers does it."""
    q, k, v, shared = divide(*together(x, linear))
    q, k = rotate(q, k)
    k, v = (cached(each, copied_from=few) for each, few in zip((k, v), shared, strict=True))
    share = identity if all(shared) else partial(expand, pattern="g -> a")
    return linear(core(q, share(k), share(v), drop, laid), "a d -> h", tp="a", name="projection")


@block
def layer(x, attention, mlp, drop, drop_between):
    x = x + drop_between(attention(norm(x)))
    return x + drop(mlp(norm(x)))


@block(name="layer")
def parallel_layer(x, attention, mlp, drop):
    y = norm(x)
    return x + drop(mlp(y) + attention(y))


@block(name="layer")
def two_norms_layer(x, attention, mlp, drop):
    return x + drop(mlp(norm(x)) + attention(norm(x)))


LAYERS = {"in turn": layer, "side by side": parallel_layer, "side by side, each with a norm": two_norms_layer}


def outline(fields, new):
    """How attention and MLP are arranged, which depends on the generation of the architecture."""
    parallel = fields.flag("parallel_attn", default=True, null=False)
    norms = fields.size("num_ln_in_parallel_attn", default=2 if new else 1, least=0).value
    if not parallel:
        fields.only("new_decoder_architecture", False, why="its attention and MLP are side by side")
        return "in turn"
    if new:
        fields.only("num_ln_in_parallel_attn", 1, 2, why="side by side there are one norm or two")
    elif norms == 2:
        fields.only("num_ln_in_parallel_attn", 1, why="two norms are of the new decoder architecture")
    return "side by side, each with a norm" if new and norms == 2 else "side by side"


def division(new, alone, heads, a):
    """How the product is divided, and of queries, keys and values which torch's product cannot read where they lie.

    Spread out, one key for all heads and one for each are read where they were picked: only groups' heads are copied.
    """
    if not new:
        return (picked, (True, False, False)) if alone else (each_part, (True, True, True))
    if heads.value in (1, a.value):
        return partial(spread, out=expand, laid=identity), (True, heads.value != a.value, heads.value != a.value)
    return spread, (False, False, False)


def read(fields):
    """transformers' FalconConfig; heads share the hidden size."""
    fields.ignores("rope_theta", "rope_scaling", "apply_residual_connection_post_layernorm")
    new = fields.flag("new_decoder_architecture", default=False)
    alone = fields.flag("multi_query", default=True, null=False) and not new
    alibi = fields.flag("alibi", default=False)
    how, activation = outline(fields, new), fields.choice("activation", known=ACTIVATIONS, default="gelu")
    bias, between = fields.flag("bias", default=False), drop_of(fields, "attention_dropout")
    h, a = fields.size("hidden_size", "n_embed"), fields.size("num_attention_heads")
    heads = fields.size("num_kv_heads", default=a)
    divide, lies = division(new, alone, heads, a)
    lay = laid(a)
    own = partial(
        LAYERS[how],
        attention=partial(
            attention,
            linear=partial(linear, bias=bias),
            divide=divide,
            laid=tuple(lay if each else identity for each in lies),
            **(
                {"rotate": unrotated, "drop": between, "core": biased_core}
                if alibi
                else {"rotate": rotated, "drop": identity}
            ),
        ),
        mlp=partial(mlp, activation=ACTIVATIONS[activation], drop=identity, bias=bias),
        drop=drop_of(fields, "hidden_dropout"),
        **({"drop_between": between} if how == "in turn" else {}),
    )
    at = {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "a": a,
        "g": fields.known(1, "multi_query") if alone else heads if new else a,
        "d": fields.quotient(h, a, "head_dim"),
        "f": fields.size("ffn_hidden_size", default=fields.times(h, 4)),
        "V": fields.size("vocab_size"),
    }
    made = decoder(
        "falcon",
        f"layer norm, attention and MLP {how}, {'ALiBi' if alibi else 'rotary positions'}, {activation}",
        LETTERS,
        own,
        final_norm=final_norm,
        head=HEADS[fields.flag("tie_word_embeddings", default=True)],
        embedding=embedding,
        divides=DIVIDES,
        axes=AXES,
    )
    return Described(made, at)
