"""How results show themselves in a notebook: by the renderers of the command line, so that both say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby
from typing import Any

from derive.citation import Claim
from derive.comparison import Side
from derive.derivation import Derivation
from derive.evaluation import Valued
from derive.explanation import Explanation
from derive.ledger import Ledger
from derive.model import Model
from derive.plan import Plan
from derive.quantity import Formula
from derive.reading import sum_to_tree
from derive.render import comparison, explanation, proofs
from derive.render import markdown as as_markdown
from derive.render.table import Table
from derive.report import Report, report
from derive.settled import Settled
from derive.verdict import Judgement, judge
from formulas import claims_about
from formulas.models import model
from formulas.notation import common


def markdown(value: object) -> str:
    """The value as Markdown with dollars around its mathematics; `TypeError` for what does not show itself.

    >>> from formulas.gemm import matmul_flops
    >>> print(markdown(matmul_flops).splitlines()[5])
    F = 2 m n p
    """
    if type(value) not in SHOWN:
        raise TypeError(f"{type(value).__name__} does not show itself in a notebook")
    return as_markdown.with_dollars(SHOWN[type(value)](value))


def _formula(formula: Formula) -> str:
    """A formula of the catalog, or one's own, as `derive NAME --markdown` has it."""
    about = model() if formula.needs_model else None
    return as_markdown.markdown(report(formula, about, Plan(), claims=claims_about(formula)))


def _derivation(derivation: Derivation) -> str:
    """The ledger, the steps from it, and what they rest on."""
    made = _report(derivation)
    return _joined(as_markdown.rows(made), as_markdown.steps(made))


def _ledger(ledger: Ledger) -> str:
    """The rows, and their sum; letters are read as the common ones."""
    total = Formula(lambda: ledger, "sum", ledger.unit, common, "sum", "", "The sum of the rows.")
    made = _report(_of_rows(total, ledger))
    amount = as_markdown.inline(made.derivation.expression, common.latex)
    return _joined(as_markdown.rows(made), [f"sum: {amount} {as_markdown.escape(str(ledger.unit))}"])


def _judgement(judgement: Judgement) -> str:
    """The claim, its verdict, and where it is false or what it leaves out."""
    return _claim(Valued(judgement, None, (), (), {}))


def _claim(valued: Valued) -> str:
    formula = valued.claim.formula
    made = _report(_of_rows(formula, Ledger((), formula.unit)), (valued,))
    return _joined(as_markdown.claims(made))


def _report(derivation: Derivation, claims: tuple[Valued, ...] = ()) -> Report:
    """What renderers read, of a derivation alone or of claims alone: no sizes, no value."""
    return Report(derivation.formula, derivation.model, derivation.plan, derivation, {}, None, None, (), claims, ())


def _of_rows(formula: Formula, ledger: Ledger, about: Model | None = None) -> Derivation:
    tree = sum_to_tree([row.value for row in ledger], formula.notation.order)
    return Derivation(formula, about, Plan(), ledger, (), tree, None)


def _joined(*parts: Iterable[str]) -> str:
    return "\n".join(line for part in parts for line in part).rstrip("\n")


def _laid_out(parts: Iterable[str | Table]) -> str:
    """What the command line prints: its lines as lines, its tables as tables."""
    lines: list[str] = []
    for is_text, each in groupby(parts, lambda part: isinstance(part, str)):
        if is_text:
            text = "\n".join(part for part in each if isinstance(part, str))
            paragraphs = (paragraph.splitlines() for paragraph in text.strip("\n").split("\n\n"))
            lines += ["\\\n".join(map(_line, paragraph)) + "\n" for paragraph in paragraphs]
        else:
            for table in (part for part in each if isinstance(part, Table)):
                lines += [f"**{as_markdown.escape(table.title.strip())}**\n"] if table.title.strip() else []
                rows = [tuple(map(as_markdown.escape, row)) for row in table.rows]
                lines += as_markdown.laid_out(replace(table, rows=rows))
    return "\n".join(lines).rstrip("\n")


def _line(line: str) -> str:
    """A line of text, its indentation kept."""
    words = line.lstrip()
    return "&nbsp;" * (len(line) - len(words)) + as_markdown.escape(words)


# By class, its Markdown as GitHub reads it.
SHOWN: dict[type, Callable[[Any], str]] = {
    Formula: _formula,
    Report: as_markdown.markdown,
    Derivation: _derivation,
    Ledger: _ledger,
    Claim: lambda claim: _judgement(judge(claim)),
    Judgement: _judgement,
    Valued: _claim,
    Side: lambda side: _laid_out(comparison.parts((side,))),
    Explanation: lambda found: _laid_out(explanation.tables((found,))),
    Settled: lambda found: _laid_out(proofs.in_full([found])),
}
