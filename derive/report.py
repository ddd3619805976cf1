"""Reports: everything that is shown of one quantity, gathered once; renderers only lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from derive.citation import REFUTED, Claim
from derive.derivation import Derivation, derivation
from derive.errors import ModelError
from derive.evaluation import Valued, fitted, implied, number, split_letters, valued, with_options
from derive.kept import requiring_gradients
from derive.letters import Notation
from derive.model import Given, Model
from derive.plan import Plan
from derive.precision import RECIPES
from derive.quantity import Formula
from derive.tracing import check_blocks
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
    Raises `ModelError` or `PlanError` for sizes that contradict one another or that the plan does not divide.
    """
    claims = list(claims)
    sizes = dict(options or {})
    settable = {letter.name for letter in formula.notation.letters.values() if letter.plan_key}
    degrees = {letter: sizes.pop(letter) for letter in list(sizes) if letter in settable}
    plan = _with_degrees(plan, degrees, formula.notation)
    if model is None:
        known = {letter: Given(size, "option") for letter, size in sizes.items()}
        filled = plan
    else:
        model = with_options(model, sizes)
        filled = model.complete(plan)
        known = implied(model)
        if symbolic:
            model, known = replace(model, sizes={}), {}
    if model is not None:
        requiring_gradients(model.whole, plan)  # refuses a parameter that is not there
    check_blocks(model.whole.block_names if model is not None else (), plan.recompute)
    if isinstance(plan.tp, int) and plan.tp != 1:
        known["t"] = Given(plan.tp, "option")
    elif degrees:
        known |= {letter: Given(size, "option") for letter, size in degrees.items()}

    used = formula.ledger(model, filled).letters
    assumptions: tuple[str, ...] = ()
    if model is not None and formula.per_device:
        here = {letter: given for letter, given in known.items() if letter in used or letter == "t"}
        filled = fitted(filled, model.whole, here, formula.notation)
        divided = [letter for letter in split_letters(model.whole, filled, known) if letter in used]
        if divided:
            assumptions = (f"tp = {plan.tp} divides {', '.join(divided)}",)
        if filled.replicated:
            few = ", ".join(f"{name} = {known[name].value}" for name in filled.replicated)
            assumptions = (
                f"{few} is less than tp = {plan.tp}: each device keeps one whole, {plan.tp} devices share them",
            )
    derived = derivation(formula, model, filled, claims)
    claims = _in_order(claims, model) if judged else []
    behind = used | set(symbols_of(derived.expression)).union(*(symbols_of(claim.tree) for claim in claims))
    sizes_behind = {name: known[name] for name in formula.notation.order if name in known and name in behind}
    value = number(derived.expression, known)
    free = tuple(
        name for name in formula.notation.order if name in symbols_of(derived.expression) and name not in known
    )
    return Report(
        formula,
        model,
        plan,
        derived,
        sizes_behind | _settings(formula, model, plan, filled),
        value,
        free,
        tuple(valued(judge(claim), model, filled, known) for claim in claims),
        assumptions,
        system,
    )


def _in_order(claims: Iterable[Claim], model: Model | None) -> list[Claim]:
    """What is about this architecture first, and of that what holds."""
    here = model.architecture if model is not None else None
    return sorted(claims, key=lambda claim: (claim.about is not here, claim.expected == REFUTED))


def _with_degrees(plan: Plan, degrees: Mapping[str, int], notation: Notation) -> Plan:
    """`--set t=8` is `--plan tp=8`; two values for one thing are an error, a symbolic degree takes the value."""
    for letter, size in degrees.items():
        key = notation[letter].plan_key
        planned = getattr(plan, key)
        if planned == notation.symbol(letter):
            continue
        if planned not in (1, size):
            raise ModelError(f"{letter} = {size} is set, but the plan says {key}={planned}")
        plan = replace(plan, **{key: size})
    return plan


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
