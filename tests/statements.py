"""Statements of a person's own: how they are written here, and some that hold."""

from argparse import Namespace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CHECKER = ROOT / "derive" / "proof" / "checker.py"


UNSETTLED = "neither a proof nor a counterexample was found"

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


def words(value: Any) -> str:
    return str(value)[:60]


def options(this: Case, *, as_json: bool = False) -> Namespace:
    statement, hypotheses, real = this
    return Namespace(statement=statement, given=list(hypotheses), real=list(real), json=as_json)
