"""SymPy expressions as trees in reading order, and trees as exact SymPy expressions."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import gcd
from types import MappingProxyType
from typing import Any

import sympy

from derive.errors import GrammarError
from derive.exact import exact_power
from derive.monomials import Definitions, Terms, fraction, kept_together, raised, rational_number, sum_of_terms, times
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
    product_of,
    rational,
    shown,
    sum_of,
    symbols_of,
    to_text,
)

Convert = Callable[[sympy.Basic], Node]
Place = Callable[[str], tuple[int, str]]
CALLS: dict[str, Callable[..., sympy.Expr]] = {
    "sqrt": sympy.sqrt, "max": sympy.Max, "min": sympy.Min, "ceil": sympy.ceiling, "floor": sympy.floor,
}  # fmt: skip
FUNCTIONS = {sympy.Max: "max", sympy.Min: "min", sympy.ceiling: "ceil", sympy.floor: "floor"}


def _quotient(node: Quotient, symbol: Callable[[str], sympy.Symbol]) -> sympy.Expr:
    denominator = to_sympy(node.denominator, symbol)
    if denominator == 0:
        raise GrammarError(f"formula {shown(to_text(node))}: divisor {shown(to_text(node.denominator))} is zero")
    return to_sympy(node.numerator, symbol) / denominator


def _power(node: Power, symbol: Callable[[str], sympy.Symbol]) -> sympy.Expr:
    base, exponent = to_sympy(node.base, symbol), to_sympy(node.exponent, symbol)
    if isinstance(base, sympy.Rational) and isinstance(exponent, sympy.Integer):
        return rational_number(exact_power(fraction(base), fraction(exponent)))  # bounded, which SymPy is not
    return base**exponent


TO_SYMPY: dict[type, Callable[[Any, Callable[[str], sympy.Symbol]], sympy.Expr]] = {
    Number: lambda node, _: rational_number(node.value),
    Symbol: lambda node, symbol: symbol(node.name),
    Sum: lambda node, symbol: sympy.Add(*[to_sympy(term, symbol) for term in node.terms]),
    Negative: lambda node, symbol: -to_sympy(node.operand, symbol),
    Product: lambda node, symbol: sympy.Mul(*[to_sympy(factor, symbol) for factor in node.factors]),
    Quotient: _quotient,
    Power: _power,
    Call: lambda node, symbol: CALLS[node.function](*[to_sympy(argument, symbol) for argument in node.arguments]),
}


def to_sympy(node: Node, symbol: Callable[[str], sympy.Symbol]) -> sympy.Expr:
    """The exact SymPy expression of a tree; `symbol` gives the symbol of a letter.

    >>> from derive.grammar import parse
    >>> to_sympy(parse("1.05*h/a*a"), lambda name: sympy.Symbol(name, positive=True, integer=True))
    21*h/20
    """
    return TO_SYMPY[type(node)](node, symbol)


def _call(expression: sympy.Basic, convert: Convert, place: Place) -> Node:
    function = FUNCTIONS.get(type(expression))
    if function is None:
        known = ", ".join(FUNCTIONS.values())
        raise GrammarError(f"{shown(str(expression))} is not in the grammar; write it with + - * / ^, sqrt, {known}")
    arguments = [convert(argument) for argument in expression.args]
    return Call(function, tuple(sorted(arguments, key=lambda node: ([*map(place, symbols_of(node))], to_text(node)))))


ATOMS: dict[type, Callable[[Any, Convert, Place], Node]] = {
    sympy.Symbol: lambda expression, *_: Symbol(expression.name),
    sympy.Integer: lambda expression, *_: integer(int(expression)),
    sympy.Pow: lambda expression, convert, _: Power(convert(expression.base), convert(expression.exp)),
    sympy.Add: lambda expression, convert, _: convert(expression),
    sympy.Mul: lambda expression, convert, _: convert(expression),
}


def _powers(atom: Node, exponent: Fraction) -> list[Node]:
    """The factors of a power with a positive exponent: x, x^2, sqrt(x), x*sqrt(x), x^(17/50)."""
    if exponent.denominator == 2:
        return [*_powers(atom, exponent - Fraction(1, 2)), Call("sqrt", (atom,))]
    if exponent == 0:
        return []
    return [atom if exponent == 1 else Power(atom, rational(exponent))]


def _over(above: list[Node], below: list[Node]) -> Node:
    return Quotient(product_of(above), product_of(below)) if below else product_of(above)


def _sides(atoms: Sequence[Node], exponents: Sequence[Fraction]) -> tuple[list[Node], list[Node]]:
    """Powers in reading order: those above the fraction bar, and those below it."""
    pairs = list(zip(atoms, exponents, strict=True))
    above = [factor for atom, exponent in pairs if exponent > 0 for factor in _powers(atom, exponent)]
    return above, [factor for atom, exponent in pairs if exponent < 0 for factor in _powers(atom, -exponent)]


def _term(coefficient: Fraction, atoms: Sequence[Node], exponents: Sequence[Fraction]) -> Node:
    size, exponents, root = _rooted(abs(coefficient), atoms, exponents)
    over, under = size.as_integer_ratio()
    above, below = _sides(atoms, exponents)
    numbers = [[integer(number)] if number != 1 else [] for number in (over, under)]
    roots: tuple[list[Node], list[Node]] = ([], [])
    if root is not None:
        under = root.denominator if isinstance(root, Quotient) and root.numerator == integer(1) else None
        roots[under is not None].append(Call("sqrt", (under or root,)))  # 1/sqrt(h), not sqrt(1/h)
    tree = _over(numbers[0] + above + roots[0], numbers[1] + below + roots[1])
    return Negative(tree) if coefficient < 0 else tree


def _rooted(
    size: Fraction, atoms: Sequence[Node], exponents: Sequence[Fraction]
) -> tuple[Fraction, list[Fraction], Node | None]:
    """A term's number and whole exponents, and what is left under one square root: sqrt(30)*sqrt(C)/60 is sqrt(C/120).

    A root of a number beside one of letters takes the term's number in, since people write no root of a number.
    """
    half = [exponent.denominator == 2 for exponent in exponents]
    signs = [Fraction(exponent > 0) - Fraction(exponent < 0) for exponent in exponents]
    letters = [is_half and not isinstance(atom, Number) for is_half, atom in zip(half, atoms, strict=True)]
    if not any(letters):
        return size, list(exponents), None
    inside = Fraction(1)
    for atom, is_half, sign in zip(atoms, half, signs, strict=True):
        inside *= atom.value ** int(sign) if is_half and isinstance(atom, Number) else 1
    left = [e - sign / 2 if is_half else e for e, is_half, sign in zip(exponents, half, signs, strict=True)]
    if inside != 1:
        size, inside = Fraction(1), inside * size**2
    under = [sign if is_letter else Fraction(0) for is_letter, sign in zip(letters, signs, strict=True)]
    return size, left, _term(inside, atoms, under)


def to_tree(expression: sympy.Basic | int, order: Sequence[str] = (), *, in_front: bool = True) -> Node:
    """The tree of an expression in reading order: multiplied out, like terms added, what all terms share in front.

    `order` gives the letters, those read first in front; others follow by alphabet. In a sum, positive constants come
    first, then ascending degree, then the reading order; negative terms come last. A letter that only some terms divide
    by stays in them; `in_front=False` leaves the common monomial in the terms too. GrammarError where a part is not in
    the grammar, such as a logarithm or a float.

    >>> a, s, b, h, t = sympy.symbols("a s b h t", positive=True, integer=True)
    >>> expression = 10*s*b*h + 24*s*b*h/t + 5*a*s**2*b/t
    >>> to_text(to_tree(expression, "asbht"))
    's*b*(10*h + 24*h/t + 5*a*s/t)'
    >>> to_text(to_tree(expression, "asbht", in_front=False))
    '10*s*b*h + 24*s*b*h/t + 5*a*s^2*b/t'
    """
    found = sympy.Integer(expression) if isinstance(expression, int) else expression
    return _tree(found, tuple(order), in_front)


@lru_cache(maxsize=4096)  # a sheet shows the same rows of many ledgers
def _tree(expression: sympy.Basic, order: tuple[str, ...], in_front: bool) -> Node:
    return sum_to_tree([expression], order, in_front=in_front)


def sum_to_tree(
    expressions: Iterable[sympy.Basic],
    order: Sequence[str] = (),
    *,
    in_front: bool = True,
    where: Definitions = MappingProxyType({}),
) -> Node:
    """The tree of the sum of `expressions`, as `to_tree` reads it; `where` defines letters by expressions in others.

    >>> s, b, h, f = sympy.symbols("s b h f", positive=True, integer=True)
    >>> to_text(sum_to_tree([2*s*b*h, 4*s*b, s*b*f/2], "sbh", where={f: 4*h}))
    '4*s*b*(1 + h)'
    """
    return terms_to_tree(sum_of_terms(expressions, where), order, in_front=in_front)


def as_written(expressions: Iterable[sympy.Basic], order: Sequence[str] = ()) -> Node:
    """The tree of the sum of `expressions` as their author wrote them: a sum inside a product is not multiplied out.

    >>> M, c, phi = sympy.symbols("M c phi", positive=True)
    >>> to_text(as_written([(M - c) * (1 - phi)], ["M", "c", "phi"]))
    '(M - c)*(1 - phi)'
    """
    terms: Terms = {}
    for expression in expressions:
        for monomial, value in kept_together(expression).items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + value
    terms = {monomial: value for monomial, value in terms.items() if value}
    return terms_to_tree(terms, order, in_front=False, convert=lambda part: as_written([part], order))


def shares(
    parts: Iterable[sympy.Basic], whole: Iterable[sympy.Basic], order: Sequence[str], where: Definitions
) -> list[Node]:
    """The sum of `parts` as a share of each term of the sum of `whole`; none if a term of either is negative.

    >>> s, b, h, a = sympy.symbols("s b h a", positive=True, integer=True)
    >>> [to_text(share) for share in shares([16*s*b], [34*s*b*h, 5*a*s**2*b], "asbh", {})]
    ['8/(17*h)', '16/(5*a*s)']
    """
    above, below = sum_of_terms(parts, where), sum_of_terms(whole, where)
    if any(coefficient < 0 for coefficient in (*above.values(), *below.values())):
        return []
    inverses = [raised({monomial: coefficient}, Fraction(-1)) for monomial, coefficient in below.items()]
    return [terms_to_tree(times(above, inverse), order) for inverse in inverses if inverse is not None]


def terms_to_tree(terms: Terms, order: Sequence[str], *, in_front: bool = True, convert: Convert | None = None) -> Node:
    """The tree of a sum of monomials, as `to_tree` reads it; `convert` reads what is inside its atoms."""
    places = {name: index for index, name in enumerate(order)}

    def place(name: str) -> tuple[int, str]:
        return places.get(name, len(places)), name

    convert = convert or partial(to_tree, order=order, in_front=in_front)
    atoms = dict.fromkeys(atom for monomial in terms for atom, _ in monomial)
    trees = {atom: ATOMS.get(type(atom), _call)(atom, convert, place) for atom in atoms}
    atoms = sorted(atoms, key=lambda atom: _atom_key(trees[atom], place))
    letters = [trees[atom] for atom in atoms]
    rows = [[dict(monomial).get(atom, Fraction(0)) for atom in atoms] for monomial in terms]
    shared = [_shared(column) for column in zip(*rows, strict=True)] if len(rows) > 1 and in_front else []
    if any(shared):
        rows = [[exponent - least for exponent, least in zip(row, shared, strict=True)] for row in rows]
    content = _content(list(terms.values())) if len(rows) > 1 and in_front else Fraction(1)
    ordered = sorted(zip(rows, [value / content for value in terms.values()], strict=True), key=_term_key)
    total = sum_of([_term(coefficient, letters, row) for row, coefficient in ordered])
    if not any(shared) and content == 1:
        return total
    above, below = _sides(letters, shared)
    over, under = ([integer(number)] if number != 1 else [] for number in abs(content).as_integer_ratio())
    tree = _over([*over, *above, total], [*under, *below])
    return Negative(tree) if content < 0 else tree


def _atom_key(tree: Node, place: Place) -> tuple[int, list[tuple[int, str]], str]:
    """Powers of numbers, then letters by their place, then everything else by the places of its letters."""
    numeric = isinstance(tree.base if isinstance(tree, Power) else tree, Number)
    group = 0 if numeric else 1 if isinstance(tree, Symbol) else 2
    return group, [place(name) for name in symbols_of(tree)], to_text(tree)


def _shared(column: Sequence[Fraction]) -> Fraction:
    """The whole exponent that all terms have of one letter: what all multiply or all divide by; roots stay in them."""
    shared = min(column) if min(column) > 0 else min(max(column), Fraction(0))
    return Fraction(int(shared))


def _content(coefficients: Sequence[Fraction]) -> Fraction:
    """The number that all coefficients share: 6 of 6 + 6s, 1/2 of 1/2 + s/2; nothing of 13 + 5s/8."""
    under = {coefficient.denominator for coefficient in coefficients}
    sign = -1 if all(coefficient < 0 for coefficient in coefficients) else 1
    return sign * Fraction(
        gcd(*[coefficient.numerator for coefficient in coefficients]), under.pop() if len(under) == 1 else 1
    )


def _term_key(term: tuple[list[Fraction], Fraction]) -> tuple[bool, bool, Fraction, list[Fraction]]:
    exponents, coefficient = term
    degree = sum([exponent for exponent in exponents if exponent > 0], Fraction(0))  # 10*h comes before 24*h/t
    return coefficient < 0, any(exponents), degree, [-exponent for exponent in exponents]
