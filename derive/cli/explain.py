"""`derive explain NAME COEFFICIENT`: the rows behind one coefficient, split or not by tensor parallelism."""

from __future__ import annotations

import json
from argparse import Namespace

from derive.cli import load_sympy
from derive.cli.case import formula_of, model_of, plan_of
from derive.cli.show import emit, present
from derive.errors import DeriveError, ValueTextError
from derive.values import parse_value


def run(_name: str, options: Namespace) -> int:
    """Print which rows make the coefficient."""
    load_sympy()
    from derive.explanation import explain
    from derive.render.explanation import data, tables

    formula = formula_of(options.quantity)
    try:
        coefficient = parse_value(options.coefficient)
    except ValueTextError as error:
        hint = "; write 10 or 24, not 10 + 24/t" if any(sign in options.coefficient for sign in "+/") else ""
        raise DeriveError(f"the coefficient must be one number: {error}{hint}") from None
    if coefficient.unit is not None:
        raise DeriveError(f"the coefficient must be a number: {options.coefficient[:40]!r} has a unit")
    found = explain(formula, model_of(formula, options), plan_of(formula, options), coefficient.number)
    if options.json:
        emit(json.dumps(data(found), indent=2, ensure_ascii=False), data=True)
    else:
        present(tables(found))
    return 0
