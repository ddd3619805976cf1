"""Points in the order in which a search tries them: whole ones, then fractions, then powers of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil, floor, gcd

from derive.proof.refute.pointwise import Kind

FRACTIONS = sorted(  # by the sum of numerator and denominator: 1, 1/2, 2, 1/3, 3, 1/4, 2/3, ...
    (Fraction(p, q) for p in range(1, 13) for q in range(1, 8) if gcd(p, q) == 1),
    key=lambda value: (value.numerator + value.denominator, value),
)
DOUBLINGS = range(1, 65)

Point = Sequence[Fraction | int]
Range = tuple[Kind, Fraction | None]  # of a symbol that is searched: its kind, and a bound that a given puts below it


def least(kind: Kind, bound: Fraction | None) -> int:
    """The smallest whole number that may be a value; 0 for reals of either sign."""
    return max(0 if kind.may_be_zero else 1, ceil(bound or 0))


def by_size(ranges: Sequence[Range]) -> Iterator[Point]:
    """Whole points by the sum of absolute values, then in lexicographic order; endless, if there is a symbol at all.

    >>> from derive.proof.refute.pointwise import KINDS
    >>> points = by_size([(KINDS["positive integer"], None), (KINDS["real"], None)])
    >>> [next(points) for _ in range(5)]
    [(1, 0), (1, -1), (1, 1), (2, 0), (1, -2)]
    """
    lows = [least(kind, bound) for kind, bound in ranges]
    signed = [kind.least is None and (bound is None or bound < 0) for kind, bound in ranges]
    total = sum(lows)
    while ranges or total == 0:
        yield from _with_size(lows, signed, total)
        total += 1


def _with_size(lows: Sequence[int], signed: Sequence[bool], total: int) -> Iterator[tuple[int, ...]]:
    if not lows:
        if total == 0:
            yield ()
        return
    most = total - sum(lows[1:])
    if len(lows) == 1:
        yield from [(-total,), (total,)] if signed[0] and total else [(total,)]
        return
    for first in range(-most if signed[0] else lows[0], most + 1):
        for rest in _with_size(lows[1:], signed[1:], total - abs(first)):
            yield (first, *rest)


def fractional(ranges: Sequence[Range]) -> Iterator[Point]:
    """Points with a fraction in them, by how far down the lists of values they are."""
    pools = [_pool(kind, bound) for kind, bound in ranges]
    for total in range(1, sum(len(pool) - 1 for pool in pools) + 1):
        for places in _with_size([0] * len(pools), [False] * len(pools), total):
            if all(place < len(pool) for place, pool in zip(places, pools, strict=True)):
                point = [pool[place] for place, pool in zip(places, pools, strict=True)]
                if any(value.denominator > 1 for value in point):
                    yield point


def _pool(kind: Kind, bound: Fraction | None) -> Sequence[Fraction | int]:
    low = least(kind, bound)
    if kind.whole:
        return range(low, low + len(FRACTIONS))
    pool = [floor(max(bound or 0, 0)) + fraction for fraction in FRACTIONS]
    return [signed for value in pool for signed in (value, -value)] if kind.least is None else pool


def doubled(ranges: Sequence[Range]) -> Iterator[Point]:
    """Powers of two in the places of one symbol, of two, ..., of all, the others as small as they may be."""
    lows = [least(kind, bound) for kind, bound in ranges]
    for count in range(1, len(lows) + 1):
        for doubling in DOUBLINGS:
            for chosen in combinations(range(len(lows)), count):
                yield [max(low, 2**doubling) if place in chosen else low for place, low in enumerate(lows)]
