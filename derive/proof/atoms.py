"""Parts that the checker has no word for, such as a root or a maximum, as symbols that it can calculate with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from derive.errors import ClaimError, GrammarError
from derive.exact import evaluate
from derive.letters import Notation
from derive.proof.checker import Rejected, check
from derive.proof.signs import is_positive, is_whole
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
    rational,
    substitute,
    symbols_of,
    to_lists,
    to_text,
)

ATOM_KIND = "positive real"
ONE, HALF = integer(1), Quotient(integer(1), integer(2))
POWER, EXTREMA = "^", ("max", "min")


@dataclass
class Atoms:
    """What the checker has no word for (a root, a maximum, a ceiling, a fractional power) as symbols of their own.

    A rational identity that holds for all positive values of a symbol holds for every value of it that makes no
    divisor zero, so also for the one that it stands for; what divides, or defines a letter, must be seen to be
    positive. A bound holds for 0 too, as both sides are continuous there: where `signed`, each such part must be seen
    to be at least 0. Two parts are one symbol where the checker accepts that they are one function of equal arguments.
    The same holds for letters that can be 0 themselves, such as an index: to the checker they are positive reals, and
    nothing may be divided by them or defined by them, nor may they be inside such a part.
    """

    given: Mapping[str, Node]
    notation: Notation
    taken: set[str]
    signed: bool
    calls: dict[str, tuple[str, tuple[Node, ...]]] = field(default_factory=dict)  # the arguments with atoms in them
    shown: dict[str, Node] = field(default_factory=dict)

    def symbol(self, node: Node) -> Node:
        """The symbol of a call or a power, or what it is equal to; `ClaimError` for one that may have no value."""
        if (constant := self.constant(node)) is not None:
            return constant
        if zero := next(filter(self.can_be_zero, symbols_of(node)), None):
            raise ClaimError(f"not shown: {zero}, in {to_text(node)}, can be 0")
        function, arguments = _applied(node)
        if self.signed and not is_positive(node, or_zero=True):
            raise ClaimError(f"not shown: {to_text(node)} may be negative")
        if function == POWER and not is_positive(arguments[0], or_zero=is_positive(arguments[1])):
            raise ClaimError(f"not shown: the base of {to_text(node)} is not known to be positive")
        parts = tuple(map(self.replaced, arguments))
        for part in parts:
            check(self.statement(part, part))  # it divides by nothing that may be zero
        if function in EXTREMA and len(parts := self.leading(function, parts)) == 1:
            return parts[0]
        for name, (other, theirs) in self.calls.items():
            if other == function and self.agree(function, parts, theirs):
                return Symbol(name)
        count = len(self.calls) + 1
        while f"q{count}" in self.taken:
            count += 1
        self.taken.add(f"q{count}")
        self.calls[f"q{count}"] = function, parts
        self.shown[f"q{count}"] = node
        return Symbol(f"q{count}")

    def can_be_zero(self, letter: str) -> bool:
        """Whether it is a letter, not one that is defined here, and its least value is 0."""
        return letter not in self.given and letter not in self.shown and self.notation[letter].least == 0

    def constant(self, node: Node) -> Node | None:
        """The number that a part is by the definitions of its letters, such as min(1, m - 1) where m == 1."""
        plain = substitute(node, self.given)
        try:
            return None if symbols_of(plain) else rational(evaluate(plain, {}))
        except GrammarError:  # irrational, or not defined
            return None

    def leading(self, function: str, parts: tuple[Node, ...]) -> tuple[Node, ...]:
        """The arguments of a maximum or a minimum without those that the checker shows another one to be beyond."""
        left = list(parts)
        for part in [part for part in parts if not {*symbols_of(part)} & {*self.shown}]:  # a call's sign is not known
            others = [each for each in left if each is not part and not {*symbols_of(each)} & {*self.shown}]
            if any(self.accepted(*((part, each) if function == "max" else (each, part)), "<=") for each in others):
                left = [each for each in left if each is not part]
        return tuple(left)

    def agree(self, function: str, mine: tuple[Node, ...], theirs: tuple[Node, ...]) -> bool:
        """Whether the checker accepts that arguments are equal, each to one of the others; in any order for extrema."""
        left = list(theirs)
        for part in mine:
            choices = left if function in EXTREMA else left[:1]
            found = next((each for each in choices if self.accepted(part, each)), None)
            if found is None:
                return False
            left.remove(found)
        return not left

    def accepted(self, one: Node, other: Node, relation: str = "==") -> bool:
        """Whether the checker accepts a relation of two trees whose atoms are replaced."""
        if one == other:
            return True
        try:
            check(self.statement(one, other) | {"relation": relation})
        except Rejected:
            return False
        return True

    def statement(self, left: Node, right: Node, letters: tuple[str, ...] = ()) -> dict:
        """An equality of trees whose atoms are replaced, under the definitions of its own letters and of `letters`."""
        used = dict.fromkeys((*symbols_of(left), *symbols_of(right)))
        wanted = {*used, *letters}
        given = {letter: self.replaced(tree, True) for letter, tree in self.given.items() if letter in wanted}
        names = dict.fromkeys((*used, *given, *(name for tree in given.values() for name in symbols_of(tree))))
        return {
            "relation": "==",
            "left": to_lists(left),
            "right": to_lists(right),
            "symbols": {name: self.kind(name) for name in names},
            "given": [[letter, to_lists(tree)] for letter, tree in given.items()],
        }

    def kind(self, name: str) -> str:
        """The kind of a symbol, to the checker: what may be 0 is a positive real."""
        return ATOM_KIND if name in self.shown or self.can_be_zero(name) else self.notation[name].kind

    def replaced(self, node: Node, dividing: bool = False) -> Node:
        """The tree with each such part as its symbol; one that divides must be known to be positive."""
        match node:
            case Symbol(name) if dividing and self.can_be_zero(name):
                raise ClaimError(f"not shown: {name} divides or defines, and can be 0")
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
            case Power(base, exponent) if is_whole(exponent):
                return Power(self.replaced(base, dividing or not is_positive(exponent)), exponent)
            case Power(base, Negative(exponent)):
                return Quotient(ONE, self.replaced(Power(base, exponent), True))
        if dividing and not is_positive(node):
            raise ClaimError(f"not shown: {to_text(node)} divides or defines, and is not known to be positive")
        return self.symbol(node)


def _applied(node: Node) -> tuple[str, tuple[Node, ...]]:
    """The function of an atom and its arguments; a square root is a power."""
    match node:
        case Call("sqrt", (argument,)):
            return POWER, (argument, HALF)
        case Call(function, arguments):
            return function, arguments
        case Power(base, exponent):
            return POWER, (base, exponent)
    raise TypeError(f"{node} is no call and no power")
