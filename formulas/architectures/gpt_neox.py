"""GPT-NeoX (Black et al. 2022, arXiv 2204.06745): attention and MLP side by side, a quarter of each head rotated."""

from functools import partial

from derive import Described, block, linear
from formulas.architectures.decoder import HEADS, decoder, drop_of
from formulas.architectures.fused import ACTIVATIONS, AXES, core, then, unshared
from formulas.architectures.gpt import final_norm, mlp, norm
from formulas.architectures.gptj import embedding
from formulas.architectures.llama import DIVIDES, LETTERS, attention
from formulas.architectures.phi3 import together
from formulas.architectures.rotary import laid, partly, relaid, rotary

MODEL_TYPES = ("gpt_neox",)
QUARTER = 0.25


@block(name="layer")
def parallel_layer(x, attention, mlp):
    return mlp(norm(x)) + attention(norm(x)) + x


@block
def layer(x, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


LAYERS = {True: parallel_layer, False: layer}


def read(fields):
    """transformers' GPTNeoXConfig; its heads share the hidden size."""
    fields.ignores("rotary_emb_base", "rope_theta", "classifier_dropout", "is_decoder")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="gelu")
    projection = partial(linear, bias=fields.flag("attention_bias", default=True))
    h, a = fields.size("hidden_size"), fields.size("num_attention_heads")
    d = fields.quotient(h, a, "head_dim")
    rotated = rotary(fields, d, QUARTER, above="rotary_pct")
    drop = drop_of(fields, "hidden_dropout")
    parallel = fields.flag("use_parallel_residual", default=True)
    own = partial(
        LAYERS[parallel],
        attention=partial(
            attention,
            project=partial(together, linear=projection),
            rotate=partly(rotated),
            core=partial(core, laid=laid(a)),
            share=unshared,
            out=relaid(then(projection, drop), a),
            drop=drop_of(fields, "attention_dropout"),
        ),
        mlp=partial(mlp, activation=ACTIVATIONS[activation], drop=drop),
    )
    at = {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "a": a,
        "g": a,
        "d": d,
        "f": fields.size("intermediate_size"),
        "V": fields.size("vocab_size"),
    }
    made = decoder(
        "gpt_neox",
        f"layer norm, attention and MLP {'side by side' if parallel else 'in turn'}, a part of each head rotated",
        LETTERS + rotated.letters,
        own,
        final_norm=final_norm,
        head=HEADS[fields.flag("tie_word_embeddings", default=False)],
        embedding=partial(embedding, drop=drop),
        divides=DIVIDES,
        axes=AXES | rotated.axes,
    )
    return Described(made, at | rotated.sizes)
