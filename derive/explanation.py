"""Explaining a coefficient: the rows whose terms add up to it, by block and by how devices hold them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from sympy import Add

from derive.errors import DeriveError
from derive.ledger import Ledger, Row
from derive.model import Model, definitions
from derive.monomials import Definitions, Monomial, sum_of_terms
from derive.plan import Plan
from derive.quantity import Formula
from derive.reading import terms_to_tree, to_tree
from derive.shown import in_notebook
from derive.situation import situation
from derive.tree import Node, to_text

WHOLE, SPLIT = "whole on every device", "split by tensor parallelism"


@dataclass(frozen=True)
class Part:
    """One row's share of a coefficient; `block` is the one that the derivation sums it in, `path` all around it."""

    row: Row
    block: str
    path: str
    adds: Fraction
    tree: Node
    held: str  # WHOLE, SPLIT, or nothing where devices do not matter


@dataclass(frozen=True)
class Explanation:
    """A coefficient of a formula: the monomial that it stands before, and the rows that make it."""

    formula: Formula
    coefficient: Fraction
    monomial: Node
    parts: tuple[Part, ...]

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return (
            f"<{self.coefficient} in front of {to_text(self.monomial)}, in {self.formula.name}: {len(self.parts)} rows>"
        )

    def sums(self, key: str) -> dict[str, Fraction]:
        """The coefficient by block or by how devices hold it."""
        totals: dict[str, Fraction] = {}
        for part in self.parts:
            totals[getattr(part, key)] = totals.get(getattr(part, key), Fraction(0)) + part.adds
        return totals


def explain(formula: Formula, model: Model | None, plan: Plan, coefficient: Fraction) -> tuple[Explanation, ...]:
    """Where `coefficient` comes from, for each term that has it; `DeriveError` lists those that there are."""
    case = situation(formula, model, plan, evaluated=False)
    model, plan = case.model, case.plan
    where = definitions(model.relations, formula.notation) if model is not None else {}
    ledger = formula.ledger(model, plan)
    if _divides_by_sums(ledger, where):  # then it is no sum of products: its terms are those of its own letters
        ledger = formula.rows(model, plan)
    total = sum_of_terms((row.value for row in ledger), where)
    held = _held(formula, model, plan, ledger)
    found = tuple(
        Explanation(formula, coefficient, _tree(monomial, formula), _parts(ledger, monomial, where, held, formula))
        for monomial, value in total.items()
        if value == coefficient
    )
    if not found:
        there = [f"{value} ({to_text(_tree(key, formula))})" for key, value in total.items()] or ["none, it is 0"]
        more = " (more with --plan tp=t)" if total and formula.per_device and plan.tp == 1 and model is not None else ""
        text = f"no term of {formula.name} has the coefficient {coefficient}: there are {', '.join(there)}{more}"
        raise DeriveError(text)
    return found


def _divides_by_sums(ledger: Ledger, where: Definitions) -> bool:
    terms = sum_of_terms((row.value for row in ledger), where)
    return any(isinstance(atom, Add) for monomial in terms for atom, _ in monomial)


def _tree(monomial: Monomial, formula: Formula) -> Node:
    return terms_to_tree({monomial: Fraction(1)}, formula.notation.order)


def _parts(
    ledger: Ledger, monomial: Monomial, where: Definitions, held: tuple[str, ...], formula: Formula
) -> tuple[Part, ...]:
    parts = []
    for row, path, how in zip(ledger, ledger.paths(), held, strict=True):
        adds = sum_of_terms([row.value], where).get(monomial)
        if adds:
            tree = to_tree(row.value, formula.notation.order)
            parts.append(Part(row, path[0], "/".join(path), adds, tree, how))
    return tuple(parts)


def _held(formula: Formula, model: Model | None, plan: Plan, ledger: Ledger) -> tuple[str, ...]:
    """How devices hold each row: found by folding once more with a symbolic degree, without sequence parallelism."""
    if not formula.per_device or model is None or plan.tp != 1:
        return ("",) * len(ledger.rows)
    degree = formula.notation.symbol("t")
    shared = formula.ledger(model, replace(plan, tp=degree, sp=False))
    if len(shared.rows) != len(ledger.rows):
        shared = formula.rows(model, replace(plan, tp=degree, sp=False))
    return tuple(SPLIT if degree in row.value.free_symbols else WHOLE for row in shared)
