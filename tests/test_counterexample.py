"""Points of statements: the smallest that fail, where the givens hold, where sides are equal; exact, and in time."""

import time
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.grammar import parse, parse_relation
from derive.proof.refute.counterexample import counterexample, equality_point, holds_at, witness
from derive.proof.refute.pointwise import NoValue, Undecided, compiled, ends, power, whole_root
from derive.tree import symbols_of, to_lists


def stated(text: str, *givens: str, define: dict[str, str] | None = None, **kinds: str) -> dict[str, Any]:
    """The statement of a text; symbols are positive integers where nothing else is said."""
    relations = [parse_relation(each) for each in (text, *givens)]
    trees = {name: parse(tree) for name, tree in (define or {}).items()}
    sides = [side for each in relations for side in (each.left, each.right)]
    names = sorted({name for tree in (*sides, *trees.values()) for name in symbols_of(tree)} | set(trees))
    data = [[each.operator, to_lists(each.left), to_lists(each.right)] for each in relations]
    relation, left, right = data[0]
    return {
        "name": text,
        "symbols": {name: kinds.get(name, "positive integer").replace("_", " ") for name in names},
        "define": [[name, to_lists(tree)] for name, tree in trees.items()],
        "given": data[1:],
        "relation": relation,
        "left": left,
        "right": right,
    }


REAL, ANY = "positive real", "real"
SMALLEST: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    (stated("h*f == 8*h^2", define={"f": "4*h"}), {"h": 1, "f": 4}),
    (stated("h == a*d", define={"d": "h/a"}), None),
    (stated("d == 1", define={"d": "h/a"}), {"a": 1, "h": 2, "d": 2}),
    (stated("d == 2", define={"d": "h/128"}), {"h": 128, "d": 1}),
    (stated("a == 1", define={"d": "a - 3"}), {"a": 4, "d": 1}),
    (stated("2 == 2"), None),
    (stated("2 == 3"), {}),
    (stated("t*ceil(s/t) == s"), {"s": 1, "t": 2}),
    (stated("(a - 1)/(a - 2) == 0"), {"a": 3}),  # the pole is skipped
    (stated("sqrt(2) == 7/5"), {}),
    (stated("a^2 <= 2^a"), {"a": 3}),
    (stated("(a - b)^(1/3) == b - a"), {"a": 2, "b": 1}),  # not at a < b: no root of what is negative
    (stated("h <= 4096"), {"h": 4097}),
    (stated("h <= a + 10^15"), {"a": 1, "h": 10**15 + 2}),
    (stated("x <= x^2", x=REAL), {"x": Fraction(1, 2)}),
    (stated("x^2 > 0", x=ANY), {"x": 0}),
    (stated("x >= 0", x=ANY), {"x": -1}),
    (stated("x <= x^3", x=ANY), {"x": -2}),
    (stated("y > 0", y="nonnegative real"), {"y": 0}),
    (stated("1/i > 1", i="natural number"), {"i": 1}),  # not 0, where there is no value
    (stated("x + y >= sqrt(x*y)*2", "x <= y", x=REAL, y=REAL), None),
    (stated("g == 1", "g <= a"), {"a": 2, "g": 2}),
    (stated("a*g <= 5000*g", "g == a/4097"), {"a": 8194, "g": 2}),  # g is computed from a, so that one is found
    (stated("N >= D", "C == 120*N^2", "D == 20*N", C=REAL, N=REAL, D=REAL), {"C": 120, "D": 20, "N": 1}),
    (stated("h < 8192", "h >= 4096", "L >= 32"), {"L": 32, "h": 8192}),
    (stated("m <= 2^(2^(2^(2^m)))"), None),  # too large to hold from m = 2 on
    (stated("x^0.123 <= y^0.777"), {"x": 2, "y": 1}),
    (stated("max(a, b, 3) == min(a + b, 3)"), {"a": 1, "b": 1}),
    (stated("f == 1", define={"f": "sqrt(h)"}, f=REAL), {"h": 2}),  # the value of f is irrational there
    (stated("0^(a - a) == 1"), None),  # 0^0 has no value
    (stated("(a - 1)^0 == 2"), {"a": 2}),
]


@pytest.mark.parametrize(("statement", "smallest"), SMALLEST, ids=lambda each: each and each.get("name"))
def test_the_smallest(statement: dict[str, Any], smallest: dict[str, Any] | None):
    found = counterexample(statement)
    assert found == smallest
    if found is not None:
        assert holds_at(statement, found) is False
        assert all(type(value) is Fraction for value in found.values())


def test_what_enclosures_cannot_decide_is_not_refuted():
    assert counterexample(stated("sqrt(a)*sqrt(a) == a"), most=300) is None
    assert counterexample(stated("sqrt(a + 1/10^60/10^60/10^60) == sqrt(a)"), most=300) is None


def test_divides():
    statement = stated("a <= g")
    assert counterexample(statement) == {"a": 2, "g": 1}
    assert counterexample(stated("a <= 2*g"), divides=[("g", "a")]) == {"a": 3, "g": 1}
    assert counterexample(stated("a <= 2*g", "g >= 2"), divides=[("g", "a"), ("g", "nobody")]) == {"a": 6, "g": 2}


LEAVES = st.sampled_from(["a", "b", "x"]) | st.integers(1, 3).map(str)
TEXTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(inner, inner).map(lambda pair: f"max({pair[0]}, {pair[1]})"),
        inner.map(lambda part: f"ceil({part})"),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.sampled_from(["==", "<=", "<", ">", ">="]), TEXTS)
