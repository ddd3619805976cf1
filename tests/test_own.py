"""A person's own statement: what is proved, refuted and open, and that nothing is both."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from derive.cli import own as command
from derive.errors import DeriveError, GrammarError
from derive.proof.checker import check
from derive.proof.own import read
from derive.proof.own.settle import settled
from derive.proof.refute.counterexample import counterexample, holds_at
from tests.statements import PROVED, UNSETTLED, Case, case, words

REFUTED: list[tuple[Case, dict[str, Any]]] = [  # with the smallest point
    (case("34/t <= 10"), {"t": 1}),
    (case("34/t <= 10", "t >= 3"), {"t": 3}),
    (case("2 + 2 == 5"), {}),
    (case("1.1 + 2.2 == 3.30000000000000001"), {}),
    (case("sqrt(2) == 1.4142135623730951"), {}),
    (case("a == b"), {"a": 1, "b": 2}),
    (case("f == 3*h", "f == 4*h"), {"f": 4, "h": 1}),
    (case("d == 1", "d == h/a"), {"d": 2, "h": 2, "a": 1}),
    (case("x <= x^2", real="x"), {"x": Fraction(1, 2)}),
    (case("x > 0", "x >= 0", real="x"), {"x": 0}),
    (case("x <= x^3", real="x"), {"x": -2}),
    (case("x >= 1", "x == sqrt(2) - 1", real="x"), {}),  # an irrational number has no exact text
    (case("(a + b + c)^64*d == (a + b + d)^64"), {"a": 1, "b": 1, "c": 1, "d": 2}),  # too large to be proved
]
UNSATISFIED = "no point was found that satisfies the hypotheses"
OPEN: list[tuple[Case, str]] = [
    (case("(a + b + c)^3 >= 27*a*b*c"), UNSETTLED),
    (case("1 <= t", "2*t == 3"), UNSATISFIED),  # 2*t is even: nobody shows it
    (case("x >= 1", "x^2 == 2", real="x"), UNSATISFIED),  # no rational point does
    (case("a >= 1", "ceil(a/2) == 3"), "a call in a hypothesis is accepted in a definition alone, such as "),
]


@pytest.mark.parametrize("this", PROVED, ids=words)
def test_what_holds_is_proved(this):
    statement = read(*this).statement
    found = settled(statement)
    assert (found.verdict, found.level, found.counterexample) == ("proved", "certified", None)
    assert found.certificate is not None
    assert check(found.certificate)
    assert counterexample(statement, 500) is None


@pytest.mark.parametrize(("this", "point"), REFUTED, ids=words)
def test_what_fails_is_refuted_at_the_smallest_point(this, point):
    statement = read(*this).statement
    found = settled(statement)
    assert (found.verdict, found.certificate, found.counterexample) == ("refuted", None, point)
    assert holds_at(statement, point) is not True


@pytest.mark.parametrize(("this", "reason"), OPEN, ids=words)
def test_what_is_neither_is_open(this, reason):
    found = settled(read(*this).statement)
    assert (found.verdict, found.certificate, found.counterexample) == ("open", None, None)
    assert found.reason.startswith(reason)


def test_names_may_be_long_and_have_digits():
    name = "tokens_2" + "x" * 32
    assert settled(read(f"{name} >= 1").statement).verdict == "proved"


def test_a_bound_of_a_real_symbol_becomes_its_kind_and_one_of_a_whole_one_stays():
    statement = read("x + y + z + n > 0", ["x > 0", "0 <= y", "y > 0", "z >= 0", "n > 0"], ["x", "y", "z"]).statement
    assert statement["symbols"] == {
        "x": "positive real", "y": "positive real", "z": "nonnegative real", "n": "positive integer",
    }  # fmt: skip
    assert statement["given"] == [[">", "n", 0]]
    kept = read("x > 0", ["x >= 2", "x > -1", "x < 3"], ["x"]).statement
    assert kept["symbols"] == {"x": "positive real"}
    assert kept["given"] == [[">=", "x", 2], [">", "x", ["-", 1]], ["<", "x", 3]]


# ---- any statement ----


NUMBERS, NAMES = st.sampled_from(["0", "1", "2", "3", "1.5"]), st.sampled_from(["a", "b", "x"])
PIECES = st.recursive(
    NUMBERS | NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda each: f"({''.join(each)})"),
        st.tuples(inner, st.integers(-2, 3)).map(lambda each: f"({each[0]})^{each[1]}"),
        st.tuples(st.sampled_from(["sqrt", "ceil", "floor"]), inner).map(lambda each: f"{each[0]}({each[1]})"),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(lambda each: f"{each[0]}({each[1]}, {each[2]})"),
    ),
    max_leaves=5,
)
RELATIONS = st.tuples(PIECES, st.sampled_from(["==", "<=", "<", ">=", ">"]), PIECES).map(" ".join)


@settings(max_examples=60)
@given(RELATIONS, st.lists(RELATIONS, max_size=2), st.sampled_from([[], ["x"]]))
@example("a <= x", ["x == a + x"], [])
@example("a <= x", ["x == 0/a"], ["x"])
def test_a_proved_statement_has_no_counterexample_and_nothing_else_goes_wrong(statement, hypotheses, real):
    try:
        own = read(statement, hypotheses, real)
        found = settled(own.statement)
    except DeriveError as problem:
        line = str(problem)
    else:
        assert (found.verdict == "proved") == (found.certificate is not None)
        if found.verdict == "proved":
            assert check(found.certificate)
            assert counterexample(own.statement, 2_000) is None
        if found.verdict == "refuted":
            assert holds_at(own.statement, found.counterexample or {}) is not True
        line = "".join(command.lines(own, found))
    assert line
    assert line.isprintable()


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        line = command.relation_text(read(text).relation)
    except GrammarError as problem:
        line = str(problem)
    assert line
    assert line.isprintable()
