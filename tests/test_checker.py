"""The checker: what it accepts is true at exact points; what changes a value is rejected, and so is nonsense."""

import ast
import json
import operator
import random
import subprocess
import sys
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from derive.proof.checker import Rejected, check, main

CHECKER = Path(__file__).parent.parent / "derive" / "proof" / "checker.py"
INTEGERS, REALS = ("a", "b", "s"), ("x", "y")
FREE = INTEGERS + REALS
SYMBOLS = {**dict.fromkeys(INTEGERS, "positive integer"), **dict.fromkeys(REALS, "positive real")}


def statement(left: Any, right: Any, given: list[Any] | None = None, **fields: Any) -> dict[str, Any]:
    symbols = SYMBOLS | {name: "positive integer" for name, _ in given or []}
    return {"relation": "==", "left": left, "right": right, "symbols": symbols, "given": given or []} | fields


def reason(data: Any) -> str:
    with pytest.raises(Rejected) as caught:
        check(data)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


def value(tree: Any, point: dict[str, Fraction]) -> Fraction:
    """The meaning of a tree, written again and without polynomials."""
    if isinstance(tree, int):
        return Fraction(tree)
    if isinstance(tree, str):
        return point[tree]
    head, *rest = tree
    if head == "^":
        return value(rest[0], point) ** rest[1]
    operands = [value(operand, point) for operand in rest]
    if head == "/":
        return operands[0] / operands[1]
    return {"+": sum, "*": prod, "-": lambda parts: -parts[0]}[head](operands) + Fraction(0)


def value_of_text(text: str, point: dict[str, Fraction]) -> Fraction:
    """The meaning of printed text, read by Python's own parser."""
    operations: dict[type, Any] = {
        ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv
    }  # fmt: skip

    def walk(node: Any) -> Fraction:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return Fraction(node.value)
        if isinstance(node, ast.Name):
            return point[node.id]
        if isinstance(node, ast.UnaryOp):
            return -walk(node.operand)
        assert isinstance(node, ast.BinOp)
        if isinstance(node.op, ast.Pow):
            return walk(node.left) ** int(walk(node.right))
        return operations[type(node.op)](walk(node.left), walk(node.right))

    return walk(ast.parse(text.replace("^", "**"), mode="eval").body)


# Random statements

leaves = st.sampled_from(FREE) | st.integers(1, 40)
positive = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+*/"), inner, inner).map(list),
        st.tuples(st.sampled_from("+*"), inner, inner, inner).map(list),
        st.tuples(st.just("^"), inner, st.integers(-2, 3)).map(list),
    ),
    max_leaves=6,
)
anything = st.recursive(
    leaves | st.integers(-3, 0),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+*/"), inner, inner).map(list),
        st.tuples(st.just("-"), inner).map(list),
        st.tuples(st.just("^"), inner, st.integers(-2, 2)).map(list),
    ),
    max_leaves=6,
)
signed = st.recursive(
    positive,
    lambda inner: st.one_of(
        st.tuples(st.just("-"), inner).map(list),
        st.tuples(st.sampled_from("+*"), inner, inner).map(list),
        st.tuples(st.just("/"), inner, positive).map(list),
    ),
    max_leaves=3,
)
whole = st.integers(1, 9).map(Fraction)
points = st.fixed_dictionaries(
    dict.fromkeys(INTEGERS, whole) | {name: st.builds(Fraction, st.integers(1, 9), st.integers(1, 9)) for name in REALS}
)
seeds = st.integers(0, 2**32).map(random.Random)
DIVISORS = ("a", 3, ["+", "a", "b", -1], ["+", "x", ["/", 1, "s"]], ["-", ["+", ["-", "y"], ["-", "b"]]])


