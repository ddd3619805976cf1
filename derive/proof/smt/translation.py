"""Statements in Z3's language: polynomials without division, and in order what is assumed and what is to be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple

from derive.proof.refute.pointwise import KINDS, NoValue, compiled, symbols_of

MOST_EXPONENT = 64  # that is written out; a higher one is an unknown positive number
MOST_DEGREE = 12  # of a root that is written out: Z3 does not come to an end on equations such as v^50 == u^17
RELATIONS: dict[str, Callable[[Any], Any]] = {  # of right - left
    "==": lambda x: x == 0, "<=": lambda x: x >= 0, "<": lambda x: x > 0, ">=": lambda x: x <= 0, ">": lambda x: x < 0,
}  # fmt: skip


class Quotient(NamedTuple):
    """A polynomial over a product of factors, each with its exponent: what divides is never multiplied out or lost."""

    above: Any
    below: Mapping[int, tuple[Any, int]]  # by Z3's number of the factor, the same for the same expression


class Step(NamedTuple):
    """What holds if all before it does: a fact, or what has to be shown of the statement's parts."""

    formula: Any
    needed: str  # in words; empty for a fact


@dataclass
class Translation:
    """A statement in one context of Z3.

    With `whole`, integers are integers, else reals that are at least as large; with `integral`, nothing else occurs.
    """

    statement: Mapping[str, Any]
    whole: bool
    integral: bool
    is_positive: Callable[[Translation, Any], bool]  # whether Z3 shows it from the steps so far
    z3: Any = field(default_factory=lambda: import_module("z3"))
    steps: list[Step] = field(default_factory=list)
    free: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Quotient] = field(default_factory=dict)
    calls: dict[Any, Quotient] = field(default_factory=dict)
    powers: list[tuple[Quotient, Quotient, Quotient]] = field(
        default_factory=list
    )  # base, exponent, value of what is not written out
    signs: dict[int, tuple[Any, bool]] = field(default_factory=dict)  # of divisors: whether it is shown to be positive
    kept: list[Any] = field(default_factory=list)  # whose numbers are keys: Z3 gives the number of a dead one away
    count: Iterator[int] = field(default_factory=count)
    goal: Any = None

    def __post_init__(self) -> None:
        self.context = self.z3.Context()
        # Z3's own rewriting by rules: exact, and where it finds no normal form nothing is lost but time.
        self.rewritten = partial(self.z3.simplify, som=True, som_blowup=10_000)

    def run(self, given: bool = True) -> Translation:
        """Translate the statement: symbols, definitions, givens, then both sides and the goal."""
        define = dict(self.statement.get("define", ()))
        for name, kind in self.statement["symbols"].items():
            if name not in define:
                self.free[name] = self.unknown(name, *KINDS[kind])
                self.values[name] = Quotient(self.free[name], {})
        for name, tree in define.items():
            self.values[name] = self.value(tree)
            kind = KINDS[self.statement["symbols"][name]]
            if kind.least is not None:
                least = ">=" if kind.may_be_zero else ">"
                self.need(self.related(self.values[name], least, self.number(0)), f"{name} may not be positive")
        for relation, left, right in self.statement.get("given", ()) if given else ():
            start = len(self.steps)
            holds = self.related(self.value(left), relation, self.value(right))
            self.steps[start:] = [Step(formula, "") for formula, _ in self.steps[start:]]  # a given has a value
            self.fact(holds)
        left, right = self.value(self.statement["left"]), self.value(self.statement["right"])
        self.goal = self.related(left, self.statement["relation"], right)
        return self

    def fact(self, formula: Any) -> None:
        """Assume a formula."""
        self.steps.append(Step(formula, ""))

    def need(self, formula: Any, otherwise: str) -> None:
        """A formula that has to hold at every point."""
        self.steps.append(Step(formula, otherwise))

    def unknown(self, name: str, whole: bool, least: int | None = None, may_be_zero: bool = True) -> Any:
        """A number of a kind; a real one, unless all are integers."""
        number = (self.z3.Int if whole and self.whole else self.z3.Real)(name, self.context)
        number = self.z3.ToReal(number) if whole and self.whole and not self.integral else number
        if least is not None:
            self.fact(number >= least if may_be_zero or least else number > 0)
        return number

    def fresh(self, whole: bool = False) -> Any:
        """A number that no symbol names."""
        return self.unknown(f"!{next(self.count)}", whole)

    def number(self, value: Fraction | int) -> Quotient:
        """A constant."""
        return Quotient((self.z3.IntVal if self.integral else self.z3.RealVal)(str(value), self.context), {})

    def value(self, tree: Any) -> Quotient:
        """What a tree stands for; the steps get what it needs to have a value."""
        if isinstance(tree, str):
            return self.values[tree]
        if not isinstance(tree, list | tuple):
            return self.number(tree)
        head, *parts = tree
        if head == "^":
            return self.power(parts[0], parts[1])
        return OPERATIONS[head](self, [self.value(part) for part in parts])

    def sum(self, parts: Sequence[Quotient]) -> Quotient:
        """Over the least common multiple of what divides."""
        common: dict[int, tuple[Any, int]] = {}
        for part in parts:
            for key, (factor, exponent) in part.below.items():
                common[key] = (factor, max(exponent, common.get(key, (factor, 0))[1]))
        total = None
        for part in parts:
            above = part.above
            for key, (factor, exponent) in common.items():
                above = _times(above, factor, exponent - part.below.get(key, (factor, 0))[1])
            total = above if total is None else total + above
        return Quotient(total, common)

    def product(self, parts: Sequence[Quotient]) -> Quotient:
        """What divides one of them divides the product."""
        above, *others = [part.above for part in parts]
        below: dict[int, tuple[Any, int]] = {}
        for other in others:
            above = above * other
        for part in parts:
            for key, (factor, exponent) in part.below.items():
                below[key] = (factor, exponent + below.get(key, (factor, 0))[1])
        return Quotient(above, below)

    def inverse(self, part: Quotient) -> Quotient:
        """1 over a value, which has to be other than 0."""
        above = self.number(1).above
        for factor, exponent in part.below.values():
            above = _times(above, factor, exponent)
        below: dict[int, tuple[Any, int]] = {}
        for factor in self.factors(part.above):
            known = self.z3.is_rational_value(factor) and factor.as_fraction()
            if known:  # in integers alone a constant divides like anything else
                above = above * self.number(1 / known).above
                continue
            key = self.divisor(factor)
            below[key] = (factor, 1 + below.get(key, (factor, 0))[1])
        return Quotient(above, below)

    def factors(self, expression: Any) -> list[Any]:
        """The factors of a product, each brought to Z3's normal form of polynomials."""
        if self.z3.is_mul(expression):
            return [factor for part in expression.children() for factor in self.factors(part)]
        normal = self.normal(expression)
        return self.factors(normal) if self.z3.is_mul(normal) else [normal]

    def normal(self, expression: Any) -> Any:
        """The sum of monomials; kept, as its number is a key."""
        self.kept.append(self.rewritten(expression))
        return self.kept[-1]

    def divisor(self, factor: Any) -> int:
        """The key of a factor that divides; it has to be other than 0, which being positive is the usual reason for."""
        key = factor.get_id()
        if key not in self.signs:
            positive = self.is_positive(self, factor)
            self.signs[key] = (factor, positive)
            if positive:
                self.fact(factor > 0)
            else:
                self.need(factor != 0, f"a divisor may be 0: {_brief(factor)}")
        return key

    def related(self, left: Quotient, relation: str, right: Quotient) -> Any:
        """The relation as one of polynomials: of right - left, times those divisors whose sign is not known."""
        difference = self.sum([right, self.negative(left)])
        above = difference.above
        if relation != "==":
            for key, (factor, exponent) in difference.below.items():
                above = _times(above, factor, 0 if self.signs[key][1] else exponent % 2)
        return RELATIONS[relation](self.normal(above))

    def negative(self, part: Quotient) -> Quotient:
        """Minus a value."""
        return Quotient(-part.above, part.below)

    def key(self, part: Quotient) -> tuple[Any, ...]:
        """The same for the same value, written alike up to the order and the grouping of sums and products."""
        below = sorted((key, exponent) for key, (_, exponent) in part.below.items())
        return (self.normal(part.above).get_id(), *below)

    def call(self, head: str, parts: Sequence[Quotient]) -> Quotient:
        """The value of a function: a number that obeys what characterises it, one for equal arguments."""
        key = (head, *map(self.key, parts))
        if key not in self.calls:
            found = self.calls[key] = Quotient(self.fresh(head in ("ceil", "floor")), {})
            for fact in CALLS[head](self, found, parts):
                self.fact(fact)
        return self.calls[key]

    def power(self, base: Any, exponent: Any) -> Quotient:
        """A whole power is a product, a rational one a root; any other an unknown positive number."""
        value = constant(exponent)
        found = self.value(base)
        if value is None or max(abs(value.numerator), value.denominator) > MOST_EXPONENT:
            return self.opaque(found, self.value(exponent))
        if value.denominator > 1:
            root = self.root(found, abs(value.numerator), value.denominator)
            return root if value > 0 else self.inverse(root)
        if value <= 0:
            found = self.inverse(found)
        return self.product([found] * abs(int(value))) if value else self.number(1)

    def root(self, base: Quotient, over: int, degree: int) -> Quotient:
        """The value v of u^(p/q), p > 0: v >= 0 and v^q == u^p; of high powers only that v is 0 where u is."""
        key = ("root", self.key(base), over, degree)
        if key not in self.calls:
            zero = self.number(0)
            self.need(self.related(base, ">=", zero), f"no root may exist: {_brief(base.above)}")
            found = self.calls[key] = Quotient(self.fresh(), {})
            self.fact(self.related(found, ">=", zero))
            if max(over, degree) <= MOST_DEGREE:
                self.fact(self.related(self.product([found] * degree), "==", self.product([base] * over)))
            else:
                self.fact(self.related(found, ">", zero) == self.related(base, ">", zero))
        return self.calls[key]

    def opaque(self, base: Quotient, exponent: Quotient) -> Quotient:
        """The value of a power that is not written out: positive, and the same for the same base and exponent."""
        key = ("^", self.key(base), self.key(exponent))
        if key not in self.calls:
            zero = self.number(0)
            self.need(self.related(base, ">", zero), f"a power's base may not be positive: {_brief(base.above)}")
            found = self.calls[key] = Quotient(self.fresh(), {})
            self.fact(self.related(found, ">", zero))
            for its_base, its_exponent, its_value in self.powers:
                same = [self.related(base, "==", its_base), self.related(exponent, "==", its_exponent)]
                self.fact(self.z3.Implies(self.z3.And(same), self.related(found, "==", its_value)))
            self.powers.append((base, exponent, found))
        return self.calls[key]


