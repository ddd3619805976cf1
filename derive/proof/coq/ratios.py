"""Trees as quotients of polynomials, for scripts that Coq checks: nothing here is trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb, gcd, lcm
from typing import Any

from derive.errors import ClaimError

Tree = Any  # an int, a str, or a tuple (head, operand, ...)
Monomial = tuple[tuple[str, int], ...]  # names in alphabetical order
Polynomial = dict[Monomial, Fraction]
Factor = frozenset[tuple[Monomial, Fraction]]  # a polynomial as a key; denominators are products of such

ONE: Polynomial = {(): Fraction(1)}


@dataclass(frozen=True)
class Ratio:
    """A numerator over a product of factors, each with its multiplicity."""

    numerator: Polynomial
    factors: Counter[Factor]


def collected(terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
    """The sum of terms."""
    total: Polynomial = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def joined(one: Monomial, other: Monomial) -> Monomial:
    """The product of monomials."""
    return tuple(sorted((Counter(dict(one)) + Counter(dict(other))).items()))


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product."""
    return collected((joined(m, n), c * d) for m, c in p.items() for n, d in q.items())


def plus(p: Polynomial, q: Polynomial) -> Polynomial:
    """The sum."""
    return collected([*p.items(), *q.items()])


def scaled(p: Polynomial, factor: Fraction | int) -> Polynomial:
    """A number times the polynomial."""
    return {monomial: coefficient * factor for monomial, coefficient in p.items()} if factor else {}


def raised(p: Polynomial, exponent: int) -> Polynomial:
    """A power, its exponent at least 0."""
    return reduce(times, [p] * exponent, ONE)


def expanded(factors: Counter[Factor]) -> Polynomial:
    """The product of factors, multiplied out."""
    return reduce(times, (raised(dict(factor), count) for factor, count in factors.items()), ONE)


def shifted(p: Polynomial, names: Mapping[str, int] | set[str]) -> Polynomial:
    """The polynomial with 1 + x in the place of each x of `names`: what is called x afterwards was x - 1."""
    terms: list[tuple[Monomial, Fraction]] = []
    for monomial, coefficient in p.items():
        parts: list[tuple[Monomial, Fraction]] = [((), coefficient)]
        for name, exponent in monomial:
            powers = range(exponent + 1) if name in names else [exponent]
            parts = [
                (joined(m, ((name, power),) if power else ()), c * comb(exponent, power))
                for m, c in parts
                for power in powers
            ]
        terms += parts
    return collected(terms)


def content(p: Polynomial) -> Fraction:
    """The positive number by which a polynomial is the multiple of one with whole coefficients without a divisor."""
    numerators = reduce(gcd, (abs(c.numerator) for c in p.values()), 0)
    return Fraction(numerators or 1, reduce(lcm, (c.denominator for c in p.values()), 1))


def split(p: Polynomial) -> tuple[Fraction, Counter[Factor]]:
    """A polynomial that is not 0 as a number times names that all its monomials have, times what is left."""
    number = content(p)
    common = reduce(lambda one, other: one & other, (Counter(dict(monomial)) for monomial in p))
    factors: Counter[Factor] = Counter(
        {frozenset({(((name, 1),), Fraction(1))}): power for name, power in common.items()}
    )
    rest = {tuple(sorted((Counter(dict(m)) - common).items())): c / number for m, c in p.items()}
    if len(rest) == 1 and () in rest:
        return number * rest[()], factors
    return number, factors + Counter({frozenset(rest.items()): 1})


def ratio(tree: Tree, divisors: set[Factor]) -> Ratio:
    """The value of a tree without calls; adds to `divisors` the factors of all that it divides by."""
    if type(tree) is int:
        return Ratio({(): Fraction(tree)} if tree else {}, Counter())
    if type(tree) is str:
        return Ratio({((tree, 1),): Fraction(1)}, Counter())
    head, first, *rest = tree
    value = ratio(first, divisors)
    if head == "-":
        return Ratio(scaled(value.numerator, -1), value.factors)
    if head == "^":
        exponent: int = rest[0]
        base = value if exponent > 0 else inverse(value, divisors)
        return Ratio(
            raised(base.numerator, abs(exponent)),
            Counter({factor: count * abs(exponent) for factor, count in base.factors.items() if exponent}),
        )
    for operand in rest:
        other = ratio(operand, divisors)
        if head == "+":
            shared = value.factors | other.factors
            sides = [times(each.numerator, expanded(shared - each.factors)) for each in (value, other)]
            value = Ratio(plus(*sides), shared)
        else:
            other = inverse(other, divisors) if head == "/" else other
            value = Ratio(times(value.numerator, other.numerator), value.factors + other.factors)
    return value


def inverse(value: Ratio, divisors: set[Factor]) -> Ratio:
    """One over the value; `ClaimError` where that is 0."""
    if not value.numerator:
        raise ClaimError("a divisor is 0")
    number, factors = split(value.numerator)
    divisors.update(factors, value.factors)
    return Ratio(scaled(expanded(value.factors), 1 / number), factors)


def difference(left: Tree, right: Tree, divisors: set[Factor]) -> Ratio:
    """Right minus left."""
    return ratio(("+", right, ("-", left)), divisors)


def divisors_of(tree: Tree) -> set[Factor]:
    """The factors of all that a tree divides by."""
    divisors: set[Factor] = set()
    ratio(tree, divisors)
    return divisors


def to_tree(p: Polynomial, leaf: Mapping[str, Tree] | None = None) -> Tree:
    """A polynomial with whole coefficients as a tree; `leaf` has what stands for names."""
    terms = []
    for monomial, coefficient in sorted(p.items(), key=lambda item: (-sum(e for _, e in item[0]), item[0])):
        names = [(leaf or {}).get(name, name) for name, _ in monomial]
        powers = [name if e == 1 else ("^", name, e) for name, (_, e) in zip(names, monomial, strict=True)]
        number = int(coefficient)
        factors = powers if powers and number == 1 else [number, *powers]
        terms.append(factors[0] if len(factors) == 1 else ("*", *factors))
    return 0 if not terms else terms[0] if len(terms) == 1 else ("+", *terms)