def rewritten(tree: Any, rng: random.Random, often: float = 0.5) -> Any:
    """Another tree of the same value wherever the tree has one."""
    if isinstance(tree, list):
        head, *rest = tree
        last = rest.pop() if head == "^" else None
        tree = [head, *(rewritten(operand, rng, often) for operand in rest)] + ([last] if head == "^" else [])
    if rng.random() < often:
        tree = rng.choice([rule for rule in RULES if rule(tree, rng) is not None])(tree, rng)
    return tree


def expanded(tree: Any, _: random.Random) -> Any:
    if isinstance(tree, list) and tree[0] == "*" and isinstance(tree[1], list) and tree[1][0] == "+":
        return ["+", *(["*", term, *tree[2:]] for term in tree[1][1:])]
    return None


def turned(tree: Any, rng: random.Random) -> Any:
    return [tree[0], *rng.sample(tree[1:], len(tree) - 1)] if isinstance(tree, list) and tree[0] in "+*" else None


def by_power(tree: Any, _: random.Random) -> Any:
    return ["*", tree[1], ["^", tree[2], -1]] if isinstance(tree, list) and tree[0] == "/" else None


def unrolled(tree: Any, _: random.Random) -> Any:
    return (
        ["*", tree[1], ["^", tree[1], tree[2] - 1]]
        if isinstance(tree, list) and tree[0] == "^" and tree[2] > 1
        else None
    )


def scaled(tree: Any, rng: random.Random) -> Any:
    divisor = rng.choice(DIVISORS)
    return ["/", ["*", divisor, tree], divisor]


def balanced(tree: Any, rng: random.Random) -> Any:
    added = rng.choice(FREE)
    return ["+", tree, added, ["-", added]]


def wrapped(tree: Any, rng: random.Random) -> Any:
    return rng.choice((["-", ["-", tree]], ["^", tree, 1], ["+", 0, tree], ["*", tree, 1]))


RULES = (expanded, turned, by_power, unrolled, scaled, balanced, wrapped)


def mutant(tree: Any, rng: random.Random) -> Any:
    """The tree with one small change somewhere."""
    if isinstance(tree, int):
        return tree + rng.choice((-1, 1))
    if isinstance(tree, str):
        return rng.choice([name for name in FREE if name != tree])
    head, *rest = tree
    places = [place for place, operand in enumerate(rest) if head != "^" or place == 0]
    if rng.random() < 0.6:
        place = rng.choice(places)
        return [head, *rest[:place], mutant(rest[place], rng), *rest[place + 1 :]]
    if head == "^":
        return [head, rest[0], rest[1] + rng.choice((-1, 1))]
    if head == "-":
        return rest[0]
    if rng.random() < 0.5 and len(rest) == 2:
        return rng.choice(rest)
    return [rng.choice([other for other in "+*/" if other != head]), *rest[:2]]


@settings(max_examples=150, deadline=None)
@given(signed, seeds, points)
def test_rewriting_is_accepted(tree, rng, point):
    right = rewritten(tree, rng)
    printed = check(statement(tree, right))
    assert value(tree, point) == value(right, point)
    scope, equation = printed.split(": ")
    assert scope == "for all positive integers a, b, s and positive reals x, y"
    left_text, right_text = equation.split(" == ")
    assert value_of_text(left_text, point) == value_of_text(right_text, point) == value(tree, point)


@settings(max_examples=150, deadline=None)
@given(signed, seeds, st.lists(points, min_size=3, max_size=3))
def test_mutants_that_change_a_value_are_rejected(tree, rng, some):
    right = mutant(rewritten(tree, rng, 0.2), rng)
    try:
        changed = any(value(tree, point) != value(right, point) for point in some)
    except ZeroDivisionError:
        changed = True
    assume(changed)
    assert reason(statement(tree, right)).startswith(("the sides differ: ", "the divisor ", "an exponent "))


