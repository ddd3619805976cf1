"""What the page can change and compute: the letters, presets, devices and choices of the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import product

from derive.errors import DeriveError
from derive.evaluation import PADDING
from derive.grammar import parse
from derive.kept import check_blocks
from derive.model import Model
from derive.plan import Plan, parse_plan
from derive.quantity import Formula
from derive.render.documents.blocks import Card
from derive.render.documents.card import card
from derive.render.page.live import Kind, Live, Quantity, Variant
from derive.report import report
from derive.sheet.cases import DIMENSIONS, FIRST, Case, Letters, plan_text, possible, with_degrees
from derive.sheet.choices import (
    ALIASES,
    CHOICES,
    DEGREE,
    DEGREES,
    FITS,
    FOLLOWS,
    HEADLINE,
    PLANNED,
    devices_picker,
    groups,
    models_picker,
)
from derive.tree import symbols_of
from formulas import entries, formula_named
from formulas.models import DEFAULT, in_letters, model
from formulas.notation import common

NONE = "none"  # the kind of a run of which only the number of parameters is known


def live(models: tuple[Model, ...] = ()) -> Live:
    """What a page of the whole catalog computes, with presets for `models` beside those that have letters alone.

    Each architecture more has its own formulas, of which a page can hold one or two.

    Raises `DeriveError` for a model without sizes, or with the name of another preset.
    """
    named, kinds, of = _kinds(models)
    table = Letters()
    formulas = [formula_named(entry) for entry in entries()]
    quantities = tuple(_quantity(formula, kinds, table) for formula in formulas)
    own = tuple(_kind(name, each, table) for name, each in kinds.items())
    for letter in ("P", "W", "M", *DEGREES):
        table.key(common[letter], "")
    return Live(
        inputs=tuple(table.inputs.values()),
        groups=groups(table.inputs, own, table.topics),
        pickers=(models_picker([_shown(each) for each in named], of, models), devices_picker()),
        kinds=own,
        choices=CHOICES,
        quantities=quantities,
        degree=DEGREE,
        degrees=DEGREES,
        headline=HEADLINE,
        planned=PLANNED,
        follows=FOLLOWS,
        fits=FITS,
        aliases=ALIASES,
        padding=PADDING,
    )


def _kinds(models: tuple[Model, ...]) -> tuple[list[Model], dict[str, Model | None], dict[str, str]]:
    """The models that have presets; the kinds that they are of, with none; and the kind of each."""
    named = [model(name) for name in in_letters()]
    for each in models:
        if each.name is None or any(each.name == other.name for other in named):
            raise DeriveError(f"model {each.name or each.architecture.name!r}: a page needs a name of its own for it")
        named.append(each)
    kinds: dict[str, Model | None] = {NONE: None}
    of: dict[str, str] = {}
    for each in named:
        made = each.architecture
        same = (name for name, other in kinds.items() if other is not None and other.architecture is made)
        kind = next(same, made.name if made.name not in kinds else f"{made.name} of {each.name}")
        kinds.setdefault(kind, Model(made))
        of[each.name or ""] = kind
    return named, kinds, of


def others(models: tuple[Model, ...] = ()) -> Iterator[tuple[str, Card]]:
    """The cards of the quantities of a model, for each kind of a page but the one that a sheet's own cards are about.

    Each has its derivation, in the letters of that kind, on one device; where none is found there is no card.
    """
    for kind, about in _kinds(models)[1].items():
        if about is None or kind == DEFAULT:
            continue
        for formula in map(formula_named, entries()):
            if formula.needs_model:
                with suppress(DeriveError):
                    yield kind, card(report(formula, about, Plan(), judged=False))


def opened(found: Live, model_name: str | None, gpu: str) -> Live:
    """The same, opening on a model, if one is named, and on a device."""
    first = {"model": model_name or found.pickers[0].first, "gpu": gpu}
    return replace(found, pickers=tuple(replace(each, first=first[each.key]) for each in found.pickers))


def _kind(name: str, about: Model | None, table: Letters) -> Kind:
    if about is None:
        return Kind(name, "only the number of parameters", ())
    made = about.architecture
    bounds = [(letter, parse(text, made.notation.letters)) for letter, text in made.bounds]
    inside = [x for tree in (*made.relation_trees.values(), *(tree for _, tree in bounds)) for x in symbols_of(tree)]
    letters = dict.fromkeys([*made.letters.split(), *made.relation_trees, *inside])
    keys = {letter: table.key(made.notation[letter], "") for letter in letters}
    follows = [keys[letter] for letter in made.relation_trees if letter not in made.letters.split()]
    return Kind(
        name,
        made.about,
        tuple(key for key in keys.values() if key not in follows),
        {keys[letter]: tree for letter, tree in made.relation_trees.items()},
        keys,
        tuple((keys[letter], tree) for letter, tree in bounds),
        tuple((keys[letter], keys[of]) for letter, of in made.divides),
        tuple(follows),
        tuple(_without(about)),
    )


def _without(about: Model) -> Iterator[tuple[str, str, str]]:
    """The choices that nothing of a kind of model can have, such as to recompute a block that it has not."""
    for choice in CHOICES:
        for value, _ in choice.options:
            plan = parse_plan(plan_text(with_degrees(FIRST | {choice.key: value})), common.symbol)
            try:
                check_blocks(about.whole.block_names, about.complete(plan).recompute)
            except DeriveError as error:
                yield choice.key, value, str(error)


def _shown(about: Model) -> Model:
    """The model with the sizes that its kind has: what only a variant has, no formula here uses."""
    own = about.architecture.letters.split()
    return replace(about, sizes={letter: given for letter, given in about.sizes.items() if letter in own})


def _quantity(formula: Formula, kinds: Mapping[str, Model | None], table: Letters) -> Quantity:
    cases = {name: Case(formula, about, table) for name, about in kinds.items()} if formula.takes_model else {}
    case = Case(formula, None, table)
    everything = list(cases.values()) or [case]
    dimensions = [name for name in DIMENSIONS if any(each.depends(name) for each in everything)]
    found: dict[tuple[str, ...], Variant | str] = {}
    for kind in cases or (NONE,):
        for values in product(*(DIMENSIONS[name] for name in dimensions)):
            setting = dict(zip(dimensions, values, strict=True))
            if not possible(setting):
                continue
            key = (kind, *values) if cases else values
            found[key] = (cases[kind] if cases else case).variant(FIRST | with_degrees(setting))
    stated = tuple(FIRST[name] for name in dimensions)
    if cases:  # a card is about the default model where it is about one
        dimensions, stated = ["kind", *dimensions], (DEFAULT if formula.needs_model else NONE, *stated)
    own = {
        kind: (kind, *(_own(about, name) for name in dimensions[1:]))
        for kind, about in kinds.items()
        if about is not None and formula.needs_model
    }
    return Quantity(
        formula.name, formula.title, formula.symbol, str(formula.unit), tuple(dimensions), found, stated, own
    )


def _own(about: Model, name: str) -> str:
    """The value of a dimension that a kind of model has on one device unless others are asked for."""
    kernels = {"attention": FIRST["attention"], **dict(about.architecture.kernels), "mask": about.architecture.mask}
    return kernels.get(name, FIRST[name])
