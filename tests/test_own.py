"""A person's own statement: what is proved, refuted and open; what is no statement, in one line; always in time."""

import json
import subprocess
import sys
import time
from argparse import Namespace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from derive.cli import own as command
from derive.errors import ClaimError, DeriveError, GrammarError
from derive.proof import own as module
from derive.proof import smt
from derive.proof.checker import check
from derive.proof.own import answer, read
from derive.proof.own.settle import settled
from derive.proof.own.worth import number, values_at
from derive.proof.refute.counterexample import counterexample, holds_at

ROOT = Path(__file__).parents[1]
CHECKER = ROOT / "derive" / "proof" / "checker.py"

Case = tuple[str, tuple[str, ...], tuple[str, ...]]  # the statement, what is given, which symbols are real


def case(statement: str, *hypotheses: str, real: str = "") -> Case:
    return statement, hypotheses, tuple(real.split())


PROVED: list[Case] = [
    case("34/t <= 10 + 24/t", "t >= 1"),
    case("34/t <= 10 + 24/t"),
    case("34/t < 10 + 24/t", "t >= 2"),
    case("34/t < 10 + 24/t", "t > 1"),
    case("a/(a + b) <= 1"),
    case("18 + 4*f/h == 34", "f == 4*h"),
    case("f < g", "g == 2*f", "f == 3*h"),  # each definition after those that it needs
    case("g <= a", "g == a", "a == g"),
    case("d >= 1", "d == h/a"),  # no definition: as a whole number it is at least 1
    case("f >= 4", "f == 4*h", "h >= 1"),
    case("a/(a - b) > 1", "a > b"),
    case("1/(a - b) <= 1", "1/(a - b) <= 1", "a > b"),  # the divisor of a hypothesis comes after what shows it
    case("a <= b", "a < 5", "b > 3"),
    case("2 + 2 == 4"),
    case("1.05*a == 21*a/20"),
    case("(1 + 1)^64 == 2^64"),
    case("x**2 == x*x"),
    case("1/a/a == a^-2"),
    case("-x^2 <= 0", real="x"),
    case("x^2 + y^2 >= 2*x*y", real="x y"),
    case("x/x == 1", "x > 0", real="x"),
    case("x/x == 1", "0 < x", real="x"),
    case("x/x == 1", "x >= 1/2", real="x"),
    case("x >= 1", "x >= 1.5", real="x"),
    case("sqrt(x)^2 == x", "x >= 0", real="x"),
    case("x*x == 2", "x == sqrt(2)", real="x"),
    case("sqrt(a*b) <= (a + b)/2"),
    case("max(a, b) + min(a, b) == a + b"),
    case("ceil(a/b)*b >= a"),
    case("floor(a) == a"),
]
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
UNSETTLED = "neither a proof nor a counterexample was found"
UNSATISFIED = "no point was found that satisfies the hypotheses"
OPEN: list[tuple[Case, str]] = [
    (case("(a + b + c)^3 >= 27*a*b*c"), UNSETTLED),
    (case("1 <= t", "2*t == 3"), UNSATISFIED),  # 2*t is even: nobody shows it
    (case("x >= 1", "x^2 == 2", real="x"), UNSATISFIED),  # no rational point does
    (case("a >= 1", "ceil(a/2) == 3"), "a call in a hypothesis is accepted in a definition alone, such as "),
]
LETTERS = "write only letters, digits and + - * / ^ ( ) , with names of functions"
DEEP = "(" * 900 + "a" + ")" * 900 + " == a"
LONG = "a <= " + "a" * 41
NOWHERE = "no point satisfies its hypotheses, so that it says nothing; leave one of them out"
LITERAL = "is no whole number; write one whole number, at most 64"
BAD: list[tuple[Case, str]] = [
    # not a relation in the grammar
    (case(""), "statement '': it is empty; write a relation such as 'a/(a + b) <= 1'"),
    (case(" \n"), "statement ' \\n': it is empty; write a relation such as 'a/(a + b) <= 1'"),
    (case("a <= 1", ""), "given '': it is empty; write a relation such as 'a/(a + b) <= 1'"),
    (
        case("<="),
        "relation '<=': unexpected '<=' at position 1; an operand or an operator is missing or too many",
    ),
    (case("a + b"), "relation 'a + b': no relation at position 6; write one of == <= < >= > between two expressions"),
    (case("a < b < c"), "relation 'a < b < c': a second relation at position 7; write two relations"),
    (case("a = b"), "relation 'a = b': unexpected '=' at position 3; write =="),
    (case("a ≤ b"), "relation 'a ≤ b': unexpected '≤' at position 3; write <="),
    (case("α <= 1"), f"relation 'α <= 1': unexpected 'α' at position 1; {LETTERS}"),
    (case("__import__('os')"), f"relation \"__import__('os')\": unexpected '_' at position 1; {LETTERS}"),
    (
        case("eval(a) == 1"),
        "relation 'eval(a) == 1': unknown function 'eval' at position 1; "
        "functions are sqrt, max, min, ceil, floor; a product needs a `*`",
    ),
    (case("2a == a"), "relation '2a == a': a `*` is missing between '2' and 'a' at position 2; write the product out"),
    (case("a == 1e5"), "relation 'a == 1e5': exponent notation '1e5' at position 6; write 1*10^5"),
    # exponents
    (case("x^2^3 == 1"), f"statement 'x^2^3 == 1': the exponent of 'x^2^3' {LITERAL}"),
    (case("x^y == 1"), f"statement 'x^y == 1': the exponent of 'x^y' {LITERAL}"),
    (case("x^2.0 == 1"), f"statement 'x^2.0 == 1': the exponent of 'x^2.0' {LITERAL}"),
    (
        case("x**(1/2) == 1"),
        "statement 'x**(1/2) == 1': the exponent of 'x^(1/2)' is no whole number; write sqrt(...)",
    ),
    (case("x^65 == 1"), "relation 'x^65 == 1': exponent 65 at position 3; a literal exponent is at most 64"),
    (
        case("x^999999999 == 1"),
        "relation 'x^999999999 == 1': exponent 999999999 at position 3; a literal exponent is at most 64",
    ),
    (
        case("a == 1", "x^-65 == 1"),
        "relation 'x^-65 == 1': exponent -65 at position 3; a literal exponent is at most 64",
    ),
    # names
    (case("for <= 1"), "statement 'for <= 1': the name 'for' is a word of proofs; choose another name"),
    (case("a <= 1", "given >= a"), "given 'given >= a': the name 'given' is a word of proofs; choose another name"),
    (
        case("max <= 1"),
        "relation 'max <= 1': function max without arguments at position 1; write max(...)",
    ),
    (
        case(LONG),
        f"statement {LONG!r}: the name {'a' * 40!r} has 41 characters; at most 40 are read; choose another name",
    ),
    (case("a <= 1", real="x"), "--real 'x': the statement has no such symbol; its symbols are a"),
    (case("1 <= 1", real="x"), "--real 'x': the statement has no such symbol; it has none"),
    # too large
    (case(" " * 2000 + "a"), f"statement '{' ' * 117}...': 2001 characters; at most 2000 are read"),
    (
        case("(" * 10_000 + "a" + ")" * 10_000 + " == a"),
        f"statement '{'(' * 117}...': 20006 characters; at most 2000 are read",
    ),
    (
        case(DEEP),
        f"relation '{DEEP[:117]}...': nested over 100 levels at position 101; name a part and substitute it",
    ),
    (case("+".join(f"a{i}" for i in range(13)) + " > 0"), "13 symbols; at most 12 are read"),
    (case("a > 0", *["a > 0"] * 13), "13 hypotheses; at most 12 are read"),
    (
        case(f"a < {'9' * 61}"),
        f"relation 'a < {'9' * 61}': number too long at position 5; at most 60 digits are read",
    ),
    (
        case("((x^64)^64)^64 >= 1"),
        "statement '((x^64)^64)^64 >= 1': it is too large to be checked (a polynomial is too large); "
        "state less at once",
    ),
    # parts without a value
    (case("1/0 == 1"), "statement '1/0 == 1': the divisor, 0, is not shown to be positive (it is 0)"),
    (case("1/(2 - 2) == 1"), "statement '1/(2 - 2) == 1': the divisor, 2 - 2, is not shown to be positive (it is 0)"),
    (case("0^0 == 1"), "statement '0^0 == 1': the base of the exponent 0, 0, is not shown to be positive (it is 0)"),
    (
        case("1/(a - b) == 1"),
        "statement '1/(a - b) == 1': the divisor, a - b, is not shown to be positive (it is 0 at a = 1, b = 1); "
        "add --given 'a - b > 0' if it is",
    ),
    (
        case("a/(a - b) > 1", "a >= b"),
        "statement 'a/(a - b) > 1': the divisor, a - b, is not shown to be positive (it is 0 at a = 1, b = 1); "
        "add --given 'a - b > 0' if it is",
    ),
    (
        case("x/x == 1", real="x"),
        "statement 'x/x == 1': the divisor, x, is not shown to be positive (it is 0 at x = 0); "
        "add --given 'x > 0' if it is",
    ),
    (
        case("x^0 == 1", real="x"),
        "statement 'x^0 == 1': the base of the exponent 0, x, is not shown to be positive (it is 0 at x = 0); "
        "add --given 'x > 0' if it is",
    ),
    (
        case("sqrt(x)^2 == x", real="x"),
        "statement 'sqrt(x)^2 == x': the operand of a root, x, is not shown to be at least 0 (it is -1 at x = -1); "
        "add --given 'x >= 0' if it is",
    ),
    (
        case("1/((a + b + c)^3 - 27*a*b*c + 1) <= 1"),  # which it is, but nobody shows it
        "statement '1/((a + b + c)^3 - 27*a*b*c + 1) <= 1': the divisor, (a + b + c)^3 - 27*a*b*c + 1, is not shown "
        "to be positive; add --given '(a + b + c)^3 - 27*a*b*c + 1 > 0' if it is",
    ),
    (
        case("a >= 1", "1/(a - b) <= 1"),
        "statement 'a >= 1': in its hypotheses the divisor a - b is not shown to be positive",
    ),
    # hypotheses that exclude every point
    (case("1 <= t", "t < 1"), f"statement '1 <= t': {NOWHERE}"),
    (case("2 + 2 == 4", "1 <= 0"), f"statement '2 + 2 == 4': {NOWHERE}"),
    (case("1 <= t", "t == 1/2"), f"statement '1 <= t': {NOWHERE}"),
    (case("f == f", "f == f + 1"), f"statement 'f == f': {NOWHERE}"),
    (case("a == b", "a < b", "b < c", "c < a"), f"statement 'a == b': {NOWHERE}"),
    (case("x == 1", "x > 0", "x < 0", real="x"), f"statement 'x == 1': {NOWHERE}"),
]


