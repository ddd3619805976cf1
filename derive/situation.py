"""What is asked, completed: a model with its sizes, a plan with the model's defaults, and that the two fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from derive.errors import ModelError
from derive.evaluation import fitted, implied, split_letters, with_options
from derive.kept import requiring_gradients
from derive.letters import Notation
from derive.model import Given, Model
from derive.plan import Plan
from derive.quantity import Formula
from derive.tensor import Remainder
from derive.tracing import check_blocks


@dataclass(frozen=True)
class Situation:
    """A formula, what it is about, and under which plan.

    `asked` is the plan as a person wrote it, `plan` with the model's own settings; `known` are the sizes to substitute,
    `real` those of the model even where its letters are kept; `assumptions` say what the plan takes for granted.
    """

    formula: Formula
    model: Model | None
    asked: Plan
    plan: Plan
    known: Mapping[str, Given]
    real: Mapping[str, Given]
    assumptions: tuple[str, ...]


def situation(
    formula: Formula,
    model: Model | None,
    plan: Plan,
    *,
    options: Mapping[str, int] | None = None,
    symbolic: bool = False,
    evaluated: bool = True,
) -> Situation:
    """Complete what a person asks; `options` are sizes that are set, `symbolic` keeps the model's letters.

    Where nothing is `evaluated`, an axis that frameworks pad is taken to be padded.

    Raises `ModelError`, `PlanError` or `UnknownName` for sizes that contradict one another, that the plan does not
    divide, and for blocks and parameters that are not there.
    """
    sizes = dict(options or {})
    settable = {letter.name for letter in formula.notation.letters.values() if letter.plan_key}
    degrees = {letter: sizes.pop(letter) for letter in list(sizes) if letter in settable}
    plan = _with_degrees(plan, degrees, formula.notation)
    degree = {"t": Given(plan.tp, "option")} if isinstance(plan.tp, int) and plan.tp != 1 else {}
    degree |= {letter: Given(size, "option") for letter, size in degrees.items()}
    if model is None:
        check_blocks((), plan.recompute)
        known = {letter: Given(size, "option") for letter, size in sizes.items()} | degree
        return Situation(formula, None, plan, plan, known, known, ())
    model = with_options(model, sizes)
    real = implied(model) | degree
    requiring_gradients(model.whole, plan)  # refuses a parameter that is not there
    check_blocks(model.whole.block_names, plan.recompute)
    filled, assumptions = model.complete(plan), ()
    if formula.per_device:
        exact = real if evaluated and not symbolic else _without_padded(model, real)
        filled, assumptions = _laid_out(formula, model, filled, exact)
    if symbolic:
        model = replace(model, sizes={})
    return Situation(formula, model, plan, filled, {} if symbolic else real, real, assumptions)


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


def _without_padded(model: Model, sizes: Mapping[str, Given]) -> dict[str, Given]:
    axes = {axis for tensor in model.whole.tensors for axis in tensor.axes}
    padded = {axis.name for axis in axes if axis.remainder is Remainder.PAD}
    return {letter: given for letter, given in sizes.items() if letter not in padded}


def _laid_out(formula: Formula, model: Model, plan: Plan, known: Mapping[str, Given]) -> tuple[Plan, tuple[str, ...]]:
    """The plan fitted to the sizes, and what it assumes of those that are letters.

    All that a layer splits must fit; what only the ends split, such as the vocabulary, where the quantity has it.
    """
    used = formula.ledger(model, plan).letters
    ends = [tensor for tensor in model.whole.tensors if used & {axis.name for axis in tensor.axes if axis.split}]
    plan = fitted(plan, [*model.layer.tensors, *ends], known, formula.notation)
    assumptions = []
    if divided := [letter for letter in split_letters(model.whole, plan, known) if letter in used]:
        assumptions.append(f"tp = {plan.tp} divides {', '.join(divided)}")
    if plan.replicated:
        few = ", ".join(f"{name} = {known[name].value}" for name in plan.replicated)
        degree = known["t"].value
        assumptions.append(
            f"{few} is less than tp = {degree}: each device keeps one whole, {degree} devices share them"
        )
    return plan, tuple(assumptions)
