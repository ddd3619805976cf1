"""A report as JSON: the contract that other programs read, in `schema.json` beside this file."""

from __future__ import annotations

import json as standard
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from derive.evaluation import Valued
from derive.interval import Interval
from derive.model import Given
from derive.proof.statement import Statement
from derive.render import view
from derive.render.expression import symbol_latex, to_latex
from derive.report import Report, plan_items
from derive.tree import Node, to_text

HERE = "certified"  # what this process itself reached: its own checker accepted the statement
Recorded = Callable[[Statement | None], str | None]  # the level that was recorded for a certificate


def number(value: Fraction | Interval | None) -> int | float | dict[str, Any] | None:
    """An integer where the exact value is one, else the nearest float; an interval by its two ends.

    None beyond what a float can hold: `exact` and `value_text` have such a value.
    """
    if value is None:
        return None
    if isinstance(value, Interval):
        return {"low": number(value.low), "high": number(value.high)}
    if abs(value) > 10**308:
        return None
    return int(value) if value.denominator == 1 else float(value)


def plain(value: Any) -> Any:
    """A value that was given: a number as `number` shows it, anything else as it is."""
    return number(value) if isinstance(value, Fraction | Interval) else value


def exact(value: int | Fraction) -> int | str:
    """A value of a counterexample: an integer, or p/q as text."""
    return int(value) if value == int(value) else str(value)


def data(report: Report, recorded: Recorded = lambda _: None) -> dict[str, Any]:
    """The report as JSON data; `recorded` says which level was recorded for a claim's certificate."""
    letters, formula = report.formula.notation.latex, report.formula

    def latex(node: Node) -> str:
        return to_latex(node, letters)

    return {
        "name": formula.name,
        "title": formula.title,
        "symbol": symbol_latex(formula.symbol),
        "unit": str(formula.unit),
        "model": (report.model.name or report.model.architecture.name) if report.model is not None else None,
        "plan": plan_items(report.plan),
        "given": _given(report.given),
        "assumptions": list(report.assumptions),
        "layers": [{"kind": each.kind, "count": each.count, "value": number(each.value)} for each in report.layers],
        "substitution": _given(report.substitution),
        "expression": to_text(report.derivation.expression),
        "latex": latex(report.derivation.expression),
        "steps": [
            {
                "quantity": view.quantity(report, step),
                "relation": step.relation,
                "expression": to_text(step.expression),
                "latex": latex(step.expression),
                "because": view.reason(step),
                "proof": step.proof or None,
            }
            for step in report.derivation.steps
        ],
        "ledger": [
            {
                "block": path[0],
                "path": "/".join(path),
                "tensor": row.tensor,
                "shape": view.shape(report, row),
                "dtype": row.dtype,
                view.amount_key(report).lower(): to_text(view.row_tree(report, row)),
                "why": row.why,
            }
            for row, path in view.rows(report)
        ],
        "claims": [_claim(each, latex, recorded) for each in report.claims],
        "value": number(report.value),
        "exact": report.exact,
        "value_text": report.value_text,
        "free_symbols": list(report.free),
    }


def _given(values: Mapping[str, Given]) -> dict[str, Any]:
    return {name: {"value": plain(given.value), "from": given.origin} for name, given in values.items()}


def _claim(each: Valued, latex: Any, recorded: Recorded) -> dict[str, Any]:
    claim, judgement = each.claim, each.judgement
    point = judgement.counterexample

    def text(node: Node | None) -> str | None:
        return to_text(node) if node is not None else None

    return {
        "source": claim.source.key,
        "where": claim.place,
        "expression": claim.text,
        "latex": latex(claim.tree),
        "letters": {letter: formula.name for letter, formula in claim.letters.items()},
        "about": claim.about.name if claim.about is not None else None,
        "plan": plan_items(claim.plan) | dict(claim.formats),
        "hypotheses": [f"{letter} == {to_text(tree)}" for letter, tree in judgement.hypotheses.items()],
        "neglected": text(judgement.neglected),
        "included": text(judgement.included),
        "verdict": judgement.verdict,
        "expected": claim.expected,
        "residual": text(judgement.residual),
        "counterexample": {name: exact(value) for name, value in point.items()} if point is not None else None,
        "level": {"recorded": recorded(judgement.certificate), "here": HERE if judgement.proof else None},
        "value": number(each.value),
        "assumed": dict(each.assumed),
        "holds_here": each.holds,
        "fails_here": list(each.failing),
        "undecided_here": list(each.undecided),
        "note": claim.note or None,
    }


def json(report: Report, recorded: Recorded = lambda _: None) -> str:
    """The report as JSON text."""
    return standard.dumps(data(report, recorded), indent=2, ensure_ascii=False)
