"""Sums of Laurent monomials with exact coefficients: the algebra that a derived expression is read with."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import sympy

from derive.errors import GrammarError
from derive.tree import shown

# A sum of Laurent monomials over "atoms": symbols, and whatever is no sum, product or power with a rational exponent.
Monomial = frozenset[tuple[sympy.Basic, Fraction]]  # atom and exponent, none of them 0
Terms = dict[Monomial, Fraction]
Definitions = Mapping[sympy.Symbol, sympy.Expr]  # a letter and what it stands for
ONE: Monomial = frozenset()
MOST_MULTIPLIED_OUT = 16  # a power of a sum beyond this stays a power


def rational_number(value: Fraction) -> sympy.Expr:
    """A Fraction as SymPy's number."""
    return sympy.Rational(value.numerator, value.denominator)


def fraction(value: sympy.Rational) -> Fraction:
    """SymPy's number as a Fraction."""
    return Fraction(int(value.p), int(value.q))


def _collected(pairs: Iterable[tuple[Monomial, Fraction]]) -> Terms:
    total: Terms = {}
    for monomial, coefficient in pairs:
        total[monomial] = total.get(monomial, 0) + coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def _merged(left: Monomial, right: Monomial, coefficient: Fraction) -> tuple[Monomial, Fraction]:
    exponents = dict(left)
    for atom, exponent in right:
        exponents[atom] = exponents.get(atom, 0) + exponent
        if isinstance(atom, sympy.Integer) and exponents[atom].denominator == 1:  # sqrt(2)*sqrt(2) is a number
            coefficient *= Fraction(int(atom)) ** int(exponents.pop(atom))
    return frozenset([pair for pair in exponents.items() if pair[1]]), coefficient


def times(left: Terms, right: Terms) -> Terms:
    """The product of two sums of monomials."""
    return _collected(_merged(one, other, left[one] * right[other]) for one in left for other in right)


def raised(terms: Terms, exponent: Fraction) -> Terms | None:
    """A sum of monomials to a power, or None where that is no sum of monomials."""
    if len(terms) == 1:
        ((monomial, coefficient),) = terms.items()
        if coefficient != 1 and exponent.denominator != 1:
            return None
        return {frozenset([(atom, power * exponent) for atom, power in monomial]): coefficient**exponent.numerator}
    if exponent.denominator == 1 and 0 < exponent <= MOST_MULTIPLIED_OUT:
        return reduce(times, [terms] * int(exponent))
    return None


def _power_terms(expression: sympy.Pow) -> Terms:
    base, exponent = expression.args
    if not isinstance(exponent, sympy.Rational):
        if exponent.as_coeff_Mul()[0].is_negative:  # 2^(-e) is 1/2^e
            return {frozenset([(base**-exponent, Fraction(-1))]): Fraction(1)}
        return {frozenset([(expression, Fraction(1))]): Fraction(1)}
    count, terms = fraction(exponent), terms_of(base)
    if not terms and count < 0:
        raise GrammarError(f"{shown(str(expression))} divides by zero; it has no value to be written")
    if not terms:
        return {}
    power = raised(terms, count)
    return {frozenset([(base, count)]): Fraction(1)} if power is None else power


TERMS: dict[type, Callable[[Any], Terms]] = {
    sympy.Add: lambda expression: _collected(pair for term in expression.args for pair in terms_of(term).items()),
    sympy.Mul: lambda expression: reduce(times, [terms_of(factor) for factor in expression.args]),
    sympy.Pow: _power_terms,
}


@lru_cache(maxsize=2**14)
def terms_of(expression: sympy.Basic) -> Terms:
    """The expression multiplied out; SymPy's own `expand` is slower, and takes 2^(e - 1) apart.

    Nobody may change what it returns: it is the same for the same expression.
    """
    if isinstance(expression, sympy.Rational):
        return {ONE: fraction(expression)} if expression else {}
    convert = TERMS.get(type(expression))
    return convert(expression) if convert else {frozenset([(expression, Fraction(1))]): Fraction(1)}


def kept_together(expression: sympy.Basic) -> Terms:
    """The expression as a sum of terms whose factors stay as they are: a sum inside a product is not multiplied out."""
    if isinstance(expression, sympy.Add):
        return _collected(pair for term in expression.args for pair in kept_together(term).items())
    if isinstance(expression, sympy.Mul):
        return reduce(times, [_one_factor(factor) for factor in expression.args])
    return _one_factor(expression)


def _one_factor(expression: Any) -> Terms:
    base, exponent = expression.as_base_exp()
    if isinstance(base, sympy.Add) and isinstance(exponent, sympy.Rational):
        return {frozenset([(base, fraction(exponent))]): Fraction(1)}
    return terms_of(expression)


def sum_of_terms(expressions: Iterable[sympy.Basic], where: Definitions) -> Terms:
    """The terms of a sum, with each letter that `where` defines replaced, again until none is left.

    SymPy would do the same; but to add expressions, or to divide one by a letter in it, it imports its tensors.
    """
    terms = _collected(item for expression in expressions for item in terms_of(expression).items())
    definitions = {symbol: terms_of(definition) for symbol, definition in where.items()}
    for _ in definitions:
        terms = _collected(
            item for monomial, value in terms.items() for item in _replaced(monomial, value, definitions).items()
        )
    return terms


def _replaced(monomial: Monomial, coefficient: Fraction, definitions: Mapping[Any, Terms]) -> Terms:
    """One term with its defined letters multiplied out."""
    product: Terms = {frozenset([pair for pair in monomial if pair[0] not in definitions]): coefficient}
    for atom, exponent in monomial:
        if atom in definitions:
            power = raised(definitions[atom], exponent)
            if power is None:
                raise GrammarError(f"{atom} is defined as a sum: it cannot be divided by, or have a root taken")
            product = times(product, power)
    return product
