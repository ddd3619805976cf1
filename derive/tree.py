"""The one expression tree: its nodes, its text and its nested lists; `derive.grammar` reads text into it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Number:
    """A literal that is not negative, with its text as written; see `integer` and `rational`."""

    value: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A letter."""

    name: str


@dataclass(frozen=True, slots=True)
class Sum:
    """Two or more terms; a subtracted one is a `Negative`."""

    terms: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus the operand."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Product:
    """Two or more factors."""

    factors: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """Numerator over denominator; in `a*b/c` the numerator is `a*b`."""

    numerator: "Node"
    denominator: "Node"


@dataclass(frozen=True, slots=True)
class Power:
    """Base to an exponent, which may be any node."""

    base: "Node"
    exponent: "Node"


@dataclass(frozen=True, slots=True)
class Call:
    """One of sqrt, max, min, ceil, floor on its arguments."""

    function: str
    arguments: tuple["Node", ...]


Node = Number | Symbol | Sum | Negative | Product | Quotient | Power | Call


@dataclass(frozen=True, slots=True)
class Relation:
    """Two trees and one of `==`, `<=`, `<`, `>=`, `>` between them."""

    left: Node
    operator: str
    right: Node


SUM, NEGATIVE, PRODUCT, POWER, ATOM = range(1, 6)
LEVELS: dict[type, int] = {
    Sum: SUM, Negative: NEGATIVE, Product: PRODUCT, Quotient: PRODUCT, Power: POWER,
    Number: ATOM, Symbol: ATOM, Call: ATOM,
}  # fmt: skip


def integer(value: int) -> Node:
    """The tree of a whole number, a `Negative` where it is below zero.

    >>> to_text(integer(-3))
    '-3'
    """
    return Negative(integer(-value)) if value < 0 else Number(Fraction(value), str(value))


def rational(value: Fraction) -> Node:
    """The tree of an exact number: a whole number, or a quotient of two.

    >>> to_text(rational(Fraction(-5, 2)))
    '-5/2'
    """
    if value < 0:
        return Negative(rational(-value))
    return integer(int(value)) if value.denominator == 1 else Quotient(*map(integer, value.as_integer_ratio()))


def sum_of(terms: Sequence[Node]) -> Node:
    """The sum of `terms`, the way the parser builds it: a sum in first place is continued, one term stands alone.

    >>> from derive.grammar import parse
    >>> to_text(sum_of([parse("a + b"), parse("c + d")]))
    'a + b + (c + d)'
    """
    if len(terms) < 2:
        return terms[0] if terms else integer(0)
    first = terms[0]
    return Sum((*(first.terms if isinstance(first, Sum) else (first,)), *terms[1:]))


def product_of(factors: Sequence[Node]) -> Node:
    """The product of `factors`, the way the parser builds it: a product in first place is continued.

    >>> from derive.grammar import parse
    >>> to_text(product_of([parse("a*b"), parse("c*d")]))
    'a*b*(c*d)'
    """
    if len(factors) < 2:
        return factors[0] if factors else integer(1)
    first = factors[0]
    return Product((*(first.factors if isinstance(first, Product) else (first,)), *factors[1:]))


CHILDREN: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    Number: lambda _: (),
    Symbol: lambda _: (),
    Sum: lambda node: node.terms,
    Negative: lambda node: (node.operand,),
    Product: lambda node: node.factors,
    Quotient: lambda node: (node.numerator, node.denominator),
    Power: lambda node: (node.base, node.exponent),
    Call: lambda node: node.arguments,
}
REBUILD: dict[type, Callable[[Any, tuple[Node, ...]], Node]] = {
    Number: lambda node, _: node,
    Symbol: lambda node, _: node,
    Sum: lambda _, parts: sum_of(parts),
    Negative: lambda _, parts: Negative(*parts),
    Product: lambda _, parts: product_of(parts),
    Quotient: lambda _, parts: Quotient(*parts),
    Power: lambda _, parts: Power(*parts),
    Call: lambda node, parts: Call(node.function, parts),
}


def children(node: Node) -> tuple[Node, ...]:
    """The parts of a node, as they are written.

    >>> from derive.grammar import parse
    >>> [to_text(part) for part in children(parse("2*a/b"))]
    ['2*a', 'b']
    """
    return CHILDREN[type(node)](node)


