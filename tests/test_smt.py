"""Z3 as a referee: it agrees with what is true and has a value, never with what is false; it always comes to an end."""

import time
from fractions import Fraction

import pytest

from derive.errors import DeriveError
from derive.proof import smt
from derive.proof.refute.counterexample import counterexample, holds_at
from derive.proof.smt import available, explained, referee, referee_all, refute
from derive.verdict import judge
from formulas import all_claims
from tests.test_counterexample import ANY, REAL, stated

needs_z3 = pytest.mark.skipif(not available(), reason="Z3 is not installed")

FORWARD = "24*b*s*h^2 + 4*b*s^2*h"
ATTENTION = "(2 + 4 + 2 + 2 + 1)*s*b*h + (2 + 1 + 2)*a*s^2*b"
TRUE = [
    stated(f"{ATTENTION} + (2*s*b*h + 2*s*b*f + 2*s*b*f + s*b*h) + 4*s*b*h == s*b*h*(18 + 4*f/h + 5*a*s/h)"),
    stated(f"{ATTENTION} + (2*s*b*h + 2*s*b*4*h + 2*s*b*4*h + s*b*h) + 4*s*b*h == s*b*h*(34 + 5*a*s/h)"),
    stated("18 + 4*f/h == 34", "f == 4*h"),
    stated(
        "4*s*b*h + 2*s*b*h + s*b*h + 2*s*b*h + s*b*h + "
        "(9 - 1)*s*b*h/t + 16*s*b*h/t + 5*a*s^2*b/t == s*b*h*(10 + 24/t + 5*a*s/(h*t))"
    ),
    stated("10 + 24/t == 34/t", "t == 1"),
    stated(f"(2*({FORWARD}) + 2*({FORWARD}))/(({FORWARD}) + 2*({FORWARD})) == 4/3"),
    stated(f"3*({FORWARD}) == 72*b*s*h^2*(1 + s/(6*h))"),
    stated(f"3*(L*({FORWARD}) + 2*b*s*h*V) == 72*b*L*s*h^2*(1 + s/(6*h) + V/(12*h*L))"),
    stated(f"4*b*s^2*h/({FORWARD}) == s/(6*h + s)"),
    stated("h^2 + 2*h*(h/a)*g + h^2 == 4*h^2", "g == a"),
    stated("2*2*L*b*s*g*(h/a)/(2*2*L*b*s*a*(h/a)) == g/a"),
    stated("3*h^2 + 3*h + h^2 + h + 4*h^2 + 4*h + 4*h^2 + h + 4*h == 12*h^2 + 13*h"),
    stated("L*(12*h^2 + 13*h) + V*h + s*h == 12*L*h^2*(1 + 13/(12*h) + (V + s)/(12*L*h))"),
    stated("(p - 1)*(u + w)/(m*(u + w) + (p - 1)*(u + w)) == (p - 1)/(m + p - 1)", u=REAL, w=REAL),
    stated("2*N + 4*N + 12*N/d == N*(6 + 12/d)"),
    stated("2*N/d + 2*N/d + 12*N/d == 16*N/d"),
    stated("(d - 1)*N/d + (d - 1)*N/d == 2*N*(d - 1)/d"),
    stated("(6*N*q/(2*n*F))/(6*N*q/(n*F)) == 1/2", q=REAL, F=REAL),
    stated("sqrt(C/120) == N", "C == 6*N*(20*N)", C=REAL, N=REAL),
    stated("20*sqrt(C/120) == sqrt(10*C/3)", C=REAL),
    stated("4*N + 12*N/d <= 16*N"),
    stated("2*N + 14*N/d <= 4*N + 12*N/d"),
    stated("16*N/d <= 2*N + 14*N/d"),
    stated("16*N/d < 2*N + 14*N/d", "d >= 2"),
    stated("34/t + 5*a*s/(h*t) <= 10 + 24/t + 5*a*s/(h*t)"),
    stated(
        f"3*({FORWARD})/(n*F*k) <= (3*({FORWARD}) + R)/(n*F*k)",
        F=REAL,
        k=REAL,
        R="nonnegative real",
    ),
    stated("(72*b*s*h^2 + 16*b*s^2*h)/(72*b*s*h^2 + 12*b*s^2*h) <= 4/3"),
    stated("(p - 1)/(m + p - 1) < 1"),
    stated("(p - 1)/((m + 1) + p - 1) <= (p - 1)/(m + p - 1)"),
    stated("(p - 1)/(m + p - 1) <= ((p + 1) - 1)/(m + (p + 1) - 1)"),
    stated("(p - 1)/(v*m + p - 1) <= (p - 1)/(m + p - 1)"),
    stated("s/(6*h + s) < (s + 1)/(6*h + (s + 1))"),
    stated("1 - s/(6*h + s) <= e", "e*(6*h+s) >= 6*h", e=REAL),
    stated("2*h^2 + 2*h^2*g/a <= 4*h^2", "g <= a"),
    stated("13*L*h/(12*L*h^2) <= 1/3780", "h >= 4096"),
    stated("(L*(12*h^2 + 13*h) + V*h)/(12*L*h^2) - 1 <= 1/25", "V <= 50304", "h >= 4096", "L >= 32"),
    stated("4*(t - 1)/t <= 4*((t + 1) - 1)/(t + 1)"),
    stated("k*X + Y <= E*X + Y", "k <= E"),
    stated("2*sqrt(L) <= k + L/k", L=REAL, k=REAL),
    stated("sqrt(2*c/M) <= c/T + T/(2*M)", c=REAL, M=REAL, T=REAL),
    stated("sqrt(C/120) <= sqrt(B/120)", "C <= B", C=REAL, B=REAL),
    stated("min(m,p)*A <= p*A", A=REAL),
    stated("F/(P*max(F/P,B/W)) <= 1", F=REAL, P=REAL, B=REAL, W=REAL),
    stated("max(x,y) <= x + y", x=REAL, y=REAL),
    stated("x + y <= 2*max(x,y)", x=REAL, y=REAL),
    stated("V <= t*ceil(V/t)"),
    stated("t*ceil(V/t) < V + t"),
    stated("ceil(L/p) <= (L + p - 1)/p"),
    stated("floor(B/(d*b))*d*b <= B"),
    stated("a^-0.34 == 1/a^0.34", a=REAL),
    stated("2^(a + 1)*b == b*2^(1 + a)"),
    stated("sqrt(x^2) >= x", x=ANY),
    stated("x^2 + 1 >= 2*x", x=ANY),
    stated("1/(a - b)*(a - b) == 1", "a > b"),  # the given gives the divisor its sign
    stated("h*a == d*a^2", define={"d": "h/a"}),
    stated("max(a, b, c) + min(a, b) >= b + min(a, c)"),
]

