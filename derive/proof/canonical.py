"""Finds what the checker is to accept: differences in canonical form, and exact counterexamples; SymPy, not trusted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from math import prod
from typing import Any

from sympy import Add, Dummy, Expr, Float, Integer, Mul, Pow, Rational, Symbol, nan, oo, zoo
from sympy.polys import QQ, ZZ, ring

MOST_POINTS = 20_000  # that a search for a counterexample tries
INEXACT = (Float, nan, oo, -oo, zoo)

Point = Sequence[int]  # values of the free symbols, in alphabetical order of their names


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


def counterexample(difference: Expr, hypotheses: Mapping[str, Expr] | None = None) -> dict[str, int] | None:
    """The smallest point where the difference is not 0, or None if the first `MOST_POINTS` points have none.

    A point gives a positive integer to every symbol of the difference and of the hypotheses (the name of a symbol, and
    the expression in other symbols that it equals), which all hold there. Smallest is by the sum of the symbols that no
    hypothesis defines, then by their values in alphabetical order. The point has the values of the defined ones too.
    Raises `TypeError` if a hypothesis uses a symbol that a hypothesis defines.

    >>> from sympy.abc import a, d, h
    >>> counterexample(h - d, {"d": h / a})
    {'a': 2, 'h': 2, 'd': 1}
    >>> counterexample(h - a * d, {"d": h / a}) is None
    True
    """
    hypotheses = hypotheses or {}
    reduced: Any = difference.xreplace({x: hypotheses[x.name] for x in _symbols(difference) if x.name in hypotheses})
    free = sorted(set[Symbol]().union(*map(_symbols, (reduced, *hypotheses.values()))), key=lambda x: x.name)
    names = [x.name for x in free]
    if len(set(names)) < len(names):
        raise TypeError(f"two symbols of one name, with other assumptions, among {', '.join(names)}")
    if defined := set(names) & set(hypotheses):
        raise TypeError(f"{min(defined)} is defined by a hypothesis and used in one")

    value = _evaluator(reduced, free)
    wholes = {name: _evaluator(expression, free) for name, expression in hypotheses.items()}
    for point in islice(_points(len(free)), MOST_POINTS):
        if not value(point):  # 0 or not defined
            continue
        others = {name: evaluate(point) for name, evaluate in wholes.items()}
        if all(other is not None and other > 0 and other.denominator == 1 for other in others.values()):
            return dict(zip(names, point, strict=True)) | {name: int(other or 0) for name, other in others.items()}
    return None


def _symbols(expression: Any) -> set[Symbol]:
    return {symbol for symbol in expression.free_symbols if isinstance(symbol, Symbol)}


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


def _evaluator(expression: Any, free: Sequence[Symbol]) -> Callable[[Point], Fraction | None]:
    """The exact value at a point; None where there is none, or where it is not rational."""
    generators, *quotient = _quotient(expression)
    if not all(isinstance(generator, Symbol) for generator in generators):
        return lambda point: _substituted(expression, dict(zip(free, map(Integer, point), strict=True)))
    places = [free.index(generator) if generator in free else 0 for generator in generators]
    numerator, denominator = ([(int(c), exponents) for exponents, c in part.terms()] for part in quotient)

    def value(terms: Sequence[tuple[int, Sequence[int]]], point: Point) -> int:
        sizes = [point[place] for place in places] if point else [1]
        return sum(c * prod(map(pow, sizes, exponents)) for c, exponents in terms)

    def evaluate(point: Point) -> Fraction | None:
        below = value(denominator, point)
        return Fraction(value(numerator, point), below) if below else None

    return evaluate


def _substituted(expression: Expr, values: Mapping[Symbol, Integer]) -> Fraction | None:
    result = expression.xreplace(values)
    return Fraction(int(result.p), int(result.q)) if isinstance(result, Rational) else None


def _points(count: int) -> Iterator[Point]:
    """All tuples of `count` positive integers, by their sum, then in lexicographic order."""
    total = count
    while total == count or count:
        yield from _with_sum(count, total)
        total += 1


def _with_sum(count: int, total: int) -> Iterator[tuple[int, ...]]:
    if count <= 1:
        yield (total,) * count
        return
    for first in range(1, total - count + 2):
        for rest in _with_sum(count - 1, total - first):
            yield (first, *rest)
