"""Closed forms that the checker accepts, the direction of a tree, and exact bisection."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from derive.exact import approximate
from derive.grammar import parse
from derive.inverse import closed_forms, with_target
from derive.monotone import crossing, direction, last_whole
from derive.reading import to_sympy
from derive.tree import to_text
from formulas.notation import common

# ---- closed forms ----

FORMS = {
    ("C/(G*P*eta)", "G"): ["C/(P*eta*T)"],
    ("12*N", "N"): ["T/12"],
    ("12*N + 8", "N"): ["(T - 8)/12"],
    ("h - a*s", "s"): ["(h - T)/a"],
    ("sqrt(C/120)", "C"): ["120*T^2"],
    ("120*N^2", "N"): ["sqrt(T/120)"],
    ("a*s^3 + b", "s"): ["((T - b)/a)^(1/3)"],
    ("a/s^2 + b", "s"): ["sqrt(a/(T - b))"],
    ("a*s + 5*b*s^2", "s"): ["(sqrt(a^2 + 20*b*T) - a)/(10*b)"],
    ("a*s/(b + s)", "s"): ["b*T/(a - T)"],
    ("(4 + 12/n)*N", "n"): ["12*N/(T - 4*N)"],
    ("(a + s)/(b + s)", "s"): ["(b*T - a)/(1 - T)"],
    ("sqrt(a + b*s) + h", "s"): ["((T - h)^2 - a)/b"],
    ("a*sqrt(s) + b*s", "s"): ["((sqrt(a^2 + 4*b*T) - a)/(2*b))^2"],
    ("h + a/N^(17/50)", "N"): ["(a/(T - h))^(50/17)"],
    ("min(P, W*s)", "s"): ["T/W"],
    ("max(a*s, b*s^2)", "s"): ["T/a", "sqrt(T/b)"],
    ("L*b/s + a*s - b", "s"): [
        "(sqrt((b + T)^2 - 4*L*a*b) + (b + T))/(2*a)", "(b + T - sqrt((b + T)^2 - 4*L*a*b))/(2*a)",
    ],
    ("a*s^3 + b*s", "s"): [],
    ("ceil(s/4)", "s"): [],
    ("2^s", "s"): [],
    ("12*N", "D"): [],
}  # fmt: skip
TABLE = with_target(common, "T", "the quantity", "1")


def forms_of(text, letter):
    expression = to_sympy(parse(text, common.letters), common.symbol)
    return closed_forms(expression, common.symbol(letter), "T", TABLE)


@pytest.mark.parametrize(("text", "letter"), FORMS, ids=lambda each: each)
def test_the_closed_forms_of_an_equation(text, letter):
    forms = forms_of(text, letter)
    assert [to_text(form.tree) for form in forms] == FORMS[text, letter]
    assert all(form.proofs for form in forms)  # none is given that the checker has not accepted


SINGLE = [
    each for each, forms in FORMS.items() if len(forms) == 1 and "/(b + s)" not in each[0] and "min" not in each[0]
]


@pytest.mark.parametrize(("text", "letter"), SINGLE, ids=lambda each: each)
@given(st.data())
@settings(max_examples=20)
def test_a_closed_form_gives_back_the_letter(text, letter, data):
    sizes = st.integers(1, 1000)
    values = {x: Fraction(data.draw(sizes)) for x in "abhsLCGPNDWn"} | {"eta": Fraction(1, 3)}
    target = approximate(parse(text, common.letters), values)
    (form,) = forms_of(text, letter)
    back = approximate(form.tree, {**values, "T": target})
    assert abs(back - values[letter]) * 10**20 < values[letter]


# ---- direction and bisection ----


def test_the_direction_of_a_tree_is_seen_from_its_form():
    seen = {
        "a*x": 1, "a/x": -1, "max(a, b*x)": 1, "ceil(L/x)": -1, "a + b": 0, "h - x": -1, "x - a": 1, "x^(-1)": -1,
        "1/(1 + x)": -1, "a*x/(b + x)": None, "sqrt(x) + x^2": 1, "2^x": None, "x*(h - x)": None,
    }  # fmt: skip
    assert {text: direction(parse(text), "x") for text in seen} == seen


@given(st.integers(0, 10**50))
@example(2**132)
@example(10**40 - 1)
def test_the_last_whole_number_is_found(limit):
    found = last_whole(lambda n: n <= limit)
    assert found == (min(limit, 10**40) if limit else None)


@given(st.fractions(Fraction(1, 10**6), 10**12))
def test_a_crossing_is_bracketed(point):
    bracket = crossing(lambda x: x <= point)
    assert bracket is not None
    low, high = bracket
    assert low <= point <= high
    assert (high - low) * 10**30 < low