def words(value: Any) -> str:
    return str(value)[:60]


def options(this: Case, *, as_json: bool = False) -> Namespace:
    statement, hypotheses, real = this
    return Namespace(statement=statement, given=list(hypotheses), real=list(real), json=as_json)


@pytest.fixture
def no_z3(monkeypatch):
    monkeypatch.setattr(smt, "available", lambda: False)


# ---- verdicts ----


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


@pytest.mark.parametrize(("this", "line"), BAD, ids=words)
@pytest.mark.usefixtures("no_z3")
def test_what_says_nothing_is_one_line(this, line):
    with pytest.raises((GrammarError, ClaimError)) as problem:
        answer(read(*this))
    text = str(problem.value)
    assert text == line
    assert "\n" not in text


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


# ---- the process ----


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


# ---- what is printed ----


PRINTED: list[tuple[Case, int, str]] = [
    (
        case("34/t<=10+24/t", "t>=1"),
        0,
        """\
proved: 34/t <= 10 + 24/t
  for every positive integer t, given t >= 1
  certificate: 0 steps; level certified
""",
    ),
    (
        case("2*h*f == 8*h^2*x", "f == 4*h", "x == 1", real="x"),
        0,
        """\
proved: 2*h*f == 8*h^2*x
  for every positive integer h, given f == 4*h and x == 1
  certificate: 0 steps; level certified
""",
    ),
    (
        case("a*b/(a + x) < a", "x > 0", "b <= a", real="x"),
        0,
        """\
proved: a*b/(a + x) < a
  for every positive integer a, b and positive real x, given x > 0 and b <= a
  certificate: 1 step; level certified
""",
    ),
    (case("2 + 2 == 4"), 0, "proved: 2 + 2 == 4\n  certificate: 0 steps; level certified\n"),
    (
        case("x + y <= 1/t", "y == sqrt(t)", "x >= 1/2", real="x y"),
        1,
        """\
refuted: x + y <= 1/t
  for every positive real x, real y and positive integer t, given y == sqrt(t)
    and x >= 1/2
  counterexample: x = 1, y = 1, t = 1
  left side: 2
  right side: 1
""",
    ),
    (
        case("sqrt(2) == 1.5"),
        1,
        "refuted: sqrt(2) == 1.5\n  left side: about 1.41421356237\n  right side: 3/2\n",
    ),
    (
        case("x >= 1", "x == sqrt(2) - 1", real="x"),
        1,
        """\
refuted: x >= 1
  for every real x, given x == sqrt(2) - 1
  counterexample: x = about 0.414213562373
  left side: about 0.414213562373
  right side: 1
""",
    ),
    (
        case("(a + b + c)^3 >= 27*a*b*c"),
        1,
        f"open: (a + b + c)^3 >= 27*a*b*c\n  for every positive integer a, b, c\n  {UNSETTLED}\n",
    ),
]


