"""`derive NAME`: one quantity, derived, proved, evaluated and printed."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.cli import load_sympy, say
from derive.cli.case import model_of, of_device, plan_of, values_of
from derive.cli.show import emit, present
from derive.errors import DeriveError

if TYPE_CHECKING:
    from sympy import Expr

    from derive.model import Given
    from derive.plan import Plan
    from derive.report import Report


def run(name: str, options: Namespace) -> int:
    """Print one quantity in the format asked for."""
    load_sympy()
    from derive.render import RENDERERS, renderer
    from derive.report import report
    from formulas import claims_about, formula_of

    formula = formula_of(name)
    sizes = values_of(formula.notation, options)
    if options.symbolic and sizes:
        name, given = next(iter(sizes.items()))
        raise DeriveError(f"--symbolic keeps the letters: leave out --set {name}={given.value}")
    model, plan = model_of(formula, options), plan_of(formula, options)
    device = of_device(formula, model, plan, options)
    alone = options.format == "latex"  # the derivation, without what other sources say
    made = report(
        formula, model, plan, options=device | sizes, symbolic=options.symbolic,
        claims=claims_about(formula, forms=alone), judged=not alone, system=options.units,
    )  # fmt: skip
    for notice in notices(made, sizes, device):
        say(f"derive: note: {notice}")
    if options.format == "json":
        from checks.stored import level_of
        from derive.render.json import json

        emit(json(made, level_of), data=True)
    elif options.format in RENDERERS:
        emit(renderer(options.format)(made))
    else:
        from derive.render.text import parts

        present(parts(made))
    return 0


WHOLE, ONCE = "it is counted for the whole model", "what is computed twice is no model FLOP"
# Keys of a plan by the field that they set, and why a quantity of the whole model does not depend on them.
FIELDS = {
    "tp": ("tp", WHOLE),
    "sp": ("sp", WHOLE),
    "pp": ("pp", WHOLE),
    "cp": ("cp", WHOLE),
    "dp": ("dp", WHOLE),
    "zero": ("zero", WHOLE),
    "recompute": ("recompute", ONCE),
    "early-stop": ("early_stop", ONCE),
    "attention": ("kernels", ONCE),
    "mask": ("mask", ""),
    "frozen": ("frozen", ""),
    "lora": ("lora", ""),
    "pad-vocab": ("padding", ""),
    "recipe": ("recipe", ""),
    "optimizer": ("optimizer", ""),
}


def notices(made: Report, sizes: dict[str, Given], device: Collection[str] = ()) -> list[str]:
    """Settings and sizes that change nothing of this quantity: said, rather than ignored in silence.

    `device` are the letters that a device gives a value: its peak depends on the format that products are computed in.
    """
    from derive.plan import LETTERS, Plan
    from derive.situation import usual
    from derive.tree import symbols_of

    formula, plan = made.formula, made.plan
    reached = formula.reached(made.model, made.plan if made.model is None else made.model.complete(made.plan))
    enters = {*reached, *LETTERS.values()}
    for letter, tree in (made.model.relations if made.model is not None else {}).items():
        enters |= set(symbols_of(tree)) if letter in enters else set()
    silent = [f"{letter} changes nothing of {formula.name}" for letter in sizes if letter not in enters]
    for key, (name, reason) in FIELDS.items():
        default = getattr(Plan(), name)
        if getattr(plan, name) == default or LETTERS.get(key) in reached:
            continue
        without = replace(plan, **{name: default})
        if key == "recipe" and "P" in device:
            continue
        if usual(formula, made.model, plan) != usual(formula, made.model, without):
            continue
        if made.layers:  # of the kinds of layers, the one that has most may be another one without it
            continue
        if _amounts(made, without) == _amounts(made, plan):
            alone = key == "sp" and plan.tp == 1
            holds = {WHOLE: not formula.per_device, ONCE: str(formula.unit).startswith("FLOP")}
            because = "it goes with tp, as in tp=8,sp" if alone else reason if holds.get(reason) else ""
            silent.append(f"{key} changes nothing of {formula.name}" + (f": {because}" if because else ""))
    return silent


def _amounts(made: Report, plan: Plan) -> list[tuple[tuple[str | None, Expr], ...]]:
    """The formats and amounts of the rows of the quantity, and of all quantities that it is made from, under a plan."""
    from derive.situation import made_from

    model = made.model
    completed = plan if model is None else model.complete(plan)
    ledgers = [each.rows(model, completed) for each in made_from(made.formula, model, completed)]
    return [tuple((row.dtype, row.value) for row in ledger) for ledger in ledgers]
