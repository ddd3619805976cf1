"""Showing a relation: the statement is built from two trees and handed to the checker, which alone decides."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from derive.errors import ClaimError
from derive.letters import Notation
from derive.proof.atoms import Atoms
from derive.proof.checker import Rejected, check
from derive.proof.signs import has_root, is_positive, squared
from derive.tree import Call, Node, Number, Product, Quotient, Sum, substitute, symbols_of, to_text


def statement(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> dict:
    """The statement `left == right` under `relations` (letter = definition), as the checker reads it.

    Where a side is a product with square roots in it and both are positive, the statement is about the squares.
    """
    return _stated(left, right, relations, notation)[0]


def _stated(
    left: Node, right: Node, relations: Mapping[str, Node], notation: Notation, relation: str = "=="
) -> tuple[dict, dict[str, Node], str]:
    """The statement, what its atoms stand for, and what was done to the sides before it was made, in words."""
    # A letter that is defined by a root is replaced first: its square is then what stands under the root.
    rooted = {
        letter: tree
        for letter, tree in relations.items()
        if has_root(tree) and is_positive(tree) and all(notation[name].least for name in symbols_of(tree))
    }
    used = [letter for letter in rooted if letter in {*symbols_of(left), *symbols_of(right)}]
    done = "".join(f"with {letter} == {to_text(rooted[letter])}, " for letter in used)
    left, right = substitute(left, rooted), substitute(right, rooted)
    roots = (has_root(left) or has_root(right)) and is_positive(left) and is_positive(right)
    if roots:
        left, right = squared(left), squared(right)
        done += "the squares of both sides, which are positive: "
    letters = tuple(dict.fromkeys((*symbols_of(left), *symbols_of(right))))
    given = {letter: tree for letter, tree in relations.items() if letter in letters}
    taken = {*letters, *(name for tree in given.values() for name in symbols_of(tree))}
    atoms = Atoms(given, notation, taken, signed=relation != "==")
    # The definitions of letters that are only inside an atom count too: by them two atoms may be one.
    data = atoms.statement(atoms.replaced(left), atoms.replaced(right), letters) | {"relation": relation}
    return data, {name: tree for name, tree in atoms.shown.items() if name in data["symbols"]}, done


def show_equal(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> str:
    """What the checker proved, in its own words; `ClaimError` if it does not accept the equality."""
    return _shown(left, "==", right, relations, notation)


def _shown(left: Node, relation: str, right: Node, relations: Mapping[str, Node], notation: Notation) -> str:
    try:
        data, atoms, done = _stated(left, right, relations, notation, relation)
        proved = check(data)
    except Rejected as reason:
        raise ClaimError(f"not shown: {to_text(left)} {relation} {to_text(right)}: {reason}") from None
    words = [f"{name} for {to_text(tree)}" for name, tree in atoms.items()]
    free = [name for name in data["symbols"] if name not in atoms and name not in relations]
    words += [f"{name} may be 0, as both sides are continuous there" for name in free if notation[name].least == 0]
    return done + "; ".join([proved, *words])


def show_at_most(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> str:
    """What the checker proved of `left <= right`; `ClaimError` if it does not accept it.

    A maximum on the left is at most the right if each of its arguments is, so each is a statement of its own; a minimum
    is at most each of its arguments, so one that serves is enough, as long as the others have a value.
    """
    show_equal(left, left, relations, notation)  # every part of it has one
    proved = [_shown(case, "<=", right, relations, notation) for case in cases(left)]
    return " and ".join(proved)


def cases(node: Node, growing: bool = True) -> list[Node]:
    """Trees without max and min, such that a bound of all of them is one of the tree.

    A maximum or a minimum has the value of one of its arguments: a tree for each will do. Where the tree grows with a
    minimum (in sums, in products whose other factors are positive), one argument will do, as the minimum is no larger:
    a number, if there is one.
    """
    match node:
        case Call("max", parts):
            return [case for part in parts for case in cases(part, growing)]
        case Call("min", parts):
            one = next((part for part in parts if isinstance(part, Number)), parts[0])
            return [case for part in ([one] if growing else parts) for case in cases(part, growing)]
        case Sum(terms):
            return [Sum(choice) for choice in product(*(cases(term, growing) for term in terms))]
        case Product(factors):
            # By place: one tree may stand in a product twice.
            others = [all(map(is_positive, factors[:place] + factors[place + 1 :])) for place in range(len(factors))]
            choices = [cases(factor, growing and positive) for factor, positive in zip(factors, others, strict=True)]
            return [Product(choice) for choice in product(*choices)]
        case Quotient(above, below):
            return [Quotient(case, below) for case in cases(above, growing and is_positive(below))]
    return [node]