@pytest.mark.parametrize(("this", "code", "text"), PRINTED, ids=words)
@pytest.mark.usefixtures("no_z3")
def test_the_text_says_what_and_of_what_and_why(this, code, text, capsys):
    assert command.run(options(this)) == code
    assert capsys.readouterr() == (text, "")


@pytest.mark.parametrize("this", [case(" + ".join(f"letter_{i}*h_{i}" for i in range(6)) + " <= 5", "h_1 >= 7")])
@pytest.mark.usefixtures("no_z3")
def test_no_line_is_longer_than_a_terminal(this, capsys):
    command.run(options(this))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("  ")


@pytest.mark.usefixtures("no_z3")
def test_json_of_a_proof_has_a_certificate_that_the_checker_alone_accepts(tmp_path, capsys):
    certificates = []
    for this in PROVED[::4]:
        assert command.run(options(this, as_json=True)) == 0
        data = json.loads(capsys.readouterr().out)
        assert list(data) == ["statement", "given", "verdict", "level", "certificate", "counterexample"]
        assert (data["verdict"], data["level"], data["counterexample"]) == ("proved", "certified", None)
        certificates.append(data["certificate"])
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"version": 1, "certificates": certificates}))
    done = subprocess.run([sys.executable, CHECKER, path], capture_output=True, text=True, check=True)
    assert done.stdout.count(": accepted: ") == len(certificates)


