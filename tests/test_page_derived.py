"""What a card of the page unfolds to is about the formula that is shown above it, for each kind of model."""

from __future__ import annotations

import random
from collections.abc import Collection
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from derive.evaluation import number
from derive.model import Given, Model
from derive.plan import Plan
from derive.render.documents.blocks import Cards, Document, Section
from derive.render.page.data import payload
from derive.render.page.derived import unfolding
from derive.render.page.live import Quantity, Variant
from derive.report import report
from derive.sheet.catalog import cards
from derive.sheet.live import DEFAULT, NONE, live, others
from derive.tree import symbols_of
from formulas import catalog
from formulas.models import architectures, in_letters, model
from tests.browsing import everything

KINDS = tuple(dict.fromkeys(model(name).architecture.name for name in in_letters()))
NEEDY = [each for each in everything().quantities if catalog()[each.name].needs_model]


@pytest.mark.parametrize("quantity", NEEDY, ids=lambda each: each.name)
@pytest.mark.parametrize("kind", KINDS)
def test_a_derivation_is_of_the_formula_that_it_is_shown_below(kind: str, quantity: Quantity) -> None:
    about, chance = Model(architectures()[kind]), random.Random(quantity.name)
    derived = report(catalog()[quantity.name], about, Plan(), judged=False).derivation.expression
    shown = quantity.variants[quantity.others[kind]]
    assert isinstance(shown, Variant)
    letters = [*about.architecture.letters.split(), *symbols_of(derived), *symbols_of(shown.tree)]
    sizes = {x: Fraction(chance.randint(1, 99)) for x in letters}
    given = {x: Given(value, "") for x, value in sizes.items()}
    for letter, tree in about.relations.items():
        given[letter] = Given(number(tree, given) or 0, "")
    kept = {x: each for x, each in given.items() if x in symbols_of(derived)}
    assert number(derived, given) == computed(shown, kind, given, kept)


def computed(shown: Variant, kind: str, given: dict[str, Given], kept: Collection[str] = ()) -> Any:
    """The value of a formula at sizes, with the quantities behind its letters but for those that are kept."""
    behind = {each.name: each for each in everything().quantities}
    known = dict(given)
    for letter in symbols_of(shown.tree):
        use = shown.uses[letter]
        if use.stands and letter not in kept:
            below = behind[use.stands].variants[behind[use.stands].others[kind]]
            assert isinstance(below, Variant)
            known[letter] = Given(computed(below, kind, given), "")
    return number(shown.tree, known)


@cache
def derivations() -> dict[str, Any]:
    document = Document("D", (), tuple(Section(each.topic, each.topic, (each,)) for each in cards()))
    found = unfolding(document, everything(), others())
    return {each["name"]: each for each in payload(everything(), found)["quantities"]}


@pytest.mark.parametrize("quantity", NEEDY, ids=lambda each: each.name)
def test_every_kind_of_model_that_a_page_has_unfolds_to_its_own_derivation(quantity: Quantity) -> None:
    found = derivations()[quantity.name]["derived"]
    assert [kind for kind, *_ in found] == [DEFAULT, *(kind for kind in KINDS if kind != DEFAULT)]
    assert all(same and marked and folds for _, same, _, _, marked, folds in found)


def test_a_quantity_of_no_model_has_one_derivation_for_all() -> None:
    for name, each in derivations().items():
        if not catalog()[name].needs_model:
            ((kind, same, *_),) = each["derived"]
            assert kind in ("", NONE)
            assert each["stated"] in same


def test_an_added_model_brings_derivations_in_its_letters() -> None:
    about = model("mixtral-8x7b")
    found = dict.fromkeys((kind, each.name) for kind, each in others((about,)))
    assert {name for kind, name in found if kind == about.architecture.name} == {each.name for each in NEEDY}
    formulas = {kind: each.formula for kind, each in others((about,)) if each.name == "activations"}
    assert len(set(formulas.values())) == 2
    assert isinstance(live((about,)).quantities[0], Quantity)


def test_the_cards_of_a_page_are_those_of_the_sheet() -> None:
    assert {card.name for each in cards() if isinstance(each, Cards) for card in each.cards} == derivations().keys()
