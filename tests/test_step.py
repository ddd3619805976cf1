"""Equalities and bounds with roots, extrema and whole parts: what is false or undefined somewhere is not shown."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import ClaimError, DeriveError
from derive.exact import approximate
from derive.grammar import parse
from derive.proof.signs import is_positive
from derive.proof.step import cases, show_at_most, show_equal, statement
from derive.tree import Call, Node, Product, Sum, Symbol, integer, symbols_of
from formulas.notation import common, notation_of
from tests.exactly import close

Show = Callable[[Node, Node, Mapping[str, Node], object], str]


def shown(show: Callable[..., str], left: str, right: str, definitions: Mapping[str, str] | None = None) -> str:
    given = {letter: parse(text, common.letters) for letter, text in (definitions or {}).items()}
    return show(parse(left, common.letters), parse(right, common.letters), given, common)


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
    ("a^-0.34", "1/a^0.34", {}),
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
    ("(a - b)*min(1, a)", "a - b"),
    ("(a - 2*b)*min(1, a/b)", "a - 2*b"),
    ("(min(1, a/b) - 2)*(min(1, a/b) - 2)", "1"),
    ("min(a, b)*(a - b)", "a*(a - b)"),
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
]


@pytest.mark.parametrize(("left", "right", "definitions"), NOT_EQUAL, ids=[f"{x} == {y}" for x, y, _ in NOT_EQUAL])
def test_what_is_not_equal_everywhere_is_not_shown(left: str, right: str, definitions: dict[str, str]):
    with pytest.raises(ClaimError, match=r"^not shown: ") as error:
        shown(show_equal, left, right, definitions)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("left", "right", "definitions"), EQUAL, ids=[f"{x} == {y}" for x, y, _ in EQUAL])
def test_what_is_equal_is_shown(left: str, right: str, definitions: dict[str, str]):
    assert " == " in shown(show_equal, left, right, definitions)


@pytest.mark.parametrize(("left", "right"), NOT_AT_MOST, ids=[f"{x} <= {y}" for x, y in NOT_AT_MOST])
def test_what_is_no_bound_everywhere_is_not_shown(left: str, right: str):
    with pytest.raises(ClaimError, match=r"^not shown: "):
        shown(show_at_most, left, right)


@pytest.mark.parametrize(("left", "right"), AT_MOST, ids=[f"{x} <= {y}" for x, y in AT_MOST])
def test_what_is_a_bound_is_shown(left: str, right: str):
    assert " <= " in shown(show_at_most, left, right)


def test_what_a_symbol_stands_for_is_said():
    assert shown(show_equal, "max(a, b)*2", "2*max(b, a)") == (
        "for all positive reals q1: q1*2 == 2*q1; q1 for max(a, b)"
    )
    assert shown(show_equal, "sqrt(a)*sqrt(a)", "a") == (
        "the squares of both sides, which are positive: for all positive integers a: a*a == a^2"
    )
    data = statement(parse("max(a, b)"), parse("max(b, a)"), {}, common)
    assert data["symbols"] == {"q1": "positive real"}


@pytest.mark.parametrize(
    ("show", "left", "right", "definitions"),
    [
        (show_equal, "i/i", "1", {}),
        (show_equal, "max(i, 1)", "i", {}),
        (show_equal, "sqrt(i)/sqrt(i)", "1", {}),
        (show_equal, "i^0", "1", {}),
        (show_equal, "m/m", "1", {"m": "i*n"}),
        (show_equal, "m/m", "1", {"m": "i*sqrt(n)"}),
        (show_equal, "ceil(n/i)", "ceil(n/i)", {}),
        (show_at_most, "1", "i", {}),
        (show_at_most, "n", "i*n", {}),
        (show_at_most, "min(1, n/i)", "1", {}),
    ],
)
def test_an_index_can_be_0(show: Show, left: str, right: str, definitions: dict[str, str]):
    gemm = notation_of("gemm")
    assert gemm["i"].least == 0
    given = {letter: parse(text, gemm.letters) for letter, text in definitions.items()}
    with pytest.raises(ClaimError, match=r"^not shown: "):
        show(parse(left, gemm.letters), parse(right, gemm.letters), given, gemm)


def test_what_holds_for_an_index_holds_at_0():
    gemm = notation_of("gemm")
    proof = show_equal(parse("o + i*s_0"), parse("i*n + o"), {"s_0": parse("n")}, gemm)
    assert proof == (
        "for all positive integers n and positive reals o, i: o + i*s_0 == i*n + o given s_0 == n; "
        "o may be 0, as both sides are continuous there; i may be 0, as both sides are continuous there"
    )
    assert " <= " in show_at_most(parse("i*min(1, m - 1)"), parse("i"), {}, gemm)


def test_a_definition_by_a_root_is_said():
    assert shown(show_equal, "d*d", "a", {"d": "sqrt(a)"}) == (
        "with d == sqrt(a), the squares of both sides, which are positive: for all positive integers a: a*a == a^2"
    )


def test_a_factor_that_stands_in_a_product_twice_does_not_give_way():
    """One tree may be two factors of a product: neither may be replaced by what is more, as the other is negative."""
    factor = Sum((Call("min", (integer(1), Symbol("P"))), parse("-2")))
    assert len(cases(Product((factor, factor)))) > 1
    with pytest.raises(ClaimError):
        show_at_most(Product((factor, factor)), integer(1), {}, common)


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
            show_equal(first, second, {}, common)
        except ClaimError:
            continue
        for point in POINTS:  # every divisor is positive there, and every root is of what is not negative
            assert close(approximate(first, point), approximate(second, point))


@given(TREES, TREES)
def test_a_bound_that_is_shown_holds_at_sizes(one: str, other: str):
    left, right = parse(one, common.letters), parse(other, common.letters)
    for first, second in [(left, right), (right, left), (left, Sum((left, right))), (Product((left, right)), right)]:
        try:
            show_at_most(first, second, {}, common)
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