@pytest.mark.usefixtures("no_z3")
def test_json_of_a_refutation_has_exact_values(capsys):
    assert command.run(options(case("x*a<=x^2", "a>=3", real="x"), as_json=True)) == 1
    assert json.loads(capsys.readouterr().out) == {
        "statement": "x*a <= x^2", "given": ["a >= 3"], "verdict": "refuted", "level": None, "certificate": None,
        "counterexample": {"a": 3, "x": 1},
    }  # fmt: skip
    assert command.run(options(case("x <= x^2", real="x"), as_json=True)) == 1
    assert json.loads(capsys.readouterr().out)["counterexample"] == {"x": "1/2"}


@pytest.mark.usefixtures("no_z3")
def test_json_of_an_open_statement_says_why_beside_it(capsys):
    assert command.run(options(case("(a + b + c)^3 >= 27*a*b*c"), as_json=True)) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "statement": "(a + b + c)^3 >= 27*a*b*c", "given": [], "verdict": "open", "level": None, "certificate": None,
        "counterexample": None,
    }  # fmt: skip
    assert err == f"derive: note: {UNSETTLED}\n"


def test_numbers_are_exact_or_say_that_they_are_not():
    assert number(Fraction(10**59)) == "1" + "0" * 59
    assert number(Fraction(10**100)) == "about 1*10^100"
    assert number(Fraction(-1, 3 * 10**100)) == "about -3.33333333333*10^-101"
    statement = {"define": [["f", ["*", 2, "g"]], ["g", ["sqrt", "h"]]], "given": []}
    assert [number(each) for each in values_at(statement, {"h": Fraction(9)}, ["f", "g", "h"])] == ["6", "3", "9"]


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
