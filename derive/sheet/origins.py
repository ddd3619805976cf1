"""Where coefficients come from: the rows behind 34 and 5, 16 and 18, 2, 4 and 6."""

from __future__ import annotations

from fractions import Fraction

from derive.explanation import Explanation, explain
from derive.plan import Plan, parse_plan
from derive.precision import recipe
from derive.quantity import Formula
from derive.reading import sum_to_tree
from derive.render.documents.blocks import Block, Grid, Math, Paragraph, Section, Strong, Subheading, text
from derive.render.documents.card import card
from derive.render.expression import to_latex
from derive.report import report
from derive.tree import rational, to_text
from formulas.activations import activations
from formulas.flops import attention_flops, dense_flops_per_token
from formulas.gemm import matmul_backward_flops, matmul_flops
from formulas.models import model
from formulas.states import bytes_per_parameter

COEFFICIENTS = ((activations, 34), (activations, 5))
RECIPES = ("bf16", "bf16-fp32-grads")
LEDGERS = (matmul_flops, matmul_backward_flops, dense_flops_per_token, attention_flops)


def origins_section() -> Section:
    """Every coefficient that people quote, as the sum of its rows."""
    blocks: list[Block] = []
    for formula, coefficient in COEFFICIENTS:
        for found in explain(formula, model(), Plan(), Fraction(coefficient)):
            blocks += _explained(found)
    for name in RECIPES:
        blocks += _recipe(name)
    for formula in LEDGERS:
        blocks += _ledger(formula)
    return Section("Where the coefficients come from", "coefficients", tuple(blocks))


def _explained(found: Explanation) -> list[Block]:
    formula, letters = found.formula, found.formula.notation.latex
    value = to_text(rational(found.coefficient))
    before = Math(to_latex(found.monomial, letters))
    rows = tuple(
        (
            text(str(part.adds)), text(part.path), text(part.row.tensor), text(part.row.dtype or ""),
            text(Math(to_latex(part.tree, letters))), text(part.held), text(part.row.why),
        )
        for part in found.parts
    )  # fmt: skip
    sums = [
        f"{value} = " + " + ".join(f"{total} ({label})" for label, total in found.sums(key).items())
        for key in ("block", "held")
    ]
    return [
        Subheading(f"{value} of {formula.name}", f"coefficient-{formula.name}-{value}"),
        Paragraph(text(Strong(value), " in front of ", before, ": " + "; ".join(sums) + ".")),
        Grid(
            ("adds", "block", "tensor", "format", "bytes", "tensor parallelism", "kept for"),
            rows, (1, 2, 3, 1, 2, 3, 4), frozenset({0}),
        ),
    ]  # fmt: skip


def _recipe(name: str) -> list[Block]:
    plan = parse_plan("", bytes_per_parameter.notation.symbol, recipe(name))
    ledger = bytes_per_parameter.ledger(None, plan)
    total = to_text(sum_to_tree([row.value for row in ledger], bytes_per_parameter.notation.order))
    rows = tuple((text(row.tensor), text(row.dtype or ""), text(str(row.value)), text(row.why)) for row in ledger)
    return [
        Subheading(f"{total} bytes a parameter: {name}", f"coefficient-{name}"),
        Paragraph(text(Strong(total), f": {plan.recipe.about}; the optimizer is {plan.optimizer.name}.")),
        Grid(("tensor", "format", "bytes", "sharding"), rows, (2, 1, 1, 4), frozenset({2})),
    ]


def _ledger(formula: Formula) -> list[Block]:
    made = card(report(formula, model() if formula.needs_model else None, Plan(), claims=(), judged=False))
    result = text(made.title, " ", Math(f"{made.symbol.latex} = {made.formula.latex}"), f" in {made.unit}.")
    widths = tuple({"why": 4, "tensor": 3}.get(head, 2) for head in made.heads)
    return [
        Subheading(f"{formula.name}", f"coefficient-{formula.name}"),
        Paragraph(result),
        Grid(made.heads, made.rows, widths),
    ]
