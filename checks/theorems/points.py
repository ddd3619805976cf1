"""Points where what a theorem is given holds, made letter by letter: nothing is drawn and thrown away."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.errors import DeriveError
from derive.evaluation import implied
from derive.exact import evaluate
from derive.model import Model
from derive.tree import Node, Power, Symbol, children, substitute, symbols_of
from formulas.models import model
from formulas.notation import common

LEAST = {"positive integer": 1, "natural number": 0, "positive real": 0, "nonnegative real": 0}
WHOLE = ("positive integer", "natural number")


@dataclass(frozen=True)
class Range:
    """What a letter may be: from `low` up to `high`, as hypotheses say; `below` where it may not be `high` itself.

    A `small` letter is in an exponent, or in what is raised to one.
    """

    name: str
    kind: str
    low: Fraction | None
    high: Fraction | None
    below: bool
    small: bool

    @property
    def least(self) -> Fraction:
        """The lowest value, or the one that all are above: a positive real is not 0."""
        low = Fraction(LEAST[self.kind]) if self.low is None else max(self.low, Fraction(LEAST[self.kind]))
        return Fraction(math.ceil(low)) if self.kind in WHOLE else low


def constructed(theorem: Theorem, choose: Callable[[Range], Fraction]) -> dict[str, Fraction]:
    """A point where all that is given holds, each letter chosen in its range, after those that bound it.

    Raises `DeriveError` where the hypotheses do not bound free letters, one after the other.
    """
    bounds: dict[str, dict[str, Node]] = {name: {} for name in theorem.free}
    for text, relation in theorem.hypotheses.items():
        left = relation.left.name if isinstance(relation.left, Symbol) else ""
        if left not in bounds or relation.operator not in ("<=", "<", ">="):
            raise DeriveError(f"theorem {theorem.name}: write {text!r} with a free letter, then <=, < or >=")
        bounds[left][relation.operator] = substitute(relation.right, theorem.definitions)
    exponents = _in_exponents(theorem.claim.left) | _in_exponents(theorem.claim.right)
    values: dict[str, Fraction] = {}
    while waiting := [name for name in theorem.free if name not in values]:
        needs = {name: {x for tree in bounds[name].values() for x in symbols_of(tree)} for name in waiting}
        name = next((name for name in waiting if needs[name] <= values.keys()), None)
        if name is None:
            raise DeriveError(f"theorem {theorem.name}: what is given bounds {', '.join(waiting)} by one another")
        ends = {operator: evaluate(tree, values) for operator, tree in bounds[name].items()}
        low, high = ends.get(">="), ends.get("<=", ends.get("<"))
        values[name] = choose(Range(name, theorem.kind(name), low, high, "<" in ends, small=name in exponents))
    return values | {name: evaluate(tree, values) for name, tree in theorem.definitions.items()}


def _in_exponents(node: Node) -> set[str]:
    found = set(symbols_of(node)) if isinstance(node, Power) and symbols_of(node.exponent) else set()
    return found.union(*(_in_exponents(part) for part in children(node)))


# ---- drawn points ----

SMALL, STEPS = st.integers(0, 5), st.integers(0, 6) | st.integers(0, 10**6)
SMALL_REALS = st.fractions(Fraction(1, 3), 3, max_denominator=3)
REALS = st.fractions(Fraction(1, 1000), 1000, max_denominator=1000) | st.integers(1, 10**15).map(Fraction)
SIGNED = st.fractions(-1000, 1000, max_denominator=1000)
SHARES = st.fractions(Fraction(1, 100), 1, max_denominator=100)


def _drawn(draw: st.DrawFn, asked: Range) -> Fraction:
    if asked.kind == "real":
        return draw(SIGNED)
    if asked.kind in WHOLE:
        if asked.high is not None:
            return Fraction(draw(st.integers(int(asked.least), math.floor(asked.high))))
        return asked.least + draw(SMALL if asked.small else STEPS)
    if asked.high is not None:
        return asked.least + (asked.high - asked.least) * draw(SHARES) / (2 if asked.below else 1)
    at_its_end = asked.least > 0 or asked.kind == "nonnegative real"
    return (
        asked.least if at_its_end and draw(st.booleans()) else asked.least + draw(SMALL_REALS if asked.small else REALS)
    )


@st.composite
def points(draw: st.DrawFn, theorem: Theorem) -> dict[str, Fraction]:
    """A point where all that a theorem is given holds."""
    return constructed(theorem, lambda asked: _drawn(draw, asked))


# ---- the point of a real model ----

RUN: dict[str, int | Fraction] = {  # of a large run: its plan, tokens, an H100; and the latent of DeepSeek
    "w": 4096, "r_kv": 512, "d_rope": 64, "t": 8, "p": 16, "n": 64, "v": 5, "m": 64,
    "D": 15 * 10**12, "B": 2**24, "G": 8192, "P": 989 * 10**12, "W": 335 * 10**10, "M": 80 * 2**30,
    "eta": Fraction(2, 5), "T": 4, "R": Fraction(5, 2),
}  # fmt: skip


@cache
def _sizes(about: Model) -> dict[str, Fraction]:
    sizes = {name: Fraction(each.value) for name, each in implied(about).items()}
    kind = about.architecture.name
    parameters, flops = (evaluate(Of(x, about=kind).tree, sizes) for x in ("parameters", "flops-per-token"))
    run = {name: Fraction(each) for name, each in RUN.items()}
    return run | sizes | {"N": parameters, "F": flops, "C": flops * run["D"]}


@cache
def _preset(name: str) -> Model:
    return model(name)


def _real(theorem: Theorem, sizes: Mapping[str, Fraction], asked: Range) -> Fraction:
    is_common = theorem.notation[asked.name] == common.letters.get(asked.name)
    found = sizes[asked.name] if is_common else theorem.point()[asked.name]
    if asked.kind != "real":
        found = max(found, asked.least)
    if asked.high is not None and (found >= asked.high if asked.below else found > asked.high):
        found = asked.high / 2 if asked.below else asked.high
    return Fraction(math.floor(found)) if asked.kind in WHOLE else found


def real_point(theorem: Theorem, name: str) -> dict[str, Fraction]:
    """The sizes of a preset and of a run where the letters are the common ones, moved into what is given."""
    return constructed(theorem, lambda asked: _real(theorem, _sizes(_preset(name)), asked))
