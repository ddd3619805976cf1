"""The grammar of expressions: text to tree, strictly and as the source wrote it; with the tree's own vocabulary."""

import math
import re
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import NamedTuple, NoReturn

from derive.errors import GrammarError
from derive.exact import RELATIONS, evaluate, exact_power, holds
from derive.tree import (
    POWER,
    PRODUCT,
    SUM,
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
    Symbol,
    children,
    integer,
    product_of,
    rational,
    relation_text,
    shown,
    substitute,
    sum_of,
    symbols_of,
    to_lists,
    to_text,
)

__all__ = [
    "FUNCTIONS", "RELATIONS", "Call", "Negative", "Node", "Number", "Power", "Product", "Quotient", "Relation", "Sum",
    "Symbol", "children", "evaluate", "exact_power", "holds", "integer", "parse", "parse_relation", "product_of",
    "rational", "relation_text", "substitute", "sum_of", "symbols_of", "to_lists", "to_text",
]  # fmt: skip

MOST_CHARACTERS, MOST_LEVELS, MOST_DIGITS, MOST_EXPONENT = 10_000, 100, 60, 64
FUNCTIONS: dict[str, tuple[int, float]] = {  # name -> fewest and most arguments
    "sqrt": (1, 1), "max": (2, math.inf), "min": (2, math.inf), "ceil": (1, 1), "floor": (1, 1),
}  # fmt: skip
TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)|(?P<scientific>[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+)|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<open>\()|(?P<operator>\*\*|==|<=|>=|[-+*/^),<>])|(?P<stray>.)",
    re.DOTALL,
)
WRITE_INSTEAD = {
    "×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "²": "^2", "³": "^3", "√": "sqrt(...)", "=": "==",
    "≤": "<=", "≥": ">=", ".": "digits on both sides of a decimal point", "[": "(", "]": ")", "{": "(", "}": ")",
}  # fmt: skip
OPERAND_STARTS = {"number", "name", "open"}


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


class _Operator(NamedTuple):
    level: int
    right: int  # the level of the right operand: one more than `level` where the operator associates to the left
    build: Callable[[Node, Node], Node]


BINARY = {
    "+": _Operator(SUM, PRODUCT, lambda left, right: sum_of((left, right))),
    "-": _Operator(SUM, PRODUCT, lambda left, right: sum_of((left, Negative(right)))),
    "*": _Operator(PRODUCT, POWER, lambda left, right: product_of((left, right))),
    "/": _Operator(PRODUCT, POWER, Quotient),
    "^": _Operator(POWER, POWER, Power),
}


