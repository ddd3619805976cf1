"""Values of a statement's trees at one exact point: rational numbers, or enclosures of irrational ones; no floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt
from operator import itemgetter
from typing import Any, NamedTuple

MOST_BITS = 100_000  # of a number: what gets more has no value here
PRECISIONS = (64, 512)  # bits of an enclosure, tried in turn until the sides are apart

Evaluate = Callable[[Sequence[Any]], Any]  # from the values of the symbols, followed by the precision


class NoValue(Exception):
    """A part of the statement has no value at the point, or one too large to hold."""


class Undecided(NoValue):
    """Enclosures are too wide to say; narrower ones may."""


class Kind(NamedTuple):
    """What values a symbol may take: whole ones or all, from `least` on (None: of either sign), 0 where it may be."""

    whole: bool
    least: int | None
    may_be_zero: bool

    def holds(self, value: Any) -> bool:
        """Whether a value is of the kind; `Undecided` where an enclosure leaves that open."""
        if isinstance(value, Enclosure):
            if self.whole or (self.least is not None and value.low <= 0 <= value.high):
                raise Undecided
            return self.least is None or value.low > 0
        if self.whole and value.denominator != 1:
            return False
        return self.least is None or value > 0 or (self.may_be_zero and value == 0)


KINDS = {
    "positive integer": Kind(True, 1, False),
    "natural number": Kind(True, 0, True),
    "integer": Kind(True, None, True),
    "positive real": Kind(False, 0, False),
    "nonnegative real": Kind(False, 0, True),
    "real": Kind(False, None, True),
}


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A real number of which two rational bounds are known; long ones are rounded outwards to `bits`."""

    low: Fraction
    high: Fraction
    bits: int

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low, self.bits)

    def __add__(self, other: Any) -> Enclosure:
        low, high = ends(other)
        return _between(self.low + low, self.high + high, self.bits)

    def __mul__(self, other: Any) -> Enclosure:
        found = [mine * its for mine in (self.low, self.high) for its in ends(other)]
        return _between(min(found), max(found), self.bits)

    def inverse(self) -> Enclosure:
        """The enclosure of 1/x; `Undecided` where x may be 0."""
        if self.low <= 0 <= self.high:
            raise Undecided
        return _between(1 / self.high, 1 / self.low, self.bits)

    def raised(self, exponent: int) -> Enclosure:
        """The enclosure of x^exponent, for an exponent of at least 1."""
        found = [_raised(self.low, exponent), _raised(self.high, exponent)]
        if exponent % 2 == 0 and self.low < 0 < self.high:
            found.append(Fraction(0))
        return _between(min(found), max(found), self.bits)

    __radd__ = __add__
    __rmul__ = __mul__


def ends(value: Any) -> tuple[Any, Any]:
    """The bounds of a value; an exact one is both of its own."""
    return (value.low, value.high) if isinstance(value, Enclosure) else (value, value)


def _between(low: Fraction, high: Fraction, bits: int) -> Enclosure:
    return Enclosure(_rounded(low, bits, floor), _rounded(high, bits, ceil), bits)


def _rounded(value: Fraction, bits: int, whole: Callable[[Fraction], int]) -> Fraction:
    above, below = value.numerator.bit_length(), value.denominator.bit_length()
    if above + below <= 4 * bits:
        return value
    shift = bits - (above - below)
    if abs(shift) > MOST_BITS:
        raise NoValue
    unit = Fraction(1 << shift) if shift >= 0 else Fraction(1, 1 << -shift)
    return whole(value * unit) / unit


def limited(value: Any) -> Any:
    """The value, if it is not too large to go on with; else `NoValue`."""
    if type(value) is not int:
        value_bits = max(max(x.numerator.bit_length(), x.denominator.bit_length()) for x in ends(value))
    else:
        value_bits = value.bit_length()
    if value_bits > MOST_BITS:
        raise NoValue
    return value


def _raised(base: Any, exponent: int) -> Any:
    """An exact number to an exponent of at least 1."""
    if exponent * max(base.numerator.bit_length(), base.denominator.bit_length()) > MOST_BITS and base not in (0, 1):
        raise NoValue
    return base if base in (0, 1) else base**exponent


