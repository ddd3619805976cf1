"""Exact values: Fractions in, a Fraction out, and one line where there is none."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import GrammarError
from derive.grammar import evaluate, holds, parse, parse_relation, rational, to_text

VALUES = {"a": 3, "b": Fraction(1, 3), "c": -2, "z": 0}


@pytest.mark.parametrize(("text", "value"), [
    ("a/7*7", 3),
    ("0.1 + 0.2", Fraction(3, 10)),
    ("1.05^2", Fraction(441, 400)),
    ("b^(-2)", 9),
    ("-a^2", -9),
    ("c^3", -8),
    ("2^(a - 1)", 4),
    ("sqrt(4/9)*sqrt(16)", Fraction(8, 3)),
    ("8^b", 2),
    ("(27/8)^(-b)", Fraction(2, 3)),
    ("ceil(7/2) + floor(7/2)", 7),
    ("ceil(c/3) - floor(c/3)", 1),
    ("max(a, b, c) - min(a, b, c)", 5),
    ("z^0", 1),
    ("2^(1024 - 1)*(2 - 2^(-52))", Fraction(int(1.7976931348623157e308))),
])  # fmt: skip
def test_values_are_exact(text, value):
    result = evaluate(parse(text), VALUES)
    assert result == value
    assert isinstance(result, Fraction)


@pytest.mark.parametrize(("text", "message"), [
    ("1 + a/(b - 1/3)", "formula 'a/(b - 1/3)': divisor 'b - 1/3' is zero; choose other values"),
    ("z^(-1)", "power (0)^(-1) divides by zero; choose other values"),
    ("sqrt(2)", "power (2)^(1/2) is not a rational number; only exact values are computed"),
    ("sqrt(c)", "power (-2)^(1/2) is not a rational number; only exact values are computed"),
    ("9^(9^9)", "power (9)^(387420489) has more than 200000 bits; choose a smaller exponent"),
    ("a*y", "no value for letter 'y'; give it a whole number or a Fraction"),
    ("f", "value 0.5 is not exact for letter 'f'; give it a whole number or a Fraction"),
])  # fmt: skip
def test_what_has_no_exact_value_is_refused(text, message):
    with pytest.raises(GrammarError) as caught:
        evaluate(parse(text), {**VALUES, "f": 0.5})  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == message


@given(st.fractions(min_value=0, max_value=10**12), st.integers(2, 5))
def test_roots_undo_powers(value, degree):
    assert evaluate(parse("(x^n)^(1/n)"), {"x": value, "n": degree}) == value


@given(st.fractions(), st.fractions(), st.fractions())
def test_values_follow_the_tree(a, b, c):
    values = {"a": a, "b": b, "c": c}
    assert evaluate(parse("a - b*(c - a)^2 - -c"), values) == a - b * (c - a) ** 2 + c
    assert holds(parse_relation("a*b <= c"), values) == (a * b <= c)


@given(st.fractions())
def test_a_rational_is_its_tree(value):
    assert evaluate(rational(value), {}) == value
    assert parse(to_text(rational(value))) == rational(value)
