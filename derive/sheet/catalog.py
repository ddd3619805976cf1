"""The formulas by topic, each as a card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from derive.plan import Plan, parse_plan
from derive.quantity import Formula
from derive.reading import as_written
from derive.render.documents.blocks import Card, Cards, Math, Other
from derive.render.documents.card import card
from derive.render.expression import to_latex
from derive.report import report
from formulas import claims_about, entries, formula_named
from formulas.models import model

OTHERS = ("llama",)  # architectures whose formula stands beside the default one's, where it is another
PLANS = ("recompute=layer", "dp=n,zero=3")  # under one of these, what is nothing on a device alone is something
OF_MODEL = "of a model"
NOTHING = Math("0")


@cache
def cards() -> tuple[Cards, ...]:
    """Every formula of the catalog, in letters, on one device with nothing recomputed, with all that sources say."""
    found: dict[str, list[Card]] = {}
    for entry in entries():
        formula = formula_named(entry)
        about = model() if formula.needs_model else None
        made = card(report(formula, about, Plan(), claims=claims_about(formula)))
        others = (*_architectures(formula, made), *_plans(formula, made), *_of_model(formula))
        found.setdefault(entry.topic, []).append(replace(made, also=others))
    return tuple(Cards(topic, tuple(each)) for topic, each in found.items())


def _architectures(formula: Formula, made: Card) -> Iterator[Other]:
    """The formula of other architectures, in the letters that they have, where it differs, and why it may."""
    for name in OTHERS if formula.needs_model else ():
        found = card(report(formula, model(name), Plan(), judged=False))
        if found.formula != made.formula:
            settings = tuple(each for each in found.settings if each not in made.settings)
            yield Other(name, found.formula, found.under, settings)


def _plans(formula: Formula, made: Card) -> Iterator[Other]:
    """Of what is nothing on one device with nothing recomputed, the formula under a plan in which it is something."""
    for text in PLANS if made.formula == NOTHING and formula.needs_model else ():
        found = card(report(formula, model(), parse_plan(text, formula.notation.symbol), judged=False))
        if found.formula != NOTHING:
            yield Other(text, found.formula, found.under, ())


def _of_model(formula: Formula) -> Iterator[Other]:
    """Of what can be about bare sizes, the rows that a model has, where it has more: in letters of other quantities."""
    if not formula.takes_model or formula.needs_model:
        return
    text = ",".join(PLANS)
    plan = parse_plan(text, formula.notation.symbol)
    bare, known = (formula.rows(about, plan) for about in (None, model()))
    if known.letters > bare.letters:
        tree = as_written([row.value for row in known], formula.notation.order)
        yield Other(OF_MODEL, Math(to_latex(tree, formula.notation.latex)), (), (text,))
