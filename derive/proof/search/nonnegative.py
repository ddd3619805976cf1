"""Showing that a polynomial is not negative, or positive: by signs, by facts, by squares; an exact linear program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb, gcd, prod
from typing import Any

from derive.proof.checker import REALS, WHOLES, Context, Monomial, Polynomial, join, sign
from derive.proof.search.linear import weights
from derive.proof.search.polynomials import (
    ONE,
    Weighted,
    added,
    cleared,
    coefficient_of,
    degree,
    monomials,
    product,
    shifted,
    times,
    variables,
)
from derive.proof.search.setting import Setting, Term

MOST_COLUMNS, MOST_DEGREE = 900, 6
UNSIGNED = (REALS[0], WHOLES[0])  # kinds of variables that may be negative


def shown(p: Polynomial, strict: bool, setting: Setting) -> tuple[Polynomial, list[Term]] | None:
    """A positive factor and terms, such that factor * p is their sum; by signs, by facts, or by squares."""
    if sign(p, replace(setting.context, facts=[])) >= 1 + strict:
        return ONE, [Term(p)]
    if not strict and (found := _stated(p, setting)) is not None:
        return found
    content, smaller = without_content(p, setting.context) if p else (ONE, p)
    if content != ONE and (found := shown(smaller, strict, setting)) is not None:
        return found[0], [replace(term, weight=times(term.weight, content)) for term in found[1]]
    if (found := _covered(p, strict, setting)) is not None:
        return found
    for squares in (False, True) if setting.thorough else (False,):
        found = _programmed(p, strict, setting, squares)
        if found is not None:
            return found
    return None if strict or not setting.thorough else _squared(p, setting)


def _stated(p: Polynomial, setting: Setting) -> tuple[Polynomial, list[Term]] | None:
    """One fact that says it, up to a positive number: what most branches of maxima come down to."""
    if not p:
        return None
    first = next(iter(p))
    for place, (relation, (n, _)) in enumerate(setting.context.facts):
        if relation == "==":
            continue
        factor, _, rest = setting.divided(n)
        if len(rest) == len(p) and rest.get(first, 0) * p[first] > 0:
            scale, other = abs(rest[first]), abs(p[first])
            if all(rest.get(monomial, 0) * other == c * scale for monomial, c in p.items()):
                return {(): scale}, [Term(times(factor, {(): other}), (place,))]
    return None


def _covered(p: Polynomial, strict: bool, setting: Setting) -> tuple[Polynomial, list[Term]] | None:
    """Each negative term taken off with a fact that has it times a monomial of positive variables; a sign for the rest.

    So -v^2*x is covered by (s - v)*v*x, however many variables there are.
    """
    facts = [(place, n) for place, (relation, (n, _)) in enumerate(setting.context.facts) if relation != "=="]
    factor, terms, rest = 1, list[Term](), p
    for _ in range(sum(c < 0 for c in p.values())):
        below, c = next((item for item in rest.items() if item[1] < 0), ((), 0))
        found = next(_covers(below, facts, setting.context), None) if c else None
        if found is None:
            break
        place, n, quotient, coefficient = found
        scale, weight = -coefficient // gcd(coefficient, c), -c // gcd(coefficient, c)
        rest = added(times(rest, {(): scale}), times(n, {quotient: -weight}))
        terms = [replace(term, weight=times(term.weight, {(): scale})) for term in terms]
        terms.append(Term({quotient: weight}, (place,)))
        factor *= scale
    if sign(rest, replace(setting.context, facts=[])) < 1 + strict:
        return None
    return {(): factor}, [Term(rest), *terms] if rest else terms


def _covers(
    monomial: Monomial, facts: Sequence[tuple[int, Polynomial]], context: Context
) -> Iterator[tuple[int, Polynomial, Monomial, int]]:
    """Facts with a negative term that divides a monomial: the place, the fact, the quotient, and the coefficient."""
    for place, n in facts:
        for divisor, coefficient in n.items():
            quotient = _over(monomial, divisor, context) if coefficient < 0 else None
            if quotient is not None:
                yield place, n, quotient, coefficient


def _over(monomial: Monomial, divisor: Monomial, context: Context) -> Monomial | None:
    """The quotient of two monomials, if it is one of positive variables."""
    powers = dict(monomial)
    for name, exponent in divisor:
        powers[name] = powers.get(name, 0) - exponent
    usable = all(e >= 0 and (not e or "positive" in context.kinds[name]) for name, e in powers.items())
    return tuple(sorted((name, e) for name, e in powers.items() if e)) if usable else None


def without_content(p: Polynomial, context: Context) -> tuple[Polynomial, Polynomial]:
    """The monomial of positive variables that all of p has in common, and what is left of p without it."""
    above = [name for name in variables(p) if "positive" in context.kinds[name]]
    common = {name: min(dict(monomial).get(name, 0) for monomial in p) for name in above}
    shared = tuple((name, exponent) for name, exponent in common.items() if exponent)
    smaller = {
        tuple((name, e - common.get(name, 0)) for name, e in monomial if e > common.get(name, 0)): c
        for monomial, c in p.items()
    }
    return {shared: 1}, smaller


def _squared(p: Polynomial, setting: Setting) -> tuple[Polynomial, list[Term]] | None:
    """Even powers among the factors of p taken out, and the rest shown."""
    square, rest = square_part(p)
    if square == ONE:
        return None
    found = shown(rest, False, setting)
    if found is None:
        return None
    factor, terms = found
    return factor, [replace(term, squares=(*term.squares, square)) for term in terms]


def square_part(p: Polynomial) -> tuple[Polynomial, Polynomial]:
    """A polynomial whose square divides p, and the quotient, both with integer coefficients."""
    from sympy.polys import ZZ, ring

    names = variables(p)
    if not names:
        return ONE, p
    made, *_ = ring([f"x{number}" for number in range(len(names))], ZZ)
    written = made.from_dict({_exponents(monomial, names): ZZ(c) for monomial, c in p.items()})
    content, parts = written.factor_list()
    square = prod((factor ** (power // 2) for factor, power in parts), start=made.one)
    rest = prod((factor ** (power % 2) for factor, power in parts), start=made(content))
    return _read(square, names), _read(rest, names)


def _exponents(monomial: Monomial, names: Sequence[str]) -> tuple[int, ...]:
    powers = dict(monomial)
    return tuple(powers.get(name, 0) for name in names)


def _read(element: Any, names: Sequence[str]) -> Polynomial:
    return {
        tuple((name, int(e)) for name, e in zip(names, exponents, strict=True) if e): int(c)
        for exponents, c in element.terms()
    }


def _programmed(p: Polynomial, strict: bool, setting: Setting, squares: bool) -> tuple[Polynomial, list[Term]] | None:
    """Terms from an exact linear program over products of facts, monomials and, if asked for, squares."""
    context = setting.context
    known = [(place, setting.divided(n)) for place, (relation, (n, _)) in enumerate(context.facts) if relation != "=="]
    single = [(rest, Term(factor, (place,))) for place, (factor, _, rest) in known if rest]
    double = [_both(*pair) for pair in combinations_with_replacement(single, 2)]
    squared = [(times(root, root), Term(ONE, (), (root,))) for root in _roots(p)] if squares else []
    signed = [name for name in variables(p, *(rest for rest, _ in single)) if context.kinds[name] not in UNSIGNED]
    names = {name: int(context.kinds[name] == WHOLES[2]) for name in signed}
    target = shifted(p, names)
    low = max(_total(target), 1)
    high = max([low, *(_total(rest) for rest, _ in single)])
    tries = [(most, single) for most in range(low, high + 1)] + [(high, [*single, *double])]
    for most, products in tries if setting.thorough else tries[:1]:
        columns = _columns([(ONE, Term(ONE)), *products, *squared], names, min(most, MOST_DEGREE))
        found = _solved(target, columns, strict, context)
        if found is not None:
            return found
    return None


def _both(one: tuple[Polynomial, Term], other: tuple[Polynomial, Term]) -> tuple[Polynomial, Term]:
    term = Term(times(one[1].weight, other[1].weight), (*one[1].places, *other[1].places))
    return times(one[0], other[0]), term


def _columns(
    products: Sequence[tuple[Polynomial, Term]], names: Mapping[str, int], most: int
) -> list[tuple[Weighted, Term]]:
    """The products times all monomials of the variables' distances from their least values, up to a degree."""
    columns: list[tuple[Weighted, Term]] = []
    for rest, term in products:
        column = shifted(rest, names)
        room = most - _total(column)
        while room > 0 and comb(len(names) + room, room) * len(products) > MOST_COLUMNS:
            room -= 1
        for monomial in monomials(list(names), room):
            distances = [
                {((name, 1),): 1} | ({(): -1} if names[name] else {}) for name, e in monomial for _ in range(e)
            ]
            moved = {join(m, monomial): c for m, c in column.items()}
            columns.append((moved, replace(term, weight=product([term.weight, *distances]))))
    return columns


