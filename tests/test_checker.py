"""The checker: what it accepts is true at exact points; what changes a value is rejected, and so is nonsense."""

import ast
import operator
import random
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from derive.proof.checker import Rejected, check
from tests.checking import FREE, INTEGERS, REALS, SBH, reason, statement


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
