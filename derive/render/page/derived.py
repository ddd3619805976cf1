"""What the cards of a page unfold to: the derivation for each kind of model that has one, and what sources say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from derive.render.documents.blocks import Card, Cards, Document
from derive.render.page.blocks import derivation, ledger, sources
from derive.render.page.live import Live, Quantity


@dataclass(frozen=True, slots=True)
class Derived:
    """The derivation of one quantity for one kind of model, and the places of what unfolds among the page's lines.

    The first one of a quantity is that of its card, for any kind that has none of its own.
    """

    kind: str
    combination: tuple[str, ...]
    card: Card
    folds: tuple[int, ...]


@dataclass(slots=True)
class Unfolding:
    """The lines of everything that unfolds: a heading, and below it the inside; each quantity's parts of them."""

    lines: list[str] = field(default_factory=list)
    derived: dict[str, tuple[Derived, ...]] = field(default_factory=dict)
    stated: dict[str, int] = field(default_factory=dict)  # the place of what sources say

    def add(self, heading: str, inside: str) -> int:
        """The place of a part."""
        self.lines += [heading, inside]
        return len(self.lines) - 2


def unfolding(document: Document, live: Live, others: Iterable[tuple[str, Card]]) -> Unfolding:
    """Everything that the cards of a document unfold to; `others` are for other kinds of models than its own are."""
    found = Unfolding()
    quantities = {each.name: each for each in live.quantities}
    more: dict[str, list[tuple[str, Card]]] = {}
    for kind, other in others:
        more.setdefault(other.name, []).append((kind, other))
    for each in cards_of(document):
        if each.name not in quantities:
            continue
        quantity = quantities[each.name]
        kinds = [(_kind(quantity), each), *more.get(each.name, [])]
        found.derived[each.name] = tuple(_derived(found, quantity, kind, card) for kind, card in kinds)
        if each.stated:
            found.stated[each.name] = found.add(*sources(each))
    return found


def cards_of(document: Document) -> Iterable[Card]:
    """Every card of a document, in its order."""
    blocks = (block for part in document.sections for block in part.blocks)
    return (each for block in blocks if isinstance(block, Cards) for each in block.cards)


def _derived(found: Unfolding, quantity: Quantity, kind: str, card: Card) -> Derived:
    about = words(quantity, kind)
    parts = [part for part in (derivation(card, about), ledger(card, about)) if part is not None]
    combination = quantity.others.get(kind, quantity.stated)
    return Derived(kind, combination, card, tuple(found.add(*part) for part in parts))


def words(quantity: Quantity, kind: str) -> str:
    """What a derivation is about where the formula depends on it: a kind of model, and one device."""
    model = "" if kind in ("", "none") else kind
    plan = "one device" if len(quantity.dimensions) > ("kind" in quantity.dimensions) else ""
    return ", ".join(part for part in (model, plan) if part)


def _kind(quantity: Quantity) -> str:
    return dict(zip(quantity.dimensions, quantity.stated, strict=False)).get("kind", "")
