"""Comparing: every statement about a quantity beside the derived one, each under the plan that it is made for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from derive.citation import Claim
from derive.errors import ModelError, PlanError
from derive.evaluation import Valued
from derive.interval import Interval
from derive.model import Given, Model
from derive.plan import LETTERS, Plan
from derive.quantity import Formula
from derive.report import Report, report
from derive.tree import Negative, Node, sum_of
from derive.values import System


@dataclass(frozen=True)
class Entry:
    """One statement beside the derived quantity under its plan: what it gives here, and by how much that differs."""

    valued: Valued
    difference: Fraction | None  # claim minus derived; None where one of them has no number
    relative: Fraction | None  # the same as a share of the derived value

    @property
    def gap(self) -> Node | None:
        """Claim minus derived in letters: the residual, or what it counts too much less what it leaves out."""
        judgement = self.valued.judgement
        if judgement.residual is not None:
            return judgement.residual
        added = [judgement.included] if judgement.included is not None else []
        left_out = [Negative(judgement.neglected)] if judgement.neglected is not None else []
        return sum_of([*added, *left_out]) if added or left_out else None


@dataclass(frozen=True)
class Side:
    """The derived quantity under one plan, and what sources state for that plan; or why it has no value there."""

    plan: Plan
    report: Report | None
    entries: tuple[Entry, ...]
    reason: str = ""


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
        except (ModelError, PlanError) as error:
            if each == plan:
                raise
            sides.append(Side(each, None, (), str(error)))
        else:
            sides.append(Side(each, made, tuple(_entry(valued, made) for valued in made.claims)))
    return tuple(sides)


def _plan_here(claim: Claim, plan: Plan, numbers: bool) -> Plan:
    """The plan that a claim is compared under: its own, with what it leaves open taken from the person's plan."""
    own = claim.plan
    chosen = {"recipe": plan.recipe, "optimizer": plan.optimizer}
    chosen |= {name: getattr(plan, name) for name in ("kernels", "mask", "frozen") if not getattr(own, name)}
    for key in LETTERS:
        if numbers and not isinstance(getattr(own, key), int):
            chosen[key] = getattr(plan, key)
    here = replace(own, **chosen)
    return replace(here, sp=False) if here.tp == 1 else here


def _entry(valued: Valued, made: Report) -> Entry:
    value, derived = valued.value, made.value
    if value is None or derived is None or isinstance(value, Interval) or isinstance(derived, Interval):
        return Entry(valued, None, None)
    difference = value - derived
    return Entry(valued, difference, difference / derived if derived else None)
