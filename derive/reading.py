"""SymPy expressions as trees in reading order, and trees as exact SymPy expressions."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial, reduce
from math import gcd
from typing import Any

import sympy

from derive.errors import GrammarError
from derive.exact import exact_power
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

# A sum of Laurent monomials over "atoms": symbols, and whatever is no sum, product or power with a rational exponent.
Monomial = frozenset[tuple[sympy.Basic, Fraction]]  # atom and exponent, none of them 0
Terms = dict[Monomial, Fraction]
Convert = Callable[[sympy.Basic], Node]
Place = Callable[[str], tuple[int, str]]
ONE: Monomial = frozenset()
MOST_MULTIPLIED_OUT = 16  # a power of a sum beyond this stays a power

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
        return _rational(exact_power(_fraction(base), _fraction(exponent)))  # bounded, which SymPy is not
    return base**exponent


def _rational(value: Fraction) -> sympy.Expr:
    return sympy.Rational(value.numerator, value.denominator)


def _fraction(value: sympy.Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))


TO_SYMPY: dict[type, Callable[[Any, Callable[[str], sympy.Symbol]], sympy.Expr]] = {
    Number: lambda node, _: _rational(node.value),
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


def _collected(pairs: Iterable[tuple[Monomial, Fraction]]) -> Terms:
    total: Terms = {}
    for monomial, coefficient in pairs:
        total[monomial] = total.get(monomial, 0) + coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def _merged(left: Monomial, right: Monomial, coefficient: Fraction) -> tuple[Monomial, Fraction]:
    exponents = dict(left)
    for atom, exponent in right:
        exponents[atom] = exponents.get(atom, 0) + exponent
        if isinstance(atom, sympy.Integer) and exponents[atom].denominator == 1:  # sqrt(2)*sqrt(2) is a number
            coefficient *= Fraction(int(atom)) ** int(exponents.pop(atom))
    return frozenset([pair for pair in exponents.items() if pair[1]]), coefficient


def _times(left: Terms, right: Terms) -> Terms:
    return _collected(_merged(one, other, left[one] * right[other]) for one in left for other in right)


def _multiply_terms(expression: sympy.Mul) -> Terms:
    return reduce(_times, [_terms(factor) for factor in expression.args])


def _power_terms(expression: sympy.Pow) -> Terms:
    base, exponent = expression.args
    if not isinstance(exponent, sympy.Rational):
        if exponent.as_coeff_Mul()[0].is_negative:  # 2^(-e) is 1/2^e
            return {frozenset([(base**-exponent, Fraction(-1))]): Fraction(1)}
        return {frozenset([(expression, Fraction(1))]): Fraction(1)}
    count, terms = _fraction(exponent), _terms(base)
    if not terms and count < 0:
        raise GrammarError(f"{shown(str(expression))} divides by zero; it has no value to be written")
    if not terms:
        return {}
    if len(terms) > 1 and count.denominator == 1 and 0 < count <= MOST_MULTIPLIED_OUT:
        return reduce(_times, [terms] * int(count))
    [(monomial, coefficient), *more] = terms.items()
    if more or (coefficient != 1 and count.denominator != 1):
        return {frozenset([(base, count)]): Fraction(1)}
    return {frozenset([(atom, power * count) for atom, power in monomial]): coefficient**count.numerator}


TERMS: dict[type, Callable[[Any], Terms]] = {
    sympy.Add: lambda expression: _collected(pair for term in expression.args for pair in _terms(term).items()),
    sympy.Mul: _multiply_terms,
    sympy.Pow: _power_terms,
}


def _terms(expression: sympy.Basic) -> Terms:
    """The expression multiplied out; SymPy's own `expand` is slower, and takes 2^(e - 1) apart."""
    if isinstance(expression, sympy.Rational):
        return {ONE: _fraction(expression)} if expression else {}
    convert = TERMS.get(type(expression))
    return convert(expression) if convert else {frozenset([(expression, Fraction(1))]): Fraction(1)}


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
    over, under = abs(coefficient).as_integer_ratio()
    above, below = _sides(atoms, exponents)
    numbers = [[integer(number)] if number != 1 else [] for number in (over, under)]
    tree = _over(numbers[0] + above, numbers[1] + below)
    return Negative(tree) if coefficient < 0 else tree


