"""GPT-2 (Radford et al. 2019) as transformers runs it: one product for queries, keys and values, GELU spelled out."""

from functools import partial

from derive import Described, block
from formulas.architectures.decoder import HEADS, decoder, drop_of
from formulas.architectures.fused import ACTIVATIONS, AXES, biased, then
from formulas.architectures.gpt import LETTERS, embedding, final_norm, mlp, norm
from formulas.architectures.llama import DIVIDES, attention
from formulas.architectures.phi3 import together

MODEL_TYPES = ("gpt2",)
DROPS = 0.1  # transformers' probability of dropout where the file has none


def unrotated(q, k):
    """Positions are in the embedding."""
    return q, k


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
    fields.only("reorder_and_upcast_attn", False, why="its scores are then computed in fp32")
    fields.only("add_cross_attention", False, why="it adds attention to an encoder")
    activation = fields.choice("activation_function", known=ACTIVATIONS, default="gelu_new")
    attention_drop, drop, first = (
        drop_of(fields, name, default=DROPS) for name in ("attn_pdrop", "resid_pdrop", "embd_pdrop")
    )
    own = partial(
        layer,
        attention=partial(
            attention,
            project=partial(together, linear=biased),
            rotate=unrotated,
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
    return Described(made, sizes(fields))