@settings(max_examples=400, deadline=None)
@given(anything, anything, seeds, st.lists(points, min_size=4, max_size=4))
def test_what_is_accepted_is_true(left, other, rng, some):
    """Divisors may be anything here: an accepted statement has a value, the same on both sides, at every point."""
    for right in (other, rewritten(left, rng, 0.3), mutant(left, rng)):
        try:
            check(statement(left, right))
        except Rejected:
            continue
        for point in some:
            assert value(left, point) == value(right, point)


@settings(max_examples=100, deadline=None)
@given(positive, signed, seeds, points)
def test_givens_are_used(definition, tree, rng, point):
    def put(node: Any) -> Any:
        return "f" if node == "a" else [node[0], *map(put, node[1:])] if isinstance(node, list) else node

    def take(node: Any) -> Any:
        return definition if node == "f" else [node[0], *map(take, node[1:])] if isinstance(node, list) else node

    left, right = put(tree), rewritten(take(put(tree)), rng, 0.2)
    check(statement(left, right, [["f", definition]]))
    assert value(left, point | {"f": value(definition, point)}) == value(right, point)
    if value(right, point):
        assert "the sides differ" in reason(statement(left, ["*", 2, right], [["f", definition]]))


# What is known

SBH = dict.fromkeys("sbhatfdpm", "positive integer")


@pytest.mark.parametrize(
    ("left", "right", "given", "printed"),
    [
        (
            ["*", "s", "b", "h", ["+", 34, ["/", ["*", 5, "a", "s"], "h"]]],
            ["+", ["*", 34, "s", "b", "h"], ["*", 5, "a", ["^", "s", 2], "b"]],
            [],
            "for all positive integers s, b, h, a, t, f, d, p, m: s*b*h*(34 + 5*a*s/h) == 34*s*b*h + 5*a*s^2*b",
        ),
        (
            ["+", ["*", 4, "h", "a", "d"], ["*", 2, "h", "f"]],
            ["*", 12, ["^", "h", 2]],
            [["f", ["*", 4, "h"]], ["d", ["/", "h", "a"]]],
            "for all positive integers s, b, h, a, t, p, m: 4*h*a*d + 2*h*f == 12*h^2 given f == 4*h and d == h/a",
        ),
        (
            ["-", ["-", ["/", "m", ["+", "p", -1, "m"]]]],
            ["/", "m", ["+", "p", ["-", 1], "m"]],
            [],
            "for all positive integers s, b, h, a, t, f, d, p, m: -(-m/(p + (-1) + m)) == m/(p - 1 + m)",
        ),
        (
            ["+", "s", ["-", ["+", "b", ["-", "h"]]], ["-", ["*", "a", ["/", "s", ["*", "b", "h"]]]]],
            ["-", ["+", ["-", "s"], ["-", "h"], "b", ["/", ["*", "a", "s"], ["*", "b", "h"]]]],
            [],
            "for all positive integers s, b, h, a, t, f, d, p, m: "
            "s - (b - h) - a*(s/(b*h)) == -(-s - h + b + a*s/(b*h))",
        ),
        (2, ["^", ["/", 1, 2], -1], [], "for all positive integers s, b, h, a, t, f, d, p, m: 2 == (1/2)^(-1)"),
    ],
)
def test_printed(left, right, given, printed):
    assert check(statement(left, right, given, symbols=SBH)) == printed


def test_without_symbols():
    assert check(statement(["+", 2, 2], ["^", -2, 2], symbols={})) == "2 + 2 == (-2)^2"


def test_the_difference_is_given():
    left = ["*", "s", "b", ["+", 34, ["/", "a", "x"]]]
    assert reason(statement(left, ["*", 34, "s", "b"])) == "the sides differ: left - right has the numerator 1*a*b*s"
    long = statement(["^", ["+", *FREE], 3], 0)
    assert reason(long).endswith("6*a*b*s + 6*a*b*x + 6*a*b*y + 3*a*b^2 + ... (35 terms)")


# What is rejected

