"""Showing one relation of a derivation: stated, searched for, and accepted by the checker, which alone decides."""

from __future__ import annotations

from collections.abc import Mapping

from derive.errors import ClaimError
from derive.letters import Notation
from derive.proof.checker import Rejected, check
from derive.proof.refute.counterexample import counterexample
from derive.proof.statement import proved, said, stated
from derive.tree import Node, Relation, integer, substitute

FEW_POINTS, FEW_SECONDS = 300, 2.0  # where a counterexample is looked for before a proof is


def show(left: Node, operator: str, right: Node, definitions: Mapping[str, Node], notation: Notation) -> str:
    """What the checker proved, in its own words; `ClaimError` if it does not accept the relation.

    >>> from derive.grammar import parse
    >>> from derive.letters import Letter, notation
    >>> show(parse("a*(b + 1)"), "==", parse("a*b + a"), {}, notation((Letter("a", ""), Letter("b", ""))))
    'for every positive integer a, b: a*(b + 1) == a*b + a'
    """
    relation = Relation(left, operator, right)
    statement = stated(relation, definitions, notation)
    try:
        return check(statement | {"steps": []})
    except Rejected:  # it is false, or takes a search
        point = counterexample(statement, FEW_POINTS, FEW_SECONDS)
    if point is not None:
        where = ", ".join(f"{name} = {value}" for name, value in point.items())
        raise ClaimError(f"not shown: {said(relation)}: it is false{f' at {where}' if where else ''}")
    try:
        return proved(statement)[0]
    except Rejected as found:
        reason = found
    if statement["define"]:  # the checker sees by signs alone that definitions are positive: a proof may show it too
        here = {name: definitions[name] for name, _ in statement["define"]}
        positive = [Relation(integer(0), "<", _replaced(tree, here)) for tree in here.values()]
        put_in = Relation(_replaced(left, here), operator, _replaced(right, here))
        try:
            return [proved(stated(each, {}, notation))[0] for each in (*positive, put_in)][-1]
        except Rejected as found:
            reason = found
    raise ClaimError(f"not shown: {said(relation)}: {reason}")


def _replaced(tree: Node, definitions: Mapping[str, Node]) -> Node:
    """The tree without the letters that are defined; definitions may have those of others in them."""
    for _ in definitions:
        tree = substitute(tree, definitions)
    return tree
