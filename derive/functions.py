"""Functions of amounts in letters, for authors: what a claim writes as sqrt, max, min, ceil and floor."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import sympy
from sympy import Expr

from derive.monomials import rational_number


def rational(value: int | Fraction) -> Expr:
    """A number as an amount.

    >>> rational(Fraction(1, 3))
    1/3
    """
    return rational_number(Fraction(value))


def sqrt(amount: Expr) -> Expr:
    """The square root."""
    return sympy.sqrt(amount)


def ceil(amount: Expr) -> Expr:
    """The least whole number that is not below."""
    return sympy.ceiling(amount)


def floor(amount: Expr) -> Expr:
    """The largest whole number that is not above."""
    return sympy.floor(amount)


@lru_cache(maxsize=256)
def _several(function: type, amounts: tuple[Expr | int, ...]) -> Expr:
    different = [rational(each) if isinstance(each, int) else each for each in dict.fromkeys(amounts)]
    if len(different) == 1:
        return different[0]
    # SymPy would compare each with each by assumptions, which takes a fifth of a second for four sums of letters.
    return function(*sorted(different, key=str), evaluate=False)


def maximum(*amounts: Expr | int) -> Expr:
    """The largest of some amounts.

    >>> from sympy.abc import x, y
    >>> maximum(x, y, x)
    Max(x, y)
    """
    return _several(sympy.Max, amounts)


def minimum(*amounts: Expr | int) -> Expr:
    """The smallest of some amounts."""
    return _several(sympy.Min, amounts)
