"""The formulas by topic, each as a card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from derive.plan import Plan
from derive.quantity import Formula
from derive.render.documents.blocks import Card, Cards, Other
from derive.render.documents.card import card
from derive.report import report
from formulas import claims_about, entries, formula_named
from formulas.models import model

OTHERS = ("llama",)  # architectures whose formula stands beside the default one's, where it is another


@cache
def cards() -> tuple[Cards, ...]:
    """Every formula of the catalog, in letters, on one device with nothing recomputed, with all that sources say."""
    found: dict[str, list[Card]] = {}
    for entry in entries():
        formula = formula_named(entry)
        about = model() if formula.needs_model else None
        made = card(report(formula, about, Plan(), claims=claims_about(formula)))
        found.setdefault(entry.topic, []).append(replace(made, also=tuple(_others(formula, made))))
    return tuple(Cards(topic, tuple(each)) for topic, each in found.items())


def _others(formula: Formula, made: Card) -> Iterator[Other]:
    """The formula of other architectures, in the letters that they have, where it differs, and why it may."""
    for name in OTHERS if formula.needs_model else ():
        found = card(report(formula, model(name), Plan(), judged=False))
        if found.formula != made.formula:
            settings = tuple(each for each in found.settings if each not in made.settings)
            yield Other(name, found.formula, found.under, settings)
