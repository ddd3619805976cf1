"""A report as text: aligned columns in a pipe, tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from derive.render import view
from derive.render.table import Table
from derive.report import Report, plan_items
from derive.tree import to_text

Part = str | Table


def parts(report: Report) -> Iterator[Part]:
    """The report as paragraphs and tables, in order."""
    formula = report.formula
    yield f"{formula.name}: {formula.title}"
    if report.model is not None:
        yield f"model  {view.subject(report)}"
    items = plan_items(report.plan)
    if items:
        yield "plan   " + ", ".join(f"{key}={_item(value)}" for key, value in items.items())
    for assumption in report.assumptions:
        yield f"where  {assumption}"
    yield f"\n{formula.symbol} = {to_text(report.derivation.expression)}   [{formula.unit}]"
    if report.value_text is not None:
        exact = view.exact(report.value)
        yield f"{formula.symbol} = {exact} {formula.unit} = {report.value_text}"
    if report.given:
        rows = [(name, str(given.value), given.origin) for name, given in report.given.items()]
        yield Table("\nGiven", ("", "value", "from"), rows)
    yield _ledger(report)
    yield _steps(report)
    if report.claims:
        yield _claims(report)
        yield from _notes(report)


def _item(value: object) -> str:
    return "+".join(value) if isinstance(value, list) else str(value)


def _ledger(report: Report) -> Table:
    rows = [
        (
            view.path(report, row),
            row.tensor,
            " ".join(view.shape(report, row)),
            row.dtype or "",
            to_text(view.row_tree(report, row)),
            row.why,
        )
        for row in report.derivation.ledger
    ]
    heads = ("block", "tensor", "shape", "dtype", view.amount_key(report), "why")
    kept = [column for column in range(len(heads)) if any(row[column] for row in rows)]
    return Table("\nLedger", [heads[column] for column in kept], [[row[column] for column in kept] for row in rows])


def _steps(report: Report) -> Table:
    rows: list[tuple[str, str, str, str]] = []
    for step in report.derivation.steps:
        left = view.quantity(report, step)
        shown = left if not rows or rows[-1][0] != left and all(row[0] != left for row in rows) else ""
        if step.terms:
            for index, term in enumerate(step.terms):
                sign = step.relation if index == 0 else "+"
                rows.append((shown if index == 0 else "", sign, to_text(term.tree), view.term_names(term)))
        else:
            rows.append((shown, step.relation, to_text(step.expression), view.reason(step)))
    end = "■ every equality above was accepted by the proof checker" if report.derivation.proved else ""
    return Table("\nDerivation", ("", "", "", ""), [*rows, ("", "", end, "")])


def _claims(report: Report) -> Table:
    rows = [
        (
            f"{each.claim.source.key}, {each.claim.place}",
            each.claim.plan_text or "-",
            each.claim.text,
            view.verdict(each),
            view.claim_value(report, each),
        )
        for each in report.claims
    ]
    heads = ["source", "plan", "claim", "verdict", "value here"]
    last = 5 if any(row[-1] for row in rows) else 4
    return Table("\nClaims", heads[:last], [row[:last] for row in rows])


def _notes(report: Report) -> Iterator[str]:
    """Refutations with their counterexamples, and where hypotheses fail for this model."""
    for each in report.claims:
        if point := view.counterexample(each):
            note = f" ({each.claim.note})" if each.claim.note else ""
            yield f"✗ {each.claim.source.key}: {each.claim.text}: {point}{note}"
    failing = {reason: None for each in report.claims for reason in each.failing}
    if failing:
        yield "! does not hold for this model:"
        yield from (f"  {reason}" for reason in failing)
