"""The process that answers a person's statement: always in time, and Z3 where it is installed."""

import subprocess
import sys
import time
from fractions import Fraction

import pytest

from derive.errors import DeriveError
from derive.proof import own as module
from derive.proof import smt
from derive.proof.own import answer, read
from derive.proof.own.settle import settled
from derive.proof.refute.counterexample import holds_at
from tests.statements import ROOT, words


@pytest.mark.usefixtures("no_z3")
def test_no_answer_in_time_is_open(monkeypatch):
    monkeypatch.setattr(module, "PROOF_SECONDS", 0.001)
    monkeypatch.setattr(module, "POINT_SECONDS", 0.001)
    found = answer(read("2 + 2 == 4"))
    assert (found.verdict, found.reason) == ("open", "no answer within 20 s")


@pytest.mark.usefixtures("no_z3")
def test_after_a_proof_is_given_up_a_counterexample_is_still_sought(monkeypatch):
    monkeypatch.setattr(module, "PROOF_SECONDS", 0.001)
    assert answer(read("34/t <= 10")).counterexample == {"t": 1}


def test_the_shares_of_time_leave_some_to_start():
    assert module.PROOF_SECONDS + module.POINT_SECONDS + module.Z3_SECONDS + smt.GRACE < module.MOST_SECONDS


@pytest.mark.usefixtures("no_z3")
def test_a_failure_of_the_search_is_not_hidden(monkeypatch):
    monkeypatch.setattr(module, "CHILD", "raise TypeError('ouch')")
    with pytest.raises(RuntimeError, match="TypeError: ouch"):
        answer(read("1 <= 2"))


@pytest.mark.usefixtures("no_z3")
def test_a_simple_statement_needs_no_sympy_and_is_quick():
    start = time.monotonic()
    assert answer(read("34/t <= 10 + 24/t")).verdict == "proved"
    assert time.monotonic() - start < 3
    code = (
        "import sys; from derive.proof.own import read; from derive.proof.own.settle import settled; "
        "assert settled(read('34/t <= 10 + 24/t', ['t >= 1']).statement).verdict == 'proved'; "
        "assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize(
    "statement",
    [
        "+".join(f"1/(a + b*{i})" for i in range(1, 150)) + " <= 1000",
        "12*a*b*c*d*f*g*h*i <= a^8 + b^8 + c^8 + d^8 + f^8 + g^8 + h^8 + i^8 + 4*a*b*c*d*f*g*h*i",
        "a*b*c*d*f*g*h*i*j*k*l*m <= (a + b + c + d + f + g + h + i + j + k + l + m)^12",
        "max(a, b, c, d, f, g) + max(b, c, d, a, g, f) <= 2*max(g, f, d, c, b, a)",
    ],
    ids=words,
)
def test_large_statements_come_to_an_end(statement):
    start = time.monotonic()
    try:
        verdict = answer(read(statement)).verdict
    except DeriveError as problem:
        verdict = str(problem)
    assert time.monotonic() - start < 20
    assert verdict in ("proved", "open") or "it is too large to be checked" in verdict


@pytest.mark.skipif(not smt.available(), reason="Z3 is not installed")
def test_with_z3_the_level_says_that_it_agrees():
    assert answer(read("34/t <= 10 + 24/t")).level == "certified + smt"


@pytest.mark.skipif(not smt.available(), reason="Z3 is not installed")
def test_z3_finds_points_that_are_far_away():
    far = read("10^21*a >= a^2 - 1")
    assert settled(far.statement).verdict == "open"
    found = answer(far)
    assert found.verdict == "refuted"
    assert holds_at(far.statement, found.counterexample or {}) is False


def test_a_point_of_z3_is_taken(monkeypatch):
    monkeypatch.setattr(smt, "available", lambda: True)
    monkeypatch.setattr(smt, "refute", lambda *_: {"a": Fraction(7)})
    monkeypatch.setattr(module, "_asked", lambda *_: None)
    assert answer(read("a <= 6")).counterexample == {"a": 7}


def test_a_certified_statement_that_z3_refutes_is_a_fault(monkeypatch):
    monkeypatch.setattr(smt, "available", lambda: True)
    monkeypatch.setattr(smt, "explained", lambda *_: ("disagrees", "it fails at t = 1"))
    with pytest.raises(RuntimeError, match="Z3 refutes a certified statement: it fails at t = 1"):
        answer(read("34/t <= 10 + 24/t"))
