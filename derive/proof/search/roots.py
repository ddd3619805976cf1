"""Relations of products with square roots as factors: shown by squaring both sides."""

from __future__ import annotations

from collections.abc import Sequence

from derive.proof.checker import Tree
from derive.proof.search.steps import Step

Goal = tuple[str, Tree, Tree]


def squared(goal: Goal, facts: int) -> list[Step] | None:
    """Steps for left == right, <= or < with both sides positive; None where no root is a factor of a side.

    (right - left) * (right + left) is right^2 - left^2, and the square of a root is what stands under it. Whether the
    difference that is left has the right sign is for the checker to see. `facts` is how many there are.

    >>> squared(("<=", ("sqrt", "x"), ("*", 2, ("sqrt", "x"))), 0)[-1][-2]
    ('+', ('*', 2, ('sqrt', 'x')), ('sqrt', 'x'))
    """
    relation, left, right = goal
    if relation in (">=", ">"):
        relation, left, right = relation.replace(">", "<"), right, left
    sides = _factors(left), _factors(right)
    roots = list(dict.fromkeys([*sides[0][1], *sides[1][1]]))
    if not roots:
        return None
    places = {root: facts + number for number, root in enumerate(roots)}
    above, more = _square(right, *sides[1], places, -1)
    below, less = _square(left, *sides[0], places, 1)
    rest = [(("+", above, ("-", below)),)] if relation != "==" else []
    step = ("combine", relation, left, right, ("+", right, left), (*rest, *more, *less))
    return [*(("of", root) for root in roots), step]


def _factors(tree: Tree) -> tuple[Tree, list[Tree]]:
    """A tree without the roots that are factors of it, and these."""
    if isinstance(tree, tuple) and tree[0] == "sqrt":
        return 1, [tree]
    if isinstance(tree, tuple) and tree[0] == "*":
        parts = [_factors(factor) for factor in tree[1:]]
        return ("*", *(part for part, _ in parts)), [root for _, roots in parts for root in roots]
    if isinstance(tree, tuple) and tree[0] == "/":
        part, roots = _factors(tree[1])
        return ("/", part, tree[2]), roots
    return tree, []


def _square(
    side: Tree, rest: Tree, roots: Sequence[Tree], places: dict[Tree, int], sign: int
) -> tuple[Tree, list[tuple[Tree, int]]]:
    """The square of a side without roots, and multiples of `root^2 == what is under it` that make the difference."""
    if not roots:
        return ("^", side, 2), []
    factors: list[Tree] = [("^", rest, 2), *(("^", root, 2) for root in roots)]
    terms = []
    for number, root in enumerate(roots, 1):
        others = [*factors[:number], *factors[number + 1 :]]
        terms.append((("*", sign, *others), places[root]))
        factors[number] = root[1]
    return ("*", *factors), terms
