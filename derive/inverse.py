"""Closed forms: an equation y = E(x) solved for x by school algebra, with the statements that the checker accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, cast

from sympy import Add, Basic, Expr, Max, Min, Mul, Poly, Pow, Symbol, fraction, together

from derive.errors import ClaimError, GrammarError
from derive.letters import Letter, Notation
from derive.monomials import Terms, rational_number, terms_of
from derive.proof.step import show
from derive.reading import terms_to_tree, to_tree
from derive.tree import (
    Call,
    Negative,
    Node,
    Power,
    Product,
    Quotient,
    integer,
    product_of,
    rational,
    substitute,
    sum_of,
)
from derive.tree import Symbol as Letters

MOST_MONOMIALS = 400  # of a quotient that is brought over one denominator


@dataclass(frozen=True, slots=True)
class Inverse:
    """One closed form of x: the tree, what the checker accepted for it, and which argument of a maximum is in force."""

    tree: Node
    proofs: tuple[str, ...]
    branches: tuple[Node, ...] = ()


def with_target(notation: Notation, name: str, title: str, unit: str) -> Notation:
    """The notation with one letter more, or another meaning for it: the quantity that an equation defines."""
    known = notation.letters.get(name)
    latex = known.latex if known is not None else ""
    return Notation({**notation.letters, name: Letter(name, title, unit=unit, kind="positive real", latex=latex)})


def closed_forms(expression: Expr, x: Symbol, target: str, notation: Notation) -> tuple[Inverse, ...]:
    """Every closed form that the equation `target` = `expression` gives for the letter `x`; none where there is none.

    Linear and power relations, quadratics in a power of x, quotients of polynomials that lead to these, one root or
    power around any of them, and each argument of a maximum or minimum. `target` is a letter of `notation`. There is
    more than one form where a root has two signs, or a maximum several arguments: the numbers tell which hold.
    """
    return tuple(_Equation(expression, x, target, notation).solved())


@dataclass(frozen=True)
class _Equation:
    """`target` = `expression`, to be solved for `x`."""

    expression: Expr
    x: Symbol
    target: str
    notation: Notation

    @property
    def order(self) -> tuple[str, ...]:
        return self.notation.order

    @property
    def y(self) -> Symbol:
        return self.notation.symbol(self.target)

    def solved(self) -> Iterator[Inverse]:
        for form in self.candidates():
            proofs = self.substituted_back(form.tree)
            if proofs or form.proofs:
                yield Inverse(form.tree, proofs or form.proofs, form.branches)

    def substituted_back(self, tree: Node) -> tuple[str, ...]:
        """The whole equation at the closed form, or the closed form at the equation: what the checker accepts first."""
        whole = self.read(self.expression)
        attempts = (
            (Letters(self.target), whole, {self.x.name: tree}),
            (Letters(self.x.name), tree, {self.target: whole}),
        )
        return next(filter(None, (_shown(*attempt, self.notation) for attempt in attempts)), ())

    def candidates(self) -> Iterator[Inverse]:
        rest, powers, mixed = self.split()
        if not mixed and not powers:
            return
        if not mixed and len(powers) == 1:
            ((exponent, coefficient),) = powers.items()
            value, whole = self.isolated(rest, coefficient), 1 / exponent
            if not rest and len(coefficient) == 1 and whole.denominator == 1:  # SymPy multiplies roots of numbers out
                tree = self.read((self.y / _expression(coefficient)) ** int(whole))
            else:
                tree = _rooted(value, exponent)
            yield Inverse(tree, self.level(self.read(self.x ** rational_number(exponent)), value))
        elif not mixed and (degree := lcm(*[exponent.denominator for exponent in powers])) > 1:
            yield from self.in_root(degree)
        elif not mixed:
            yield from self.polynomial(self.shifted(powers, rest))
        elif len(mixed) == 1 and not powers:
            ((atom, exponent), coefficient) = next(iter(mixed.items()))
            yield from self.peeled(atom, exponent, self.isolated(rest, coefficient))
        else:
            yield from self.quotient()

    def split(self) -> tuple[Terms, dict[Fraction, Terms], dict[tuple[Any, Fraction], Terms]]:
        """The terms without x, the coefficients of its powers, and those of one other part that has x in it."""
        rest: Terms = {}
        powers: dict[Fraction, Terms] = {}
        mixed: dict[tuple[Any, Fraction], Terms] = {}
        for monomial, value in terms_of(self.expression).items():
            inside = [(atom, exponent) for atom, exponent in monomial if self.x in atom.free_symbols]
            others = frozenset(pair for pair in monomial if pair not in inside)
            if not inside:
                rest[monomial] = value
            elif len(inside) == 1 and inside[0][0] == self.x:
                powers.setdefault(inside[0][1], {})[others] = value
            elif len(inside) == 1:
                mixed.setdefault(inside[0], {})[others] = value
            else:  # a product of several parts that have x in them: no single one can be isolated
                mixed.setdefault((Mul(*[a ** rational_number(e) for a, e in inside]), Fraction(0)), {})[others] = value
        return rest, powers, mixed

    def isolated(self, rest: Terms, coefficient: Terms) -> Node:
        """(y - rest)/coefficient as a tree, both negated where the coefficient is negative."""
        sign = -1 if all(value < 0 for value in coefficient.values()) else 1
        below = {monomial: sign * value for monomial, value in coefficient.items()}
        if not rest and len(below) == 1:
            return self.read(sign * self.y / _expression(below))
        moved = terms_to_tree({m: -value for m, value in rest.items()}, self.order) if rest else None
        if sign > 0:
            above = sum_of([Letters(self.target), *([moved] if moved is not None else [])])
        else:
            above = sum_of([terms_to_tree(rest, self.order), Negative(Letters(self.target))])
        return above if below == {frozenset(): Fraction(1)} else Quotient(above, terms_to_tree(below, self.order))

    def level(self, left: Node, right: Node) -> tuple[str, ...]:
        """What the checker accepts of `left` == `right` where the target is what the equation says.

        A definition must be seen to be positive; where it is not, it is written out in place of the target.
        """
        whole = {self.target: self.read(self.expression)}
        attempts = [(left, right)]
        if isinstance(right, Quotient):  # multiplied out, the divisor need not be positive
            attempts.append((product_of([*_factors(right.denominator), left]), right.numerator))
        for one, other in attempts:
            written_out = substitute(one, whole), substitute(other, whole)
            if shown := _shown(one, other, whole, self.notation) or _shown(*written_out, {}, self.notation):
                return shown
        return ()

    def peeled(self, atom: Any, exponent: Fraction, value: Node) -> Iterator[Inverse]:
        """One part that holds all of x: a power of something, or the arguments of a maximum or minimum, one by one."""
        if exponent == 0:
            yield from self.quotient()
            return
        shown = self.level(self.read(atom ** rational_number(exponent)), value)
        below = _rooted(value, exponent)
        if isinstance(atom, Max | Min):
            for argument in atom.args:
                if self.x in argument.free_symbols:
                    for form in self.inner(argument, below, shown):
                        yield Inverse(form.tree, form.proofs, (self.read(argument), *form.branches))
        elif isinstance(atom, Add):
            yield from self.inner(atom, below, shown)
        elif isinstance(atom, Pow) and self.x not in atom.exp.free_symbols:
            power = Power(below, _rooted(self.read(atom.exp), Fraction(-1)))
            yield from self.inner(atom.base, power, shown)

    def inner(self, expression: Any, value: Node, shown: tuple[str, ...]) -> Iterator[Inverse]:
        """The forms of x from a part of the equation whose value is known."""
        if not shown:
            return
        name, table = self.another("a part of the equation")
        below = _Equation(expression, self.x, name, table)
        for form in below.solved():
            yield Inverse(substitute(form.tree, {name: value}), (*shown, *form.proofs), form.branches)

    def in_root(self, degree: int) -> Iterator[Inverse]:
        """Roots of x beside x itself: with z for the smallest root, an equation in whole powers of z."""
        name, table = self.another("a root of the letter")
        z = table.symbol(name)
        inside = cast(Expr, self.expression.xreplace({self.x: z**degree}))
        for form in _Equation(inside, z, self.target, table).solved():
            yield Inverse(Power(form.tree, integer(degree)), form.proofs, form.branches)

    def another(self, meaning: str) -> tuple[str, Notation]:
        """A name that no letter has, and the notation with it."""
        name = next(f"z{n}" for n in range(1, 99) if f"z{n}" not in self.notation.letters)
        return name, with_target(self.notation, name, meaning, "1")

    def shifted(self, powers: Mapping[Fraction, Terms], rest: Terms) -> dict[int, Expr]:
        """The polynomial in x that is 0, by exponent."""
        every = {exponent: _expression(terms) for exponent, terms in powers.items()}
        every[Fraction(0)] = _expression(rest) - self.y
        least = min(every)
        return {int(exponent - least): value for exponent, value in every.items()}

    def quotient(self) -> Iterator[Inverse]:
        """A quotient of polynomials in x: the numerator of E - y."""
        if len(terms_of(self.expression)) > MOST_MONOMIALS:
            return
        numerator = fraction(together(self.expression - self.y))[0]
        if not numerator.is_polynomial(self.x):
            return
        rows = Poly(numerator, self.x).terms()
        yield from self.polynomial({exponent: value for (exponent,), value in rows})

    def polynomial(self, coefficients: Mapping[int, Expr]) -> Iterator[Inverse]:
        """A polynomial in x, by exponent, that is 0: linear, a pure power, or quadratic in a power of x."""
        low, *high = sorted(coefficients)
        if len(high) == 1:
            yield from self.ratio(-coefficients[low], coefficients[high[0]], Fraction(high[0] - low))
        elif len(high) == 2 and high[1] - low == 2 * (high[0] - low):
            first, second, last = coefficients[high[1]], coefficients[high[0]], coefficients[low]
            yield from self.quadratic(first, second, last, Fraction(high[0] - low))

    def ratio(self, above: Expr, below: Expr, power: Fraction) -> Iterator[Inverse]:
        """below * x^power = above: divided by `below` with the sign that the checker sees, or else as it stands."""
        z = self.read(self.x ** rational_number(power))
        sign = -1 if all(value < 0 for value in terms_of(below).values()) else 1
        trees = [Quotient(self.read(each * above), self.read(each * below)) for each in (sign, -sign)]
        for tree in trees:
            if shown := _shown(z, tree, {self.target: self.read(self.expression)}, self.notation):
                yield Inverse(_rooted(tree, power), shown)
                return
        yield Inverse(_rooted(trees[0], power), self.level(z, trees[0]))

    def quadratic(self, a: Expr, b: Expr, c: Expr, power: Fraction) -> Iterator[Inverse]:
        """a z² + b z + c = 0 for z = x^power: the square of 2az + b is b² - 4ac, which the checker is shown."""
        if all(value < 0 for value in terms_of(a).values()):
            a, b, c = -a, -b, -c
        z, double, minus = self.read(self.x ** rational_number(power)), self.read(2 * a), self.read(-b)
        falls = all(value < 0 for value in terms_of(b).values())
        beside = minus if falls else self.read(b)
        last = (
            self.read(-4 * a * c) if len(terms_of(c)) == 1 else product_of([*_factors(self.read(4 * a)), self.read(-c)])
        )
        root = sum_of([Power(beside, integer(2)), last])
        shown = self.level(Power(sum_of([product_of([*_factors(double), z]), self.read(b)]), integer(2)), root)
        if not shown:
            return
        yield Inverse(_rooted(Quotient(sum_of([Call("sqrt", (root,)), minus]), double), power), shown)
        if any(value < 0 for value in terms_of(b).values()):
            other = Quotient(sum_of([minus, Negative(Call("sqrt", (root,)))]), double)
            yield Inverse(_rooted(other, power), shown)

    def read(self, expression: Basic) -> Node:
        return to_tree(expression, self.order)


def _shown(left: Node, right: Node, given: Mapping[str, Node], notation: Notation) -> tuple[str, ...]:
    try:
        return (show(left, "==", right, given, notation),)
    except (ClaimError, GrammarError):
        return ()


def _expression(terms: Terms) -> Expr:
    return Add(*(
        Mul(rational_number(value), *(atom ** rational_number(exponent) for atom, exponent in monomial))
        for monomial, value in terms.items()
    ))  # fmt: skip


def _factors(tree: Node) -> tuple[Node, ...]:
    return tree.factors if isinstance(tree, Product) else (tree,)


def _rooted(tree: Node, exponent: Fraction) -> Node:
    """The positive x whose power is the tree, in the form that reads best."""
    inverse = 1 / exponent
    if inverse == 1:
        return tree
    if inverse == -1:
        match tree:
            case Quotient(above, below):
                return below if above == integer(1) else Quotient(below, above)
        return Quotient(integer(1), tree)
    if inverse < 0:
        return _rooted(_rooted(tree, Fraction(-1)), -exponent)
    if inverse.denominator == 1 and not isinstance(tree, Quotient):
        return Power(tree, integer(int(inverse)))
    if inverse == Fraction(1, 2):
        return Call("sqrt", (tree,))
    return Power(tree, rational(inverse))
