"""The formulas by topic, each as a card."""

from __future__ import annotations

from functools import cache

from derive.plan import Plan
from derive.render.documents.blocks import Card, Cards
from derive.render.documents.card import card
from derive.report import report
from formulas import claims_about, entries, formula_named
from formulas.models import model


@cache
def cards() -> tuple[Cards, ...]:
    """Every formula of the catalog, in letters, on one device with nothing recomputed, with all that sources say."""
    found: dict[str, list[Card]] = {}
    for entry in entries():
        formula = formula_named(entry)
        about = model() if formula.needs_model else None
        found.setdefault(entry.topic, []).append(card(report(formula, about, Plan(), claims=claims_about(formula))))
    return tuple(Cards(topic, tuple(each)) for topic, each in found.items())
