"""Certificates for the tests of the checker: one good proof for each of its rules, and the reason of a rejection."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from derive.grammar import parse, parse_relation
from derive.proof.checker import Rejected, check
from derive.tree import to_lists

CHECKER = Path(__file__).parent.parent / "derive" / "proof" / "checker.py"
KINDS = {
    "a": "positive integer", "b": "positive integer", "i": "natural number", "k": "integer",
    "x": "positive real", "y": "nonnegative real", "z": "real",
}  # fmt: skip

Certificate = dict[str, Any]


def tree(text: str) -> Any:
    """The nested lists of an expression."""
    return to_lists(parse(text))


def relation(text: str) -> list[Any]:
    """The nested lists of a relation, its operator first."""
    read = parse_relation(text)
    return [read.operator, to_lists(read.left), to_lists(read.right)]


def certificate(text: str, *steps: Any, given: tuple[str, ...] = (), **fields: Any) -> Certificate:
    """A relation between symbols of all kinds, with its steps; other fields as the checker reads them."""
    goal = dict(zip(("relation", "left", "right"), relation(text), strict=True))
    made = {"symbols": KINDS, "define": [], "given": [*map(relation, given)], "witness": {}, "steps": [*steps]}
    return made | goal | fields


def combine(text: str, *terms: Any, times: str = "1") -> list[Any]:
    """The step that adds a relation, which, times a factor, is a sum of terms: trees as text, and places of facts."""
    return ["combine", *relation(text), tree(times), [[tree(weight), *places] for weight, *places in terms]]


def of(text: str) -> list[Any]:
    """The step that adds what the value of a call obeys."""
    return ["of", tree(text)]


def whole(left: str, right: str, place: int) -> list[Any]:
    """The step that adds a relation of integers, because a fact says that one more is positive."""
    return ["whole", tree(left), tree(right), place]


def cases(text: str, *proofs: list[Any]) -> list[Any]:
    """The step with a branch for each operand of an extremum."""
    return ["cases", tree(text), *proofs]


# By rule: a certificate that is accepted, each of whose steps is needed.
GOOD: dict[str, Certificate] = {
    "identity": certificate("(a + z)^2/x == a^2/x + 2*a*z/x + z^2/x"),
    "signs": certificate("a + b <= a*b + 1"),
    "signs, strictly": certificate("0 < i*y + z^2 + x"),
    "a given": certificate("z <= k", given=("z <= k",)),
    "two inequalities": certificate("k == z", given=("k <= z", "z <= k")),
    "a divisor that a given shows to be positive": certificate(
        "(a - k)/(a - k) == 1", given=("k < a",), witness={"k": 0}
    ),
    "a definition": certificate(
        "d*h == 4*a", symbols=KINDS | {"d": "positive real", "h": "positive integer"},
        define=[["h", tree("4*b")], ["d", tree("a*4/h")]],
    ),
    "of a square root": certificate("sqrt(y)^2 == y", of("sqrt(y)")),
    "of a root": certificate("(x^(2/3))^3 == x^2", of("x^(2/3)")),
    "of a maximum": certificate("k <= max(a, k)", of("max(a, k)")),
    "of a minimum": certificate("min(a, z) <= z", of("min(a, z)")),
    "of a ceiling": certificate("ceil(a/b) < a/b + 1", of("ceil(a/b)")),
    "of a floor": certificate("floor(z) <= z", of("floor(z)")),
    "square": certificate("2*z <= z^2 + 1", ["square", tree("z - 1")]),
    "combine, ==": certificate(
        "z^2 == 2*k*z", combine("z^2 == 2*k*z", ("z", 0)), given=("z == 2*k",), witness={"z": 2}
    ),
    "combine, <=": certificate("k*b <= z*b", combine("k*b <= z*b", ("b", 0)), given=("k <= z",)),
    "combine, <": certificate("k*x < z*x", combine("k*x < z*x", ("x", 0)), given=("k < z",), witness={"z": 2}),
    "combine, with a factor": certificate(
        "1/x <= z + 1", combine("1/x <= z + 1", ("1", 0), ("x",), times="x"), given=("1 <= x*z",)
    ),
    "combine, a product of facts": certificate(
        "0 < (z - k)*(x - z)", combine("0 < (z - k)*(x - z)", ("1", 0, 1)), given=("k < z", "z < x"),
        witness={"z": 2, "x": 3},
    ),
    "whole": certificate("k + 1 <= a", whole("k + 1", "a", 0), given=("k < a",), witness={"k": 0}),
    "whole, of a ceiling": certificate(
        "ceil(a/b)*b <= a + b - 1",
        of("ceil(a/b)"), combine("0 < a + b - ceil(a/b)*b", ("b", 1)), whole("ceil(a/b)*b", "a + b - 1", 2),
    ),
    "cases": certificate(
        "max(a, z) <= a + z^2 + 1",
        cases(
            "max(a, z)",
            [combine("max(a, z) <= a + z^2 + 1", ("1", 0), ("z^2 + 1",))],
            [
                ["square", tree("2*z - 1")],
                combine("max(a, z) <= a + z^2 + 1", ("4", 0), ("1", 1), ("4*a + 3",), times="4"),
            ],
        ),
    ),
    "an impossible case": certificate(
        "max(1, 2) == 2", cases("max(1, 2)", [of("max(1, 2)"), combine("1 <= 0", ("1", 2), ("1", 0))], [])
    ),
    "a power": certificate("a^b/(1 + a^b) < 1"),
}  # fmt: skip


def reason(data: Any) -> str:
    """Why a certificate is rejected, which is one short line."""
    with pytest.raises(Rejected) as caught:
        check(data)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 300
    return text


def paths(data: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every part of nested lists and objects, and where it stands."""
    yield before, data
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in items:
        yield from paths(part, (*before, key))


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The same with another value at one place."""
    if not path:
        return value
    first, *rest = path
    copy = data.copy()
    copy[first] = changed(data[first], tuple(rest), value)
    return copy
