"""Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): keys and values through one latent."""

from derive import (
    add,
    along,
    block,
    cached,
    cast,
    compute,
    concat,
    constant,
    copy,
    dropout,
    einsum,
    fp32,
    identity,
    linear,
    multiply,
    parameter,
    part,
    softmax,
)
from formulas.architectures.llama import rms_norm
from formulas.architectures.rotary import tables_of, turned

AXES = {"d": "d_nope + d_rope", "kv_r": "r_kv + d_rope", "d_kv": "d_nope + d_v"}
LETTERS = "s b h a d_nope d_rope d_v r_kv V"
UNADAPTED = "absorbed attention is a form for serving: no adapters are counted beside its key and value weights"


@block(fused_by="attention")
def core(q, k, v, drop=dropout, laid=copy):
    """Attention whose values are of another width than queries and keys.

    The values are a part of what one product gave for them and the keys, in an order that torch's product cannot read
    where there are several sequences and heads: it copies them first. A kernel reads the part where it is.
    """
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k")
    p = drop(softmax(scores))
    return einsum("b a q k, k b a d_v -> q b a d_v", p, laid(v), name="attention output", masked="q k")


@block(name="core", fused_by="attention")
def absorbed_core(q, q_rope, latent, k_rope, drop=dropout):
    """Attention on the latent itself: all heads read the same keys and values."""
    scores = einsum("q b a r_kv, k b r_kv -> b a q k", q, latent, name="scores of the latent", masked="q k")
    turned = einsum("q b a d_rope, k b d_rope -> b a q k", q_rope, k_rope, name="scores of positions", masked="q k")
    p = drop(softmax(add(scores, turned, name="scores")))
    return einsum("b a q k, k b r_kv -> q b a r_kv", p, latent, name="attention output", masked="q k")


def whole_queries(x, _bias):
    """Queries by one product."""
    return linear(x, "h -> a d", tp="a", name="query")


def low_rank_queries(x, bias):
    """Queries through a latent of their own."""
    latent = rms_norm(linear(x, "h -> r_q", bias=bias, name="latent of queries"), name="latent of queries")
    return linear(latent, "r_q -> a d", tp="a", name="query")


def rotated(q_rope, k_rope):
    """The rotated parts, by the cosines and sines of the model."""
    angles = tables_of("s d_rope")
    return turned(q_rope, *angles), turned(k_rope, *angles)


def complex_rotation(q_rope, k_rope):
    """The rotated parts by one table of complex numbers, in fp32."""
    table = constant("rotary numbers", "s d_rope", fp32)
    wide = (multiply(cast(each, fp32), table, name=each.name) for each in (q_rope, k_rope))
    return tuple(cast(each, compute, name=f"rotated {each.name}") for each in wide)


def compressed(x, queries, rotate, bias):
    """Both parts of the queries, and what is cached: the latent of keys and values, and the rotary key."""
    q = queries(x, bias)
    q_nope, q_rope = (part(q, f"d -> {width}", name="query") for width in ("d_nope", "d_rope"))
    both = linear(x, "h -> kv_r", bias=bias, name="latent and rotary key")
    latent = rms_norm(part(both, "kv_r -> r_kv"), name="latent of keys and values")
    q_rope, k_rope = rotate(q_rope, part(both, "kv_r -> d_rope", name="rotary key"))
    return q_nope, q_rope, cached(latent), cached(k_rope)


@block
def attention(x, *, queries=low_rank_queries, rotate=rotated, bias=False, drop=identity, laid=copy):
    """The latent made into keys and values again, as it is trained."""
    q_nope, q_rope, latent, k_rope = compressed(x, queries, rotate, bias)
    q = concat("d_nope d_rope -> d", q_nope, q_rope, name="query")
    kv = linear(latent, "r_kv -> a d_kv", tp="a", name="key and value")
    k_nope, v = part(kv, "d_kv -> d_nope", name="key"), part(kv, "d_kv -> d_v", name="value")
    k = concat("d_nope d_rope -> d", k_nope, along(k_rope, "a", before="d_rope", tp=True), name="key")
    y = laid(core(q, k, v, drop, laid))  # the queries were put together, so that heads are before tokens
    return linear(y, "a d_v -> h", tp="a", bias=bias, name="projection")


@block(name="attention")
def absorbed_attention(x, *, queries=low_rank_queries, rotate=rotated, bias=False, drop=identity):
    """The latent as keys and values, as it is served: both products with its weight are on the side of the queries."""
    q_nope, q_rope, latent, k_rope = compressed(x, queries, rotate, bias)
    up_k, up_v = (
        parameter(f"{name} weight", f"r_kv a {width}", tp="a") for name, width in (("key", "d_nope"), ("value", "d_v"))
    )
    q = einsum("s b a d_nope, r_kv a d_nope -> s b a r_kv", q_nope, up_k, name="query")
    y = absorbed_core(q, q_rope, latent, k_rope, drop)
    y = einsum("s b a r_kv, r_kv a d_v -> s b a d_v", y, up_v, name="value")
    return linear(y, "a d_v -> h", tp="a", bias=bias, name="projection")


def sizes(fields):
    """Sizes of latent attention under DeepSeek's names; without a rank, queries have no latent of their own."""
    rank = fields.optional("q_lora_rank", default=1536)
    heads = fields.size("num_attention_heads")
    fields.same(fields.size("num_key_value_heads", default=heads), heads)  # the latent is made into keys for each head
    found = {
        "h": fields.size("hidden_size"),
        "a": heads,
        "d_nope": fields.size("qk_nope_head_dim"),
        "d_rope": fields.size("qk_rope_head_dim"),
        "d_v": fields.size("v_head_dim"),
        "r_kv": fields.size("kv_lora_rank"),
        "V": fields.size("vocab_size"),
        "L": fields.size("num_hidden_layers"),
    }
    return found | ({"r_q": rank} if rank is not None else {})
