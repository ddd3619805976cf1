"""`derive compare NAME`: what every source says of a quantity, side by side with what is derived."""

from __future__ import annotations

import json
from argparse import Namespace

from derive.cli import load_sympy
from derive.cli.case import model_of, of_device, plan_of, values_of
from derive.cli.show import emit, present


def run(_name: str, options: Namespace) -> int:
    """Print the comparison."""
    load_sympy()
    from derive.comparison import compare
    from derive.render.comparison import data, parts
    from formulas import claims_about, formula_of

    formula = formula_of(options.quantity)
    model, plan, sizes = model_of(formula, options), plan_of(formula, options), values_of(formula.notation, options)
    device = of_device(formula, model, plan, options)
    sides = compare(formula, model, plan, claims_about(formula), options=device | sizes, system=options.units)
    if options.json:
        emit(json.dumps(data(sides), indent=2, ensure_ascii=False), data=True)
    else:
        present(parts(sides))
    return 0
