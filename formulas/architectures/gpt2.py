"""GPT-2 (Radford et al. 2019) as transformers runs it: one product for queries, keys and values, GELU spelled out."""

from functools import partial

from derive import Described, block, cast, compute, copy, dropout, einsum, fp32, softmax
from formulas.architectures.decoder import HEADS, decoder, drop_of
from formulas.architectures.fused import ACTIVATIONS, AXES, biased, then
from formulas.architectures.gpt import LETTERS, core, embedding, final_norm, mlp, norm
from formulas.architectures.llama import DIVIDES, attention
from formulas.architectures.phi3 import together
from formulas.architectures.rotary import laid

MODEL_TYPES = ("gpt2",)
DROPS = 0.1  # transformers' probability of dropout where the file has none


def unrotated(q, k):
    """Positions are in the embedding."""
    return q, k


@block(name="core", fused_by="attention")
def upcast_core(q, k, v, drop=dropout, *, laid=copy):
    """Scores and their softmax in fp32 (`reorder_and_upcast_attn`), where they are written out: kernels read bf16.

    Queries and keys are copied by that, so that values alone are left in the buffer of all three: see fused.core.
    """
    scores = einsum("q b a d, k b a d -> b a q k", cast(q, fp32), cast(k, fp32), name="scores", masked="q k")
    p = drop(cast(softmax(scores), compute, name="attention probabilities"))
    return einsum("b a q k, k b a d -> q b a d", p, laid(v), name="attention output", masked="q k")


@block
def layer(x, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


def sizes(fields, inner="n_inner"):
    """Sizes under GPT-2's names, or those that later files have for them."""
    h, a = fields.size("n_embd", "hidden_size"), fields.size("n_head", "num_attention_heads")
    positions = fields.size("n_positions", "max_position_embeddings", default=None)
    return {
        "L": fields.size("n_layer", "num_hidden_layers"),
        "h": h,
        "a": a,
        "g": a,
        "d": fields.quotient(h, a, "head_dim"),
        "f": fields.size(inner, default=fields.times(h, 4)),
        "V": fields.size("vocab_size"),
        "S": positions,
        "s": positions,
    }


def read(fields):
    """transformers' GPT2Config."""
    fields.ignores("n_ctx", "scale_attn_weights", "scale_attn_by_inverse_layer_idx", "gradient_checkpointing")
    fields.only("add_cross_attention", False, why="it adds attention to an encoder")
    activation = fields.choice("activation_function", known=ACTIVATIONS, default="gelu_new")
    attention_drop, drop, first = (
        drop_of(fields, name, default=DROPS) for name in ("attn_pdrop", "resid_pdrop", "embd_pdrop")
    )
    at, upcast = sizes(fields), fields.flag("reorder_and_upcast_attn", default=False)
    own = partial(
        layer,
        attention=partial(
            attention,
            project=partial(together, linear=biased),
            rotate=unrotated,
            core=partial(upcast_core, laid=laid(at["a"])) if upcast else core,
            out=then(biased, drop),
            drop=attention_drop,
        ),
        mlp=partial(mlp, activation=ACTIVATIONS[activation], drop=drop),
    )
    made = decoder(
        "gpt2",
        f"layer norm, learned positions, one product for queries, keys and values, {activation}, biases",
        LETTERS,
        own,
        final_norm=final_norm,
        head=HEADS[fields.flag("tie_word_embeddings", default=True)],
        embedding=partial(embedding, drop=first),
        bounds=(("s", "S"),),
        divides=DIVIDES,
        axes=AXES,
    )
    return Described(made, at)
