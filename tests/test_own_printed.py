"""What is printed of a person's own statement, as text and as JSON."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from derive.cli import own as command
from derive.proof.own.worth import number, values_at
from tests.statements import CHECKER, PROVED, UNSETTLED, Case, case, options, words

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