def to_tree(expression: sympy.Basic | int, order: Sequence[str] = (), *, in_front: bool = True) -> Node:
    """The tree of an expression in reading order: multiplied out, like terms added, what all terms share in front.

    `order` gives the letters, those read first in front; others follow by alphabet. In a sum, positive constants come
    first, then ascending degree, then the reading order; negative terms come last. A letter that only some terms divide
    by stays in them; `in_front=False` leaves the common monomial in the terms too. GrammarError where a part is not in the grammar, such as a logarithm or a float.

    >>> a, s, b, h, t = sympy.symbols("a s b h t", positive=True, integer=True)
    >>> expression = 10*s*b*h + 24*s*b*h/t + 5*a*s**2*b/t
    >>> to_text(to_tree(expression, "asbht"))
    's*b*(10*h + 24*h/t + 5*a*s/t)'
    >>> to_text(to_tree(expression, "asbht", in_front=False))
    '10*s*b*h + 24*s*b*h/t + 5*a*s^2*b/t'
    """
    return sum_to_tree([sympy.Integer(expression) if isinstance(expression, int) else expression], order, in_front=in_front)


def sum_to_tree(expressions: Iterable[sympy.Basic], order: Sequence[str] = (), *, in_front: bool = True) -> Node:
    """The tree of the sum of `expressions`, as `to_tree` reads it, without making SymPy add them.

    >>> s, b, h = sympy.symbols("s b h", positive=True, integer=True)
    >>> to_text(sum_to_tree([2*s*b*h, 4*s*b, 4*s*b, s*b*h], "sbh"))
    's*b*(8 + 3*h)'
    """
    places = {name: index for index, name in enumerate(order)}

    def place(name: str) -> tuple[int, str]:
        return places.get(name, len(places)), name

    convert = partial(to_tree, order=order, in_front=in_front)
    terms = _collected(item for expression in expressions for item in _terms(expression).items())
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
    over, under = ([integer(number)] if number != 1 else [] for number in content.as_integer_ratio())
    return _over([*over, *above, total], [*under, *below])


def monomials(expressions: Iterable[sympy.Basic]) -> list[sympy.Expr]:
    """The terms of the sum of `expressions`, multiplied out and like ones added.

    >>> s, h = sympy.symbols("s h", positive=True, integer=True)
    >>> monomials([s * (2 + h), s])
    [3*s, h*s]
    """
    terms = _collected(item for expression in expressions for item in _terms(expression).items())
    return [
        sympy.Mul(_rational(coefficient), *(atom ** _rational(exponent) for atom, exponent in monomial))
        for monomial, coefficient in terms.items()
    ]


def _atom_key(tree: Node, place: Place) -> tuple[int, tuple[int, str]]:
    """Powers of numbers, then letters by their place, then everything else by its text."""
    if isinstance(tree, Symbol):
        return 1, place(tree.name)
    numeric = isinstance(tree.base if isinstance(tree, Power) else tree, Number)
    return 0 if numeric else 2, (0, to_text(tree))


def _shared(column: Sequence[Fraction]) -> Fraction:
    """The exponent that all terms have of one letter: what all multiply or all divide by."""
    return min(column) if min(column) > 0 else min(max(column), Fraction(0))


def _content(coefficients: Sequence[Fraction]) -> Fraction:
    """The number that all coefficients share: 6 of 6 + 6s, 1/2 of 1/2 + s/2; nothing of 13 + 5s/8."""
    under = {coefficient.denominator for coefficient in coefficients}
    return Fraction(gcd(*[coefficient.numerator for coefficient in coefficients]), under.pop() if len(under) == 1 else 1)


def _term_key(term: tuple[list[Fraction], Fraction]) -> tuple[bool, bool, Fraction, list[Fraction]]:
    exponents, coefficient = term
    degree = sum([exponent for exponent in exponents if exponent > 0], Fraction(0))  # 10*h comes before 24*h/t
    return coefficient < 0, any(exponents), degree, [-exponent for exponent in exponents]