NOT_POSITIVE = [
    ["+", "a", ["-", "b"]],  # 0 at a = b
    ["+", "a", -1],  # 0 at a = 1
    ["+", "x", -1],  # a real is only > 0
    ["+", "x", "y", -1],
    ["+", "a", ["-", "a"]],
    ["-", "a"],
    0,
    ["*", 0, "a"],
    ["*", ["+", "a", -1], "x"],
]


@pytest.mark.parametrize("divisor", NOT_POSITIVE)
@pytest.mark.parametrize("put", [lambda d: ["/", 1, d], lambda d: ["^", d, -2], lambda d: ["^", d, 0]])
def test_divisors_that_may_be_zero(divisor, put):
    for pair in ((put(divisor), put(divisor)), (["*", 0, put(divisor)], 0), (0, ["*", 0, put(divisor)])):
        assert reason(statement(*pair)).startswith("the divisor ")
    assert "the divisor " in reason(statement("f", "f", [["f", ["+", 1, ["*", 0, put(divisor)]]]]))


@pytest.mark.parametrize("definition", NOT_POSITIVE)
def test_givens_that_may_not_hold(definition):
    assert reason(statement("f", "f", [["f", definition]])).endswith("is not shown to be positive")


@pytest.mark.parametrize(
    "divisor",
    [["+", "a", "b", -1], ["+", "a", "x", -1], ["+", ["*", "a", "b"], ["-", "a"], "x"], ["^", ["+", "a", -1, "y"], 3]],
)
def test_divisors_that_are_positive(divisor):
    assert check(statement(["/", divisor, divisor], 1))


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


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (0.5, "0.5 is not an expression"),
        (1.0, "1.0 is not an expression"),
        (float("nan"), "nan is not an expression"),
        (True, "True is not an expression"),
        (None, "None is not an expression"),
        ({"+": [1, 2]}, "a dict is not an expression"),
        (("+", 1, 2), "a tuple is not an expression"),
        ([], "a list is not an expression"),
        ("1", "'1' is not a declared symbol"),
        ("q", "'q' is not a declared symbol"),
        ("", "'' is not a declared symbol"),
        ("a\n" * 100, "is not a declared symbol"),
        ([1, "a", 2], "unknown operation a int"),
        ([["+"], "a", 2], "unknown operation a list"),
        (["sqrt", "a"], "unknown operation 'sqrt'"),
        (["max", "a", "b"], "unknown operation 'max'"),
        (["+"], "'+' with 0 operands"),
        (["+", "a"], "'+' with 1 operands"),
        (["*", "a"], "'*' with 1 operands"),
        (["-", "a", "b"], "'-' with 2 operands"),
        (["-"], "'-' with 0 operands"),
        (["/", "a", "b", "s"], "'/' with 3 operands"),
        (["^", "a"], "'^' with 1 operands"),
        (["^", "a", "b"], "an exponent is not an integer from -64 to 64"),
        (["^", "a", 65], "an exponent is not an integer from -64 to 64"),
        (["^", "a", -(10**100)], "an exponent is not an integer from -64 to 64"),
        (["^", "a", True], "an exponent is not an integer from -64 to 64"),
        (["^", "a", 2.0], "an exponent is not an integer from -64 to 64"),
        (["^", "a", ["-", 2]], "an exponent is not an integer from -64 to 64"),
        (nested(200), "an expression is nested more than 200 deep"),
        (nested(100_000), "an expression is nested more than 200 deep"),
        (looped, "an expression is nested more than 200 deep"),
        (doubled(190), "the statement takes too much work"),
        (["+", *["a"] * 100_000], "the statement takes too much work"),
        (1 << 2048, "an integer has more than 2048 bits"),
        (["^", (1 << 2048) - 1, 64], "a coefficient gets more than 2048 bits"),
        (["^", ["^", "a", 64], 64], "a degree gets higher than 1000"),
        (["^", ["+", *FREE, ["*", "a", "b"], ["*", "x", "y"]], 60], "a polynomial gets more than 20000 monomials"),
        (["/", 1, ["+", ["^", ["*", *FREE], 64], -1]], "a polynomial gets more than 20000 monomials"),
    ],
)
def test_trees_that_are_rejected(tree, text):
    assert text in reason(statement(1, tree))


