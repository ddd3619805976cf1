"""One relation of a derivation: what is false or has no value somewhere is not shown, whatever stands in it."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.errors import ClaimError, DeriveError
from derive.exact import approximate
from derive.grammar import parse
from derive.letters import Notation
from derive.monotone import is_positive
from derive.proof.step import show
from derive.tree import Product, Sum, symbols_of
from formulas.notation import common, notation_of
from tests.exactly import close


def shown(
    left: str, operator: str, right: str, definitions: Mapping[str, str] | None = None, notation: Notation = common
) -> str:
    given = {letter: parse(text, notation.letters) for letter, text in (definitions or {}).items()}
    return show(parse(left, notation.letters), operator, parse(right, notation.letters), given, notation)


# Each is false at some sizes, or divides by what may be zero, or takes a root of what may be negative.
NOT_EQUAL: list[tuple[str, str, dict[str, str]]] = [
    ("m/min(1, m - 1)*min(1, m - 1)", "m", {}),
    ("floor(a/b)/floor(a/b)", "1", {}),
    ("a/floor(a/b)^-1", "a*floor(a/b)", {}),
    ("floor(a/b)^0", "1", {}),
    ("1/(floor(a/b) - 1)*(floor(a/b) - 1)", "1", {}),
    ("1/max(a - b, b - a)*max(a - b, b - a)", "1", {}),
    ("floor(1/(a - b))", "floor(1/(a - b))", {}),
    ("max(1, 1/(a - b))", "max(1, 1/(a - b))", {}),
    ("s/s", "1", {"s": "floor(a/b)"}),
    ("sqrt(d)/sqrt(d)", "1", {"d": "h - a"}),
    ("sqrt(a - b)*sqrt(a - b)", "sqrt(a - b)^2", {}),
    ("(a - b)^(1/3)*(a - b)^(1/3)", "(a - b)^(1/3)^2", {}),
    ("floor(a/b)^(1/2)/floor(a/b)^(1/2)", "1", {}),
    ("ceil(a/b)", "floor(a/b)", {}),
    ("max(a, b)", "min(a, b)", {}),
    ("max(a, b)", "max(a, b, h)", {}),
    ("min(a, b)", "min(a, b, h)", {}),
    ("max(a, a*floor(b/h))", "a*floor(b/h)", {}),
    ("max(min(a - b, 1), 0)", "min(a - b, 1)", {}),
    ("floor(f/4)", "floor(h/4)", {"f": "4*h"}),
    ("ceil(a)", "a + 1", {}),
    ("sqrt(a^2 + b^2)", "a + b", {}),
    ("(a + b)^0.5", "a^0.5 + b^0.5", {}),
    ("sqrt(a)", "-sqrt(a)", {}),
    ("a^0.34", "a^0.35", {}),
    ("2^a", "2^b", {}),
    ("a^(b - b)", "b^(a - a)", {}),
    ("d", "-2*sqrt(a)", {"d": "sqrt(a)*(-2)"}),
    ("d", "0", {"d": "0*sqrt(a)"}),
    ("d", "(a - 5)*sqrt(b)", {"d": "(a - 5)*sqrt(b)"}),
]
EQUAL: list[tuple[str, str, dict[str, str]]] = [
    ("sqrt(12*a*b)", "2*sqrt(3*a*b)", {}),
    ("sqrt(a)*sqrt(a)", "a", {}),
    ("sqrt(C/120)", "C/sqrt(120*C)", {}),
    ("max(a, b)", "max(b, a)", {}),
    ("max(a, b, b)", "max(b, a)", {}),
    ("max(a + b, a)", "a + b", {}),
    ("min(a, a + b, h)", "min(h, a)", {}),
    ("ceil(f/2)", "ceil(2*h)", {"f": "4*h"}),
    ("ceil(2*(a + b))", "ceil(2*a + 2*b)", {}),
    ("max(1, a/b)/max(a/b, 1)", "1", {}),
    ("a/(1 + sqrt(b))*(1 + sqrt(b))", "a", {}),
    ("floor(a/b)*2", "floor(a/b) + floor(a/b)", {}),
    ("2*sqrt(floor(a/b))", "floor(a/b)^0.5 + sqrt(floor(a/b))", {}),
    ("2*max(sqrt(a), b)", "max(b, a^0.5)*2", {}),
    ("floor(a/b)*(a - b)", "a*floor(a/b) - b*floor(a/b)", {}),
]
NOT_AT_MOST: list[tuple[str, str]] = [
    ("0", "max(a - 10*b, -b)"),
    ("(-1)*min(1, a/b)", "-1"),
    ("-min(1, a/b)", "-1"),
    ("max(a, b)", "a"),
    ("(a - 2*b)*min(1, a/b)", "a - 2*b"),
    ("(min(1, a/b) - 2)*(min(1, a/b) - 2)", "1"),
    ("0", "floor(a/b) - 1"),
    ("a", "a + min(1, a - b)"),
    ("0*a", "min(a - b, b)"),
    ("2*sqrt(P)", "P + 1/2"),
    ("1", "P"),
    ("min(1, 1/(a - b))", "1"),
    ("min(1, 1/0)", "1"),
    ("a*min(1, sqrt(a - b))", "a"),
    ("min(1, 2^(1/(a - b)))", "1"),
]
AT_MOST: list[tuple[str, str]] = [
    ("1", "a"),
    ("0", "floor(a/b)"),
    ("max(a, b)", "a + b"),
    ("2*max(a, b)/a", "2 + 2*b/a"),
    ("min(1, a/b)*s", "s"),
    ("min(1, h/(a + h))", "1"),
    ("sqrt(a)*sqrt(a)", "a*b"),
    ("(a - b)*min(1, a)", "a - b"),
    ("min(a, b)*(a - b)", "a*(a - b)"),
    ("2*sqrt(P)", "P + 1"),
    ("s", "t*ceil(s/t)"),
    ("t*ceil(s/t)", "s + t - 1"),
]


STRICT: list[tuple[str, str, bool]] = [
    ("a", "a + b", True),
    ("a", "max(a + 1, b)", True),
    ("a/b", "floor(a/b) + 1", True),
    ("ceil(a/b)", "a/b + 1", True),
    ("a", "a*b", False),
    ("min(a, b)", "max(a, b)", False),
    ("floor(a/b)", "a/b", False),
]


@pytest.mark.parametrize(("left", "right", "definitions"), NOT_EQUAL, ids=[f"{x} == {y}" for x, y, _ in NOT_EQUAL])
def test_what_is_not_equal_everywhere_is_not_shown(left: str, right: str, definitions: dict[str, str]):
    with pytest.raises(ClaimError, match=r"^not shown: ") as error:
        shown(left, "==", right, definitions)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("left", "right", "definitions"), EQUAL, ids=[f"{x} == {y}" for x, y, _ in EQUAL])
def test_what_is_equal_is_shown(left: str, right: str, definitions: dict[str, str]):
    assert " == " in shown(left, "==", right, definitions)


@pytest.mark.parametrize(("left", "right"), NOT_AT_MOST, ids=[f"{x} <= {y}" for x, y in NOT_AT_MOST])
def test_what_is_no_bound_everywhere_is_not_shown(left: str, right: str):
    for operator, one, other in (("<=", left, right), (">=", right, left)):
        with pytest.raises(ClaimError, match=r"^not shown: "):
            shown(one, operator, other)


@pytest.mark.parametrize(("left", "right"), AT_MOST, ids=[f"{x} <= {y}" for x, y in AT_MOST])
def test_what_is_a_bound_is_shown(left: str, right: str):
    assert " <= " in shown(left, "<=", right)
    assert " >= " in shown(right, ">=", left)


@pytest.mark.parametrize(("left", "right", "strict"), STRICT, ids=[f"{x} < {y}" for x, y, _ in STRICT])
def test_what_may_be_equal_is_not_shown_to_be_less(left: str, right: str, strict: bool):
    assert " <= " in shown(left, "<=", right)
    if strict:
        assert " < " in shown(left, "<", right)
    else:
        with pytest.raises(ClaimError, match=r"^not shown: "):
            shown(left, "<", right)


def test_what_was_shown_is_said_as_it_stands():
    assert shown("max(a, b)*2", "==", "2*max(b, a)") == ("for every positive integer a, b: max(a, b)*2 == 2*max(b, a)")
    assert shown("f*h", "==", "4*h^2", {"f": "4*h", "d": "h/a"}) == (
        "for every positive integer h: f*h == 4*h^2 given f == 4*h"
    )
    assert shown("d*d", "==", "a", {"d": "sqrt(a)"}) == "for every positive integer a: d*d == a given d == sqrt(a)"


def test_what_was_not_shown_is_said_and_cut():
    with pytest.raises(ClaimError) as error:
        shown("a - b", "==", "b - a")
    assert str(error.value) == "not shown: a - b == b - a: it is false at a = 1, b = 2"
    with pytest.raises(ClaimError) as error:
        shown("+".join(["a"] * 150), "==", "b")
    assert str(error.value) == f"not shown: {' + '.join(['a'] * 50)[:197]}...: it is false at a = 1, b = 1"


@pytest.mark.parametrize(
    ("left", "operator", "right", "definitions"),
    [
        ("i/i", "==", "1", {}),
        ("max(i, 1)", "==", "i", {}),
        ("sqrt(i)/sqrt(i)", "==", "1", {}),
        ("i^0", "==", "1", {}),
        ("m/m", "==", "1", {"m": "i*n"}),
        ("m/m", "==", "1", {"m": "i*sqrt(n)"}),
        ("ceil(n/i)", "==", "ceil(n/i)", {}),
        ("1", "<=", "i", {}),
        ("0", "<", "i", {}),
        ("n", "<=", "i*n", {}),
        ("min(1, n/i)", "<=", "1", {}),
    ],
)
def test_an_index_can_be_0(left: str, operator: str, right: str, definitions: dict[str, str]):
    gemm = notation_of("gemm")
    assert gemm["i"].least == 0
    with pytest.raises(ClaimError, match=r"^not shown: "):
        shown(left, operator, right, definitions, gemm)


def test_what_holds_for_an_index_holds_at_0():
    gemm = notation_of("gemm")
    assert shown("o + i*s_0", "==", "i*n + o", {"s_0": "n"}, gemm) == (
        "for every natural number o, i and positive integer n: o + i*s_0 == i*n + o given s_0 == n"
    )
    assert " <= " in shown("i*min(1, m - 1)", "<=", "i", {}, gemm)
    assert " == " in shown("max(i, 0)", "==", "i", {}, gemm)


# ---- whatever is shown holds at random sizes ----

LETTERS = ("a", "b", "m")
ATOMS = ["a", "b", "m", "1", "2", "3"]
TREES = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda x: f"({x[0]} {x[1]} {x[2]})"),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(lambda x: f"{x[0]}({x[1]}, {x[2]})"),
        st.tuples(st.sampled_from(["sqrt", "ceil", "floor"]), inner).map(lambda x: f"{x[0]}({x[1]})"),
    ),
    max_leaves=6,
)
POINTS: list[dict[str, Fraction | int]] = [
    dict(zip(LETTERS, sizes, strict=True)) for sizes in ((1, 1, 1), (1, 2, 1), (3, 1, 2), (2, 7, 5), (9, 4, 3))
]


# A search that finds nothing may take a second.
few = settings(max_examples=12, deadline=None)


@few
@given(TREES, TREES)
def test_an_equality_that_is_shown_holds_at_sizes(one: str, other: str):
    left, right = parse(one, common.letters), parse(other, common.letters)
    pairs = [
        (left, right),
        (left, left),
        (Sum((left, right)), Sum((right, left))),
        (Product((left, right)), Product((right, left))),
    ]
    for first, second in pairs:
        try:
            show(first, "==", second, {}, common)
        except ClaimError:
            continue
        for point in POINTS:  # every divisor is positive there, and every root is of what is not negative
            assert close(approximate(first, point), approximate(second, point))


@few
@given(TREES, TREES)
def test_a_bound_that_is_shown_holds_at_sizes(one: str, other: str):
    left, right = parse(one, common.letters), parse(other, common.letters)
    for first, second in [(left, right), (left, Sum((left, right))), (Product((left, right)), right)]:
        try:
            show(first, "<=", second, {}, common)
        except ClaimError:
            continue
        for point in POINTS:
            low, high = approximate(first, point), approximate(second, point)
            assert low <= high or close(low, high)


@given(TREES)
def test_what_is_seen_to_be_positive_is(text: str):
    tree = parse(text, common.letters)
    for point in POINTS:
        try:
            value = approximate(tree, {name: point[name] for name in symbols_of(tree)})
        except DeriveError:
            continue
        assert value > 0 or not is_positive(tree)
        assert value >= 0 or not is_positive(tree, or_zero=True)
        assert isinstance(value, Fraction)
