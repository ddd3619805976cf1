"""The laws as statements: each in the letters of one architecture under a plan where its two sides are not the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Add, Basic, Mul, Pow, Rational, Symbol, evaluate

from checks.laws import FEW_HEADS, LAWS, Case, Law, Sides, case
from derive import Architecture
from derive.grammar import parse, parse_relation
from derive.plan import parse_plan
from derive.proof.statement import Statement, stated
from derive.reading import to_sympy, to_tree
from derive.tree import Negative, Node, Power, Quotient, Relation, integer, product_of, rational, sum_of, to_lists
from derive.tree import Symbol as Letter
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama

FULL_MASK = "tp=t,mask=full"  # half as many rows of products: none for the surplus of the diagonal
UNEQUAL = "of what is recomputed, {} have at least one number and are not kept"


class Supposing(Case):
    """A case in which a letter that a law sets to something keeps its name: what it is set to is a hypothesis."""

    def having(self, **_: Any) -> Case:
        """The same case, in the same letters."""
        return self


@dataclass(frozen=True)
class Instance:
    """Where a law is stated, and what its statement has beside the sides.

    `supposed` are the letters that the law sets to something, as hypotheses; `equality` is a point where both sides of
    an inequality are equal, or says why there is none; `sides` is for a law that sets a letter in the formula itself.
    """

    architecture: Architecture = llama
    plan: str = "tp=t,sp"
    supposed: Mapping[str, str] = field(default_factory=dict)
    replicated: tuple[str, ...] = ()
    equality: Mapping[str, int] | str = ""
    sides: Callable[[Case], Sides] | None = None

    def case(self) -> Case:
        """The architecture in letters under the plan."""
        made = case(self.architecture, parse_plan(self.plan, self.architecture.notation.symbol))
        made = made.under(replicated=self.replicated)
        return Supposing(made.architecture, made.plan) if self.supposed and self.sides is None else made


def _split_and_serial(case: Case) -> Sides:
    """What a layer keeps on one of t devices, and on one alone."""
    return case.kept.value, case.serial.kept.value


# The plan of most is the richest one. Without sequence parallelism some tensors are whole on every device; the GPT has
# dropout, biases and tied embeddings. An entry with an architecture behind the law's name states the law once more.
INSTANCES: dict[str, Instance] = {
    "shards-of-bytes": Instance(gpt, "tp=t"),
    "shards-of-parameters": Instance(gpt, "tp=t"),
    "shards-of-products": Instance(plan="tp=t,mask=full,recompute=core"),
    "backward": Instance(plan=FULL_MASK),
    "frozen-weights": Instance(plan=FULL_MASK),
    "model-flops": Instance(plan=FULL_MASK),
    "layer-again": Instance(plan=FULL_MASK),
    "layer-and-scores-again": Instance(plan=FULL_MASK),
    "nothing-again": Instance(plan=FULL_MASK),
    "one-device": Instance(gpt, supposed={"t": "1"}, sides=_split_and_serial),
    "multi-head-bytes": Instance(supposed={"g": "a"}),
    "multi-head-parameters": Instance(supposed={"g": "a"}),
    "multi-head-flops": Instance(supposed={"g": "a"}),
    "blocks": Instance(gpt),
    "tied-embeddings/llama": Instance(llama),
    "tied-embeddings": Instance(gpt),
    "early-stop": Instance(
        plan="tp=t,sp,recompute=mlp",
        equality="the last product of the MLP is not run again, and it has at least one multiplication",
    ),
    "norm-recomputed": Instance(equality=UNEQUAL.format("the normalised inputs")),
    "core-recomputed": Instance(gpt, equality=UNEQUAL.format("the softmax outputs")),
    "attention-recomputed": Instance(gpt, equality=UNEQUAL.format("query, key and value")),
    "mlp-recomputed": Instance(gpt, equality=UNEQUAL.format("the GELU's inputs")),
    "layer-recomputed": Instance(gpt, equality=UNEQUAL.format("all inner tensors")),
    "flash-or-not": Instance(equality={"s": 2}),
    "few-heads": Instance(supposed={"g": "t"}, replicated=("g",)),
}


@cache
def stated_laws() -> tuple[Statement, ...]:
    """Every law as a statement, `laws/NAME`, in the order of the laws: a law counts once, whatever it is stated for.

    >>> [each["right"] for each in stated_laws() if each["name"] == "laws/tied-embeddings"]
    [['+', ['*', 'V', 'h'], ['*', 'S', 'h'], 'h', 'h', ['*', 'V', 'h']]]
    """
    made = []
    for law in (*LAWS, FEW_HEADS):
        further = [name for name in INSTANCES if name.startswith(f"{law.name}/")]
        made += [stated_law(law, name, INSTANCES.get(name, Instance())) for name in (law.name, *further)]
    return tuple(made)


def stated_law(law: Law, name: str, instance: Instance) -> Statement:
    """The statement of a law in one architecture and plan, its sides as the law writes them."""
    letters = instance.architecture.notation
    made = instance.case()
    with evaluate(False):  # else SymPy adds like terms up, and most sides become the same expression
        left, right = map(_written, (instance.sides or law.sides)(made))
    if left == right:  # then what both are is said on the left, in reading order
        left = to_tree(to_sympy(left, letters.symbol), letters.order)
    statement = {"name": f"laws/{name}"} | stated(
        Relation(left, law.relation, right),
        {letter: parse(text) for letter, text in instance.supposed.items()},
        letters,
        [parse_relation(f"{letter} >= {least}") for letter, least in law.least.items()],
        {letter: Fraction(least) for letter, least in law.least.items()},
    )
    if law.relation == "==":
        return statement
    point = instance.equality
    return statement | {"equality": point if isinstance(point, str) else _listed(point)}


def _listed(point: Mapping[str, int]) -> dict[str, Any]:
    return {letter: to_lists(integer(value)) for letter, value in point.items()}


def _written(expression: Basic) -> Node:
    """The tree of an expression as it stands, without factors of 1 and, in a sum, without terms that 0 multiplies."""
    return WRITTEN[next(kind for kind in WRITTEN if isinstance(expression, kind))](expression)


def _sum(expression: Add) -> Node:
    terms = [term for term in expression.args if 0 not in (term, *term.args)]
    return sum_of([_written(term) for term in terms or expression.args])


def _product(expression: Mul) -> Node:
    """One fraction of what a product multiplies and divides by, and one sign."""
    above: list[Node] = []
    below: list[Node] = []
    negative = False
    for factor in _factors(expression):
        if _divides(factor):
            below.append(_written(factor.base))
            continue
        tree = _written(factor)
        negative ^= isinstance(tree, Negative)
        above.append(tree.operand if isinstance(tree, Negative) else tree)
    top = product_of([tree for tree in above if tree != integer(1)])
    tree = Quotient(top, product_of(below)) if below else top
    return Negative(tree) if negative else tree


def _factors(expression: Basic) -> list[Any]:
    """The factors, those of products among them included, but a quotient such as a/t as one."""
    found: list[Any] = []
    for factor in map(_bare, expression.args):
        whole = not isinstance(factor, Mul) or any(map(_divides, factor.args))
        found += [factor] if whole else _factors(factor)
    return found


def _bare(expression: Any) -> Any:
    """The expression without exponents of 1."""
    return _bare(expression.base) if isinstance(expression, Pow) and expression.exp == 1 else expression


def _divides(factor: Any) -> bool:
    return isinstance(factor, Pow) and factor.exp == -1


def _power(expression: Pow) -> Node:
    base = _written(expression.base)
    return base if expression.exp == 1 else Power(base, _written(expression.exp))


WRITTEN: dict[type, Callable[[Any], Node]] = {
    Add: _sum,
    Mul: _product,
    Pow: _power,
    Symbol: lambda symbol: Letter(symbol.name),
    Rational: lambda number: rational(Fraction(int(number.p), int(number.q))),
}
