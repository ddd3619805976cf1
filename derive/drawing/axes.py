"""Axes, linear and logarithmic: where a value lies, and the ticks and labels beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log

from derive.drawing.svg import SIZE, WIDE, line, text
from derive.drawing.words import width
from derive.rounding import round_significant

Value = Fraction | int | float


@dataclass(frozen=True)
class Axis:
    """A scale from the value `low` at the place `start` to `high` at `end`; logarithmic where it has a `base`."""

    low: Value
    high: Value
    start: float
    end: float
    base: int = 0

    def at(self, value: Value) -> float:
        """Where a value lies.

        >>> Axis(1, 100, 0, 50, base=10).at(10), Axis(0, 10, 50, 0).at(Fraction(5, 2))
        (25.0, 37.5)
        """
        if self.base:
            share = _log(value / Fraction(self.low)) / _log(Fraction(self.high) / Fraction(self.low))
        else:
            share = float((value - self.low) / Fraction(self.high - self.low))
        return self.start + share * (self.end - self.start)

    def within(self, value: Value) -> float:
        """Where a value lies, or the end of the scale that it is beyond."""
        return self.at(min(max(value, self.low), self.high))

    def powers(self, step: int = 1) -> list[Fraction]:
        """Every `step`th power of a logarithmic axis's base that is on it.

        >>> [str(x) for x in Axis(Fraction(1, 4), 9, 0, 1, base=2).powers(2)]
        ['1/4', '1', '4']
        """
        first = ceil(round(_log(Fraction(self.low)) / log(self.base), 9))
        last = floor(round(_log(Fraction(self.high)) / log(self.base), 9))
        return [Fraction(self.base) ** each for each in range(first, last + 1) if each % step == 0]

    def steps(self, most: int = 6) -> list[Fraction]:
        """Round values of a linear axis, no more than `most` and its ends: multiples of 1, 2 or 5 times a power of ten.

        >>> [str(x) for x in Axis(0, 70, 0, 1).steps(4)]
        ['0', '20', '40', '60']
        """
        low, high = Fraction(self.low), Fraction(self.high)
        size = Fraction(10) ** floor(log(float((high - low) / most)) / log(10))
        step = next(size * each for each in (1, 2, 5, 10, 20) if size * each * most >= high - low)
        return [step * each for each in range(ceil(low / step), floor(high / step) + 1)]


def _log(value: Value) -> float:
    """The logarithm of an exact value, however large."""
    exact = Fraction(value)
    return log(exact.numerator) - log(exact.denominator)


@dataclass(frozen=True)
class Frame:
    """The two axes of a plot: x from left to right, y from its bottom up."""

    x: Axis
    y: Axis

    def at(self, x: Value, y: Value) -> tuple[float, float]:
        """The point of two values, kept inside."""
        return self.x.within(x), self.y.within(y)

    def below(self, ticks: Sequence[Value], words: Callable[[Value], str], label: str) -> list[str]:
        """The x axis with ticks, their words, and below them its label with the unit."""
        bottom, top = self.y.start, self.y.end
        made = [line(self.x.at(each), top, self.x.at(each), bottom, "grid") for each in ticks]
        made.append(line(self.x.start, bottom, self.x.end, bottom))
        for each in ticks:
            made.append(line(self.x.at(each), bottom, self.x.at(each), bottom + 5))
            wide = width(said := words(each), SIZE)
            middle = min(self.x.at(each), WIDE - 4 - wide / 2)  # the last one stays in the picture
            made.append(text(middle, bottom + 20, said, name="mute", anchor="middle"))
        made.append(text((self.x.start + self.x.end) / 2, bottom + 42, label, name="mute", anchor="middle"))
        return made

    def beside(self, ticks: Sequence[Value], words: Callable[[Value], str], label: str) -> list[str]:
        """The y axis with ticks and their words; its label with the unit stands above it, where it is read upright."""
        left = self.x.start
        made = [line(left, self.y.at(each), self.x.end, self.y.at(each), "grid") for each in ticks]
        made.append(line(left, self.y.start, left, self.y.end))
        for each in ticks:
            made.append(line(left - 5, self.y.at(each), left, self.y.at(each)))
            made.append(text(left - 9, self.y.at(each) + 5, words(each), name="mute", anchor="end"))
        made.append(text(14, self.y.end - SIZE + 1, label, name="mute"))
        return made


PREFIXES = ((12, "T"), (9, "G"), (6, "M"), (3, "K"))


def short(value: Value, digits: int = 3) -> str:
    """A number in few characters, as a tick or a label has it.

    >>> [short(x) for x in (Fraction(1, 4), 16, 1024, 98900)]
    ['0.25', '16', '1024', '98900']
    """
    exact = Fraction(value)
    if exact.denominator == 1 and abs(exact) < 10**6:
        return str(exact)
    plain = round_significant(exact, digits)
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def binary(value: Value) -> str:
    """A power of two as people name lengths of sequences.

    >>> [binary(x) for x in (512, 8192, 2**20)]
    ['512', '8Ki', '1Mi']
    """
    exact = int(value)
    for size, label in ((2**20, "Mi"), (2**10, "Ki")):
        if exact % size == 0:
            return f"{exact // size}{label}"
    return str(exact)