def whole_root(value: int, degree: int) -> int:
    """The floor of the root of a whole number of at least 0, by Newton's method from above.

    >>> whole_root(26, 3), whole_root(27, 3)
    (2, 3)
    """
    if degree == 2 or value < 2:
        return isqrt(value) if value > 1 else value
    guess = 1 << -(-value.bit_length() // degree)
    while (better := ((degree - 1) * guess + value // guess ** (degree - 1)) // degree) < guess:
        guess = better
    return guess


def _enclosed_root(value: Any, degree: int, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of the root of a positive number, apart by less than 2^-bits of it or so."""
    above, below = value.numerator, value.denominator
    shift = max(0, bits - (above.bit_length() - below.bit_length()) // degree)
    if shift * degree > MOST_BITS:
        raise NoValue
    root = whole_root((above << shift * degree) // below, degree)
    return Fraction(root, 1 << shift), Fraction(root + 1, 1 << shift)


def power(base: Any, exponent: Any, bits: int) -> Any:
    """A value to a rational exponent: exact where it is rational, else enclosed.

    Raises `NoValue` for 0 to an exponent of 0 or less and for a root of what is negative.

    >>> power(Fraction(4, 9), Fraction(-3, 2), 64)
    Fraction(27, 8)
    """
    if isinstance(exponent, Enclosure):
        raise Undecided
    over, degree = exponent.numerator, exponent.denominator
    low, high = ends(base)
    if (over <= 0 and low == high == 0) or (degree > 1 and high < 0):
        raise NoValue
    if (over <= 0 and low <= 0 <= high) or (degree > 1 and low < 0):
        raise Undecided
    if over == 0 or low == high == 0:
        return int(over == 0)
    if isinstance(base, Enclosure):
        found = base.raised(abs(over))
        if degree > 1:
            found = Enclosure(
                _enclosed_root(found.low, degree, bits)[0], _enclosed_root(found.high, degree, bits)[1], bits
            )
        return found if over > 0 else found.inverse()
    if degree > MOST_BITS:
        raise NoValue
    if degree > 1:
        root = [whole_root(part, degree) for part in (base.numerator, base.denominator)]
        if root[0] ** degree != base.numerator or root[1] ** degree != base.denominator:
            found = Enclosure(*_enclosed_root(_raised(base, abs(over)), degree, bits), bits)
            return found if over > 0 else found.inverse()
        base = Fraction(*root)
    found = _raised(base, abs(over))
    return found if over > 0 else 1 / Fraction(found)


def quotient(above: Any, below: Any) -> Any:
    """A value divided by another; `NoValue` where that is 0."""
    if isinstance(below, Enclosure):
        return below.inverse() * above
    if below == 0:
        raise NoValue
    if type(above) is int and type(below) is int:
        found, rest = divmod(above, below)
        return found if rest == 0 else Fraction(above, below)
    return above * (1 / Fraction(below))


def _extreme(choose: Callable[..., Any], values: Sequence[Any]) -> Any:
    enclosed = [value for value in values if isinstance(value, Enclosure)]
    if not enclosed:
        return choose(values)
    lows, highs = zip(*map(ends, values), strict=True)
    return Enclosure(Fraction(choose(lows)), Fraction(choose(highs)), enclosed[0].bits)


def _rounding(whole: Callable[[Any], int], value: Any) -> Any:
    low, high = map(whole, ends(value))
    return low if low == high else Enclosure(Fraction(low), Fraction(high), value.bits)


RELATIONS: dict[str, Callable[[Any, Any, Any, Any], bool | None]] = {  # of bounds of both sides; None: not known
    "==": lambda low, high, least, most: False if high < least or most < low else low == high == least == most or None,
    "<=": lambda low, high, least, most: True if high <= least else False if low > most else None,
    "<": lambda low, high, least, most: True if high < least else False if low >= most else None,
    ">=": lambda low, high, least, most: RELATIONS["<="](least, most, low, high),
    ">": lambda low, high, least, most: RELATIONS["<"](least, most, low, high),
}


def compared(left: Any, relation: str, right: Any) -> bool:
    """Whether the relation holds of two values; `Undecided` where their enclosures do not say."""
    found = RELATIONS[relation](*ends(left), *ends(right))
    if found is None:
        raise Undecided
    return found


def compiled(tree: Any, places: Mapping[str, int]) -> Evaluate:
    """The function that gives the tree's value, from the values of symbols at their places and, last, the precision.

    >>> compiled(["+", ["^", "h", 2], ["/", "a", 3]], {"a": 0, "h": 1})([2, 5, 64])
    Fraction(77, 3)
    """
    if isinstance(tree, str):
        return itemgetter(places[tree])
    if not isinstance(tree, list | tuple):
        return lambda _values: tree
    return COMPILED[tree[0]](*[compiled(part, places) for part in tree[1:]])


def _sum(first: Evaluate, *others: Evaluate) -> Evaluate:
    def value(values: Sequence[Any]) -> Any:
        total = first(values)
        for other in others:
            total = total + other(values)
        return total if type(total) is int else limited(total)

    return value


def _product(first: Evaluate, *others: Evaluate) -> Evaluate:
    def value(values: Sequence[Any]) -> Any:
        total = first(values)
        for other in others:
            total = limited(total * other(values))
        return total

    return value


COMPILED: dict[str, Callable[..., Evaluate]] = {
    "+": _sum,
    "*": _product,
    "-": lambda part: lambda values: -part(values),
    "/": lambda above, below: lambda values: quotient(above(values), below(values)),
    "^": lambda base, exponent: lambda values: power(base(values), exponent(values), values[-1]),
    "sqrt": lambda part: lambda values: power(part(values), Fraction(1, 2), values[-1]),
    "max": lambda *parts: lambda values: _extreme(max, [part(values) for part in parts]),
    "min": lambda *parts: lambda values: _extreme(min, [part(values) for part in parts]),
    "ceil": lambda part: lambda values: _rounding(ceil, part(values)),
    "floor": lambda part: lambda values: _rounding(floor, part(values)),
}


def symbols_of(tree: Any) -> set[str]:
    """The symbols of a tree of a statement.

    >>> sorted(symbols_of(["+", "a", ["*", 2, "b", "a"]]))
    ['a', 'b']
    """
    if isinstance(tree, str):
        return {tree}
    return set().union(*map(symbols_of, tree[1:])) if isinstance(tree, list | tuple) else set()
