"""A report as Markdown that GitHub renders: math in `math` fences and in dollar-backtick spans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derive.derivation import Step
from derive.evaluation import Valued
from derive.render import view
from derive.render.expression import to_latex
from derive.render.latex import RELATIONS, left_side, quantity
from derive.render.latex import formula as latex_formula
from derive.render.marks import markdown_math
from derive.render.marks import markdown_text as escape
from derive.render.table import Table, without_empty
from derive.report import Report
from derive.tree import Node, Relation


def inline(part: Node | Relation, letters: dict[str, str]) -> str:
    """A formula inside a line."""
    return markdown_math(latex_formula(part, letters))


def with_dollars(text: str) -> str:
    r"""Our Markdown for a notebook, which knows no `math` fence and no dollar-backtick, but dollars.

    >>> print(with_dollars("with $`a_b`$:\n```math\nx = 1\n```"))
    with $a_b$:
    $$
    x = 1
    $$
    """
    displayed = re.sub(r"^```math\n(.*?)\n```$", r"$$\n\1\n$$", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\$`(.*?)`\$", r"$\1$", displayed)


def markdown(report: Report) -> str:
    """Heading, formula, value, ledger, derivation and claims."""
    return "\n".join(_lines(report)).rstrip("\n")


def _lines(report: Report) -> Iterator[str]:
    formula, letters = report.formula, report.formula.notation.latex
    yield f"## {formula.name}\n"
    yield f"{escape(formula.title)}\n"
    if report.model is not None:
        yield f"Model: {escape(view.subject(report))}\n"
    yield f"```math\n{quantity(report, '')} = {to_latex(report.derivation.expression, letters)}\n```\n"
    if report.value is not None and report.value_text is not None:
        yield f"= {escape(report.exact or '')}{view.unit_text(report)} = {escape(report.value_text)}\n"
    if report.substitution:
        yield from _table(("with", "value", "from"), [
            (escape(name), escape(str(given.value)), escape(given.origin))
            for name, given in report.substitution.items()
        ])  # fmt: skip
        yield from (f"{escape(line)}\n" for line in view.substituted(report))
    if report.given:
        yield from _table(("given", "value", "from"), [
            (escape(name), escape(str(given.value)), escape(given.origin)) for name, given in report.given.items()
        ])  # fmt: skip
    yield "### Ledger\n"
    yield from rows(report)
    yield "### Derivation\n"
    yield from steps(report)
    if report.claims:
        yield "### Claims\n"
        yield from claims(report)


def rows(report: Report) -> Iterator[str]:
    """The ledger as a table."""
    letters = report.formula.notation.latex
    yield from _table(("block", "tensor", view.axes_head(report), "dtype", view.amount_key(report), "why"), [
        (
            escape("/".join(path)), escape(row.tensor), escape(" × ".join(view.shape(report, row))),
            row.dtype or "", inline(view.row_tree(report, row), letters), escape(row.why),
        )
        for row, path in view.rows(report)
    ])  # fmt: skip


def steps(report: Report) -> Iterator[str]:
    """The derivation as a table, and what it rests on."""
    letters = report.formula.notation.latex
    yield from _table(("quantity", "", "", "why"), [
        (
            f"$`{left_side(report, step)}`$", f"$`{RELATIONS[step.relation]}`$", inline(step.expression, letters),
            _why(step, letters),
        )
        for step in report.derivation.steps
    ])  # fmt: skip
    yield f"{view.ending(report)}\n"


def claims(report: Report) -> Iterator[str]:
    """What sources say, with verdicts, as a table, and the notes below it."""
    letters = report.formula.notation.latex
    yield from _table(("source", "plan", "claim", "verdict", "value here"), [
        (
            escape(f"{each.claim.source.key}, {each.claim.place}{view.about([each])}"),
            escape(each.claim.plan_text) or "–",
            ", ".join([inline(each.claim.tree, letters), *map(escape, view.letters_text(each))]),
            _verdict(each, letters), escape(view.claim_value(report, each)),
        )
        for each in report.claims
    ])  # fmt: skip
    for note, about in _notes(report).items():
        yield f"- {escape('; '.join(about))}: {escape(note)}"


def _verdict(valued: Valued, letters: dict[str, str]) -> str:
    """The verdict with its formulas set as mathematics."""
    return "".join(
        escape(part) if isinstance(part, str) else inline(part, letters) for part in view.verdict_parts(valued)
    )


def _why(step: Step, letters: dict[str, str]) -> str:
    """The reason of a step, or what each of its terms stands for."""
    if step.terms:
        return "; ".join(f"{inline(term.tree, letters)} {escape(view.term_names(term))}" for term in step.terms)
    words = "".join(escape(part) if isinstance(part, str) else inline(part, letters) for part in step.because)
    return f"premise: {words}" if step.relation == "under" else words


def _notes(report: Report) -> dict[str, list[str]]:
    """Each note once, with the claims that it is about."""
    notes: dict[str, list[str]] = {}
    for each in report.claims:
        for note in view.notes(each):
            about = notes.setdefault(note, [])
            name = f"{each.claim.source.key}, {each.claim.place}"
            about += [name] if name not in about else []
    return notes


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield from laid_out(without_empty(Table("", heads, rows)))


def laid_out(table: Table) -> Iterator[str]:
    """A table whose cells are Markdown; columns of numbers are set flush right.

    >>> print("\\n".join(laid_out(Table("", ("letter", "value"), [("s", "2048")], frozenset({1})))))
    | letter | value |
    | --- | ---: |
    | s | 2048 |
    <BLANKLINE>
    """
    yield "| " + " | ".join(table.heads) + " |"
    yield "|" + "".join(" ---: |" if column in table.numeric else " --- |" for column in range(len(table.heads)))
    for row in table.rows:
        yield "| " + " | ".join(row) + " |"
    yield ""
