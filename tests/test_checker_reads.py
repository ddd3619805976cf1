"""The checker reads plain data only, within limits that keep any input from taking long."""

import sys
import time
from typing import Any

import pytest

from derive.proof.checker import MAX_WORK, Rejected, check
from tests.checking import GOOD, KINDS, certificate, paths, reason


class Sly(list):
    """A list that is another one at every look."""


class Word(str):
    """Text that prints as something else, and equals everything."""

    def __eq__(self, _: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("real")

    def __format__(self, _: str) -> str:
        return "positive real"


def nested(levels: int) -> Any:
    tree: Any = "a"
    for _ in range(levels):
        tree = ["-", tree]
    return tree


def doubled(levels: int) -> Any:
    tree: Any = "a"
    for _ in range(levels):
        tree = ["+", tree, tree]
    return tree


looped: list[Any] = ["+", "a"]
looped.append(looped)

TREES: list[tuple[Any, str]] = [
    (0.5, "not readable: 0.5"),
    (1.0, "not readable: 1.0"),
    (float("nan"), "not readable: nan"),
    (True, "not readable: True"),
    (None, "not readable: None"),
    ({"+": [1, 2]}, "not readable: {'+': [1, 2]}"),
    (("+", 1, 2), "not readable: ('+', 1, 2)"),
    (Sly(["+", "a", "a"]), "not readable: ['+', 'a', 'a']"),
    (["+", "a", Sly(["-", "a"])], "not readable: ['-', 'a']"),
    (Word("a"), "not readable: 'a'"),
    ([Word("+"), "a", "a"], "not readable: '+'"),
    (["^", "a", True], "not readable: True"),
    (["^", "a", 2.0], "not readable: 2.0"),
    ([], "not an expression: ()"),
    ("1", "'1' is not a symbol that may stand here"),
    ("q", "'q' is not a symbol that may stand here"),
    ("[0]", "'[0]' is not a symbol that may stand here"),
    ("", "'' is not a symbol that may stand here"),
    ("а", r"'\u0430' is not a symbol that may stand here"),  # a Cyrillic letter
    ("a\n" * 100, "is not a symbol that may stand here"),
    ([1, "a", 2], "not an expression: (1, 'a', 2)"),
    ([["+"], "a", 2], "not an expression: (('+',), 'a', 2)"),
    (["a"], "not an expression: ('a',)"),
    (["log", "a"], "not an expression: ('log', 'a')"),
    *((["+", "*"][n % 2 :][:1] + ["a"] * (n // 2), "not an expression: (") for n in range(4)),
    (["-", "a", "b"], "not an expression: ('-', 'a', 'b')"),
    (["-"], "not an expression: ('-',)"),
    (["/", "a"], "not an expression: ('/', 'a')"),
    (["/", "a", "b", "x"], "not an expression: ('/', 'a', 'b', 'x')"),
    (["^", "a"], "not an expression: ('^', 'a')"),
    (["sqrt", "x", "x"], "not an expression: ('sqrt', 'x', 'x')"),
    (["ceil"], "not an expression: ('ceil',)"),
    (["max", "x"], "not an expression: ('max', 'x')"),
    (["min"], "not an expression: ('min',)"),
    (nested(200), "not readable: ["),
    (nested(100_000), "not "),  # readable, or of the form of a certificate: Python's stack ends first
    (looped, "not "),
    (1 << 2048, "not readable: 32317006071311007300714876688"),
    (-(1 << 2048), "not readable: -32317006071311007300714876688"),
    (10**10_000, "not of the form of a certificate: ValueError: Exceeds the limit"),
]


@pytest.mark.parametrize(("tree", "text"), TREES, ids=range(len(TREES)))
def test_trees_that_are_rejected(tree: Any, text: str):
    fields = {"left": [["left", tree], ["right", 1]], "right": [["left", 1], ["right", tree]]}
    for each in (dict(pairs) for pairs in fields.values()):
        assert text in reason(certificate("1 == 1") | each)
    for each in (
        {"given": [["<=", 1, tree]]},
        {"steps": [["square", tree]]},
        {"define": [["f", tree]], "symbols": KINDS | {"f": "positive real"}},
    ):
        assert text in reason(certificate("1 == 1") | each)


LARGE: list[tuple[Any, str]] = [
    (doubled(190), "the statement takes too much work"),
    (["+", *["a"] * 100_000], "the statement takes too much work"),
    (["^", (1 << 2048) - 1, 64], "a polynomial is too large"),
    (["^", ["^", "x", 64], 64], "a polynomial is too large"),
    (["^", ["+", *KINDS, ["*", "a", "b"], ["*", "x", "y"]], 60], "a polynomial is too large"),
]


@pytest.mark.parametrize(("tree", "text"), LARGE, ids=range(len(LARGE)))
def test_trees_that_are_too_large(tree: Any, text: str):
    assert reason(certificate("1 == 1", right=tree)) == text


def test_190_levels_are_read():
    assert check(certificate("1 == 1", left=nested(190), right="a"))


def test_no_stack_is_left():
    def call(levels: int) -> str:
        return call(levels - 1) if levels else reason(certificate("1 == 1", left=nested(190), right=nested(190)))

    assert call(sys.getrecursionlimit() - 300).startswith("not of the form of a certificate: RecursionError")


# ---- certificates ----

ONE = certificate("1 == 1")
HUGE = {f"x{n}": "positive real" for n in range(201)}
NOT_NAMES = (
    "",
    "1",
    "-1",
    "a b",
    "a\n",
    "\na",
    "η",
    "а",
    "_a",
    "a*b",
    "x" * 41,
    "[0]",
    "given",
    "for",
    "every",
    "and",
    "max",
)
DATA: list[tuple[Any, str]] = [
    (None, "not of the form of a certificate: TypeError"),
    ([], "not the fields of a certificate: []"),
    ({}, "not the fields of a certificate: []"),
    (ONE | {"extra": 1}, "not the fields of a certificate: ['define', 'extra', "),
    (ONE | {1: 1}, "not of the form of a certificate: TypeError"),
    *(({key: ONE[key] for key in ONE if key != missing}, "not the fields of a certificate: [") for missing in ONE),
    (ONE | {"relation": "="}, "unknown relation '='"),
    (ONE | {"relation": "!="}, "unknown relation '!='"),
    (ONE | {"relation": ["=="]}, "unknown relation ('==',)"),
    (ONE | {"relation": ""}, "unknown relation ''"),
    (ONE | {"symbols": ["a"]}, "not of the form of a certificate: AttributeError"),
    (ONE | {"symbols": HUGE}, "what is defined is not declared, or twice"),
    *((ONE | {"symbols": {name: "real"}}, " cannot be a 'real'") for name in NOT_NAMES),
    (ONE | {"symbols": {7: "real"}}, "not of the form of a certificate: TypeError"),
    (ONE | {"symbols": {None: "real"}}, "not readable: None"),
    *((ONE | {"symbols": {"a": kind}}, "'a' cannot be a ") for kind in ("", "complex", "Real", "real ", 1, ["real"])),
    (ONE | {"symbols": {"a": Word("real")}}, "not readable: 'real'"),
    (ONE | {"symbols": {Word("a"): "real"}}, "not readable: 'a'"),
    (ONE | {"symbols": {"a": None}}, "not readable: None"),
    (ONE | {"define": {"f": 1}}, "not readable: {'f': 1}"),
    (ONE | {"define": [["f", 1]]}, "what is defined is not declared, or twice"),
    (ONE | {"define": [["a"]]}, "not of the form of a certificate: ValueError"),
    (ONE | {"define": [["a", 1], ["a", 2]]}, "what is defined is not declared, or twice"),
    (ONE | {"define": [["a", 1], ["a", 1], ["q", 1]]}, "what is defined is not declared, or twice"),
    (ONE | {"define": [[1, 1]]}, "what is defined is not declared, or twice"),
    (ONE | {"define": [["a", "a"]]}, "'a' is not a symbol that may stand here"),
    (ONE | {"define": [["a", ["+", "a", 1]]]}, "'a' is not a symbol that may stand here"),
    (ONE | {"define": [["a", "b"], ["b", "a"]]}, "'b' is not a symbol that may stand here"),
    (ONE | {"define": [["a", "b"], ["b", 1]]}, "'b' is not a symbol that may stand here"),  # not yet defined
    (ONE | {"given": {}}, "not readable: {}"),
    (ONE | {"given": ["a"]}, "not of the form of a certificate: TypeError"),
    (ONE | {"given": [["<="]]}, "not of the form of a certificate: TypeError"),
    (ONE | {"given": [["<", 1, "a", "b"]]}, "not of the form of a certificate: TypeError"),
    (ONE | {"given": [["=", 1, "a"]]}, "unknown relation '='"),
    (ONE | {"given": [["<=", 1, "a"]], "witness": None}, "not of the form of a certificate: AttributeError"),
    (ONE | {"given": [["<=", 1, "a"]], "witness": [["a", 1]]}, "not of the form of a certificate: AttributeError"),
    (ONE | {"steps": None}, "not readable: None"),
    (ONE | {"steps": {"a": 1}}, "not readable: {'a': 1}"),
    (ONE | {"steps": "of"}, "unknown step 'o'"),
    (ONE | {"steps": 1}, "not of the form of a certificate: TypeError"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "text"), DATA, ids=range(len(DATA)))
def test_data_that_is_rejected(data: Any, text: str):
    assert text in reason(data)


def test_of_some_fields_nothing_is_claimed():
    for value in (None, 1.5, "anything", [True], {"a": 1}):
        assert check(ONE | {"name": value, "equality": value, "digest": value}) == check(ONE)


def test_a_definition_may_use_those_before_it():
    kinds = {"a": "positive integer", "f": "positive integer", "g": "positive real"}
    data = certificate("g == a*2", symbols=kinds, define=[["f", ["*", 4, "a"]], ["g", ["/", "f", 2]]])
    assert check(data) == "for every positive integer a: g == a*2 given f == 4*a and g == f/2"


@pytest.mark.parametrize("name", GOOD)
def test_parts_of_a_good_proof_that_are_no_data(name: str):
    """One part of a certificate at a time is nothing, a float, a truth value, an object or a list."""
    for path, _ in paths({key: GOOD[name][key] for key in ("define", "given", "relation", "left", "right", "steps")}):
        for value in (None, 1.0, {}, True) if path else ():
            data = GOOD[name] | {path[0]: _at(GOOD[name][path[0]], path[1:], value)}
            assert reason(data).startswith("not readable: ")


def _at(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    return [_at(each, path[1:], value) if n == path[0] else each for n, each in enumerate(data)] if path else value


# ---- work ----

P, REAL = "positive integer", "positive real"
LONG = ["*", *(["+", *(["^", name, k] for k in range(1, 60))] for name in "xy")]
SLOW: dict[str, dict[str, Any]] = {
    "a large power of integers": {"right": ["^", ["+", "a", "b", ["-", "c"]], 24], "symbols": dict.fromkeys("abc", P)},
    "a maximum of long sums": {
        "right": ["max", *["f"] * 20_000], "define": [["f", LONG]], "symbols": dict.fromkeys("xyf", REAL)
    },
    "a sum of long divisors": {
        "right": ["+", *["g", "h"] * 10_000], "symbols": dict.fromkeys("xyfgh", REAL),
        "define": [["f", LONG], ["g", ["/", 1, "f"]], ["h", ["/", 2, "f"]]],
    },
    "many calls": {"right": ["+", *(["ceil", ["/", n, 7]] for n in range(250))]},
    "many facts": {
        "given": [["<=", 0, ["+", "f", ["*", n, "z"]]] for n in range(2_000)], "right": ["max", *["f"] * 5_000],
        "define": [["f", ["+", *(["^", "x", k] for k in range(1, 40))]]], "witness": {"z": 0},
        "symbols": {"x": REAL, "f": REAL, "z": "real"},
    },
    "many branches": {"steps": [["cases", ["max", *range(2_000)], *[[["square", "a"]] * 100] * 2_000]]},
    "many steps": {"steps": [["square", "a"]] * 100_000},
    "a long string": {"right": "a" * 10**7},
    "long fractions": {"right": ["+", *(["/", 1, ["+", "x", "y", n]] for n in range(1, 60))]},
}  # fmt: skip


@pytest.mark.parametrize("name", SLOW)
def test_nothing_takes_long(name: str):
    """Seconds at most, on a slow machine: a unit of work is about a microsecond."""
    start = time.process_time()
    with pytest.raises(Rejected):
        check(certificate("1 == 2") | SLOW[name])
    assert time.process_time() - start < 5e-6 * MAX_WORK
