"""The section of the notation."""

from __future__ import annotations

from derive.letters import Letter
from derive.render.documents.blocks import Code, Grid, Math, Paragraph, Section, Text, joined, text
from derive.render.expression import symbol_latex
from formulas.notation import COMMON, TOPICS

HEADS = ("letter", "meaning", "unit", "set by")
WIDTHS = (1, 6, 2, 3)


def notation_section() -> Section:
    """The letters that all topics share."""
    about = "Letters of all topics; a letter that a topic has of its own, named there, wins over them."
    return Section("Notation", "notation", (Paragraph(text(about)), Grid(HEADS, tuple(map(_row, COMMON)), WIDTHS)))


def own_letters(topic: str) -> tuple[Paragraph, ...]:
    """A paragraph with the letters that a topic has of its own, where it has some."""
    own = [(Math(letter.latex or symbol_latex(letter.name)), f" {letter.meaning}") for letter in TOPICS.get(topic, ())]
    return (Paragraph(("Letters of this topic: ", *joined(own, "; "), ".")),) if own else ()


def _row(letter: Letter) -> tuple[Text, ...]:
    name = Math(letter.latex or symbol_latex(letter.name))
    return (text(name), text(letter.meaning), text("" if letter.unit == "1" else letter.unit), text(Code(_set(letter))))


def _set(letter: Letter) -> str:
    if letter.plan_key:
        return f"--plan {letter.plan_key}="
    return f"--{letter.option}" if letter.option else f"--set {letter.name}="
