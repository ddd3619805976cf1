"""Mutations of one tree: what a slip of the pen makes of it, at every place of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Tree = Any
Change = tuple[str, Tree]  # the kind of mutation, and what it makes

LITERAL, OPERATOR, SYMBOL = "literal", "operator", "symbol"
SWAPPED = {
    "+": "*", "*": "+", "/": "*", "^": "*", "max": "min", "min": "max", "ceil": "floor", "floor": "ceil",
}  # fmt: skip
UNWRAPPED = {"-": OPERATOR, "ceil": "call dropped", "floor": "call dropped", "sqrt": "call dropped"}  # f(x) to x
DROPPED = {"+": "term dropped", "*": "factor dropped", "max": "operand dropped", "min": "operand dropped"}


def changes(tree: Tree, names: Sequence[str] = ()) -> Iterator[Change]:
    """Every tree that one mutation makes of a tree; a symbol becomes the one after it in `names`.

    >>> [(kind, made) for kind, made in changes(["/", ["+", "a", 1], "b"], ["a", "b"])][:4]
    [('operator', ['*', ['+', 'a', 1], 'b']), ('factor dropped', ['+', 'a', 1]), ('factor dropped', ['/', 1, 'b']),
     ('operator', ['/', ['*', 'a', 1], 'b'])]
    >>> [made for _, made in changes(["max", "a", 2])]
    [['min', 'a', 2], 2, 'a', ['max', 'a', 3], ['max', 'a', 1]]
    """
    yield from _at_root(tree, names)
    if isinstance(tree, list):
        for place, operand in enumerate(tree[1:], 1):
            for kind, made in changes(operand, names):
                yield kind, [*tree[:place], made, *tree[place + 1 :]]


def _at_root(tree: Tree, names: Sequence[str]) -> Iterator[Change]:
    if isinstance(tree, int):
        yield from ((LITERAL, tree + step) for step in (1, -1))
        return
    if isinstance(tree, str):
        if tree in names and len(names) > 1:
            yield SYMBOL, names[(names.index(tree) + 1) % len(names)]
        return
    head, *operands = tree
    if head in SWAPPED:
        yield OPERATOR, [SWAPPED[head], *operands]
    if head in UNWRAPPED:
        yield UNWRAPPED[head], operands[0]
    if head in DROPPED:
        for place in range(len(operands)):
            rest = operands[:place] + operands[place + 1 :]
            yield DROPPED[head], [head, *rest] if len(rest) > 1 else rest[0]
    if head == "/":
        yield DROPPED["*"], operands[0]
        if operands[0] != 1:
            yield DROPPED["*"], ["/", 1, operands[1]]


def parts(tree: Tree) -> Iterator[Tree]:
    """The tree and every part of it, the inner ones first."""
    if isinstance(tree, list):
        for operand in tree[1:]:
            yield from parts(operand)
    yield tree