def test_givens_are_read_like_sides():
    assert reason(statement(1, 1, [["f", 0.5]])) == "0.5 is not an expression"
    assert reason(statement(1, 1, [["f", "q"]])) == "'q' is not a free symbol"
    assert reason(statement(0.5, 1)) == "0.5 is not an expression"


HUGE = {f"x{n}": "positive real" for n in range(201)}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (None, "None is not a statement"),
        ([], "a list is not a statement"),
        ({}, "missing field 'relation'"),
        (statement(1, 1, extra=1), "unknown field 'extra'"),
        (statement(1, 1) | {1: 1}, "unknown field a int"),
        ({k: v for k, v in statement(1, 1).items() if k != "given"}, "missing field 'given'"),
        (statement(1, 1, relation="="), "unknown relation '='"),
        (statement(1, 2, relation="<="), "unknown relation '<='"),
        (statement(1, 1, relation=["=="]), "unknown relation a list"),
        (statement(1, 1, symbols=["a"]), "'symbols' is not an object"),
        (statement(1, 1, symbols=HUGE), "more than 200 symbols"),
        (statement(1, 1, symbols={"a": "integer"}), "symbol a is of the unknown kind 'integer'"),
        (statement(1, 1, symbols={"a": 1}), "symbol a is of the unknown kind a int"),
        (statement(1, 1, symbols={"a": ["positive integer"]}), "symbol a is of the unknown kind a list"),
        *(
            (statement(1, 1, symbols={name: "positive real"}), "cannot be the name of a symbol")
            for name in ("", "1", "-1", "a b", "a\n", "η", "а", "_a", "a*b", "x" * 41, "given", "for", "and", 7)
        ),
        (statement(1, 1) | {"given": {"f": 1}}, "'given' is not a list"),
        (statement(1, 1) | {"given": ["ab"]}, "a given is not a symbol and its expression"),
        (statement(1, 1) | {"given": [["a"]]}, "a given is not a symbol and its expression"),
        (statement(1, 1) | {"given": [["f", 1]]}, "'given' defines 'f', which is not declared"),
        (statement(1, 1) | {"given": [[1, 1]]}, "'given' defines a int, which is not declared"),
        (statement(1, 1) | {"given": [[["a"], 1]]}, "'given' defines a list, which is not declared"),
        (statement(1, 1, [["f", 1], ["f", 2]]), "'given' defines f twice"),
        (statement(1, 1, [["f", ["+", "f", 1]]]), "'f' is not a free symbol"),
        (statement(1, 1, [["f", "f"]]), "'f' is not a free symbol"),
        (statement(1, 1, [["f", "g"], ["g", "f"]]), "'g' is not a free symbol"),
        (statement(1, 1, [["f", "a"], ["g", "f"]]), "'f' is not a free symbol"),
        (statement(1, 1, [["f", 0]]), "f == 0 is not shown to be positive"),
        (statement(1, 1, [["f", -2]]), "f == -2 is not shown to be positive"),
        (statement("f", 1, [["f", ["+", "a", ["-", "b"]]]]), "f == a - b is not shown to be positive"),
        (statement("a", "b"), "the sides differ: left - right has the numerator 1*a + -1*b"),
        (statement("f", "b", [["f", "a"]]), "the sides differ: left - right has the numerator 1*a + -1*b"),
    ],
)
def test_statements_that_are_rejected(data, text):
    assert text in reason(data)


def test_no_stack_is_left():
    def call(levels: int) -> str:
        return call(levels - 1) if levels else reason(statement(nested(150), nested(150)))

    assert call(sys.getrecursionlimit() - 300) == "no stack is left to read the statement"


# Files

