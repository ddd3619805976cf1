"""BLOOM (Scao et al. 2022, arXiv 2211.05100): ALiBi in place of positions, a norm behind the embedding."""

from functools import partial

from derive import Described, block, cast, compute, dropout, einsum, fp32, gelu, layer_norm, softmax
from formulas.architectures.decoder import HEADS, decoder, drop_of, looked_up
from formulas.architectures.fused import AXES, biased, then
from formulas.architectures.gpt import final_norm, mlp, norm
from formulas.architectures.gpt2 import unrotated
from formulas.architectures.llama import DIVIDES, attention
from formulas.architectures.phi3 import together

MODEL_TYPES = ("bloom",)
LETTERS = "s b h a g d f V L"


@block(name="core", fused_by="attention")
def biased_core(q, k, v, drop=dropout):
    """Scores to which a bias by distance is added as they are made; their softmax in fp32."""
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k")
    p = drop(cast(softmax(cast(scores, fp32)), compute, name="attention probabilities"))
    return einsum("b a q k, k b a d -> q b a d", p, v, name="attention output", masked="q k")


@block
def layer(x, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


@block(name="layer")
def post_norm_layer(x, attention, mlp):
    """Residuals are of what the norms give."""
    y = norm(x)
    y = norm(attention(y) + y)
    return mlp(y) + y


LAYERS = {False: layer, True: post_norm_layer}


@block
def embedding(ids):
    x, table = looked_up(ids)
    return layer_norm(x), table


def read(fields):
    """transformers' BloomConfig; its MLP is four times as wide as the hidden size."""
    fields.ignores(
        "pretraining_tp", "seq_length", "skip_bias_add", "skip_bias_add_qkv", "masked_softmax_fusion",
        "bias_dropout_fusion", "unk_token_id", "offset_alibi", "attention_softmax_in_fp32", "n_inner",
    )  # fmt: skip
    fields.only("slow_but_exact", False, why="it sums the slices of a tensor-parallel model in turn")
    drop = drop_of(fields, "hidden_dropout")
    own = partial(
        LAYERS[fields.flag("apply_residual_connection_post_layernorm", default=False)],
        attention=partial(
            attention,
            project=partial(together, linear=biased),
            rotate=unrotated,
            core=biased_core,
            out=then(biased, drop),
            drop=drop_of(fields, "attention_dropout"),
        ),
        mlp=partial(mlp, activation=gelu, drop=drop),
    )
    h = fields.size("n_embed", "hidden_size")
    a = fields.size("n_head", "num_attention_heads")
    at = {
        "L": fields.size("n_layer", "num_hidden_layers"),
        "h": h,
        "a": a,
        "g": a,
        "d": fields.quotient(h, a, "head_dim"),
        "f": fields.times(h, 4),
        "V": fields.size("vocab_size"),
    }
    made = decoder(
        "bloom",
        "layer norm, ALiBi, a norm behind the embedding, one product for queries, keys and values, GELU, biases",
        LETTERS,
        own,
        final_norm=final_norm,
        head=HEADS[fields.flag("tie_word_embeddings", default=True)],
        embedding=embedding,
        divides=DIVIDES,
        axes=AXES,
        kernels=(("attention", "materialised"),),  # transformers has no other
    )
    return Described(made, at)
