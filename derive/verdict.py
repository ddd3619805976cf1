"""Judging claims: the derived quantity beside the quoted one, and the verdict that the checker or a counterexample gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from sympy import Expr

from derive.citation import OPEN, PROVED, REFUTED, UP_TO, Claim
from derive.errors import ClaimError
from derive.exact import evaluate
from derive.ledger import Ledger, Row
from derive.model import Model, apply_relations
from derive.plan import Plan
from derive.proof.search import counterexample, difference
from derive.proof.step import show_equal
from derive.reading import to_sympy, to_tree
from derive.tensor import Role
from derive.tree import Node, symbols_of


@dataclass(frozen=True)
class Judgement:
    """A claim and what became of it.

    `derived` is the quantity without the neglected rows. `neglected` is what the claim leaves out of the whole quantity,
    `included` what it counts beyond it, both exact and both None where they are nothing; `residual` is the claim minus
    the derived quantity where it is refuted.
    """

    claim: Claim
    verdict: str
    derived: Node
    residual: Node | None = None
    neglected: Node | None = None
    included: Node | None = None
    rows: tuple[Row, ...] = ()  # the neglected ones
    relations: Mapping[str, Node] | None = None
    statement: str = ""
    counterexample: Mapping[str, int] | None = None
    values_there: tuple[Fraction, Fraction] | None = None  # claimed and derived at the counterexample

    @property
    def hypotheses(self) -> dict[str, Node]:
        """The relations that the comparison uses: those of letters that the derived quantity has."""
        used = symbols_of(self.derived)
        return {letter: tree for letter, tree in (self.relations or {}).items() if letter in used}


def is_neglected(row: Row, neglect: tuple[Role | str, ...]) -> bool:
    """Whether a claim that neglects these roles and blocks leaves the row out."""
    return row.role in neglect or any(block in neglect for block in row.blocks)


def plan_of(claim: Claim) -> Plan:
    """The plan of a claim with its architecture's own kernels and mask filled in."""
    return claim.plan.filled(claim.about.kernels, claim.about.mask) if claim.about is not None else claim.plan


@cache
def judge(claim: Claim) -> Judgement:
    """The verdict on a claim: proved and proved up to rest on the checker, refuted on an exact counterexample."""
    formula, notation = claim.formula, claim.formula.notation
    model = Model(claim.about) if claim.about is not None else None
    ledger = formula.ledger(model, plan_of(claim))
    neglected = ledger.select(lambda row: is_neglected(row, claim.neglect))
    counted = ledger.select(lambda row: not is_neglected(row, claim.neglect)).value
    whole, proper = _bindings(claim, model)
    claimed = to_sympy(claim.tree, notation.symbol)
    relations = claim.relations

    def reduced(expression: Expr, bound: Mapping[str, Expr]) -> Expr:
        named = {notation.symbol(letter): value for letter, value in bound.items()}
        return apply_relations(expression.xreplace(named), relations, notation)

    def tree(expression: Expr) -> Node:
        return to_tree(expression, notation.order)

    derived = tree(counted)
    # The letters that stand for other quantities are hypotheses too, and the checker substitutes both.
    bound = {letter: tree(reduced(value, {})) for letter, value in proper.items()}
    gap = difference(reduced(claimed, proper), reduced(counted, {}))
    if gap == 0:
        try:
            proof = show_equal(claim.tree, derived, relations | bound, notation)
        except ClaimError:
            return Judgement(claim, OPEN, derived, relations=relations)
        left_out = reduced(neglected.value, {})
        surplus = difference(reduced(claimed, whole), reduced(claimed, proper))
        return Judgement(
            claim,
            UP_TO if left_out != 0 or surplus != 0 else PROVED,
            derived,
            neglected=tree(left_out) if left_out != 0 else None,
            included=tree(surplus) if surplus != 0 else None,
            rows=neglected.rows,
            relations=relations,
            statement=proof,
        )
    point = counterexample(gap, {letter: to_sympy(definition, notation.symbol) for letter, definition in relations.items()})
    if point is None:
        return Judgement(claim, OPEN, derived, tree(gap), relations=relations)
    there = _everywhere(point, (claim.tree, derived, *bound.values()), relations | bound)
    shown = {name: int(value) for name, value in there.items() if name in symbols_of(claim.tree) + symbols_of(derived)}
    values = evaluate(claim.tree, there), evaluate(derived, there)
    return Judgement(
        claim, REFUTED, derived, tree(gap), relations=relations, counterexample=shown, values_there=values
    )


def _everywhere(
    point: Mapping[str, int], trees: tuple[Node, ...], definitions: Mapping[str, Node]
) -> dict[str, Fraction]:
    """A counterexample with a value for every letter: 1 for those that the difference does not depend on."""
    values = {name: Fraction(value) for name, value in point.items()}
    for name in dict.fromkeys(name for tree in (*trees, *definitions.values()) for name in symbols_of(tree)):
        if name not in definitions:
            values.setdefault(name, Fraction(1))
    for name, definition in definitions.items():
        values.setdefault(name, evaluate(definition, values))
    return values


def _bindings(claim: Claim, model: Model | None) -> tuple[dict[str, Expr], dict[str, Expr]]:
    """What letters such as N stand for: the whole quantity, and the quantity without the rows that do not belong."""
    whole, proper = {}, {}
    for letter, formula in claim.letters.items():
        ledger: Ledger = formula.ledger(model, plan_of(claim))
        whole[letter] = ledger.value
        proper[letter] = ledger.select(lambda row: not is_neglected(row, claim.includes)).value
    return whole, proper
