"""One quantity in full as a document: its formula, its value, its ledger, its derivation, and what sources say."""

from __future__ import annotations

from collections.abc import Iterator

from derive.render import view
from derive.render.documents.blocks import (
    Block,
    Card,
    Code,
    Document,
    Grid,
    Math,
    Paragraph,
    Section,
    Text,
    coded,
    text,
)
from derive.render.documents.card import card
from derive.report import Report, plan_text

WIDTHS = {"block": 3, "tensor": 4, "shape": 3, "axes": 3, "format": 1, "why": 5}  # of a ledger's columns, others 3


def document(report: Report) -> Document:
    """The document of a report."""
    made = card(report)
    sections = (
        Section("Formula", "formula", tuple(_formula(report, made))),
        Section("Ledger", "ledger", (Grid(made.heads, made.rows, tuple(WIDTHS.get(x, 3) for x in made.heads)),)),
        Section("Derivation", "derivation", (_lines(made), Paragraph(text(made.ending)))),
        Section("What sources say", "sources", (_stated(report, made),)),
    )
    shown = tuple(each for each in sections if any(not isinstance(x, Grid) or x.rows for x in each.blocks))
    return Document(made.name, coded(made.title), shown)


def _formula(report: Report, made: Card) -> Iterator[Block]:
    if report.model is not None:
        yield Paragraph(text(f"Model: {view.subject(report)}."))
    if written := plan_text(report.plan):
        yield Paragraph(text("Plan: ", Code(written)))
    yield from (Paragraph(text(f"Assuming {assumption}.")) for assumption in report.assumptions)
    unit = f" [{made.unit}]" if made.unit != "1" else ""
    yield Paragraph(text(Math(f"{made.symbol.latex} = {made.formula.latex}"), unit))
    if report.value_text is not None:
        yield Paragraph(text(f"= {report.exact}{view.unit_text(report)} = {report.value_text}"))
    yield from (Paragraph(text(line)) for line in view.substituted(report))
    for given in (report.substitution, report.given):
        if given:
            rows = tuple((text(x), text(str(each.value)), text(each.origin)) for x, each in given.items())
            yield Grid(("given", "value", "from"), rows, (2, 3, 6))


def _lines(made: Card) -> Grid:
    rows: list[tuple[Text, ...]] = []
    before = None
    for line in made.lines:
        left = (line.left,) if line.left != before else ()
        rows.append((left, (line.relation,), (line.right,), line.why))
        before = line.left
    return Grid(("quantity", "", "", "why"), tuple(rows), (3, 1, 8, 8))


def _stated(report: Report, made: Card) -> Grid:
    rows = tuple(
        (
            text(f"{stated.source}, {stated.where}"), text(Code(stated.plan)) if stated.plan else (),
            (stated.formula,), text(stated.mark), stated.verdict, text(view.claim_value(report, each)),
        )
        for stated, each in zip(made.stated, report.claims, strict=True)
    )  # fmt: skip
    return Grid(("source", "plan", "statement", "", "", "value here"), rows, (4, 3, 5, 1, 6, 3))


def typst(report: Report) -> str:
    """One quantity in full as a Typst document."""
    from derive.render.documents import typst as form

    return form.typst(document(report)).rstrip("\n")
