"""Comparing: every statement about a quantity beside the derived one, each under the plan that it is made for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from derive.citation import Claim
from derive.errors import GrammarError, ModelError, PlanError, UnknownName
from derive.evaluation import Valued, number
from derive.model import Given, Model, definitions
from derive.plan import LETTERS, Plan
from derive.quantity import Formula
from derive.reading import sum_to_tree
from derive.report import Report, report
from derive.shown import in_notebook
from derive.tree import Negative, Node, sum_of
from derive.values import System
from derive.verdict import Judgement, is_neglected, plan_of


@dataclass(frozen=True)
class Entry:
    """One statement beside the derived quantity under its plan: what it gives here, and by how much that differs."""

    valued: Valued
    difference: Fraction | None  # claim minus derived; None where one of them has no number
    relative: Fraction | None  # the same as a share of the derived value
    explained: bool | None  # whether that is what separates the two in letters, at these sizes; None if not known

    @property
    def gap(self) -> Node | None:
        """Claim minus derived in letters, None where that is nothing."""
        return gap(self.valued.judgement)


def gap(judgement: Judgement) -> Node | None:
    """Claim minus derived in letters: its error, and what it counts too much, less what it leaves out on purpose."""
    less = left_out(judgement)
    parts = [judgement.residual, judgement.included, Negative(less) if less is not None else None]
    found = [part for part in parts if part is not None]
    return sum_of(found) if found else None


def left_out(judgement: Judgement) -> Node | None:
    """The rows that a claim leaves out on purpose: known for one that holds, and for a refuted one made here."""
    claim = judgement.claim
    if judgement.residual is None or not claim.neglect:
        return judgement.neglected
    model = claim.about.bare if claim.about is not None else None
    rows = [row.value for row in claim.formula.ledger(model, plan_of(claim)) if is_neglected(row, claim.neglect)]
    notation = claim.formula.notation
    return sum_to_tree(rows, notation.order, where=definitions(claim.relations, notation)) if any(rows) else None


@dataclass(frozen=True)
class Side:
    """The derived quantity under one plan, and what sources state for that plan; or why it has no value there."""

    plan: Plan
    report: Report | None
    entries: tuple[Entry, ...]
    reason: str = ""

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        what = repr(self.report) if self.report is not None else self.reason
        return f"<{len(self.entries)} statements beside {what}>"


def compare(
    formula: Formula,
    model: Model | None,
    plan: Plan,
    claims: Iterable[Claim],
    *,
    options: Mapping[str, Given] | None = None,
    system: System = "si",
) -> tuple[Side, ...]:
    """The statements about `formula`, by the plan that they are made for; those for the plan of the person come first.

    With a model's sizes, a degree that a statement leaves as a letter is the person's, 1 where the plan has none.
    """
    numbers = bool(options) or (model is not None and bool(model.sizes))
    filled = model.complete if model is not None else lambda each: each
    plans, by_plan = {filled(plan): plan}, {plan: list[Claim]()}
    for claim in claims:
        here = _plan_here(claim, plan, numbers)
        by_plan.setdefault(plans.setdefault(filled(here), here), []).append(claim)
    sides = []
    for each, found in by_plan.items():
        try:
            made = report(formula, model, each, options=options, claims=found, system=system)
        except (ModelError, PlanError, UnknownName) as error:
            if each == plan:
                raise
            sides.append(Side(each, None, (), str(error)))
        else:
            sides.append(Side(each, made, tuple(_entry(valued, made) for valued in made.claims)))
    return tuple(sides)


def _plan_here(claim: Claim, plan: Plan, numbers: bool) -> Plan:
    """The plan that a claim is compared under: its own, with what it leaves open taken from the person's plan."""
    own = claim.plan
    chosen = {name: getattr(plan, name) for name in ("recipe", "optimizer") if name not in claim.formats}
    chosen |= {name: getattr(plan, name) for name in ("kernels", "mask", "frozen") if not getattr(own, name)}
    for key in LETTERS:
        if numbers and not isinstance(getattr(own, key), int):
            chosen[key] = getattr(plan, key)
    here = replace(own, **chosen)
    return replace(here, sp=False) if here.tp == 1 else here


def _entry(valued: Valued, made: Report) -> Entry:
    value, derived = valued.value, made.value
    if not isinstance(value, Fraction) or not isinstance(derived, Fraction):
        return Entry(valued, None, None, None)
    difference = value - derived
    return Entry(valued, difference, difference / derived if derived else None, _explained(valued, made, difference))


def _explained(valued: Valued, made: Report, difference: Fraction) -> bool | None:
    judgement = valued.judgement
    between = gap(judgement)
    if between is None:
        return difference == 0 if judgement.proof else None
    known = dict(made.given) | {letter: Given(size, "assumed") for letter, size in valued.assumed.items()}
    try:
        expected = number(between, known)
    except GrammarError:
        return None
    return None if expected is None else expected == difference
