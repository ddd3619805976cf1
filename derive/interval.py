"""Intervals: quantities of which only a lower and an upper bound are known, exact, and kept through every operation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

from derive.errors import GrammarError, ValueTextError
from derive.exact import approximate
from derive.tree import Call, Negative, Node, Number, Power, Product, Quotient, Sum, Symbol, symbols_of, to_text


@dataclass(frozen=True, slots=True)
class Interval:
    """All values from `low` to `high`, both included.

    Raises `ValueTextError` if they are the wrong way round.

    >>> Interval(Fraction(1), Fraction(3)) - Interval(Fraction(0), Fraction(1))
    Interval(low=Fraction(0, 1), high=Fraction(3, 1))
    """

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueTextError(f"an interval goes upwards: {self.low} is above {self.high}")

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        ends = [mine * its for mine in (self.low, self.high) for its in (other.low, other.high)]
        return Interval(min(ends), max(ends))


Bound = Interval | Fraction | int


def interval_of(value: Bound) -> Interval:
    """A value as an interval: an exact one has no width."""
    return value if isinstance(value, Interval) else Interval(Fraction(value), Fraction(value))


def _quotient(node: Quotient, values: Mapping[str, Bound]) -> Interval:
    below = bounds(node.denominator, values)
    if below.low <= 0 <= below.high:
        raise GrammarError(f"{to_text(node)}: its divisor may be zero, it is from {below.low} to {below.high}")
    return bounds(node.numerator, values) * Interval(1 / below.high, 1 / below.low)


def _monotone(
    node: Node, values: Mapping[str, Bound], operand: Node, apply: Callable[[Fraction], Fraction]
) -> Interval:
    inside = bounds(operand, values)
    if inside.low < 0:
        raise GrammarError(f"{to_text(node)}: {to_text(operand)} may be negative, it starts at {inside.low}")
    ends = apply(inside.low), apply(inside.high)
    return Interval(min(ends), max(ends))


def _whole_power(node: Power, base: Interval, exponent: int) -> Interval:
    if exponent < 0 and base.low <= 0 <= base.high:
        raise GrammarError(f"{to_text(node)}: its base may be zero, it is from {base.low} to {base.high}")
    ends = [base.low**exponent, base.high**exponent]
    if exponent % 2 == 0 and exponent > 0 and base.low < 0 < base.high:
        ends.append(Fraction(0))
    return Interval(min(ends), max(ends))


def _power(node: Power, values: Mapping[str, Bound]) -> Interval:
    exponent = bounds(node.exponent, values)
    if exponent.low != exponent.high:
        raise GrammarError(f"{to_text(node)}: an exponent has one value, not an interval")
    if exponent.low.denominator == 1:
        return _whole_power(node, bounds(node.base, values), int(exponent.low))
    power = Power(Symbol("x"), Symbol("y"))
    return _monotone(node, values, node.base, lambda x: approximate(power, {"x": x, "y": exponent.low}))


def _call(node: Call, values: Mapping[str, Bound]) -> Interval:
    ends = [bounds(argument, values) for argument in node.arguments]
    if node.function in ("max", "min"):
        choose = max if node.function == "max" else min
        return Interval(choose(each.low for each in ends), choose(each.high for each in ends))
    if node.function == "sqrt":
        root = Call("sqrt", (Symbol("x"),))
        return _monotone(node, values, node.arguments[0], lambda x: approximate(root, {"x": x}))
    whole = {"ceil": math.ceil, "floor": math.floor}[node.function]
    return Interval(Fraction(whole(ends[0].low)), Fraction(whole(ends[0].high)))


BOUNDS: dict[type, Callable[[Any, Mapping[str, Bound]], Interval]] = {
    Number: lambda node, _: interval_of(node.value),
    Symbol: lambda node, values: interval_of(values[node.name]),
    Sum: lambda node, values: reduce(lambda x, y: x + y, [bounds(term, values) for term in node.terms]),
    Negative: lambda node, values: -bounds(node.operand, values),
    Product: lambda node, values: reduce(lambda x, y: x * y, [bounds(factor, values) for factor in node.factors]),
    Quotient: _quotient,
    Power: _power,
    Call: _call,
}


MOST_CORNERS = 2**8


def _degree(node: Node, letter: str) -> int:
    """The degree of a tree in one letter; 2 stands for whatever is not affine."""
    if letter not in symbols_of(node):
        return 0
    match node:
        case Symbol():
            return 1
        case Sum(parts):
            return max(_degree(part, letter) for part in parts)
        case Product(parts):
            return sum(_degree(part, letter) for part in parts)
        case Negative(part):
            return _degree(part, letter)
        case Quotient(above, below) if letter not in symbols_of(below):
            return _degree(above, letter)
    return 2


def _corners(node: Node, values: Mapping[str, Bound], wide: Sequence[str]) -> Interval:
    """What is affine in each of the letters is least and most where each of them is at an end of its interval."""
    ends = [(interval_of(values[letter]).low, interval_of(values[letter]).high) for letter in wide]
    exact = {x: value for x, value in values.items() if not isinstance(value, Interval)}
    found = [approximate(node, exact | dict(zip(wide, corner, strict=True))) for corner in product(*ends)]
    return Interval(min(found), max(found))


def bounds(node: Node, values: Mapping[str, Bound]) -> Interval:
    """Bounds of a tree whose letters have bounds; the closest ones where it is affine in each such letter.

    Raises `GrammarError` for a divisor that may be zero and for a root of what may be negative.

    >>> from derive.grammar import parse
    >>> bounds(parse("M - x - M*y + x*y"), {"M": 80, "x": Interval(Fraction(1), Fraction(4)), "y": Fraction(1, 10)})
    Interval(low=Fraction(342, 5), high=Fraction(711, 10))
    """
    wide = [letter for letter in symbols_of(node) if isinstance(values[letter], Interval)]
    if 2 ** len(wide) <= MOST_CORNERS and all(_degree(node, letter) == 1 for letter in wide):
        return _corners(node, values, wide)
    return BOUNDS[type(node)](node, values)


def affine(node: Node, letter: str) -> bool:
    """Whether a tree is affine in a letter, so that it is least and most where that is at an end of its interval.

    >>> from derive.grammar import parse
    >>> affine(parse("M - phi*(M - c)"), "c"), affine(parse("c^2"), "c")
    (True, False)
    """
    return _degree(node, letter) <= 1