class _Parser:
    """Precedence climbing over the tokens of one text."""

    __slots__ = ("depths", "index", "kind", "letters", "text", "tokens")

    def __init__(self, kind: str, text: str, letters: Collection[str] | None) -> None:
        self.kind, self.text, self.letters, self.index = kind, text, letters, 0
        self.depths = {"open": 0, "operator": 0}  # canonical text may need a level of each for one level of the tree
        if len(text) > MOST_CHARACTERS:
            raise GrammarError(f"{kind} {shown(text)}: {len(text)} characters; at most {MOST_CHARACTERS} are read")
        self.tokens = [
            _Token(str(match.lastgroup), match.group().replace("**", "^"), match.start() + 1)
            for match in TOKEN.finditer(text)
            if match.lastgroup != "space"
        ]
        self.tokens.append(_Token("end", "", len(text) + 1))
        if len(self.tokens) == 1:
            raise GrammarError(f"{kind} {shown(text)}: it is empty; write an expression such as 2*m*n*p")

    def fail(self, problem: str, token: _Token, way_out: str) -> NoReturn:
        raise GrammarError(f"{self.kind} {shown(self.text)}: {problem} at position {token.position}; {way_out}")

    def next(self) -> _Token:
        token = self.tokens[self.index]
        self.index += 1
        return token

    def unexpected(self, token: _Token) -> NoReturn:
        """Fail at a token that cannot stand where it does."""
        if token.kind == "scientific":
            mantissa, exponent = re.split("[eE]", token.text)
            self.fail(f"exponent notation {shown(token.text)}", token, f"write {mantissa}*10^{exponent.lstrip('+')}")
        if token.kind == "stray":
            hint = WRITE_INSTEAD.get(token.text, "only letters, digits and + - * / ^ ( ) , with names of functions")
            self.fail(f"unexpected {shown(token.text)}", token, f"write {hint}")
        if token.kind == "end":
            self.fail("it ends too early", token, "an operand or a ')' is missing")
        self.fail(f"unexpected {shown(token.text)}", token, "an operand or an operator is missing or too many")

    def deeper(self, token: _Token) -> None:
        self.depths[token.kind] += 1
        if self.depths[token.kind] > MOST_LEVELS:
            self.fail(f"nested over {MOST_LEVELS} levels", token, "name a part and substitute it")

    def expression(self, level: int) -> Node:
        token = self.next()
        prefix = PREFIXES.get(token.text if token.kind == "operator" else token.kind)
        if prefix is None:
            self.unexpected(token)
        left = prefix(self, token, level)
        while True:
            token = self.tokens[self.index]
            if token.kind in OPERAND_STARTS:
                before = shown(self.tokens[self.index - 1].text)
                self.fail(f"a `*` is missing between {before} and {shown(token.text)}", token, "write the product out")
            operation = BINARY.get(token.text)
            if operation is None or operation.level < level:
                return left
            self.index += 1
            right = self.operand(token, operation.right) if token.text == "^" else self.expression(operation.right)
            left = operation.build(left, right)

    def operand(self, token: _Token, level: int) -> Node:
        """The operand of a unary minus or of `^`, which both nest."""
        self.deeper(token)
        place = self.tokens[self.index]
        node = self.expression(level)
        literal = node.operand if isinstance(node, Negative) else node
        if token.text == "^" and isinstance(literal, Number) and literal.value > MOST_EXPONENT:
            self.fail(f"exponent {to_text(node)}", place, f"a literal exponent is at most {MOST_EXPONENT}")
        self.depths[token.kind] -= 1
        return node

    def group(self, token: _Token) -> list[Node]:
        """What stands between `(` and `)`, apart at its commas."""
        self.deeper(token)
        nodes = [self.expression(SUM)]
        while (after := self.next()).text == ",":
            nodes.append(self.expression(SUM))
        if after.text != ")":
            self.unexpected(after)
        self.depths[token.kind] -= 1
        return nodes

    def number(self, token: _Token, _level: int) -> Node:
        if len(token.text) > MOST_DIGITS + ("." in token.text):
            self.fail("number too long", token, f"at most {MOST_DIGITS} digits are read")
        if re.match("0[0-9]", token.text):
            self.fail(f"number {shown(token.text)} begins with 0", token, "write it without")
        return Number(Fraction(token.text), token.text)

    def parenthesised(self, token: _Token, _level: int) -> Node:
        first, *more = self.group(token)
        if more:
            self.fail("a ',' outside a call", token, f"functions are {', '.join(FUNCTIONS)}")
        return first

    def minus(self, token: _Token, level: int) -> Node:
        return Negative(self.operand(token, max(level, PRODUCT)))

    def name(self, token: _Token, _level: int) -> Node:
        called = self.tokens[self.index].kind == "open"
        if called and token.text in FUNCTIONS:
            arguments = self.group(self.next())
            fewest, most = FUNCTIONS[token.text]
            if not fewest <= len(arguments) <= most:
                takes = "one argument" if most == 1 else "two arguments or more"
                self.fail(f"{token.text} of {len(arguments)}", token, f"{token.text} takes {takes}")
            return Call(token.text, tuple(arguments))
        if called and (self.letters is None or token.text not in self.letters):
            known = ", ".join(FUNCTIONS)
            self.fail(f"unknown function {shown(token.text)}", token, f"functions are {known}; a product needs a `*`")
        if token.text in FUNCTIONS:
            self.fail(f"function {token.text} without arguments", token, f"write {token.text}(...)")
        if self.letters is not None and token.text not in self.letters:
            known = ", ".join(self.letters)
            self.fail(f"unknown letter {shown(token.text)}", token, f"known letters are {known}")
        return Symbol(token.text)

    def finished(self, *sides: Node) -> None:
        """Fail where text is left over, or where a chain such as a/b/c/d makes the tree deeper than anyone walks."""
        token = self.next()
        if token.kind != "end":
            self.unexpected(token)
        level: list[Node] = list(sides)
        for _ in range(MOST_LEVELS):
            level = [part for node in level for part in children(node)]
        if level:
            self.fail(f"nested over {MOST_LEVELS} levels", self.tokens[-1], "name a part and substitute it")


PREFIXES: dict[str, Callable[[_Parser, _Token, int], Node]] = {
    "number": _Parser.number, "name": _Parser.name, "open": _Parser.parenthesised, "-": _Parser.minus,
}  # fmt: skip


def parse(text: str, letters: Collection[str] | None = None) -> Node:
    """The tree of a formula as it is written; with `letters`, no other letter may occur.

    Raises GrammarError, one line with the text, the place (counted from 1) and the way out.

    >>> parse("2*x^2")
    Product(factors=(Number(value=Fraction(2, 1), text='2'), Power(base=Symbol(name='x'), \
exponent=Number(value=Fraction(2, 1), text='2'))))
    >>> parse("s*b*x + 1", ["s", "b", "h"])
    Traceback (most recent call last):
    derive.errors.GrammarError: formula 's*b*x + 1': unknown letter 'x' at position 5; known letters are s, b, h
    """
    parser = _Parser("formula", text, letters)
    node = parser.expression(SUM)
    parser.finished(node)
    return node


def parse_relation(text: str, letters: Collection[str] | None = None) -> Relation:
    """The tree of one relation, such as a hypothesis; the operators are `==`, `<=`, `<`, `>=`, `>`.

    >>> parse_relation("g <= a", ["a", "g"])
    Relation(left=Symbol(name='g'), operator='<=', right=Symbol(name='a'))
    """
    parser = _Parser("relation", text, letters)
    left = parser.expression(SUM)
    token = parser.next()
    if token.kind == "stray":
        parser.unexpected(token)
    if token.text not in RELATIONS:
        parser.fail("no relation", token, f"write one of {' '.join(RELATIONS)} between two expressions")
    right = parser.expression(SUM)
    if parser.tokens[parser.index].text in RELATIONS:
        parser.fail("a second relation", parser.next(), "write two relations")
    parser.finished(left, right)
    return Relation(left, token.text, right)
