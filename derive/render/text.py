"""A report as text: aligned columns in a pipe, tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from derive.render import view
from derive.render.table import Table, without_empty
from derive.report import Report, plan_text
from derive.tree import to_text

Part = str | Table


def parts(report: Report) -> Iterator[Part]:
    """The report as paragraphs and tables, in order."""
    formula = report.formula
    yield f"{formula.name}: {formula.title}"
    if report.model is not None:
        yield f"model  {view.subject(report)}"
    if written := plan_text(report.plan):
        yield f"plan   {written}"
    for assumption in report.assumptions:
        yield f"assuming  {assumption}"
    yield f"\n{formula.symbol} = {to_text(report.derivation.expression)}   [{formula.unit}]"
    if report.value_text is not None:
        exact = f"{report.exact}{view.unit_text(report)}"
        yield f"{formula.symbol} = {exact}" + (f" = {report.value_text}" if report.value_text != exact else "")
    elif report.free and any(name in formula.notation.letters for name in report.given):
        yield f"no number: values are missing for {', '.join(report.free)} (--set, or --model)"
    if report.substitution:
        rows = [(name, str(given.value), given.origin) for name, given in report.substitution.items()]
        yield Table("\nWith the sizes of the model", ("", "value", "from"), rows)
        yield from (f"  {line}" for line in view.substituted(report))
    if report.given:
        rows = [(name, str(given.value), given.origin) for name, given in report.given.items()]
        yield Table("\nGiven", ("", "value", "from"), rows)
    yield _ledger(report)
    yield _steps(report)
    yield view.ending(report)
    yield from _claims(report)


def _ledger(report: Report) -> Table:
    rows = [
        (
            "/".join(path),
            row.tensor,
            " ".join(view.shape(report, row)),
            row.dtype or "",
            to_text(view.row_tree(report, row)),
            row.why,
        )
        for row, path in view.rows(report)
    ]
    heads = ("block", "tensor", view.axes_head(report), "dtype", view.amount_key(report), "why")
    return without_empty(Table("\nLedger", heads, rows, whole=frozenset({0, 3})))


def _steps(report: Report) -> Table:
    rows: list[tuple[str, str, str, str]] = []
    before = ""
    for step in report.derivation.steps:
        left = view.quantity(report, step)
        shown, before = ("" if left == before else left), left
        if step.terms:
            first, *others = step.terms
            rows.append((shown, view.sign(step), view.term_text(first), view.term_names(first)))
            for term in others:
                plus, each = view.signed(term)
                rows.append(("", plus, view.term_text(term, each), view.term_names(term)))
        else:
            rows.append((shown, view.sign(step), to_text(step.expression), view.reason(step)))
    return Table("\nDerivation", ("", "", "", ""), rows)


def _claims(report: Report) -> Iterator[Part]:
    """The claims, one table for each place in a source, with notes below it; what is refuted of others is counted."""
    listed = [each for each in report.claims if not view.refuted_elsewhere(report, each)]
    places = dict.fromkeys((each.claim.source, each.claim.place, each.claim.about) for each in listed)
    for source, place, about in places:
        here = [each for each in listed if (each.claim.source, each.claim.place) == (source, place)]
        here = [each for each in here if each.claim.about is about]
        title = f"\n{view.heading(here[0].claim)}{view.about(here)}"
        rows = [
            (each.claim.plan_text, view.claim_text(each), view.verdict(each), view.claim_value(report, each))
            for each in here
        ]
        yield without_empty(Table(title, ("plan", "claim", "verdict", "value here"), rows, whole=frozenset({0})))
        yield from (f"  {note}" for note in view.notes_together(here))
    others = [each.claim for each in report.claims if each not in listed]
    if others:
        sources = ", ".join(dict.fromkeys(each.source.key for each in others))
        about = " and ".join(dict.fromkeys(each.about.name for each in others if each.about is not None))
        yield f"\nRefuted, but about {about} ({len(others)}, of {sources}): derive prove {report.formula.name}"
