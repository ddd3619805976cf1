"""Polynomials as the checker has them, for the search: as trees, as products, and divided with a remainder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, lcm

from derive.proof.checker import Monomial, Polynomial, Tree, join

Weighted = dict[Monomial, Fraction]  # the same with rational coefficients, in a linear program

ONE: Polynomial = {(): 1}
FEW = 8  # operands of a sum


def added(*polynomials: Polynomial) -> Polynomial:
    """The sum.

    >>> added({(): 1}, {(): -1, (("x", 1),): 2})
    {(('x', 1),): 2}
    """
    total: Polynomial = {}
    for p in polynomials:
        for monomial, coefficient in p.items():
            total[monomial] = total.get(monomial, 0) + coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product.

    >>> times({(("x", 1),): 1, (): 1}, {(("x", 1),): 1, (): -1})
    {(('x', 2),): 1, (): -1}
    """
    if ONE in (p, q):
        return q if p == ONE else p
    total: Polynomial = {}
    for m, c in p.items():
        for n, d in q.items():
            both = join(m, n)
            total[both] = total.get(both, 0) + c * d
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def product(polynomials: Iterable[Polynomial]) -> Polynomial:
    """The product of any number of polynomials."""
    total = ONE
    for p in polynomials:
        total = times(total, p)
    return total


def negated(p: Polynomial) -> Polynomial:
    """Minus the polynomial."""
    return {monomial: -coefficient for monomial, coefficient in p.items()}


def variables(*polynomials: Polynomial) -> tuple[str, ...]:
    """The variables, in alphabetical order."""
    return tuple(sorted({name for p in polynomials for monomial in p for name, _ in monomial}))


def degree(p: Polynomial, name: str) -> int:
    """The highest exponent of a variable."""
    return max((dict(monomial).get(name, 0) for monomial in p), default=0)


def coefficient_of(p: Polynomial, name: str, exponent: int) -> Polynomial:
    """The coefficient of a power of one variable, a polynomial in the others."""
    return {
        tuple(pair for pair in monomial if pair[0] != name): c
        for monomial, c in p.items()
        if dict(monomial).get(name, 0) == exponent
    }


def remainder(p: Polynomial, divisor: Polynomial, name: str) -> tuple[Polynomial, Polynomial, Polynomial]:
    """Factor, quotient and remainder, such that factor * p == quotient * divisor + remainder.

    The remainder's degree in `name` is lower than the divisor's. The factor is a power of the divisor's leading
    coefficient in that variable.

    >>> x, y = (("x", 1),), (("y", 1),)
    >>> remainder({(("x", 2),): 1}, {(("x", 2),): 1, y: -1}, "x")
    ({(): 1}, {(): 1}, {(('y', 1),): 1})
    """
    least = degree(divisor, name)
    leading = coefficient_of(divisor, name, least)
    factor, quotient, rest = ONE, dict[Monomial, int](), p
    while rest and (highest := degree(rest, name)) >= least:
        power: Polynomial = {((name, highest - least),) if highest > least else (): 1}
        part = times(coefficient_of(rest, name, highest), power)
        if leading == ONE:
            quotient, rest = added(quotient, part), added(rest, negated(times(part, divisor)))
        else:
            factor, quotient = times(factor, leading), added(times(quotient, leading), part)
            rest = added(times(rest, leading), negated(times(part, divisor)))
    return factor, quotient, rest


def shifted(p: Mapping[Monomial, int | Fraction], least: Mapping[str, int]) -> Weighted:
    """The polynomial with least + y in the place of each variable; y goes by the name of the variable."""
    total: Weighted = {}
    for monomial, coefficient in p.items():
        parts: list[tuple[Monomial, Fraction]] = [((), Fraction(coefficient))]
        for name, exponent in monomial:
            low = least.get(name, 0)
            choices = range(exponent, exponent + 1) if low == 0 else range(exponent + 1)
            parts = [
                ((*m, (name, k)) if k else m, c * comb(exponent, k) * Fraction(low) ** (exponent - k))
                for m, c in parts
                for k in choices
            ]
        for m, c in parts:
            total[m] = total.get(m, Fraction(0)) + c
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def monomials(names: Sequence[str], most: int) -> list[Monomial]:
    """All monomials of these variables up to a degree.

    >>> monomials(["x"], 2)
    [(), (('x', 1),), (('x', 2),)]
    """
    found: list[Monomial] = []
    for total in range(most + 1):
        choices = combinations_with_replacement(names, total)
        found += [tuple((name, choice.count(name)) for name in dict.fromkeys(choice)) for choice in choices]
    return found


def cleared(weights: Sequence[Fraction]) -> tuple[int, list[int]]:
    """A positive integer, and the weights times that, all whole.

    >>> cleared([Fraction(1, 2), Fraction(2, 3)])
    (6, [3, 4])
    """
    common = lcm(*(weight.denominator for weight in weights)) if weights else 1
    return common, [int(weight * common) for weight in weights]


def as_tree(p: Polynomial, trees: Mapping[str, Tree]) -> Tree:
    """The polynomial as a tree of the checker; `trees` are the calls that variables are the values of.

    >>> as_tree({(("[0]", 2),): 3, (): -1}, {"[0]": ("sqrt", "x")})
    ('+', ('*', 3, ('^', ('sqrt', 'x'), 2)), -1)
    """
    return _summed([_term(monomial, coefficient, trees) for monomial, coefficient in p.items()])


def _summed(terms: Sequence[Tree]) -> Tree:
    """The sum, in sums of sums where it is long: the checker adds one operand after the other to what there is."""
    if len(terms) < 2:
        return terms[0] if terms else 0
    if len(terms) > FEW:
        size = -(-len(terms) // FEW)
        terms = [_summed(terms[start : start + size]) for start in range(0, len(terms), size)]
    return ("+", *terms)


def _term(monomial: Monomial, coefficient: int, trees: Mapping[str, Tree]) -> Tree:
    powers = [(trees.get(name, name), exponent) for name, exponent in monomial]
    factors = [base if exponent == 1 else ("^", base, exponent) for base, exponent in powers]
    if coefficient != 1 or not factors:
        factors.insert(0, coefficient)
    return factors[0] if len(factors) == 1 else ("*", *factors)
