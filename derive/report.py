"""Reports: everything that is shown of one quantity, gathered once; renderers only lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.citation import REFUTED, Claim
from derive.derivation import Derivation, derivation
from derive.evaluation import Valued, number, valued
from derive.model import Given, Model
from derive.plan import Plan
from derive.precision import RECIPES
from derive.quantity import Formula
from derive.situation import situation
from derive.tree import symbols_of
from derive.values import System, show
from derive.verdict import judge


@dataclass(frozen=True)
class Report:
    """One quantity for one model and plan: its derivation, the sizes behind its value, and what sources say of it."""

    formula: Formula
    model: Model | None
    plan: Plan  # as the person wrote it
    derivation: Derivation
    given: Mapping[str, Given]  # every size and setting that enters the number
    value: Fraction | None
    free: tuple[str, ...]  # letters without a size, in reading order
    claims: tuple[Valued, ...]
    assumptions: tuple[str, ...]
    system: System = "si"

    @property
    def value_text(self) -> str | None:
        """The value for people: four significant digits and its unit."""
        return show(self.value, str(self.formula.unit), self.system) if self.value is not None else None


def report(
    formula: Formula,
    model: Model | None,
    plan: Plan,
    *,
    options: Mapping[str, int] | None = None,
    symbolic: bool = False,
    claims: Iterable[Claim] = (),
    judged: bool = True,
    system: System = "si",
) -> Report:
    """Gather the report of `formula` for `model` under `plan`; `options` are sizes that a person sets.

    `symbolic` keeps the letters of a model with sizes; without `judged` the claims only serve the derivation.
    Raises what `situation` raises where the sizes and the plan do not fit.
    """
    claims = list(claims)
    case = situation(formula, model, plan, options=options, symbolic=symbolic)
    derived = derivation(formula, case.model, case.plan, claims)
    claims = _in_order(claims, case.model) if judged else []
    letters = derived.ledger.letters | set(symbols_of(derived.expression))
    letters = letters.union(*(symbols_of(claim.tree) for claim in claims))
    order, known = formula.notation.order, case.known
    sizes = {name: known[name] for name in order if name in known and name in letters}
    return Report(
        formula,
        case.model,
        case.asked,
        derived,
        sizes | _settings(formula, case.model, case.asked, case.plan),
        number(derived.expression, known),
        tuple(name for name in order if name in symbols_of(derived.expression) and name not in known),
        tuple(valued(judge(claim), case.model, case.plan, known, case.real) for claim in claims),
        case.assumptions,
        system,
    )


def _in_order(claims: Iterable[Claim], model: Model | None) -> list[Claim]:
    """What is about this architecture first, and of that what holds."""
    here = model.architecture if model is not None else None
    return sorted(claims, key=lambda claim: (claim.about is not here, claim.expected == REFUTED))


def _settings(formula: Formula, model: Model | None, plan: Plan, filled: Plan) -> dict[str, Given]:
    """The settings that enter the number, each with its origin: formats, kernels, dropout, mask."""
    given = {}
    if formula.per_device:
        usual = RECIPES[plan.recipe.name]
        chosen = "default" if usual == Plan().recipe else "option"
        dtype = "option" if plan.recipe.compute != usual.compute else "default" if chosen == "default" else "recipe"
        given = {"dtype": Given(plan.recipe.compute.name, dtype), "recipe": Given(plan.recipe.name, chosen)}
    if model is None or str(formula.unit) == "parameter":
        return given
    origin = "preset" if model.name else "default"
    if not formula.per_device:
        return given | {"mask": Given(filled.mask, "option" if plan.mask else origin)}
    for key, choice in filled.kernels:
        given[key] = Given(choice, "option" if key in dict(plan.kernels) else origin)
    return given | {"dropout": Given(model.architecture.drops, origin)}


def plan_items(plan: Plan) -> dict[str, Any]:
    """What the person wrote in the plan, as JSON shows it."""
    degree = plan.tp if isinstance(plan.tp, int) else str(plan.tp)
    items: dict[str, Any] = {
        "tp": None if degree == 1 else degree,
        "sp": plan.sp or None,
        "recompute": list(plan.recompute) or None,
        "early-stop": plan.early_stop or None,
        **dict(plan.kernels),
        "mask": plan.mask,
        "frozen": list(plan.frozen) or None,
    }
    return {key: value for key, value in items.items() if value is not None}
