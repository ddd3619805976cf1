"""Intervals hold every value of a tree, and no more where each letter occurs once; roots are to fifty digits."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import DeriveError, GrammarError, ValueTextError
from derive.evaluation import exact_text, number
from derive.exact import DIGITS, approximate, evaluate
from derive.grammar import parse
from derive.interval import Interval, bounds, interval_of
from derive.model import Given
from derive.tree import symbols_of
from derive.values import show

VALUES = st.fractions(Fraction(1, 20), 50, max_denominator=20)
SIGNED = st.fractions(-50, 50, max_denominator=20)
LETTERS = "abcx"
NO_DIGITS = dict.fromkeys(map(ord, "0123456789"), " ")


@st.composite
def intervals(draw: st.DrawFn, values: st.SearchStrategy[Fraction] = VALUES) -> Interval:
    """An interval, sometimes of one value."""
    low, high = sorted((draw(values), draw(values)))
    return Interval(low, high)


@st.composite
def within(draw: st.DrawFn, interval: Interval) -> Fraction:
    """A value of an interval: an end, or between them."""
    share = draw(st.fractions(0, 1, max_denominator=12))
    return interval.low + share * (interval.high - interval.low)


TREES = [
    "a", "3", "-a", "a + b", "a - b", "a*b", "a/b", "(a - 60)*(b - 60)", "(a - b)*(c - x)", "a*b/(c + x)", "-a*(b - c)",
    "a^2", "a^3/b", "a^-2", "(a + b)^2*c", "(a - b)^2", "(a - b)^3*c", "(a - 60)^-2", "(a - 60)^-3", "sqrt(a)",
    "sqrt(a*b)/c", "a^0.34", "a^-0.28*b", "max(a, b)", "min(a, b - c)", "max(a, 3, b)*c", "ceil(a)", "floor(a/b)",
    "ceil(a/b)*c", "min(1, a - b)", "(a - b)*(1 - c/100)", "a*a", "a - a", "a/(a + b)", "max(a, b) - min(a, b)",
]  # fmt: skip


@pytest.mark.parametrize("text", TREES)
@given(data=st.data())
def test_bounds_hold_every_value(text: str, data: st.DataObject):
    tree = parse(text, LETTERS)
    known = {letter: data.draw(intervals(), label=letter) for letter in symbols_of(tree)}
    point = {letter: data.draw(within(interval), label=f"{letter} at") for letter, interval in known.items()}
    found = bounds(tree, known)
    rounding = abs(found.high) * Fraction(1, 10 ** (DIGITS - 5))  # of roots
    assert found.low - rounding <= approximate(tree, point) <= found.high + rounding


# An even power of what may have either sign is no monotone function: its least value may be inside.
ONCE = [text for text in TREES if not re.search(r"\b(\w)\b.*\b\1\b", text.translate(NO_DIGITS)) and text != "(a - b)^2"]


@pytest.mark.parametrize("text", ONCE)
@given(data=st.data())
def test_bounds_are_reached_where_each_letter_occurs_once(text: str, data: st.DataObject):
    """Each end is the value at some corner: such a tree is monotone in each letter for fixed others."""
    tree = parse(text, LETTERS)
    known = {letter: data.draw(intervals(), label=letter) for letter in symbols_of(tree)}
    corners = [{}]
    for letter, interval in known.items():
        corners = [corner | {letter: end} for corner in corners for end in (interval.low, interval.high)]
    values = [approximate(tree, corner) for corner in corners]
    found = bounds(tree, known)
    assert (found.low, found.high) == (min(values), max(values))


@given(SIGNED, SIGNED)
def test_a_value_is_an_interval_without_width(one: Fraction, other: Fraction):
    assert bounds(parse("a*b - a + b", LETTERS), {"a": one, "b": other}) == interval_of(one * other - one + other)


@given(intervals(SIGNED), intervals(SIGNED), intervals(SIGNED))
def test_arithmetic_of_intervals(one: Interval, two: Interval, three: Interval):
    assert one + two == two + one
    assert one * two == two * one
    assert (one + two) + three == one + (two + three)
    assert (-one).low == -one.high
    assert (one - two).low == one.low - two.high
    product, parts = one * (two + three), one * two + one * three
    assert parts.low <= product.low
    assert product.high <= parts.high


def test_an_interval_goes_upwards():
    with pytest.raises(ValueTextError) as error:
        Interval(Fraction(2), Fraction(1))
    assert str(error.value) == "an interval goes upwards: 2 is above 1"


@pytest.mark.parametrize(
    ("text", "known", "message"),
    [
        ("a/b", {"a": Fraction(1), "b": Interval(Fraction(-1), Fraction(1))},
         "a/b: its divisor may be zero, it is from -1 to 1"),
        ("1/b", {"b": Interval(Fraction(0), Fraction(1))}, "1/b: its divisor may be zero, it is from 0 to 1"),
        ("sqrt(a - b)", {"a": Fraction(1), "b": Interval(Fraction(0), Fraction(3))},
         "sqrt(a - b): a - b may be negative, it starts at -2"),
        ("2^b", {"b": Interval(Fraction(1), Fraction(2))}, "2^b: an exponent has one value, not an interval"),
    ],
)  # fmt: skip
def test_what_has_no_bounds_is_refused(text: str, known: dict, message: str):
    with pytest.raises(GrammarError) as error:
        bounds(parse(text, LETTERS), known)
    assert str(error.value) == message


def test_an_interval_is_carried_to_the_value_and_its_text():
    known = {"a": Given(80, "device"), "b": Given(Interval(Fraction(1), Fraction(4)), "default")}
    assert number(parse("a - b", LETTERS), known) == Interval(Fraction(76), Fraction(79))
    assert number(parse("2*a", LETTERS), known) == 160
    assert number(parse("a - c", LETTERS), known) is None
    assert exact_text(parse("a - b/3", LETTERS), known) == "236/3..239/3"
    assert show(Interval(Fraction(10**9), Fraction(2 * 10**9)), "byte") == (
        "1.000 GB (953.7 MiB) to 2.000 GB (1.863 GiB)"
    )


# ---- roots and powers to fifty digits ----


@given(st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6), st.integers(1, 12), st.integers(2, 12))
def test_an_approximate_power_is_within_its_digits(base: Fraction, above: int, below: int):
    value = approximate(parse(f"a^({above}/{below})", LETTERS), {"a": base})
    error = abs(value**below - base**above)
    assert error <= base**above * below * Fraction(1, 10 ** (DIGITS - 3))


@given(st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6))
def test_a_square_root_is_a_power_of_one_half(base: Fraction):
    roots = {approximate(parse(text, LETTERS), {"a": base}) for text in ("sqrt(a)", "a^(1/2)", "a^0.5")}
    assert len(roots) == 1
    assert math.isclose(float(roots.pop()), math.sqrt(base), rel_tol=1e-12)


@given(st.fractions(0, 100, max_denominator=100), st.integers(1, 5))
def test_what_is_rational_is_exact(root: Fraction, degree: int):
    assert approximate(parse(f"a^(1/{degree})", LETTERS), {"a": root**degree}) == root
    assert evaluate(parse(f"a^(1/{degree})", LETTERS), {"a": root**degree}) == root


HUGE = [
    ("2^a", {"a": 10**40}), ("2^-a", {"a": 10**40}), ("a^0.5*2^b", {"a": 2, "b": 10**30}),
    ("a^(b + 1/2)", {"a": 3, "b": 10**40}), ("(a/b)^(x + 1/3)", {"a": 3, "b": 7, "x": 10**20}),
    ("a^(1/b)", {"a": 2, "b": 10**39}),
    ("a^(-x - 1/2)", {"a": 2, "x": 10**40}), ("(1/a)^(x + 1/3)", {"a": 2, "x": 10**38}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "point"), HUGE, ids=[text for text, _ in HUGE])
def test_a_huge_exponent_is_an_error_or_a_number_and_no_crash(text: str, point: dict[str, int]):
    try:
        outcome = str(approximate(parse(text, LETTERS), point).denominator)[:3]
    except DeriveError as error:
        outcome = str(error)
    assert 0 < len(outcome) < 300
    assert outcome.isprintable()


@pytest.mark.parametrize(("text", "point"), [("(a - b)^0.5", {"a": 1, "b": 2}), ("sqrt(a - b)", {"a": 1, "b": 3}),
                                             ("(a - b)^(1/3)", {"a": 0, "b": 8}), ("a^-0.5", {"a": 0})])  # fmt: skip
def test_a_root_of_what_is_negative_or_zero_below_a_bar_is_an_error(text: str, point: dict[str, int]):
    with pytest.raises(DeriveError):
        approximate(parse(text, LETTERS), point)