# Each is false at some point, or has no value at one.
FALSE = [
    stated("18 + 4*f/h == 34", define={"f": "3*h"}),
    stated("ceil(a/b) == floor(a/b)"),
    stated("ceil(L/p) <= (L + p - 2)/p"),
    stated("sqrt(a^2 + b^2) == a + b"),
    stated("x <= x^2", x=REAL),
    stated("x^3 >= 0", x=ANY),
    stated("2^a == 2^b"),
    stated("h <= 4096*g", "g <= a"),
    stated("k + L/k <= 2*sqrt(L)", L=REAL, k=REAL),
]
WITHOUT_A_VALUE = [
    (stated("m/min(1, m - 1)*min(1, m - 1) == m"), "a divisor may be 0: "),
    (stated("floor(a/b)^0 == 1"), "a divisor may be 0: "),
    (stated("(a - b)/(a - b) == 1"), "a divisor may be 0: "),
    (stated("(a - b)/(a - b) == 1", "a >= b"), "a divisor may be 0: "),
    (stated("floor(1/(a - b)) == floor(1/(a - b))"), "a divisor may be 0: "),
    (stated("sqrt(a - b)*sqrt(a - b) == sqrt(a - b)^2"), "no root may exist: "),
    (stated("(a - b)^0.25 == sqrt(sqrt(a - b))"), "no root may exist: "),
    (stated("(a - b)^a == (a - b)^a"), "a power's base may not be positive: "),
    (stated("d == h - a", define={"d": "h - a"}), "d may not be positive"),
    (stated("d == 0", define={"d": "0*sqrt(a)"}, d=REAL), "d may not be positive"),
]


@needs_z3
def test_it_agrees_with_the_truth():
    start = time.perf_counter()
    answers = referee_all(TRUE, 5)
    assert {name: answer for name, answer in answers.items() if answer != ("agrees", "")} == {}
    assert len(answers) == len(TRUE)
    assert time.perf_counter() - start < 10  # 1 s here


@needs_z3
def test_it_agrees_with_the_claims():
    proved = [found.certificate for found in map(judge, all_claims()) if found.certificate]
    named = [{**each, "name": str(number)} for number, each in enumerate(proved)]
    answers = referee_all(named, 5)
    assert [each for each in named if answers[each["name"]][0] != "agrees"] == []


@needs_z3
@pytest.mark.parametrize("statement", FALSE, ids=lambda each: each["name"])
def test_it_disagrees_with_what_is_false(statement: dict):
    answer, reason = explained(statement, 5)
    assert (answer, reason[:12]) == ("disagrees", "it fails at ")
    point = refute(statement, 5)
    assert point is not None
    assert holds_at(statement, point) is False
    assert all(type(value) is Fraction for value in point.values())


@needs_z3
@pytest.mark.parametrize(
    ("statement", "reason"), WITHOUT_A_VALUE, ids=lambda each: isinstance(each, dict) and each["name"]
)
def test_it_does_not_agree_where_a_part_has_no_value(statement: dict, reason: str):
    found = explained(statement, 3)
    assert found[0] == "unknown"
    assert found[1].startswith(reason)
    assert "(Z3 has a point: " in found[1]


@needs_z3
def test_it_never_agrees_with_a_mutant_that_a_point_refutes():
    mutants = []
    for number, statement in enumerate(TRUE):
        for side in ("left", "right"):
            mutant = {**statement, "name": f"{number} {side}", side: ["+", ["*", 2, statement[side]], 1]}
            if counterexample(mutant, most=200) is not None:
                mutants.append(mutant)
    assert len(mutants) > len(TRUE) // 2
    answers = referee_all(mutants, 2)
    assert [name for name, answer in answers.items() if answer[0] == "agrees"] == []


@needs_z3
def test_nothing_is_refuted_that_is_true():
    assert refute(stated("a + b >= 2*sqrt(a*b)"), 1) is None


@needs_z3
@pytest.mark.parametrize("text", ["((x + y)^60)^60 <= z^9*(x + z)^64", "1/(x + 1/(y + 1/(z + 1/x^60)))^50 < y^x^y"])
def test_it_comes_to_an_end(text: str):
    start = time.perf_counter()
    assert referee(stated(text), 0.5) in {"unknown", "disagrees"}
    assert time.perf_counter() - start < 3
    assert referee(stated("a + b == b + a")) == "agrees"  # by a new process, if that one was ended


def test_without_z3(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(smt, "find_spec", lambda _name: None)
    smt._single.cache_clear()
    assert not available()
    for ask in (referee, refute, explained, lambda statement: referee_all([statement])):
        with pytest.raises(DeriveError, match=r"Z3 is not installed.*pip install 'shapeproof\[smt\]'"):
            ask(stated("a == a"))
