"""Values of trees at points: exact where they are rational, and compared as exactly as they can be."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from derive.errors import IrrationalError
from derive.exact import approximate, evaluate
from derive.tree import Node

CLOSE = Fraction(1, 10**40)  # of values that roots give to fifty digits
Point = Mapping[str, Fraction | int]


def value_at(tree: Node, point: Point) -> Fraction:
    """The value of a tree, exact where it is rational, else to fifty digits."""
    return approximate(tree, point)


def agree(left: Iterable[Node], right: Iterable[Node], point: Point) -> bool:
    """Whether two sums are equal at a point: exactly where both are rational, to forty digits where there are roots."""
    left, right = list(left), list(right)
    try:
        one, other = (sum((evaluate(tree, point) for tree in side), Fraction(0)) for side in (left, right))
    except IrrationalError:
        return close(*(sum((approximate(tree, point) for tree in side), Fraction(0)) for side in (left, right)))
    return one == other


def close(one: Fraction, other: Fraction) -> bool:
    """Whether two values are equal to forty digits."""
    return abs(one - other) <= CLOSE * max(abs(one), abs(other))
