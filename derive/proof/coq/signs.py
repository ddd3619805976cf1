"""Proof terms for signs, put together from a preamble's lemmas: which sums, products and quotients are positive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count

from derive.proof.coq.ratios import (
    Factor,
    Polynomial,
    Tree,
    content,
    difference,
    ratio,
    scaled,
    shifted,
    split,
    to_tree,
)
from derive.proof.coq.text import coq

Sign = tuple[str, str] | None  # "<", "<=" or "=", and a term that proves 0 < x, 0 <= x or x = 0

ADD = {
    ("<", "<"): ("<", "add_pp'"), ("<", "<="): ("<", "add_pn'"), ("<=", "<"): ("<", "add_np'"),
    ("<=", "<="): ("<=", "add_nn'"),
}  # fmt: skip
WEAK = {"<": "weak'", "=": "zero_weak'"}
ONE, POSITIVE, NONNEGATIVE, REAL = "one", "positive", "nonnegative", "real"  # at least 1, more than 0, at least 0, any


@dataclass(frozen=True)
class Fact:
    """A relation ==, <= or < that has been shown, and its name in the script."""

    relation: str
    left: Tree
    right: Tree
    name: str

    @property
    def gap(self) -> Tree:
        """Right minus left."""
        return ("+", self.right, ("-", self.left))

    @property
    def sign(self) -> tuple[str, str]:
        """Of the gap."""
        lemma = {"<": "minus_p'", "<=": "minus_n'", "==": "minus_z'"}[self.relation]
        return {"==": "="}.get(self.relation, self.relation), f"({lemma} {self.name})"


def weak(sign: tuple[str, str]) -> str:
    """The term that proves 0 <= x."""
    return sign[1] if sign[0] == "<=" else f"({WEAK[sign[0]]} {sign[1]})"


def added(one: Sign, other: Sign) -> Sign:
    """The sign of a sum."""
    if one is None or other is None:
        return None
    if one[0] == other[0] == "=":
        return "=", f"(add_zz' {one[1]} {other[1]})"
    one, other = (("<=", weak(each)) if each[0] == "=" else each for each in (one, other))
    relation, lemma = ADD[one[0], other[0]]
    return relation, f"({lemma} {one[1]} {other[1]})"


def multiplied(one: Sign, other: Sign) -> Sign:
    """The sign of a product: 0 as soon as one factor is 0."""
    if one is not None and one[0] == "=":
        return "=", f"(mul_z' {one[1]})"
    if other is not None and other[0] == "=":
        return "=", f"(mul_anything_z' {other[1]})"
    if one is None or other is None:
        return None
    if one[0] == other[0] == "<":
        return "<", f"(mul_pp' {one[1]} {other[1]})"
    return "<=", f"(mul_nn' {weak(one)} {weak(other)})"


def divided(one: Sign, other: Sign) -> Sign:
    """The sign of a quotient."""
    if one is None or other is None or other[0] != "<":
        return None
    return ("<", f"(over_pp' {one[1]} {other[1]})") if one[0] == "<" else ("<=", f"(over_np' {weak(one)} {other[1]})")


@dataclass
class Signs:
    """The lines of a script, and what is known where it has got to."""

    lines: list[str] = field(default_factory=list)
    numbers: count = field(default_factory=count)
    kinds: dict[str, str] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    known: dict[Tree, str] = field(default_factory=dict)  # trees with a term that proves them positive
    tried: set[Tree] = field(default_factory=set)  # trees that are being shown to be positive

    def branch(self) -> Signs:
        """The same knowledge for a branch, to which it adds its own."""
        return replace(self, kinds=dict(self.kinds), facts=list(self.facts), known=dict(self.known))

    def emit(self, line: str) -> None:
        """Adds a line to the script."""
        self.lines.append(line)

    def fresh(self, what: str) -> str:
        """A name that nothing else has."""
        return f"{what}'{next(self.numbers)}"

    def shown(self, statement: str, proof: str, what: str = "shown") -> str:
        """Asserts a statement with its proof, and returns its name."""
        name = self.fresh(what)
        self.emit(f"assert ({name} : {statement}) by {proof}.")
        return name

    def direct(self, tree: Tree) -> Sign:
        """The sign that a tree has by how it is built."""
        if tree in self.known:
            return "<", self.known[tree]
        if type(tree) is int:
            return None if tree < 0 else ("<", f"(number' {tree}%positive)") if tree else ("=", "(eq_refl 0)")
        if type(tree) is str:
            kind = self.kinds[tree]
            if kind in (ONE, POSITIVE):
                return "<", f"pos'{tree}"
            return ("<=", f"nonneg'{tree}") if kind == NONNEGATIVE else None
        head, first, *rest = tree
        if head == "+" and rest == [("-", 1)] and self.kinds.get(first) == ONE:
            return "<=", f"one'{first}"
        if head == "^":
            return self._power(first, rest[0])
        if head not in FOLDS:
            return None
        sign = self.direct(first)
        for operand in rest:
            sign = FOLDS[head](sign, self.direct(operand))
        return sign

    def _power(self, base: Tree, exponent: int) -> Sign:
        sign = self.direct(base)
        if sign is not None and sign[0] == "<":
            term = f"(power_p' {abs(exponent)} {sign[1]})"
            return "<", term if exponent >= 0 else f"(inverse_p' {term})"
        if exponent > 0 and sign is not None:
            return "<=", f"(power_n' {exponent} {weak(sign)})"
        if exponent > 0 and exponent % 2 == 0:
            return "<=", f"(even' {coq(base)} {exponent // 2} eq_refl)"
        return None

    def form(self, p: Polynomial) -> Tree:
        """A polynomial written in what some of its symbols are beyond 1: as few as leave no term that is subtracted."""
        names = sorted({name for m in p for name, _ in m if self.kinds[name] == ONE})
        beyond = {*names}
        for name in names:
            if min(shifted(p, beyond - {name}).values(), default=0) >= 0:
                beyond.remove(name)
        return to_tree(shifted(p, beyond), {name: ("+", name, ("-", 1)) for name in beyond})

    def positive(self, factor: Factor, *, assume: bool = True) -> bool:
        """Whether a polynomial is shown to be positive; where not, with `assume` the script leaves it to Coq."""
        tree = to_tree(dict(factor))
        if tree in self.known:
            return True
        sign = self.direct(tree)
        if sign is None or sign[0] != "<":
            form = self.form(dict(factor))
            sign = self.direct(form)
            if sign is not None and sign[0] == "<":
                equal = self.identity(("*", tree, 1), form, set())
                sign = "<", f"(scaled_p' (number' 1) {equal} {sign[1]})"
            elif tree not in self.tried:
                self.tried.add(tree)
                sign = self._by_fact(tree, dict(factor), Counter(), "<")
                self.tried.remove(tree)
            else:
                sign = None
        if sign is None:
            if not assume:
                return False
            sign = "<", self.shown(f"0 < {coq(tree)}", "lra")
        name = self.fresh("positive")
        self.emit(f"pose proof ({sign[1]} : 0 < {coq(tree)}) as {name}.")
        self.emit(f"pose proof (nonzero' {name}) as {self.fresh('nonzero')}.")
        self.known[tree] = name
        return True

    def _by_fact(self, tree: Tree, numerator: Polynomial, factors: Counter[Factor], *relations: str) -> Sign:
        """The sign of a tree, its numerator over factors, that a fact tells of a positive multiple."""
        number, mine = split(numerator)
        for fact in self.facts:
            divisors: set[Factor] = set()
            gap = difference(fact.left, fact.right, divisors)
            if fact.relation not in relations or not gap.numerator:
                continue
            other, theirs = split(gap.numerator)
            shared = mine & theirs
            beyond = [self.direct(_variable(factor)) for factor in {*(mine - shared), *(theirs - shared)}]
            if number * other < 0 or any(sign is None or sign[0] != "<" for sign in beyond):
                continue
            if not self.all_positive(divisors | {*factors}, assume=False):
                continue
            by = self.multiple(factors + (theirs - shared), abs(number).denominator * abs(other).numerator)
            of = self.multiple(gap.factors + (mine - shared), abs(number).numerator * abs(other).denominator)
            equal = self.identity(("*", tree, by), ("*", fact.gap, of), divisors)
            known, sign = self.direct(by), multiplied(fact.sign, self.direct(of))
            assert known is not None
            assert sign is not None
            return sign[0], f"({SCALED[sign[0]]} {known[1]} {equal} {sign[1]})"
        return None

    def all_positive(self, factors: set[Factor], *, assume: bool = True) -> bool:
        """Whether each of some polynomials is shown to be positive; see `positive`."""
        ordered = sorted(factors, key=lambda factor: coq(to_tree(dict(factor))))
        return all(self.positive(factor, assume=assume) for factor in ordered)

    def multiple(self, factors: Counter[Factor], number: int) -> Tree:
        """The product of a number and of factors that have been shown to be positive."""
        trees = [(to_tree(dict(factor)), exponent) for factor, exponent in factors.items()]
        trees.sort(key=lambda pair: coq(pair[0]))
        powers = [tree if exponent == 1 else ("^", tree, exponent) for tree, exponent in trees]
        return ("*", number, *powers) if powers else number

    def identity(self, left: Tree, right: Tree, divisors: set[Factor]) -> str:
        """Asserts that two trees are equal wherever the divisors are not 0."""
        self.all_positive(divisors)
        statement = f"{coq(left)} = {coq(right)}"
        return self.shown(statement, "fractions'" if "/" in statement else "ring", "equal")

    def sign(self, tree: Tree) -> Sign:
        """The sign of a tree, by how it is built or by the polynomial that it is a fraction of."""
        direct = self.direct(tree)
        if direct is not None and direct[0] != "<=":
            return direct
        divisors: set[Factor] = set()
        value = ratio(tree, divisors)
        if not self.all_positive(divisors, assume=False):
            return direct
        if not value.numerator:
            return "=", self.identity(tree, 0, divisors)
        number = content(value.numerator).denominator
        form = self.form(scaled(value.numerator, number))
        sign = self.direct(form)
        if sign is None or sign[0] != "<":
            relations = ("<",) if sign or direct else ("<", "<=")
            if stated := self._by_fact(tree, value.numerator, value.factors, *relations):
                return stated
        if sign is None or (direct is not None and sign[0] != "<"):
            return direct
        other = self.multiple(value.factors, number)
        equal, known = self.identity(("*", tree, other), form, divisors), self.direct(other)
        assert known is not None
        return sign[0], f"({SCALED[sign[0]]} {known[1]} {equal} {sign[1]})"

    def is_zero(self, tree: Tree) -> Sign:
        """That a tree is 0, by a fact or because it is at least and at most 0."""
        divisors: set[Factor] = set()
        value = ratio(tree, divisors)
        if self.all_positive(divisors, assume=False) and value.numerator:
            for numerator, text in ((value.numerator, tree), (scaled(value.numerator, -1), ("-", tree))):
                if sign := self._by_fact(text, numerator, value.factors, "=="):
                    return sign if text is tree else ("=", f"(negative_z' {sign[1]})")
            signs = self.sign(tree), self.sign(("-", tree))
            if signs[0] and signs[1]:
                return "=", f"(between_z' {weak(signs[0])} {weak(signs[1])})"
        return None


def _variable(factor: Factor) -> Tree:
    """The name that a factor is, or minus one, which has no sign, for any other polynomial."""
    tree = to_tree(dict(factor))
    return tree if type(tree) is str else -1


SCALED = {"<": "scaled_p'", "<=": "scaled_n'", "=": "scaled_z'"}
FOLDS: dict[str, Callable[[Sign, Sign], Sign]] = {"+": added, "*": multiplied, "/": divided}