OPERATIONS: dict[str, Callable[[Translation, list[Quotient]], Quotient]] = {
    "+": lambda into, parts: into.sum(parts),
    "*": lambda into, parts: into.product(parts),
    "-": lambda into, parts: into.negative(parts[0]),
    "/": lambda into, parts: into.product([parts[0], into.inverse(parts[1])]),
    "sqrt": lambda into, parts: into.root(parts[0], 1, 2),
} | {head: lambda into, parts, head=head: into.call(head, parts) for head in ("max", "min", "ceil", "floor")}
CALLS: dict[str, Callable[[Translation, Quotient, Sequence[Quotient]], list[Any]]] = {
    "max": lambda into, v, parts: [
        *[into.related(u, "<=", v) for u in parts], into.z3.Or([into.related(v, "==", u) for u in parts]),
    ],
    "min": lambda into, v, parts: [
        *[into.related(v, "<=", u) for u in parts], into.z3.Or([into.related(v, "==", u) for u in parts]),
    ],
    "ceil": lambda into, v, parts: [
        into.related(parts[0], "<=", v), into.related(v, "<", into.sum([parts[0], into.number(1)])),
    ],
    "floor": lambda into, v, parts: [
        into.related(v, "<=", parts[0]), into.related(parts[0], "<", into.sum([v, into.number(1)])),
    ],
}  # fmt: skip


def _times(expression: Any, factor: Any, exponent: int) -> Any:
    for _ in range(exponent):
        expression = expression * factor
    return expression


def constant(tree: Any) -> Fraction | None:
    """The rational value of a tree without symbols; None where it has none."""
    if symbols_of(tree):
        return None
    try:
        value = compiled(tree, {})([64])
    except NoValue:
        return None
    return Fraction(value) if isinstance(value, int | Fraction) else None


def _brief(expression: Any) -> str:
    text = " ".join(str(expression).split())
    return text if len(text) <= 60 else text[:57] + "..."
