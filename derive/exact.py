"""The exact value of a tree at exact values of its letters; never a float."""

import math
import operator
from collections.abc import Callable, Mapping
from decimal import Decimal, DecimalException, localcontext
from fractions import Fraction
from functools import reduce
from typing import Any

from derive.errors import GrammarError, IrrationalError
from derive.tree import (
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
    Symbol,
    shown,
    to_text,
)

DIGITS = 50  # of an approximate power
MOST_PLACES = 100  # before or behind the point, of an approximation to what has too many bits
MOST_BITS = 200_000  # of a power: a few milliseconds of arithmetic
RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "==": operator.eq, "<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _whole_root(value: int, degree: int) -> int:
    """The floor of the root of a positive whole number, by Newton's method from above."""
    guess = 1 << -(-value.bit_length() // degree)
    while (better := ((degree - 1) * guess + value // guess ** (degree - 1)) // degree) < guess:
        guess = better
    return guess


def exact_power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power as an exact number; GrammarError where it is irrational, undefined or too large to hold.

    >>> exact_power(Fraction(4, 9), Fraction(-3, 2))
    Fraction(27, 8)
    """
    power = f"({_brief(base)})^({_brief(exponent)})"
    if base == 0 and exponent < 0:
        raise GrammarError(f"power {power} divides by zero; choose other values")
    if base in (0, 1):
        return base if exponent else Fraction(1)
    if abs(exponent) * _bits(base) > MOST_BITS:
        raise GrammarError(f"power {power} has more than {MOST_BITS} bits; choose a smaller exponent")
    degree = exponent.denominator
    if degree > 1:
        if base < 0 or degree > MOST_BITS:
            raise IrrationalError(f"power {power} is not a rational number; only exact values are computed")
        root = Fraction(_whole_root(base.numerator, degree), _whole_root(base.denominator, degree))
        if root**degree != base:
            raise IrrationalError(f"power {power} is not a rational number; only exact values are computed")
        base = root
    return base**exponent.numerator


def _brief(value: Fraction) -> str:
    return str(value) if _bits(value) < 200 else f"a number of {_bits(value)} bits"


def _symbol_value(node: Symbol, values: Mapping[str, Fraction | int]) -> Fraction:
    value = values.get(node.name)
    if not isinstance(value, int | Fraction):
        problem = "no value for" if value is None else f"value {value!r} is not exact for"
        raise GrammarError(f"{problem} letter {node.name!r}; give it a whole number or a Fraction")
    return Fraction(value)


def approximate_power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power as an exact number where it is one, else to some fifty digits: only to be shown.

    >>> float(approximate_power(Fraction(2), Fraction(1, 2)))
    1.4142135623730951
    """
    try:
        return exact_power(base, exponent)
    except GrammarError as refused:
        if base <= 0:
            raise
        try:
            with localcontext(prec=DIGITS):
                parts = [Decimal(x.numerator) / Decimal(x.denominator) for x in (base, exponent)]
                power = parts[0] ** parts[1]
        except DecimalException:
            raise GrammarError(f"power ({_brief(base)})^({_brief(exponent)}) is too large to be computed") from None
        # What has too many bits may still be near 1, as (1 - 1/n)^n is.
        if not isinstance(refused, IrrationalError) and abs(power.adjusted()) > MOST_PLACES:
            raise
        return Fraction(power)


Values = Mapping[str, Fraction | int]
RaiseTo = Callable[[Fraction, Fraction], Fraction]


def _quotient_value(node: Quotient, values: Values, power: RaiseTo) -> Fraction:
    divisor = evaluate(node.denominator, values, power)
    if divisor == 0:
        where, what = shown(to_text(node)), shown(to_text(node.denominator))
        raise GrammarError(f"formula {where}: divisor {what} is zero; choose other values")
    return evaluate(node.numerator, values, power) / divisor


CALLS: dict[str, Callable[..., Fraction]] = {
    "max": max,
    "min": min,
    "ceil": lambda value: Fraction(math.ceil(value)),
    "floor": lambda value: Fraction(math.floor(value)),
}


def _call_value(node: Call, values: Values, power: RaiseTo) -> Fraction:
    arguments = [evaluate(argument, values, power) for argument in node.arguments]
    return power(arguments[0], Fraction(1, 2)) if node.function == "sqrt" else CALLS[node.function](*arguments)


def _multiplied(left: Fraction, right: Fraction) -> Fraction:
    if _bits(left) + _bits(right) > MOST_BITS:
        raise GrammarError(f"a product gets more than {MOST_BITS} bits: {_brief(left)} times {_brief(right)}")
    return left * right


VALUES: dict[type, Callable[[Any, Values, RaiseTo], Fraction]] = {
    Number: lambda node, _values, _power: node.value,
    Symbol: lambda node, values, _power: _symbol_value(node, values),
    Sum: lambda node, values, power: sum([evaluate(term, values, power) for term in node.terms], Fraction(0)),
    Negative: lambda node, values, power: -evaluate(node.operand, values, power),
    Product: lambda node, values, power: reduce(
        _multiplied, [evaluate(factor, values, power) for factor in node.factors]
    ),
    Quotient: _quotient_value,
    Power: lambda node, values, power: power(
        evaluate(node.base, values, power), evaluate(node.exponent, values, power)
    ),
    Call: _call_value,
}


def evaluate(node: Node, values: Values, power: RaiseTo = exact_power) -> Fraction:
    """The exact value of a tree; GrammarError for a missing letter or a zero divisor, IrrationalError for such a root.

    >>> from derive.grammar import parse
    >>> evaluate(parse("s*b*h*(34 + 5*a*s/h)"), {"s": 2048, "b": 1, "h": 12288, "a": 96})
    Fraction(2868903936, 1)
    """
    return VALUES[type(node)](node, values, power)


def approximate(node: Node, values: Values) -> Fraction:
    """The value of a tree, exact where it is rational, else to some fifty digits: only to be shown.

    >>> from derive.grammar import parse
    >>> float(approximate(parse("sqrt(C/120)"), {"C": 42 * 10**20}))
    5916079783.099616
    """
    return evaluate(node, values, approximate_power)


def holds(relation: Relation, values: Mapping[str, Fraction | int]) -> bool:
    """Whether a relation is true at these values, exactly.

    >>> from derive.grammar import parse_relation
    >>> holds(parse_relation("f == 4*h"), {"f": 28672, "h": 8192})
    False
    """
    return RELATIONS[relation.operator](evaluate(relation.left, values), evaluate(relation.right, values))
