"""Showing an equality: the statement is built from two trees and handed to the checker, which alone decides."""

from collections.abc import Mapping

from derive.errors import ClaimError
from derive.letters import Notation
from derive.proof.checker import Rejected, check
from derive.tree import Node, symbols_of, to_lists, to_text


def statement(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> dict:
    """The statement `left == right` under `relations` (letter = definition), as the checker reads it."""
    used = dict.fromkeys((*symbols_of(left), *symbols_of(right)))
    given = {letter: tree for letter, tree in relations.items() if letter in used}
    letters = dict.fromkeys((*used, *(name for tree in given.values() for name in symbols_of(tree))))
    return {
        "relation": "==",
        "left": to_lists(left),
        "right": to_lists(right),
        "symbols": {name: notation[name].kind for name in letters},
        "given": [[letter, to_lists(tree)] for letter, tree in given.items()],
    }


def show_equal(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> str:
    """What the checker proved, in its own words; `ClaimError` if it does not accept the equality."""
    try:
        return check(statement(left, right, relations, notation))
    except Rejected as reason:
        raise ClaimError(f"not shown: {to_text(left)} == {to_text(right)}: {reason}") from None
