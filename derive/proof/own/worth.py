"""What the symbols and trees of a statement are worth at a point, as exact text where that can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from derive.proof.refute.pointwise import PRECISIONS, Enclosure, compiled, symbols_of

MOST_DIGITS = 60  # of a number that is printed exactly


def values_at(statement: Mapping[str, Any], point: Mapping[str, Fraction], trees: Sequence[Any]) -> list[Any]:
    """The values of trees at a point of a statement, exact or enclosed; equations give what the point leaves out.

    >>> half = {"symbols": {"x": "real"}, "given": [["==", "x", ["/", 1, 2]]], "define": []}
    >>> values_at(half, {}, ["x", ["*", "x", "x"]])
    [Fraction(1, 2), Fraction(1, 4)]
    """
    values: dict[str, Any] = {**point}
    known = equations(statement)
    for _ in known:
        for name, tree in known:
            if name not in values and symbols_of(tree) <= values.keys():
                values[name] = _value(tree, values)
    return [_value(tree, values) for tree in trees]


def equations(statement: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What definitions and hypotheses say that a symbol is.

    >>> equations({"define": [["f", 4]], "given": [["==", ["*", 2, "h"], "f"]]})
    [('f', 4), ('f', ['*', 2, 'h'])]
    """
    pairs = [(x, y) for relation, *pair in statement["given"] if relation == "==" for x, y in (pair, pair[::-1])]
    return [(name, tree) for name, tree in (*statement["define"], *pairs) if isinstance(name, str)]


def _value(tree: Any, values: Mapping[str, Any]) -> Any:
    places = {name: place for place, name in enumerate(values)}
    return compiled(tree, places)([*values.values(), PRECISIONS[-1]])


def number(value: Any) -> str:
    """The exact text of a value, or what it is about where that is irrational or long.

    >>> number(Fraction(-4, 6)), number(values_at({"given": [], "define": []}, {}, [["sqrt", 2]])[0])
    ('-2/3', 'about 1.41421356237')
    """
    if not isinstance(value, Enclosure) and digits(value) <= MOST_DIGITS:
        return str(value)
    low = value.low if isinstance(value, Enclosure) else Fraction(value)
    with localcontext(prec=12):
        return f"about {(Decimal(low.numerator) / Decimal(low.denominator)).normalize()}".replace("E", "*10^").replace(
            "^+", "^"
        )


def digits(value: Fraction | int) -> int:
    """About how many digits a number has, above or below the line.

    >>> digits(Fraction(1, 10**60))
    60
    """
    return max(abs(value.numerator), value.denominator).bit_length() * 3 // 10
