"""Exact points of a statement: where it fails, where its givens hold, where its sides are equal; Python alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

from derive.proof.refute.enumeration import Point, Range, by_size, doubled, fractional, least
from derive.proof.refute.pointwise import (
    KINDS,
    PRECISIONS,
    Enclosure,
    Evaluate,
    Kind,
    NoValue,
    Undecided,
    compared,
    compiled,
    symbols_of,
)

MOST_POINTS = 20_000  # that a search tries
MOST_SECONDS = 30.0  # that it takes where nothing else is said: points of huge numbers are slow
MIRRORED = {"==": "==", "<=": ">=", "<": ">", ">=": "<=", ">": "<"}

Divides = Collection[tuple[str, str]]


def counterexample(
    statement: Mapping[str, Any], most: int = MOST_POINTS, seconds: float | None = None, divides: Divides = ()
) -> dict[str, Fraction] | None:
    """The smallest point where the relation of a statement fails, or None if none of those tried is one.

    There every definition has a value of its symbol's kind, the givens hold, both sides have a value, and of each pair
    in `divides` the first divides the second. Smallest is by the sum of the free symbols, then by their values in
    alphabetical order; a symbol that a given equates with a tree is not free, but has that tree's value. After whole
    numbers come fractions (for reals), then powers of two and what is between them. The point has a value for every
    symbol; one whose definition is irrational there is left out.

    >>> counterexample({"symbols": {"d": "positive integer", "h": "positive integer", "a": "positive integer"},
    ...                 "define": [["d", ["/", "h", "a"]]], "relation": "==", "left": "h", "right": "d"})
    {'a': Fraction(2, 1), 'h': Fraction(2, 1), 'd': Fraction(1, 1)}
    """
    return _first(statement, (statement["relation"], False), most, seconds, divides)


def witness(
    statement: Mapping[str, Any], most: int = MOST_POINTS, seconds: float | None = None, divides: Divides = ()
) -> dict[str, Fraction] | None:
    """The smallest point where the definitions have values of their kinds and the givens hold, or None.

    >>> witness({"symbols": {"h": "positive integer", "g": "positive integer"}, "given": [[">=", "h", 4096]],
    ...          "relation": "<=", "left": "g", "right": "h"})
    {'g': Fraction(1, 1), 'h': Fraction(4096, 1)}
    """
    return _first(statement, (None, True), most, seconds, divides)


def equality_point(
    statement: Mapping[str, Any], most: int = MOST_POINTS, seconds: float | None = None, divides: Divides = ()
) -> dict[str, Fraction] | None:
    """The smallest point where the givens hold and both sides of the statement are equal, or None.

    >>> equality_point({"symbols": {"t": "positive integer"}, "relation": "<=", "left": ["/", 1, "t"], "right": 1})
    {'t': Fraction(1, 1)}
    """
    return _first(statement, ("==", True), most, seconds, divides)


def holds_at(statement: Mapping[str, Any], point: Mapping[str, Any]) -> bool | None:
    """Whether the relation holds at a point; None where the statement says nothing there, or where it is not decided.

    It says nothing where a symbol is not of its kind, a given fails or a part has no value. Values are exact numbers,
    [numerator, denominator], or trees of constants such as ["/", 1, 2]; a free symbol that is not named is 1, and what
    is defined has the value of its definition.

    >>> half = {"symbols": {"x": "positive real"}, "relation": "<=", "left": "x", "right": ["sqrt", "x"]}
    >>> holds_at(half, {"x": Fraction(1, 3)}), holds_at(half, {"x": 2}), holds_at(half, {"x": -2})
    (True, False, None)
    """
    reader = _read(statement, (), solved=False)
    values = [_exact(point.get(name, 1)) for name in reader.searched]
    if not all(KINDS[statement["symbols"][x]].holds(value) for x, value in zip(reader.searched, values, strict=True)):
        return None
    return reader.seen(values, statement["relation"])


def _exact(value: Any) -> Fraction | int:
    """A number of a point, as a number, as [numerator, denominator], or as a tree without symbols."""
    if isinstance(value, list | tuple):
        value = compiled(value, {})([PRECISIONS[-1]]) if isinstance(value[0], str) else Fraction(*value)
    if type(value) is not int and not isinstance(value, Fraction):
        raise TypeError(f"{value!r} is not exact")
    return int(value) if value.denominator == 1 else value


def _first(
    statement: Mapping[str, Any], sought: tuple[str | None, bool], most: int, seconds: float | None, divides: Divides
) -> dict[str, Fraction] | None:
    """The first point tried where the relation (None: the givens alone) has the truth that is sought."""
    relation, wanted = sought
    end = time.monotonic() + (MOST_SECONDS if seconds is None else seconds)
    reader = _read(statement, divides)
    real = any(not kind.whole for kind, _ in reader.ranges)
    shares = ((by_size, 6 if real else 8), (fractional, 2 if real else 0), (doubled, 2))
    for points, share in shares:
        for point in islice(points(reader.ranges), -(-most * share // 10)):
            if time.monotonic() > end:
                return None
            if reader.seen(point, relation) is wanted:
                is_there = partial(reader.sees, relation, wanted, end)
                return reader.named(_shrunk(point, reader.ranges, is_there) if points is doubled else point)
    return None


def _shrunk(point: Point, ranges: Sequence[Range], is_there: Callable[[Point], bool]) -> Point:
    """A point between powers of two: each value in turn as small as bisection finds it."""
    for place, (kind, bound) in enumerate(ranges):
        before, after = point[:place], point[place + 1 :]
        low, high = least(kind, bound) - 1, int(point[place])
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_there((*before, middle, *after)) else (middle, high)
        point = (*before, high, *after)
    return point


@dataclass(frozen=True)
class _Reader:
    """A statement whose trees are compiled: over the symbols that are searched, then those that are computed."""

    searched: Sequence[str]
    ranges: Sequence[Range]
    computed: Sequence[tuple[Kind, Evaluate]]
    givens: Sequence[tuple[Evaluate, str, Evaluate]]
    divides: Sequence[tuple[Evaluate, Evaluate]]
    left: Evaluate
    right: Evaluate
    free: Sequence[str]
    defined: Sequence[str]
    places: Mapping[str, int]

    def seen(self, point: Point, relation: str | None) -> bool | None:
        """Whether the relation holds of the sides (None: whether the givens hold); None where nothing is said."""
        for bits in PRECISIONS:
            try:
                values = self.values(point, bits)
                if values is None:
                    return None
                return relation is None or compared(self.left(values), relation, self.right(values))
            except Undecided:
                continue
            except NoValue:
                return None
        return None

    def sees(self, relation: str | None, wanted: bool, end: float, point: Point) -> bool:
        """Whether that is what is seen; no longer once the time is up."""
        return time.monotonic() < end and self.seen(point, relation) is wanted

    def values(self, point: Point, bits: int) -> list[Any] | None:
        """Of all symbols, and the precision last; None where a definition is not of its kind or a given fails."""
        count = len(self.searched)
        values: list[Any] = [*point, *[1] * len(self.computed), bits]
        for place, (kind, evaluate) in enumerate(self.computed, count):
            values[place] = evaluate(values)
            if not kind.holds(values[place]):
                return None
        for part, multiple in self.divides:
            if part(values) == 0 or multiple(values) % part(values):
                return None
        held = all(compared(left(values), relation, right(values)) for left, relation, right in self.givens)
        return values if held else None

    def named(self, point: Point) -> dict[str, Fraction]:
        """The point with the names of its values, free symbols first, each group in alphabetical order."""
        values = self.values(point, PRECISIONS[-1]) or []
        found = {name: values[self.places[name]] for name in (*self.free, *self.defined)}
        return {name: Fraction(value) for name, value in found.items() if not isinstance(value, Enclosure)}


def _read(statement: Mapping[str, Any], divides: Divides, solved: bool = True) -> _Reader:
    """The statement compiled; `solved`: a symbol that a given equates with a tree without it is computed."""
    symbols, define = statement["symbols"], dict(statement.get("define", ()))
    trees, givens = dict(define), []
    for relation, left, right in statement.get("given", ()):
        sides = ((left, right), (right, left)) if solved and relation == "==" else ()
        found = next((x for x, tree in sides if _is_new(x, tree, trees, symbols)), None)
        if found is None:
            givens.append((left, relation, right))
        else:
            trees[found] = right if found == left else left
    searched = sorted(set(symbols) - set(trees))
    whole = {name for name, kind in symbols.items() if KINDS[kind].whole}
    order = _ordered(trees)
    places = {name: place for place, name in enumerate([*searched, *order])}
    return _Reader(
        searched,
        [(KINDS[symbols[name]], _bound(name, givens)) for name in searched],
        [(KINDS[symbols[name]], compiled(trees[name], places)) for name in order],
        [(compiled(left, places), relation, compiled(right, places)) for left, relation, right in givens],
        [(compiled(x, places), compiled(y, places)) for x, y in divides if {x, y} <= whole],
        compiled(statement["left"], places),
        compiled(statement["right"], places),
        sorted(set(symbols) - set(define)),
        sorted(define),
        places,
    )


def _is_new(name: Any, tree: Any, trees: Mapping[str, Any], symbols: Mapping[str, str]) -> bool:
    """Whether the name is a symbol that has no tree yet, and that does not depend on itself if this one is its tree."""
    return isinstance(name, str) and name in symbols and name not in trees and name not in _needed(tree, trees)


def _needed(tree: Any, trees: Mapping[str, Any]) -> set[str]:
    found, left = set[str](), symbols_of(tree)
    while left:
        found |= left
        left = set[str]().union(*(symbols_of(trees[name]) for name in left if name in trees)) - found
    return found


def _ordered(trees: Mapping[str, Any]) -> list[str]:
    """The names such that each comes after those that its tree needs."""
    return sorted(trees, key=lambda name: (len(_needed(trees[name], trees) & set(trees)), name))


def _bound(name: str, givens: Iterable[tuple[Any, str, Any]]) -> Fraction | None:
    """The highest number that a given says the symbol is at least, or more than."""
    found = []
    for left, relation, right in givens:
        sides = {relation: (left, right), MIRRORED[relation]: (right, left)}
        for wanted in (">=", ">"):
            this, other = sides.get(wanted, (None, None))
            if this == name and not symbols_of(other):
                try:
                    value = compiled(other, {})([PRECISIONS[0]])
                except NoValue:
                    continue
                low = value.low if isinstance(value, Enclosure) else Fraction(value)
                found.append(low)
    return max(found, default=None)
