"""What a person asks about: the formula, the model, the plan and the sizes behind the options of a quantity."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from derive.errors import DeriveError, ValueTextError
from derive.values import parse_positive_integer

if TYPE_CHECKING:
    from derive.letters import Notation
    from derive.model import Model
    from derive.plan import Plan
    from derive.quantity import Formula


def formula_of(name: str) -> Formula:
    """The formula of that name; `UnknownName` with the closest one."""
    from derive.errors import unknown
    from formulas import entries, formula_named

    known = {entry.name: entry for entry in entries()}
    if name not in known:
        raise unknown("quantity", name, known)
    return formula_named(known[name])


def model_of(formula: Formula, options: Namespace) -> Model | None:
    """The model that the options name, the default one, or none for a quantity that is not about a model."""
    from formulas.models import model

    if formula.needs_model:
        return model(options.model)
    if options.model is not None:
        raise DeriveError(f"{formula.name} is not about a model: leave out --model {options.model[:40]}")
    return None


def plan_of(formula: Formula, options: Namespace) -> Plan:
    """The plan that the options write, with its recipe."""
    from derive.plan import parse_plan
    from derive.precision import recipe

    return parse_plan(",".join(options.plan), formula.notation.symbol, recipe(options.recipe, options.dtype))


def sizes_of(texts: list[str], notation: Notation) -> dict[str, int]:
    """The sizes that `--set` writes: a known letter, a positive integer, each letter once."""
    sizes: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise DeriveError(f"--set {text[:40]}: write SYMBOL=VALUE, such as --set s=4096")
        if "," in value:
            raise DeriveError(f"--set {text[:40]}: one size each: --set s=4096 --set b=4")
        size = parse_positive_integer(value, notation[name].name)
        if sizes.setdefault(name, size) != size:
            raise ValueTextError(f"{name} is set twice: to {sizes[name]} and to {size}")
    return sizes
