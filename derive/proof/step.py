"""Showing an equality: the statement is built from two trees and handed to the checker, which alone decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product

from derive.errors import ClaimError
from derive.letters import Notation
from derive.proof.checker import Rejected, check
from derive.tree import (
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    integer,
    substitute,
    symbols_of,
    to_lists,
    to_text,
)

ATOM_KIND = "positive real"


@dataclass
class _Atoms:
    """What the checker has no word for (a root, a maximum, a ceiling, a fractional power) as symbols of their own.

    A rational identity that holds for all positive values of a symbol holds for every value of it that makes no divisor
    zero, so also for the one that it stands for; what divides must be seen to be positive. Equal parts are one symbol:
    those whose text is the same once the relations are applied and terms are in reading order.
    """

    canonical: Callable[[Node], str]
    taken: set[str]
    names: dict[str, str] = field(default_factory=dict)
    shown: dict[str, Node] = field(default_factory=dict)

    def symbol(self, node: Node) -> Symbol:
        text = self.canonical(node)
        if text not in self.names:
            count = len(self.names) + 1
            while f"q{count}" in self.taken:
                count += 1
            self.taken.add(f"q{count}")
            self.names[text] = f"q{count}"
            self.shown[f"q{count}"] = node
        return Symbol(self.names[text])

    def replaced(self, node: Node, dividing: bool = False) -> Node:
        """The tree with each such part as its symbol; one that divides must be known to be positive."""
        match node:
            case Number() | Symbol():
                return node
            case Sum(terms):
                return Sum(tuple(self.replaced(term, dividing) for term in terms))
            case Product(factors):
                return Product(tuple(self.replaced(factor, dividing) for factor in factors))
            case Negative(operand):
                return Negative(self.replaced(operand, dividing))
            case Quotient(numerator, denominator):
                return Quotient(self.replaced(numerator, dividing), self.replaced(denominator, True))
            case Power(base, exponent) if _whole(exponent):
                return Power(self.replaced(base, dividing or isinstance(exponent, Negative)), exponent)
        if dividing and not is_positive(node):
            raise ClaimError(f"not shown: it divides by {to_text(node)}, which is not known to be positive")
        return self.symbol(node)


def _whole(exponent: Node) -> bool:
    literal = exponent.operand if isinstance(exponent, Negative) else exponent
    return isinstance(literal, Number) and literal.value.denominator == 1


def is_positive(node: Node) -> bool:
    """Whether a tree is positive wherever its letters are, as far as its form shows."""
    match node:
        case Number(value):
            return value > 0
        case Symbol():
            return True
        case Sum(parts) | Product(parts) | Call("min", parts):
            return all(map(is_positive, parts))
        case Quotient(above, below):
            return is_positive(above) and is_positive(below)
        case Power(base, _):
            return is_positive(base)
        case Call("sqrt" | "ceil", (argument,)):
            return is_positive(argument)
        case Call("max", parts):
            return any(map(is_positive, parts))
    return False


def squared(node: Node) -> Node:
    """The square of a tree, the roots that are its factors gone."""
    match node:
        case Call("sqrt", (argument,)):
            return argument
        case Product(factors):
            return Product(tuple(map(squared, factors)))
        case Quotient(above, below):
            return Quotient(squared(above), squared(below))
    return Power(node, integer(2))


def _has_root(node: Node) -> bool:
    match node:
        case Call("sqrt", _):
            return True
        case Product(factors):
            return any(map(_has_root, factors))
        case Quotient(above, below):
            return _has_root(above) or _has_root(below)
    return False


def statement(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> dict:
    """The statement `left == right` under `relations` (letter = definition), as the checker reads it.

    Where a side is a product with square roots in it and both are positive, the statement is about the squares.
    """
    return _stated(left, right, relations, notation)[0]


def _stated(
    left: Node, right: Node, relations: Mapping[str, Node], notation: Notation
) -> tuple[dict, dict[str, Node], bool]:
    # A letter that is defined by a root is replaced first: its square is then what stands under the root.
    rooted = {letter: tree for letter, tree in relations.items() if _has_root(tree)}
    left, right = substitute(left, rooted), substitute(right, rooted)
    roots = (_has_root(left) or _has_root(right)) and is_positive(left) and is_positive(right)
    if roots:
        left, right = squared(left), squared(right)
    used = dict.fromkeys((*symbols_of(left), *symbols_of(right)))
    given = {letter: tree for letter, tree in relations.items() if letter in used}
    atoms = _Atoms(_canonical(relations, notation), {*used, *(x for tree in given.values() for x in symbols_of(tree))})
    left, right = atoms.replaced(left), atoms.replaced(right)
    given = {letter: atoms.replaced(tree) for letter, tree in given.items()}
    used = dict.fromkeys((*symbols_of(left), *symbols_of(right)))
    given = {letter: tree for letter, tree in given.items() if letter in used}
    letters = dict.fromkeys((*used, *(name for tree in given.values() for name in symbols_of(tree))))
    data = {
        "relation": "==",
        "left": to_lists(left),
        "right": to_lists(right),
        "symbols": {name: ATOM_KIND if name in atoms.shown else notation[name].kind for name in letters},
        "given": [[letter, to_lists(tree)] for letter, tree in given.items()],
    }
    return data, {name: tree for name, tree in atoms.shown.items() if name in letters}, roots


def _canonical(relations: Mapping[str, Node], notation: Notation) -> Callable[[Node], str]:
    def text(node: Node) -> str:
        from derive.reading import to_sympy, to_tree

        expression = to_sympy(node, notation.symbol)
        for _ in relations:
            expression = expression.xreplace(
                {notation.symbol(letter): to_sympy(tree, notation.symbol) for letter, tree in relations.items()}
            )
        return to_text(to_tree(expression, notation.order))

    return text


def show_equal(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> str:
    """What the checker proved, in its own words; `ClaimError` if it does not accept the equality."""
    data, atoms, roots = _stated(left, right, relations, notation)
    try:
        proved = check(data)
    except Rejected as reason:
        raise ClaimError(f"not shown: {to_text(left)} == {to_text(right)}: {reason}") from None
    words = [f"{name} for {to_text(tree)}" for name, tree in atoms.items()]
    return ("the squares of both sides, which are positive: " if roots else "") + "; ".join([proved, *words])


def show_at_most(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> str:
    """What the checker proved of `left <= right`; `ClaimError` if it does not accept it.

    A maximum on the left is at most the right if each of its arguments is, so each is a statement of its own; a minimum is
    at most each of its arguments, so one that serves is enough.
    """
    proved = [_one_at_most(case, right, relations, notation) for case in cases(left)]
    return " and ".join(proved)


def cases(node: Node, growing: bool = True) -> list[Node]:
    """Trees without max and min, such that a bound of all of them is one of the tree.

    A maximum or a minimum has the value of one of its arguments: a tree for each will do. Where the tree grows with a
    minimum (in sums, in products whose other factors are positive), one argument will do, as the minimum is no larger: a
    number, if there is one.
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
            others = [all(is_positive(other) for other in factors if other is not factor) for factor in factors]
            choices = [cases(factor, growing and positive) for factor, positive in zip(factors, others, strict=True)]
            return [Product(choice) for choice in product(*choices)]
        case Quotient(above, below):
            return [Quotient(case, below) for case in cases(above, growing and is_positive(below))]
    return [node]


def _one_at_most(left: Node, right: Node, relations: Mapping[str, Node], notation: Notation) -> str:
    data, atoms, roots = _stated(left, right, relations, notation)
    try:
        proved = check(data | {"relation": "<="})
    except Rejected as reason:
        raise ClaimError(f"not shown: {to_text(left)} <= {to_text(right)}: {reason}") from None
    words = [f"{name} for {to_text(tree)}" for name, tree in atoms.items()]
    return ("the squares of both sides, which are positive: " if roots else "") + "; ".join([proved, *words])