GOOD = statement(["*", 2, "a"], ["+", "a", "a"])
ACCEPTED = "for all positive integers a, b, s and positive reals x, y: 2*a == a + a"


def test_main(tmp_path, capsys):
    good, mixed = tmp_path / "good.json", tmp_path / "mixed.json"
    good.write_text(json.dumps([GOOD, GOOD]))
    mixed.write_text(json.dumps([GOOD, statement("a", "b")]))
    assert main([str(good)]) == 0
    assert capsys.readouterr().out == f"{good}[0]: accepted: {ACCEPTED}\n{good}[1]: accepted: {ACCEPTED}\n"
    assert main([str(good), str(mixed)]) == 1
    assert "mixed.json[1]: rejected: the sides differ" in capsys.readouterr().out
    assert main([]) == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "rejected: Expecting value"),
        (b"\xff\xfe", "rejected: 'utf-8' codec can't decode"),
        (b"[]", "rejected: not a list of one statement or more"),
        (b"{}", "rejected: not a list of one statement or more"),
        (b'[{"left": 1, "left": 1}]', "rejected: duplicate key 'left'"),
        (
            json.dumps([GOOD]).encode().replace(b'{"a": ', b'{"a": "positive real", "a": '),
            "rejected: duplicate key 'a'",
        ),
        (json.dumps([GOOD]).encode().replace(b"2", b"2.0"), "[0]: rejected: 2.0 is not an expression"),
        (json.dumps([GOOD]).encode().replace(b"2", b"2e0"), "[0]: rejected: 2.0 is not an expression"),
        (json.dumps([GOOD]).encode().replace(b"2", b"NaN"), "[0]: rejected: nan is not an expression"),
        (json.dumps([GOOD]).encode().replace(b"2", b"Infinity"), "[0]: rejected: inf is not an expression"),
        (json.dumps([GOOD]).encode().replace(b"2", b"true"), "[0]: rejected: True is not an expression"),
        (json.dumps([GOOD]).encode().replace(b"2", b"9" * 1000), "[0]: rejected: an integer has more than 2048 bits"),
        (json.dumps([GOOD]).encode().replace(b"2", b"9" * 10_000), "rejected: Exceeds the limit"),
        (b"[" * 100_000 + b"]" * 100_000, "rejected: maximum recursion depth exceeded"),
        (b" " * (2**24 + 1), "rejected: more than 16777216 bytes"),
    ],
)
def test_files_that_are_rejected(tmp_path, capsys, content, text):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    assert main([str(path)]) == 1
    out = capsys.readouterr().out
    assert text in out
    assert "accepted" not in out
    assert out.count("\n") == 1


def test_missing_file(tmp_path, capsys):
    assert main([str(tmp_path / "none.json")]) == 1
    assert "No such file" in capsys.readouterr().out


# Trust


@pytest.mark.parametrize("flags", [[], ["-I", "-S"]])
def test_runs_as_a_plain_script(tmp_path, flags):
    path = tmp_path / "good.json"
    path.write_text(json.dumps([GOOD]))
    copy = tmp_path / "alone.py"
    copy.write_bytes(CHECKER.read_bytes())
    for script in (CHECKER, copy):
        command = [sys.executable, *flags, str(script), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{path}[0]: accepted: {ACCEPTED}\n", "")


def test_needs_neither_sympy_nor_this_package(tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import checker; "
        "print(checker.check({'relation': '==', 'left': 1, 'right': 1, 'symbols': {}, 'given': []})); "
        "print([name for name in ('sympy', 'derive') if name in sys.modules])"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(CHECKER.parent)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "1 == 1\n[]\n")


def test_imports_the_standard_library_only():
    nodes = list(ast.walk(ast.parse(CHECKER.read_text())))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names
    siblings = {path.stem for path in CHECKER.parent.glob("*.py")}
    assert not siblings & sys.stdlib_module_names  # run as a script, the checker would import them instead
