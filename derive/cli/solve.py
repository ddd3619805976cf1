"""`derive solve NAME=VALUE --for SYMBOL`: which value of one letter gives a quantity that value."""

from __future__ import annotations

import json
from argparse import Namespace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.cli import load_sympy, say
from derive.cli.case import model_of, of_device, plan_of, values_of
from derive.cli.quantity import notices
from derive.cli.show import emit, present
from derive.errors import DeriveError
from derive.values import parse_amount

if TYPE_CHECKING:
    from derive.quantity import Formula


def run(_name: str, options: Namespace) -> int:
    """Print the solution."""
    load_sympy()
    from derive.render.solution import data, latex, parts
    from derive.solve import solve
    from formulas import formula_of

    name, equals, text = options.equation.partition("=")
    if not equals or not text:
        raise DeriveError(f"solve {options.equation[:40]}: write NAME=VALUE, such as training-time=30d")
    formula = formula_of(name)
    target = target_of(formula, text)
    letter = formula.notation[options.letter].name
    model, plan, sizes = model_of(formula, options), plan_of(formula, options), values_of(formula.notation, options)
    device = {x: given for x, given in of_device(formula, model, plan, options).items() if x != letter}
    found = solve(formula, target, letter, model, plan, options=device | sizes)
    for notice in notices(found.report, sizes, device) if found.report is not None else ():
        say(f"derive: note: {notice}")
    if options.format == "json":
        emit(json.dumps(data(found, options.units), indent=2, ensure_ascii=False), data=True)
    elif options.format == "latex":
        emit(latex(found))
    else:
        present(parts(found, options.units))
    return 0


def target_of(formula: Formula, text: str) -> Fraction:
    """The value that a person wants the quantity to have, in its unit and not above what makes sense of it."""
    letter = formula.notation.letters.get(formula.symbol)
    most = letter.most if letter is not None and letter.unit == str(formula.unit) else None
    return parse_amount(text, formula.name, str(formula.unit), most)