def test_no_smaller_point_fails(left: str, relation: str, right: str):
    statement = stated(f"{left} {relation} {right}")
    names = sorted(statement["symbols"])
    found = counterexample(statement, most=300)
    smaller = [point for point in product(range(1, 7), repeat=len(names)) if sum(point) <= 6]
    for point in sorted(smaller, key=lambda point: (sum(point), point)):
        there = dict(zip(names, point, strict=True))
        if there == found:
            return
        assert holds_at(statement, there) is not False
    assert found is None or sum(found.values()) > 6


@settings(deadline=None)
@given(st.fractions(Fraction(1, 50), 50), st.integers(1, 5), st.integers(1, 5))
def test_enclosures_hold_the_root(base: Fraction, over: int, degree: int):
    found = power(base, Fraction(over, degree), 64)
    low, high = ends(found)
    over, degree = Fraction(over, degree).as_integer_ratio()
    assert low**degree <= base**over <= high**degree
    assert high - low <= high / 2**60
    below, above = ends(power(base, Fraction(-over, degree), 64))
    assert below**degree <= Fraction(1) / base**over <= above**degree


@settings(deadline=None)
@given(st.fractions(0, 9, max_denominator=9), st.fractions(0, 9, max_denominator=9))
def test_enclosures_hold_what_is_made_of_them(x: Fraction, y: Fraction):
    tree = to_lists(parse("(sqrt(x) - sqrt(y))*(sqrt(x) + sqrt(y)) - 2/(1 + sqrt(x))^2*(1 + 2*sqrt(x) + x)"))
    low, high = ends(compiled(tree, {"x": 0, "y": 1})([x, y, 128]))
    assert low <= x - y - 2 <= high
    assert high - low < Fraction(1, 2**100)


@given(st.integers(0, 10**30), st.integers(2, 9))
def test_whole_root(value: int, degree: int):
    root = whole_root(value, degree)
    assert root**degree <= value < (root + 1) ** degree


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(-1), Fraction(-1, 2)])
def test_powers_without_a_value(exponent: Fraction):
    with pytest.raises(NoValue):
        power(0, exponent, 64)
    with pytest.raises(NoValue):
        power(-2, Fraction(1, 3), 64)
    with pytest.raises(NoValue):
        power(3, Fraction(10**9), 64)
    with pytest.raises(Undecided):
        power(2, power(2, Fraction(1, 2), 64), 64)


def test_a_point_says_nothing_where_it_is_no_point():
    statement = stated("h == a*d + 1", "a <= 4", define={"d": "h/a"})
    assert holds_at(statement, {"h": 4, "a": 2}) is False
    assert holds_at(statement, {"h": 4, "a": [2, 1]}) is False
    assert holds_at(statement, {"h": 4, "a": ["/", 4, 2]}) is False
    assert holds_at(statement, {}) is False  # what is not named is 1
    assert holds_at(statement, {"h": 3, "a": 2}) is None  # d is not whole
    assert holds_at(statement, {"h": 8, "a": 8}) is None  # the given fails
    assert holds_at(statement, {"h": 4, "a": Fraction(1, 2)}) is None  # a is not whole
    assert holds_at(stated("1/(a - b) >= 0"), {}) is None
    assert holds_at(stated("sqrt(a) <= sqrt(a)"), {"a": 2}) is None  # not decided
    assert holds_at(stated("sqrt(a) < sqrt(b)"), {"a": 10**30, "b": 10**30 + 1}) is True
    with pytest.raises(TypeError, match=r"0\.5 is not exact"):
        holds_at(statement, {"h": 0.5})


def test_witness():
    assert witness(stated("a == b", "a >= 4096", "b < 3")) == {"a": 4096, "b": 1}
    assert witness(stated("a == b", "a > b", "b > a"), most=500) is None
    assert witness(stated("x == 1", "x < 1", "2*x > 1", x=REAL)) == {"x": Fraction(2, 3)}
    assert witness(stated("d == 1", define={"d": "h/12"})) == {"h": 12, "d": 1}


def test_equality_point():
    assert equality_point(stated("2*sqrt(L) <= k + L/k", L=REAL, k=REAL)) == {"L": 1, "k": 1}
    assert equality_point(stated("sqrt(2*c/M) <= c/T + T/(2*M)", "T >= 2", c=REAL, M=REAL, T=REAL)) == {
        "M": 1, "T": 2, "c": 2,
    }  # fmt: skip
    assert equality_point(stated("a <= a + 1"), most=500) is None


def test_twenty_thousand_points_are_fast():
    statement = stated("s*b*h*(34 + 5*a*s/h) == 34*s*b*h + 5*a*b*s^2")
    times = []
    for _ in range(2):
        start = time.perf_counter()
        assert counterexample(statement) is None
        times.append(time.perf_counter() - start)
    assert min(times) < 1  # 0.3 s here


@pytest.mark.parametrize(
    "text",
    [
        "(((x + y)^64)^64)^64 <= (y + z)^64",
        " + ".join(f"sqrt(x + y^{i})" for i in range(1, 60)) + " >= 0",
        "x^(1/997) <= (x + y)^(996/997) + 7^x^x",
    ],
)
def test_time_is_obeyed(text: str):
    start = time.perf_counter()
    counterexample(stated(text), seconds=0.3)
    assert time.perf_counter() - start < 2
