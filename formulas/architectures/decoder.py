"""A decoder-only model from its parts: embedding, stacks of layers, final norm, head; each model says what they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from derive import (
    Architecture,
    Input,
    Layers,
    Mesh,
    Remainder,
    Role,
    block,
    cross_entropy,
    dropout,
    identity,
    int64,
    linear,
    lookup,
    parameter,
    repeat,
    size_of,
)
from formulas.notation import common

layer_input = Input("layer input", "s b h", split={"s": Mesh.SP})
token_ids = Input("token ids", "s b", gathered={"s": Mesh.SP}, dtype=int64, role=Role.INDEX, differentiable=False)
targets = Input("targets", "s b", dtype=int64, role=Role.INDEX, differentiable=False)


def drop_of(fields, name="attention_dropout", default=0.0):
    """Dropout, where the field gives it a probability."""
    return dropout if fields.share(name, default=default) else identity


def looked_up(ids):
    """Rows of the token table, and the table."""
    table = parameter("token table", "V h", Role.TABLE, tp="V", uneven=Remainder.PAD)
    return lookup(table, ids), table


@block
def embedding(ids):
    """Rows of the token table, and the table, which may be the head's weight too."""
    return looked_up(ids)


@block
def head(x, _table, targets):
    """Logits by a weight of their own, and the loss."""
    return cross_entropy(linear(x, "h -> V", tp="V", uneven=Remainder.PAD, name="logits"), targets)


@block(name="head")
def tied_head(x, table, targets):
    """Logits by the token table, and the loss."""
    return cross_entropy(linear(x, "h -> V", tp="V", uneven=Remainder.PAD, weight=table, name="logits"), targets)


HEADS = {False: head, True: tied_head}  # by whether the token table is the head's weight


def stacked(x, kinds):
    """All layers: one stack for each kind of them."""
    for kind, (count, layer) in kinds.items():
        x = repeat(layer, size_of(count, "the stack of layers"), x, kind if len(kinds) > 1 else "")
    return x


def model(ids, targets, *, embedding, kinds, final_norm, head):
    """The model: what it computes from token ids to the loss."""
    x, table = embedding(ids)
    return head(final_norm(stacked(x, kinds)), table, targets)


def decoder(
    name: str,
    about: str,
    letters: str,
    layers: Callable[..., Any] | Mapping[str, Layers],
    *,
    final_norm: Callable[..., Any],
    head: Callable[..., Any],
    embedding: Callable[..., Any] = embedding,
    **settings: Any,
) -> Architecture:
    """The architecture of a decoder: `layers` is one layer function, L times, or the kinds of layers and their counts.

    `final_norm` and `head` close it; `settings` are further fields of `Architecture`.

    >>> from formulas.architectures.llama import final_norm, layer
    >>> tied = decoder("tied", "Llama, tied", "s b h a g d f V L", layer, final_norm=final_norm, head=tied_head)
    >>> "token table" in {tensor.name for tensor in tied.model_trace.tensors}
    True
    """
    kinds = layers if isinstance(layers, Mapping) else {"layer": Layers("L", layers)}
    several = kinds if len(kinds) > 1 else {}
    first = next(iter(kinds.values()))
    counts = {} if not several else {"L": " + ".join(each.number for each in kinds.values())}
    return Architecture(
        name=name,
        about=about,
        notation=common,
        letters=letters,
        relations={**counts, **settings.pop("relations", {})},
        layer=first.layer,
        model=partial(model, embedding=embedding, kinds=kinds, final_norm=final_norm, head=head),
        model_inputs=(token_ids, targets),
        sequence="s",
        kinds=several,
        **{"kernels": (("attention", "flash"),), "layer_inputs": (layer_input,), **settings},
    )


def with_layers(made: Architecture, kinds: Mapping[str, Layers]) -> Architecture:
    """The same architecture with other layers of the same kinds."""
    first = next(iter(kinds.values()))
    whole = partial(made.model, kinds=kinds)
    return replace(made, layer=first.layer, model=whole, kinds=kinds if made.kinds else {})
