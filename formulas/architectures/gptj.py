"""GPT-J (Wang and Komatsuzaki 2021): attention and MLP side by side from one norm, a part of each head rotated."""

from functools import partial

from derive import Described, Remainder, block, cross_entropy, linear
from derive.config import ConfigError
from formulas.architectures.decoder import decoder, drop_of, looked_up
from formulas.architectures.fused import ACTIVATIONS, then
from formulas.architectures.gpt import final_norm, mlp, norm
from formulas.architectures.gpt2 import sizes
from formulas.architectures.llama import DIVIDES, LETTERS, attention
from formulas.architectures.rotary import Rotary, apart, new_tables_of, partly

MODEL_TYPES = ("gptj",)


@block
def layer(x, attention, mlp):
    y = norm(x)
    return attention(y) + mlp(y) + x


@block
def embedding(ids, drop):
    x, table = looked_up(ids)
    return drop(x), table


@block(name="head")
def biased_head(x, table, targets, tied=False):
    """Logits with a bias, and the loss."""
    weight = table if tied else None
    uneven = Remainder.PAD
    return cross_entropy(linear(x, "h -> V", tp="V", uneven=uneven, weight=weight, bias=True, name="logits"), targets)


def rotary(fields, d):
    """How many of a head's elements are rotated, by pairs: of an odd number or null, transformers makes no model."""
    width = fields.optional("rotary_dim", default=64)
    if width is None:
        raise ConfigError("rotary_dim is null: how many of a head's elements are rotated is needed")
    fields.at_most(width, d)
    if width.value % 2:
        raise ConfigError(f"rotary_dim = {width.value} must be even: elements are rotated by pairs")
    if width.value == d.value:
        return Rotary()
    return Rotary({"d_rope": width}, " d_rope", {"d_pass": "d - d_rope"})


def read(fields):
    """transformers' GPTJConfig."""
    fields.ignores("n_ctx", "rotary", "scale_attn_weights", "gradient_checkpointing", "tokenizer_class")
    activation = fields.choice("activation_function", known=ACTIVATIONS, default="gelu_new")
    attention_drop, drop, first = (drop_of(fields, name) for name in ("attn_pdrop", "resid_pdrop", "embd_pdrop"))
    at = sizes(fields)
    del at["S"]
    rotated = rotary(fields, at["d"])
    own = partial(
        layer,
        attention=partial(
            attention, rotate=partly(rotated, new_tables_of, apart), out=then(linear, drop), drop=attention_drop
        ),
        mlp=partial(mlp, activation=ACTIVATIONS[activation], drop=drop),
    )
    made = decoder(
        "gptj",
        f"layer norm, attention and MLP side by side, a part of each head rotated, {activation}, a head with biases",
        LETTERS + rotated.letters,
        own,
        final_norm=final_norm,
        head=partial(biased_head, tied=fields.flag("tie_word_embeddings", default=False)),
        embedding=partial(embedding, drop=first),
        divides=DIVIDES,
        axes=rotated.axes,
    )
    return Described(made, at | rotated.sizes)
