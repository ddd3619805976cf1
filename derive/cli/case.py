"""What a person asks about: the formula, the model, the plan and the sizes behind the options of a quantity."""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.cli import say
from derive.errors import DeriveError, ValueTextError
from derive.values import parse_amount, parse_positive_integer

if TYPE_CHECKING:
    from derive.letters import Letter, Notation
    from derive.model import Given, Model
    from derive.plan import Plan
    from derive.quantity import Formula


def model_of(formula: Formula, options: Namespace) -> Model | None:
    """The model that the options name, the default one, or none for a quantity that is not about a model."""
    from formulas.models import model

    if formula.needs_model or (formula.takes_model and options.model is not None):
        return noticed(model(options.model))
    if options.model is not None:
        raise DeriveError(f"{formula.name} is not about a model: leave out --model {options.model[:40]}")
    return None


def noticed(model: Model) -> Model:
    """The model, once what a person should be told of it is said."""
    for notice in model.notices:
        say(f"derive: note: {notice}")
    return model


def plan_of(formula: Formula, options: Namespace) -> Plan:
    """The plan that the options write, with its recipe and optimizer."""
    from derive.plan import parse_plan
    from derive.precision import optimizer, recipe

    formats = recipe(options.recipe, options.dtype)
    return parse_plan(",".join(options.plan), formula.notation.symbol, formats, optimizer(options.optimizer))


def values_of(notation: Notation, options: Namespace) -> dict[str, Given]:
    """The values that `--set` and the options of single letters write: a known letter, once."""
    from derive.model import Given
    from formulas.notation import COMMON

    values: dict[str, Given] = {}
    texts = [(*pair, "--set") for pair in map(_pair, options.sizes)]
    for letter in COMMON:
        text = getattr(options, f"letter_{letter.name}", None) if letter.option else None
        if text is None:
            continue
        if notation.letters.get(letter.name) != letter:
            here = notation[letter.name].meaning
            raise DeriveError(f"--{letter.option} is about {letter.meaning}: here {letter.name} is {here}, use --set")
        texts.append((letter.name, text, f"--{letter.option}"))
    for name, text, _ in texts:
        value = value_of(notation[name], text)
        if values.setdefault(name, Given(value, "option")).value != value:
            raise ValueTextError(f"{name} is set twice: to {values[name].value} and to {value}")
    return values


def value_of(letter: Letter, text: str) -> int | Fraction:
    """The value of a letter that a person writes: a positive integer, or 0 for an index, or an amount in its unit."""
    if letter.least == 0 and text == "0":
        return 0
    if letter.kind == "positive integer" and letter.unit != "byte":
        return parse_positive_integer(text, letter.name)
    amount = parse_amount(text, letter.name, letter.unit, letter.most)
    if letter.kind != "positive integer":
        return amount
    if amount.denominator != 1:
        raise ValueTextError(f"{letter.name} is a whole number of {letter.unit}s: got {text[:40]!r}, which is {amount}")
    return int(amount)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise DeriveError(f"--set {text[:40]}: write SYMBOL=VALUE, such as --set s=4096")
    if "," in value:
        raise DeriveError(f"--set {text[:40]}: one size each: --set s=4096 --set b=4")
    return name, value


def of_device(formula: Formula, model: Model | None, plan: Plan, options: Namespace) -> dict[str, Given]:
    """The values of the letters that the device named by `--gpu` gives, of those that the formula can use.

    A letter that is set stays as set; a peak that is the device's figure with sparsity is refused.
    """
    if options.gpu is None:
        return {}
    from formulas.hardware import device
    from formulas.notation import common

    chosen = device(options.gpu)
    reached = set(formula.reached(model, plan if model is None else model.complete(plan)))
    own = formula.notation.letters
    given = [letter for letter in chosen.letters if letter in reached and own.get(letter) == common.letters[letter]]
    if not given:
        raise DeriveError(f"{formula.name} does not depend on the device: leave out --gpu {options.gpu[:40]}")
    return chosen.values(given, plan.recipe.compute.name, values_of(formula.notation, options))
