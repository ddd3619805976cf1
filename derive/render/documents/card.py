"""The card of one quantity, from its report."""

from __future__ import annotations

from collections.abc import Iterator

from derive.derivation import Step, Words
from derive.evaluation import Valued
from derive.render import view
from derive.render.documents.blocks import Card, Inline, Line, Math, Stated, Text, joined, text
from derive.render.expression import relation_latex, to_latex
from derive.render.latex import RELATIONS, left_side, quantity
from derive.render.marks import MARKS
from derive.report import Report
from derive.situation import made_from
from derive.tree import Node, Relation, Symbol

Letters = dict[str, str]


def card(report: Report) -> Card:
    """What a sheet shows of one quantity: all of it in words and LaTeX, nothing of it to be computed any more."""
    formula, letters, derivation = report.formula, report.formula.notation.latex, report.derivation
    rows, heads = ledger(report)
    return Card(
        name=formula.name,
        title=formula.title,
        symbol=Math(quantity(report, "")),
        formula=Math(to_latex(derivation.expression, letters)),
        unit=str(formula.unit),
        under=tuple(Math(equality(letter, tree, letters)) for letter, tree in hypotheses(report).items()),
        settings=tuple(_settings(report)),
        about=report.model.architecture.name if report.model is not None else "",
        also=(),
        mark="■" if derivation.proved else "",
        ending=view.ending(report),
        heads=heads,
        rows=rows,
        lines=tuple(_lines(report)),
        stated=tuple(stated(each, letters) for each in report.claims),
    )


def hypotheses(report: Report) -> dict[str, Node]:
    """The relations between a model's letters that its expression rests on."""
    if report.model is None:
        return {}
    used = report.derivation.ledger.letters
    return {letter: tree for letter, tree in report.model.relations.items() if letter in used}


def _settings(report: Report) -> Iterator[str]:
    """What the formula is for beside its letters: settings with a value, and a letter that stands for a simpler one."""
    letters = report.formula.notation.letters
    given = {name: each.value for name, each in report.given.items() if name not in letters}
    yield from (_setting(name, value) for name, value in given.items())
    for each in made_from(report.formula, report.model, report.plan):
        for letter, found in each.standing(report.model, each.rows(report.model, report.plan).letters).items():
            if found is not each.letters[letter][0]:
                yield f"{letter} as {found.name}"


def _setting(name: str, value: object) -> str:
    """A setting in words: `recipe bf16`, `no dropout`."""
    return (name if value else f"no {name}") if isinstance(value, bool) else f"{name} {value}"


def equality(letter: str, tree: Node, letters: Letters) -> str:
    r"""A hypothesis as LaTeX.

    >>> from derive.grammar import parse
    >>> equality("f", parse("4*h"), {})
    'f = 4 h'
    """
    return relation_latex(Relation(Symbol(letter), "==", tree), letters)


def ledger(report: Report) -> tuple[tuple[tuple[Text, ...], ...], tuple[str, ...]]:
    """The rows of the ledger as cells, and the heads above them; a column in which nothing is said is left out."""
    letters = report.formula.notation.latex
    heads = ("block", "tensor", view.axes_head(report), "format", view.amount_key(report), "why")
    rows = [
        (
            text("/".join(path)), text(row.tensor), text(" × ".join(view.shape(report, row))), text(row.dtype or ""),
            text(Math(to_latex(view.row_tree(report, row), letters))), text(row.why),
        )
        for row, path in view.rows(report)
    ]  # fmt: skip
    kept = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    return tuple(tuple(row[place] for place in kept) for row in rows), tuple(heads[place] for place in kept)


def _lines(report: Report) -> Iterator[Line]:
    letters = report.formula.notation.latex
    for step in report.derivation.steps:
        left, relation = Math(left_side(report, step)), Math(RELATIONS[step.relation])
        if step.parts:
            right = " + ".join(quantity(report, part) for part in step.parts)
        else:
            right = to_latex(step.expression, letters)
        yield Line(left, relation, Math(right), why(step, letters))


def why(step: Step, letters: Letters) -> Text:
    """The reason of a step, or what each of its terms stands for."""
    if step.terms:
        return joined([(Math(to_latex(term.tree, letters)), f" {view.term_names(term)}") for term in step.terms], "; ")
    premise = ("premise: ",) if step.relation == "under" else ()
    return text(*premise, *words(step.because, letters))


def words(parts: Words, letters: Letters) -> list[Inline]:
    """Words with formulas among them."""
    return [part if isinstance(part, str) else formula_of(part, letters) for part in parts]


def formula_of(part: Node | Relation, letters: Letters) -> Math:
    """A formula inside a line."""
    return Math(relation_latex(part, letters) if isinstance(part, Relation) else to_latex(part, letters))


def stated(each: Valued, letters: Letters) -> Stated:
    """What a source states of the quantity, and the verdict on it."""
    claim, judgement = each.claim, each.judgement
    formula = to_latex(claim.tree, letters)
    standing = "".join(rf",\; {to_latex(Symbol(x), letters)} = \text{{{of.name}}}" for x, of in claim.letters.items())
    return Stated(
        source=claim.source.key,
        where=claim.place + view.about([each]),
        plan=claim.plan_text,
        formula=Math(formula + standing),
        mark=MARKS[judgement.verdict],
        verdict=text(*said(each, letters)),
    )


def said(each: Valued, letters: Letters) -> Iterator[Inline]:
    """What is to be added to a verdict: what is left out or too much, or where it fails and by how much."""
    judgement = each.judgement
    parts: list[Text] = []
    if judgement.neglected is not None:
        parts.append(("leaves out ", formula_of(judgement.neglected, letters)))
    if judgement.included is not None:
        parts.append(("counts ", formula_of(judgement.included, letters), " too much"))
    if judgement.residual is not None:
        parts.append(("claim − derived ", Math("= " + to_latex(judgement.residual, letters))))
    if point := view.counterexample(each):
        parts.append((point,))
    if each.claim.note:
        parts.append((each.claim.note,))
    yield from joined(parts, "; ")
