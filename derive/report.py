"""Reports: everything that is shown of one quantity, gathered once; renderers only lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from derive.citation import REFUTED, Claim
from derive.derivation import Derivation, derivation
from derive.errors import PlanError
from derive.evaluation import Valued, exact_text, number, valued
from derive.interval import Interval
from derive.model import Given, Model
from derive.plan import KERNELS, Plan
from derive.precision import RECIPES
from derive.quantity import Formula
from derive.roles import PERSISTENT
from derive.shown import briefly, in_notebook
from derive.situation import OfKind, made_from, situation
from derive.tree import symbols_of, to_text
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
    value: Fraction | Interval | None
    exact: str | None  # the value as exact text
    free: tuple[str, ...]  # letters without a size, in reading order
    claims: tuple[Valued, ...]
    assumptions: tuple[str, ...]
    layers: tuple[OfKind, ...] = ()  # the values by kind of layer, where the quantity is about one of several
    system: System = "si"
    substitution: Mapping[str, Given] = field(default_factory=dict)  # the sizes behind letters that were kept

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        about = f" of {self.model.name or self.model.architecture.name}" if self.model is not None else ""
        plan = f" under {plan_text(self.plan)}" if plan_text(self.plan) else ""
        value = self.value_text or briefly(to_text(self.derivation.expression))
        return f"<report {self.formula.name}{about}{plan}: {value}>"

    @property
    def substituted(self) -> Fraction | Interval | None:
        """The value at the sizes of the model, where its letters were kept."""
        return number(self.derivation.expression, self.substitution) if self.substitution else None

    @property
    def value_text(self) -> str | None:
        """The value for people: four significant digits and its unit."""
        return show(self.value, str(self.formula.unit), self.system) if self.value is not None else None


def report(
    formula: Formula,
    model: Model | None,
    plan: Plan,
    *,
    options: Mapping[str, Given | int] | None = None,
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
    # With a model's sizes, the numbers of the letters that stand for quantities; written out while one has no number.
    standing = formula.standing(case.model, formula.rows(case.model, case.plan).letters)
    numbers = case.model is not None and all(letter in case.known for letter in standing)
    derived = derivation(formula, case.model, case.plan, claims, case.known if numbers else options or ())
    claims = _in_order(claims, case.model) if judged else []
    letters = set(derived.ledger.letters) | set(symbols_of(derived.expression))
    letters = letters.union(*(symbols_of(claim.tree) for claim in claims))
    order, known = formula.notation.order, case.known
    parts = tuple(made_from(formula, case.model, case.plan))
    letters = letters.union(*(each.rows(case.model, case.plan).letters for each in parts[1:]))
    given = {name: known[name] for name in order if name in known and name in letters}
    for each in parts:
        given |= {constant.name: Given(constant.value, constant.source) for constant in each.constants}
        given |= _settings(each, case.model, case.asked, case.plan)
    if case.model is not None and any("model" in each.arguments for each in parts):
        given |= case.model.settings
    value = number(derived.expression, known)
    return Report(
        formula,
        case.model,
        case.asked,
        derived,
        given,
        value,
        exact_text(derived.expression, known) if value is not None else None,
        tuple(name for name in order if name in symbols_of(derived.expression) and name not in known),
        tuple(valued(judge(claim), case.model, case.plan, known, case.real) for claim in claims),
        case.assumptions,
        case.layers,
        system,
        {x: case.real[x] for x in order if symbolic and x in case.real and x in symbols_of(derived.expression)},
    )


def _in_order(claims: Iterable[Claim], model: Model | None) -> list[Claim]:
    """What is about this architecture first, and of that what holds."""
    here = model.architecture if model is not None else None
    return sorted(claims, key=lambda claim: (claim.about is not here, claim.expected == REFUTED))


def _settings(formula: Formula, model: Model | None, plan: Plan, filled: Plan) -> dict[str, Given]:
    """The settings that enter the number, each with its origin: formats, optimizer, kernels, dropout, mask.

    Rows are of traced tensors, or of what training holds for every parameter.
    """
    rows = formula.rows(model, filled)
    traced = any(row.role is not None and row.role not in PERSISTENT for row in rows)
    given: dict[str, Given] = {}
    if any(row.dtype is not None for row in rows):
        usual = RECIPES[plan.recipe.name]
        chosen = "default" if usual == Plan().recipe else "option"
        dtype = "option" if plan.recipe.compute != usual.compute else "default" if chosen == "default" else "recipe"
        if traced:
            given["dtype"] = Given(plan.recipe.compute.name, dtype)
        given["recipe"] = Given(plan.recipe.name, chosen)
        if not traced:
            given["optimizer"] = Given(
                plan.optimizer.name, "default" if plan.optimizer == Plan().optimizer else "option"
            )
    if model is None or not formula.takes_model or str(formula.unit) == "parameter":
        return given
    origin = model.origin if model.name and model.kernels else "default"
    kernels = {
        key: Given(choice, "option" if key in dict(plan.kernels) else origin)
        for key, choice in filled.kernels
        if _enters(key, formula, model, filled)
    }
    if not traced:
        return given | kernels
    if not formula.per_device:
        chosen = "option" if plan.mask else model.origin if model.mask else "default"
        return given | {"mask": Given(filled.mask, chosen)} | kernels
    return given | kernels | {"dropout": Given(model.architecture.drops, model.origin if model.name else "default")}


def _enters(key: str, formula: Formula, model: Model, filled: Plan) -> bool:
    """Whether a quantity's own rows change with how a block runs, or cannot be had where it runs otherwise."""
    chosen, choices = dict(filled.kernels)[key], KERNELS[key]
    other = next(name for name, kernel in choices.items() if (kernel is None) != (choices[chosen] is None))
    changed = replace(filled, kernels=tuple((dict(filled.kernels) | {key: other}).items()))
    try:
        return formula.rows(model, filled) != formula.rows(model, changed)
    except PlanError:  # context parallelism keeps no scores
        return True


def plan_items(plan: Plan) -> dict[str, Any]:
    """What the person wrote in the plan, as JSON shows it."""
    items: dict[str, Any] = {
        "tp": _degree(plan.tp),
        "sp": plan.sp or None,
        "pp": _degree(plan.pp),
        "stage": None if plan.stage == "middle" else plan.stage or None,  # which one of those, an assumption says
        "cp": _degree(plan.cp),
        "dp": _degree(plan.dp),
        "ep": _degree(plan.ep),
        "zero": plan.zero or None,
        "recompute": list(plan.recompute) or None,
        "early-stop": plan.early_stop or None,
        **dict(plan.kernels),
        "mask": plan.mask,
        "frozen": list(plan.frozen) or None,
        "lora": plan.lora if isinstance(plan.lora, int) else str(plan.lora),
        "adapted": list(plan.adapted) or None,
        **dict.fromkeys(plan.compose, True),
        "pad-vocab": plan.padding or None,
    }
    return {key: value for key, value in items.items() if value not in (None, 0)}


def plan_text(plan: Plan) -> str:
    """What the person wrote in the plan, as it could be written again: `tp=8, sp, recompute=core`."""

    def item(key: str, value: Any) -> str:
        return key if value is True else f"{key}={'+'.join(value) if isinstance(value, list) else value}"

    return ", ".join(item(key, value) for key, value in plan_items(plan).items())


def _degree(degree: Any) -> int | str | None:
    """A degree as JSON shows it: nothing where it is 1."""
    return None if degree == 1 else degree if isinstance(degree, int) else str(degree)
