"""`derive NAME`: one quantity, derived, proved, evaluated and printed."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from derive.cli import load_sympy, say
from derive.cli.case import formula_of, model_of, plan_of, sizes_of
from derive.cli.show import emit, present
from derive.errors import DeriveError


def run(name: str, options: Namespace) -> int:
    """Print one quantity in the format asked for."""
    load_sympy()
    from derive.render import RENDERERS, renderer
    from derive.report import report
    from formulas import claims_about

    formula = formula_of(name)
    sizes = sizes_of(options.sizes, formula.notation)
    if options.symbolic and sizes:
        raise DeriveError(f"--symbolic keeps the letters: leave out --set {options.sizes[0]}")
    model, plan = model_of(formula, options), plan_of(formula, options)
    made = report(
        formula, model, plan, options=sizes, symbolic=options.symbolic, claims=claims_about(formula),
        judged=options.format != "latex", system=options.units,
    )  # fmt: skip
    for notice in notices(made):
        say(f"derive: note: {notice}")
    if options.format in RENDERERS:
        emit(renderer(options.format)(made), data=options.format == "json")
    else:
        from derive.render.text import parts

        present(parts(made))
    return 0


def notices(made) -> list[str]:
    """Settings of the plan that change nothing of this quantity: said, rather than ignored in silence."""
    from derive.plan import Plan
    from derive.report import plan_items

    formula, plan = made.formula, made.plan
    empty, silent = Plan(), []
    fields = {
        "tp": "tp",
        "sp": "sp",
        "recompute": "recompute",
        "early-stop": "early_stop",
        "attention": "kernels",
        "mask": "mask",
    }
    for key in plan_items(plan):
        if key not in fields:
            continue
        without = replace(plan, **{fields[key]: getattr(empty, fields[key])})
        if made.model is not None:
            model = made.model
            without = without.filled(model.kernels or model.architecture.kernels, model.mask or model.architecture.mask)
        if formula.ledger(made.model, without).value == made.derivation.ledger.value:
            about = "" if formula.per_device else ", which is counted for the whole model"
            silent.append(f"{key} changes nothing of {formula.name}{about}")
    return silent
