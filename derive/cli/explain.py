"""`derive explain NAME COEFFICIENT`: the rows behind one coefficient, split or not by tensor parallelism."""

from __future__ import annotations

import json
from argparse import Namespace

from derive.cli import load_sympy
from derive.cli.case import model_of, plan_of
from derive.cli.show import emit, present
from derive.errors import DeriveError, GrammarError
from derive.exact import evaluate
from derive.grammar import parse


def run(_name: str, options: Namespace) -> int:
    """Print which rows make the coefficient."""
    load_sympy()
    from derive.explanation import explain
    from derive.render.explanation import data, tables
    from formulas import formula_of

    formula = formula_of(options.quantity)
    try:
        coefficient = evaluate(parse(options.coefficient, ()), {})
    except GrammarError as error:
        wanted = (
            f"the coefficient must be one number without letters, such as 34 or 5/8: got {options.coefficient[:40]!r}"
        )
        raise DeriveError(wanted) from error
    found = explain(formula, model_of(formula, options), plan_of(formula, options), coefficient)
    if options.json:
        emit(json.dumps(data(found), indent=2, ensure_ascii=False), data=True)
    else:
        present(tables(found))
    return 0
