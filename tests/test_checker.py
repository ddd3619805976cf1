"""The checker: what each rule accepts, what follows of kinds and of calls, and that it says what it proved."""

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.grammar import parse
from derive.proof.checker import check, frozen, text
from derive.proof.refute.counterexample import counterexample, holds_at
from derive.tree import to_lists
from tests.checking import GOOD, KINDS, certificate, of, reason

SCOPE = (
    "for every positive integer a, b and natural number i and integer k and "
    "positive real x and nonnegative real y and real z: "
)
PRINTED = {
    "signs": "a + b <= a*b + 1",
    "a given": "z <= k given z <= k",
    "two inequalities": "k == z given k <= z and z <= k",
    "of a root": "(x^(2/3))^3 == x^2",
    "whole, of a ceiling": "ceil(a/b)*b <= a + b - 1",
    "combine, a product of facts": "0 < (z - k)*(x - z) given k < z and z < x",
    "a power": "a^b/(1 + a^b) < 1",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_proof_is_accepted(name: str):
    assert check(GOOD[name]).startswith("for every positive integer a, b and natural number i and ")
    if name in PRINTED:
        assert check(GOOD[name]) == SCOPE + PRINTED[name]


def test_a_definition_is_said_before_the_givens():
    data = certificate(
        "g <= f", given=("g <= f",), symbols={"h": "positive integer", "g": "positive real", "f": "positive integer"},
        define=[["f", ["*", 4, "h"]]],
    )  # fmt: skip
    assert check(data) == "for every positive integer h and positive real g: g <= f given f == 4*h and g <= f"


def test_without_symbols():
    assert check(certificate("2 + 2 == 4", symbols={})) == "2 + 2 == 4"


@pytest.mark.parametrize("name", [name for name, data in GOOD.items() if data["steps"]])
def test_every_step_is_needed(name: str):
    for place in range(len(GOOD[name]["steps"])):
        steps = GOOD[name]["steps"]
        assert reason(GOOD[name] | {"steps": steps[:place] + steps[place + 1 :]})


@pytest.mark.parametrize("name", [name for name, data in GOOD.items() if data["given"]])
def test_every_given_is_needed(name: str):
    for place in range(len(GOOD[name]["given"])):
        givens = GOOD[name]["given"]
        assert reason(GOOD[name] | {"given": givens[:place] + givens[place + 1 :]})


@pytest.mark.parametrize("name", [name for name in GOOD if name != "an impossible case"])
def test_the_opposite_is_not_accepted(name: str):
    opposite = {"==": "<", "<=": ">", "<": ">="}[GOOD[name]["relation"]]
    assert reason(GOOD[name] | {"relation": opposite}) == "the steps do not show the relation"


# What is shown of kinds and of calls: 0 to each, by signs alone, and no more than this.

POSITIVE = (
    "a, x, a*x, y + x, i + a, z^2 + 1, a + b - 1, 2, ceil(x), sqrt(x), x^(1/3), max(k, x), min(a, x), 2^z, x^k, a^64"
)
AT_LEAST_0 = (
    "i, y, k^2, z^2, a - 1, a*b - 1, a*y, a*b - a, a*x - x, 0, a^3 - a^2 + a - 1, ceil(x) - 1, ceil(y), floor(a), "
    "floor(x) + ceil(x) - 1, sqrt(y), sqrt(z^2), max(z, y), min(a, y), x^0 - 1"
)
OPEN = (
    "k, z, z^3, i - 1, x - 1, a*z, z^2 + z, a - b, -a, x^2 - 2*x + 1, ceil(z), floor(k), max(k, z), max(a, b) - 1, "
    "min(a, z)"
)
SIGNS = [
    (term, shown)
    for terms, shown in ((POSITIVE, "<"), (AT_LEAST_0, "<="), (OPEN, None))
    for term in re.split(r", (?![^(]*\))", terms)
]


@pytest.mark.parametrize(("term", "shown"), SIGNS, ids=[term for term, _ in SIGNS])
def test_signs(term: str, shown: str | None):
    at_least, more = (certificate(f"0 {operator} {term}") for operator in ("<=", "<"))
    for data, wanted in ((at_least, shown in ("<=", "<")), (more, shown == "<")):
        if wanted:
            assert check(data) == f"{SCOPE}0 {data['relation']} {text(frozen(data['right']))}"
        else:
            assert reason(data)


@pytest.mark.parametrize(("term", "shown"), SIGNS, ids=[term for term, _ in SIGNS])
def test_signs_are_true(term: str, shown: str | None):
    kinds = {name: kind for name, kind in KINDS.items() if kind != "integer"} | {"k": "real"}
    if shown in ("<=", "<"):
        assert counterexample(certificate(f"0 {shown} {term}", symbols=kinds), 500, 2.0) is None


SAME = [
    ("sqrt(12*x)", "sqrt(x*4*3)"), ("sqrt(y)", "y^(1/2)"), ("x^(2/4)", "sqrt(x)"), ("x^0.5", "x^(1/2)"),
    ("ceil(2*(a + b)/4)", "ceil(a/2 + b/2)"), ("max(a, z)*2", "max(a + 0, z*1) + max(a, z)"),
    ("2^(a + b)", "2^(b + a)"), ("max(a, b)", "max(b, a)"), ("min(a, b, z)", "min(z, a, b)"),
    ("max(a, b)", "max(a, b, b)"), ("min(2*a/2, b)", "min(b, a, b)"),
    ("x^(1/3)/x^(1/3)", "1"), ("2^k/2^k", "1"), ("max(x, z)/max(x, z)", "1"), ("ceil(x)/ceil(x)", "1"),
]  # fmt: skip
NOT_SAME = [
    ("max(a, b)", "max(b, 2*a)"), ("max(a, b)", "min(a, b)"), ("max(a, b)", "max(a, b, z)"), ("ceil(z)", "floor(z)"),
    ("max(a, b, z)", "max(a, b)"), ("a^b", "b^a"), ("a^b", "a^a"), ("b^b", "a^b"),
    ("sqrt(x)", "x^(1/3)"), ("2^a", "3^a"), ("2^a", "2^b"), ("floor(z)", "z"), ("sqrt(x*x)", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME)
def test_calls_of_equal_operands_are_one_number(left: str, right: str):
    assert check(certificate(f"{left} == {right}"))


@pytest.mark.parametrize(("left", "right"), NOT_SAME)
def test_nothing_else_is_taken_to_be_the_same(left: str, right: str):
    assert reason(certificate(f"{left} == {right}")) == "the steps do not show the relation"


LAWS = [
    ("sqrt(y)", "sqrt(y)^2 == y"), ("y^(1/2)", "sqrt(y)^2 == y"), ("x^(1/3)", "(x^(1/3))^3 == x"),
    ("x^(5/2)", "(x^(5/2))^2 == x^5"), ("x^(2/4)", "sqrt(x)^4 == x^2"), ("x^(a/b)", "(x^(a/b))^b == x^a"),
    ("x^(a/2)", "(x^(a/2))^2 == x^a"), ("x^(0/3)", "(x^(0/3))^3 == 1"),
    ("max(k, z, y)", "k <= max(k, z, y)"), ("max(k, z, y)", "y <= max(k, z, y)"), ("min(k, z, y)", "min(k, z, y) <= z"),
    ("ceil(z)", "z <= ceil(z)"), ("ceil(z)", "ceil(z) < z + 1"), ("floor(z)", "floor(z) <= z"),
    ("floor(z)", "z < floor(z) + 1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "law"), LAWS)
def test_what_a_call_obeys_is_a_fact_once_a_step_says_so(call: str, law: str):
    assert check(certificate(law, of(call))).startswith(SCOPE)
    assert reason(certificate(law)) == "the steps do not show the relation"
    kinds = {name: kind for name, kind in KINDS.items() if kind != "integer"} | {"k": "real"}
    assert counterexample(certificate(law, symbols=kinds), 500, 2.0) is None


POWERS: list[tuple[Any, Any]] = [
    (["^", ["^", "x", ["/", -1, 2]], 2], ["/", 1, "x"]),
    (["^", ["^", "x", ["/", 1, 65]], 65], "x"),
    (["^", ["^", "x", ["/", "z", "a"]], "a"], ["^", "x", "z"]),
    (["^", ["^", "y", ["/", 1, 2]], 2], "y"),
]


@pytest.mark.parametrize(("left", "right"), POWERS)
def test_what_powers_obey(left: Any, right: Any):
    assert check(certificate("1 == 1", ["of", left[1]], left=left, right=right))


def test_a_higher_exponent_is_a_number_of_its_own():
    for data in (["^", "x", 65], ["^", "x", -65], ["^", 2, 10**100]):
        assert check(certificate("1 == 1", relation="<", left=0, right=data))
        assert check(certificate("1 == 1", left=data, right=["*", data, 1]))
    product = certificate("1 == 1", left=["^", "x", 65], right=["*", "x", ["^", "x", 64]])
    assert reason(product) == "the steps do not show the relation"  # though it is true


# The text

leaves = st.sampled_from([*KINDS, 0, 1, 2, 3, 12, -1, -2])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+*"), inner, inner).map(list),
        st.tuples(st.sampled_from("+*"), inner, inner, inner).map(list),
        st.tuples(st.just("/"), inner, inner).map(list),
        st.tuples(st.just("-"), inner).map(list),
        st.tuples(st.just("^"), inner, st.integers(-2, 3) | inner).map(list),
        st.tuples(st.sampled_from(("sqrt", "ceil", "floor")), inner).map(list),
        st.tuples(st.sampled_from(("max", "min")), inner, inner).map(list),
    ),
    max_leaves=8,
)
point = st.fixed_dictionaries({name: st.sampled_from([1, 2, 3, Fraction(5)]) for name in KINDS})


@settings(max_examples=150, deadline=None)
@given(trees, point)
def test_the_text_reads_back_as_the_same_value(data: Any, at: dict[str, Any]):
    """Whatever stands in it: a minus before a power, a sum in a product, a negative number, a power of a power."""
    again = to_lists(parse(text(frozen(data))))
    for left, right in ((data, again), (again, data)):
        same = {"symbols": dict.fromkeys(KINDS, "real"), "relation": "==", "left": left, "right": right}
        assert holds_at(same, at) is not False
    assert has_value(data, at) == has_value(again, at)


def has_value(data: Any, at: dict[str, Any]) -> bool:
    """Whether a tree has a value at a point."""
    same = {"symbols": dict.fromkeys(KINDS, "real"), "relation": "==", "left": ["*", 0, data], "right": 0}
    return holds_at(same, at) is True


WRITTEN = [
    (["+", "a", ["-", "b"]], "a - b"),
    (["+", "a", ["-", ["+", "b", ["-", "i"]]]], "a - (b - i)"),
    (["+", ["-", "a"], -1, ["*", -2, "b"]], "-a + (-1) + (-2)*b"),
    (["-", ["-", ["/", "a", ["*", "b", "i"]]]], "-(-a/(b*i))"),
    (["*", ["/", "a", "b"], ["/", "a", "b"]], "a/b*(a/b)"),
    (["^", ["-", "a"], 2], "(-a)^2"),
    (["-", ["^", "a", 2]], "-a^2"),
    (["^", -2, -2], "(-2)^(-2)"),
    (["^", ["^", "x", 2], ["^", 2, 3]], "(x^2)^(2^3)"),
    (["^", "x", ["/", 1, 2]], "x^(1/2)"),
    (["max", -1, ["-", "a"], ["+", "a", "b"]], "max(-1, -a, a + b)"),
    (["*", ["max", "a", "b"], ["sqrt", ["+", "a", -1]]], "max(a, b)*sqrt(a + (-1))"),
]


@pytest.mark.parametrize(("data", "written"), WRITTEN)
def test_text(data: Any, written: str):
    assert text(frozen(data)) == written


def test_the_longest_integers_are_printed():
    most = 2**2048 - 1
    assert check(certificate("1 == 1", left=most, right=most, symbols={})) == f"{most} == {most}"
