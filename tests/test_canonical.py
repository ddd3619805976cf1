"""Differences are 0 exactly for equal rational functions."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Float, Integer, Rational, ceiling, expand, oo, sqrt, symbols

from derive.proof.canonical import difference

a, b, d, f, h, s, t = symbols("a b d f h s t", positive=True, integer=True)
x = symbols("x", positive=True)

atoms = st.sampled_from([a, b, x]) | st.fractions(-3, 3, max_denominator=4).map(
    lambda q: Rational(q.numerator, q.denominator)
)
divisors = st.sampled_from([a, b * x, a + b - 1, a + 1, x * (a + b), Integer(3)])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(sum),
        st.tuples(inner, inner).map(prod),
        st.tuples(inner, divisors).map(lambda pair: pair[0] / pair[1]),
        st.tuples(inner, st.integers(0, 2)).map(lambda pair: pair[0] ** pair[1]),
    ),
    max_leaves=8,
).map(lambda e: e + Integer(0))


@settings(max_examples=150, deadline=None)
@given(expressions, expressions, divisors)
def test_difference(left, right, divisor):
    assert difference(left, left * divisor / divisor) == 0
    assert difference(left, expand(left * (a + x)) / (a + x)) == 0
    found = difference(left, right)
    point = {a: Integer(3), b: Integer(5), x: Rational(2, 7)}
    assert found.xreplace(point) == (left - right).xreplace(point)
    assert difference(found, left - right) == 0
    assert difference(left + right, left) == difference(right, Integer(0))  # canonical: one form for one function


def test_difference_in_canonical_form():
    assert difference(s * b * h * (34 + 5 * a * s / h), 34 * s * b * h) == 5 * a * b * s**2
    assert difference((h**2 - a**2) / (h - a), h) == a
    assert difference(a / 2, a / 3) == a / 6
    assert difference(Integer(3), Rational(1, 2)) == Rational(5, 2)
    assert difference(sqrt(x) * (a + 1), sqrt(x) * a) == sqrt(x)
    assert difference(t * ceiling(s / t) / t, ceiling(s / t)) == 0


def test_difference_of_many_terms():
    left = sum(((k + 1) * s * b * h / t ** (k % 3) * (1 + a / h) ** (k % 4) for k in range(20)), Integer(0))
    assert difference(left, expand(left)) == 0


@pytest.mark.parametrize("wrong", [Float("0.5"), oo, a + Float(1.5), a**oo])
def test_inexact_numbers_are_refused(wrong):
    with pytest.raises(TypeError, match="is not exact"):
        difference(a, wrong)


def test_a_divisor_that_is_zero():
    with pytest.raises(ZeroDivisionError, match="is 0"):
        difference(1 / ((a + 1) ** 2 - a**2 - 2 * a - 1), a)


@given(st.fractions(1, 9, max_denominator=9))
def test_exact(q: Fraction):
    """A difference that a float could not see."""
    tiny = Rational(q.numerator, q.denominator) / 10**40
    assert difference(a + tiny, a) == tiny