def symbols_of(node: Node) -> tuple[str, ...]:
    """The letters of a tree in order of first appearance.

    >>> from derive.grammar import parse
    >>> symbols_of(parse("s*b*h*(34 + 5*a*s/h)"))
    ('s', 'b', 'h', 'a')
    """
    return tuple(dict.fromkeys(_names(node)))


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, Symbol):
        yield node.name
    for part in children(node):
        yield from _names(part)


def substitute(node: Node, trees: Mapping[str, Node]) -> Node:
    """The tree with letters replaced by trees, all at once; nothing is simplified.

    >>> from derive.grammar import parse
    >>> to_text(substitute(parse("a*f/h"), {"f": parse("4*h"), "a": parse("h + 1")}))
    '(h + 1)*(4*h)/h'
    """
    if isinstance(node, Symbol):
        return trees.get(node.name, node)
    return REBUILD[type(node)](node, tuple([substitute(part, trees) for part in children(node)]))


def _sum_text(node: Sum) -> str:
    parts = [_inside(node.terms[0], SUM)]
    for term in node.terms[1:]:
        negative = isinstance(term, Negative)
        parts += (" - ", _inside(term.operand, PRODUCT)) if negative else (" + ", _inside(term, PRODUCT))
    return "".join(parts)


def _product_text(node: Product) -> str:
    first, *rest = node.factors
    return "*".join([_inside(first, PRODUCT), *[_inside(factor, POWER) for factor in rest]])


TEXTS: dict[type, Callable[[Any], str]] = {
    Number: lambda node: node.text,
    Symbol: lambda node: node.name,
    Sum: _sum_text,
    Negative: lambda node: "-" + _inside(node.operand, PRODUCT),
    Product: _product_text,
    Quotient: lambda node: f"{_inside(node.numerator, PRODUCT)}/{_inside(node.denominator, POWER)}",
    Power: lambda node: f"{_inside(node.base, ATOM)}^{_inside(node.exponent, POWER)}",
    Call: lambda node: f"{node.function}({', '.join([to_text(argument) for argument in node.arguments])})",
}


def _inside(node: Node, level: int) -> str:
    text = TEXTS[type(node)](node)
    return text if LEVELS[type(node)] >= level else f"({text})"


def to_text(node: Node) -> str:
    """The text of a tree, with no more parentheses than it needs: `parse` gives the same tree back.

    >>> from derive.grammar import parse
    >>> to_text(parse("s * b*h/t * (34+5*a*s/h) - (2)"))
    's*b*h/t*(34 + 5*a*s/h) - 2'
    """
    return TEXTS[type(node)](node)


def relation_text(relation: Relation) -> str:
    """The text of a relation.

    >>> from derive.grammar import parse_relation
    >>> relation_text(parse_relation("f==4*h"))
    'f == 4*h'
    """
    return f"{to_text(relation.left)} {relation.operator} {to_text(relation.right)}"


def _tagged(tag: str) -> Callable[[Any], list[Any]]:
    return lambda node: [tag, *map(to_lists, children(node))]


def _power_list(node: Power) -> list[Any]:
    """The checker reads x^-2 with the number -2, not x^-(2), and x^-0.5 with the quotient -1/2."""
    exponent = node.exponent
    if isinstance(exponent, Negative) and isinstance(exponent.operand, Number):
        above, below = exponent.operand.value.as_integer_ratio()
        return ["^", to_lists(node.base), -above if below == 1 else ["/", -above, below]]
    return ["^", to_lists(node.base), to_lists(exponent)]


LISTS: dict[type, Callable[[Any], Any]] = {
    Number: lambda node: int(node.value) if node.value.denominator == 1 else ["/", *node.value.as_integer_ratio()],
    Symbol: lambda node: node.name,
    Sum: _tagged("+"), Negative: _tagged("-"), Product: _tagged("*"), Quotient: _tagged("/"), Power: _power_list,
    Call: lambda node: [node.function, *map(to_lists, node.arguments)],
}  # fmt: skip


def to_lists(node: Node) -> int | str | list[Any]:
    """The nested lists that a certificate holds.

    >>> from derive.grammar import parse
    >>> to_lists(parse("1.05*a - sqrt(b)^2"))
    ['+', ['*', ['/', 21, 20], 'a'], ['-', ['^', ['sqrt', 'b'], 2]]]
    """
    return LISTS[type(node)](node)


def shown(text: str) -> str:
    """A text as an error quotes it: on one line, and cut where it is long.

    >>> shown("a\\nb")
    "'a\\\\nb'"
    """
    return repr(text if len(text) <= 120 else text[:117] + "...")