def _roots(p: Polynomial) -> list[Polynomial]:
    """What may be squared: differences and sums of monomials whose squares are in p, and completed squares."""
    halves = [tuple((name, e // 2) for name, e in monomial) for monomial in p if all(e % 2 == 0 for _, e in monomial)]
    pairs: list[Polynomial] = [{one: 1, other: c} for one, other in combinations(halves, 2) for c in (-1, 1)]
    return [*pairs, *(root for name in variables(p) if (root := _completed(p, name)))]


def _completed(p: Polynomial, name: str) -> Polynomial | None:
    """2*a*x + b where p = a*x^2 + b*x + c with a number a > 0: 4*a*p is its square and what has no x."""
    leading = coefficient_of(p, name, 2)
    if degree(p, name) != 2 or leading.keys() != {()} or leading[()] <= 0:
        return None
    return added({((name, 1),): 2 * leading[()]}, coefficient_of(p, name, 1))


def _total(p: Mapping[Monomial, Any]) -> int:
    return max((sum(e for _, e in monomial) for monomial in p), default=0)


def _solved(
    target: Weighted, columns: Sequence[tuple[Weighted, Term]], strict: bool, context: Context
) -> tuple[Polynomial, list[Term]] | None:
    if not strict:
        found = weights([column for column, _ in columns], target)
        factor = Fraction(1)
    else:
        above = [_is_strict(term, context) for _, term in columns]
        marked = [
            dict[Any, Fraction](column) | ({"above": Fraction(1)} if each else {})
            for (column, _), each in zip(columns, above, strict=True)
        ]
        itself: dict[Any, Fraction] = {monomial: -c for monomial, c in target.items()}
        found = weights([*marked, itself], {"above": Fraction(1)})
        factor = (found or {}).pop(
            len(columns), Fraction(not target)
        )  # 0 > 0 is a contradiction whatever it is taken by
    if found is None or not factor:
        return None
    _, whole = cleared([factor, *found.values()])
    terms = [
        replace(columns[place][1], weight=times(columns[place][1].weight, {(): weight}))
        for place, weight in zip(found, whole[1:], strict=True)
    ]
    return {(): whole[0]}, terms


def _is_strict(term: Term, context: Context) -> bool:
    strict = all(context.facts[place][0] == "<" for place in term.places)
    return strict and not term.squares and sign(term.weight, replace(context, facts=[])) == 2
