"""Statements evaluated as they are written, exactly, by nothing that proves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from derive.errors import IrrationalError
from derive.exact import RELATIONS, approximate_power, exact_power

Values = Mapping[str, Fraction]
Listed = list[Any]  # a relation of a statement: its operator, its left tree, its right tree
RaiseTo = Callable[[Fraction, Fraction], Fraction]
CLOSE = Fraction(1, 10**40)  # of values that roots give to fifty digits
OPERATIONS: dict[str, Callable[..., Fraction]] = {
    "+": lambda *parts: sum(parts, Fraction(0)),
    "-": lambda part: -part,
    "*": lambda *parts: math.prod(parts, start=Fraction(1)),
    "/": lambda above, below: above / below,
    "max": max,
    "min": min,
    "ceil": lambda part: Fraction(math.ceil(part)),
    "floor": lambda part: Fraction(math.floor(part)),
}


def amount(tree: Any, values: Values, power: RaiseTo) -> Fraction:
    """The value of a statement's tree; every part has one, or there is an error.

    >>> amount(["+", "x", ["*", 2, ["sqrt", "y"]]], {"x": Fraction(1), "y": Fraction(9)}, exact_power)
    Fraction(7, 1)
    """
    if isinstance(tree, int):
        return Fraction(tree)
    if isinstance(tree, str):
        return values[tree]
    operation, *parts = tree
    numbers = [amount(part, values, power) for part in parts]
    if operation in ("^", "sqrt"):
        return power(numbers[0], numbers[1] if operation == "^" else Fraction(1, 2))
    return OPERATIONS[operation](*numbers)


def sides(relation: Listed, values: Values) -> tuple[Fraction, Fraction, bool]:
    """Both sides of a relation, and whether they are exact: where roots are irrational, they are to fifty digits."""
    _, *trees = relation
    try:
        left, right = (amount(tree, values, exact_power) for tree in trees)
    except IrrationalError:
        left, right = (amount(tree, values, approximate_power) for tree in trees)
        return left, right, False
    return left, right, True


def true_at(relation: Listed, values: Values) -> bool:
    """Whether a relation holds at a point; sides with irrational roots that agree to forty digits are taken as equal.

    >>> true_at(["<", ["^", "x", 2], 2], {"x": Fraction(3, 2)})
    False
    """
    left, right, exact = sides(relation, values)
    if not exact and abs(left - right) <= CLOSE * max(abs(left), abs(right)):
        return relation[0] in ("==", "<=", ">=")
    return RELATIONS[relation[0]](left, right)


def claim(statement: Mapping[str, Any]) -> Listed:
    """The relation that a statement claims, as what it is given is listed."""
    return [statement["relation"], statement["left"], statement["right"]]


def at(statement: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Fraction]:
    """The values at a statement's own point: 1 where it names none, defined letters by their definition."""
    defined = dict(statement["define"])
    named = {name: amount(tree, {}, exact_power) for name, tree in point.items()}
    values = {name: named.get(name, Fraction(1)) for name in statement["symbols"] if name not in defined}
    return values | {name: amount(tree, values, exact_power) for name, tree in defined.items()}
