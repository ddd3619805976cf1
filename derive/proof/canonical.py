"""Differences of expressions in canonical form, by SymPy's polynomials: compared while deriving, not trusted."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from sympy import Add, Dummy, Expr, Float, Integer, Mul, Pow, Rational, nan, oo, zoo
from sympy.polys import QQ, ZZ, ring

INEXACT = (Float, nan, oo, -oo, zoo)


def difference(left: Expr, right: Expr) -> Expr:
    """left - right in canonical form, a quotient of expanded polynomials without common factor; 0 if they are equal.

    What is no rational function (a root, a ceiling, a maximum, a symbolic power) counts as one more symbol, the same
    wherever it is written the same: the answer still equals left - right, but may not be 0 though the sides are equal.
    Raises `TypeError` for a float, an infinity or a nan, `ZeroDivisionError` for a divisor that is identically 0.

    >>> from sympy.abc import a, h, s
    >>> difference(s * (h + a) / h, s + a * s / h), difference((h**2 - a**2) / (h - a), h)
    (0, a)
    """
    generators, numerator, denominator = _quotient(left - right)
    if not numerator:
        return Integer(0)
    field = QQ.frac_field(*generators).field
    return field.new(numerator.set_ring(field.ring), denominator.set_ring(field.ring)).as_expr()


def _quotient(expression: Any) -> tuple[list[Expr], Any, Any]:
    """Generators, and the polynomials over them, with integer coefficients, whose quotient the expression is."""
    if expression.has(*INEXACT):
        raise TypeError(f"{expression} is not exact")
    generators = sorted(_generators(expression), key=str) or [Dummy()]
    polynomials = ring(generators, ZZ)[0]
    gens = dict(zip(generators, polynomials.gens, strict=True))
    return generators, *_lower(expression, gens, polynomials)


def _generators(expression: Expr) -> set[Expr]:
    """The largest parts that are not made by +, *, / and whole powers from smaller ones."""
    if isinstance(expression, Add | Mul):
        return set[Expr]().union(*map(_generators, expression.args))
    if isinstance(expression, Pow) and isinstance(expression.exp, Integer):
        return _generators(expression.base)
    return set() if isinstance(expression, Rational) else {expression}


def _lower(expression: Any, gens: Mapping[Expr, Any], polynomials: Any) -> tuple[Any, Any]:
    """Numerator and denominator. Common factors stay, as finding them takes most of the time of SymPy's own fields."""
    if expression in gens:
        return gens[expression], polynomials.one
    if isinstance(expression, Rational):
        return polynomials(int(expression.p)), polynomials(int(expression.q))
    if isinstance(expression, Pow):
        numerator, denominator = _lower(expression.base, gens, polynomials)
        exponent = int(expression.exp)
        if exponent >= 0:
            return numerator**exponent, denominator**exponent
        if not numerator:
            raise ZeroDivisionError(f"{expression.base} is 0")
        return denominator**-exponent, numerator**-exponent
    parts = [_lower(part, gens, polynomials) for part in expression.args]
    if isinstance(expression, Mul):
        numerators, denominators = zip(*parts, strict=True)
        return prod(numerators, start=polynomials.one), prod(denominators, start=polynomials.one)
    return _sum(parts, polynomials)


def _sum(parts: Sequence[tuple[Any, Any]], polynomials: Any) -> tuple[Any, Any]:
    """The sum of quotients, over a denominator that is a multiple of each: one of them, as long as that is possible."""
    groups: dict[Any, Any] = {}
    for numerator, denominator in parts:
        groups[denominator] = groups.get(denominator, polynomials.zero) + numerator
    total, common = polynomials.zero, polynomials.one
    for denominator, numerator in groups.items():
        if not common.rem(denominator):
            total += numerator * common.quo(denominator)
        elif not denominator.rem(common):
            total, common = total * denominator.quo(common) + numerator, denominator
        else:
            total, common = total * denominator + numerator * common, common * denominator
    return total, common
