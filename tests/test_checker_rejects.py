"""The checker rejects what is not shown, not read or too large, alone and with nothing installed."""

import ast
import json
import subprocess
import sys
from typing import Any

import pytest

from derive.proof.checker import check, main
from tests.checking import CHECKER, FREE, reason, statement

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
        (statement(1, 2, relation="<"), "unknown relation '<'"),
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
