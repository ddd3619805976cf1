"""The section of the notation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from derive.letters import Letter
from derive.render.documents.blocks import Card, Code, Grid, Math, Paragraph, Section, Text, joined, text
from derive.render.expression import symbol_latex
from formulas.notation import COMMON, TOPICS

HEADS = ("letter", "meaning", "unit", "set by")
WIDTHS = (1, 6, 2, 3)
SIGNS = re.compile(r"\\?[A-Za-z]+(?:_\{(?:[^{}]|\{[^{}]*\})*\})?")  # letters of a formula's LaTeX, and its commands


def notation_section() -> Section:
    """The letters that all topics share."""
    about = "Letters of all topics; a letter that a topic has of its own, named there, wins over them."
    return Section("Notation", "notation", (Paragraph(text(about)), Grid(HEADS, tuple(map(_row, COMMON)), WIDTHS)))


def own_letters(topic: str) -> tuple[Paragraph, ...]:
    """A paragraph with the letters that a topic has of its own, where it has some."""
    own = [(Math(latex_of(letter)), f" {letter.meaning}") for letter in TOPICS.get(topic, ())]
    return (Paragraph(("Letters of this topic: ", *joined(own, "; "), ".")),) if own else ()


def letters_of(cards: Iterable[Card], topic: str) -> tuple[Letter, ...]:
    """The letters of a topic's own that some cards have in their formulas, or in what these hold under."""
    shown = [each.latex for card in cards for each in (card.formula, *card.under, *(x.formula for x in card.also))]
    found = {sign for latex in shown for sign in SIGNS.findall(latex)}
    return tuple(each for each in TOPICS.get(topic, ()) if latex_of(each) in found)


def latex_of(letter: Letter) -> str:
    """A letter as formulas have it."""
    return letter.latex or symbol_latex(letter.name)


def _row(letter: Letter) -> tuple[Text, ...]:
    name = Math(latex_of(letter))
    return (text(name), text(letter.meaning), text("" if letter.unit == "1" else letter.unit), text(Code(_set(letter))))


def _set(letter: Letter) -> str:
    if letter.plan_key:
        return f"--plan {letter.plan_key}="
    return f"--{letter.option}" if letter.option else f"--set {letter.name}="
