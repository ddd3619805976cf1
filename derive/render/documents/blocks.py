"""What a document is made of: text with mathematics in it, tables, pictures, and cards of formulas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Math:
    """Mathematics, as the LaTeX that this package prints."""

    latex: str


@dataclass(frozen=True, slots=True)
class Code:
    """What a person types, or a program reads."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that are found first."""

    text: str


Inline = str | Math | Code | Strong
Text = tuple[Inline, ...]


def text(*parts: Inline) -> Text:
    """Words and mathematics in a line, without the parts that are empty.

    >>> text("from", "", Code("derive list"))
    ('from', Code(text='derive list'))
    """
    return tuple(part for part in parts if part != "")


def coded(words: str) -> Text:
    """Words in which what is between backticks is code.

    >>> coded("a format (`--dtype`)")
    ('a format (', Code(text='--dtype'), ')')
    """
    return text(*(Code(part) if place % 2 else part for place, part in enumerate(words.split("`"))))


def joined(texts: Iterable[Text], by: str = ", ") -> Text:
    """Several texts as one, with words between them.

    >>> joined([("a",), ("b",)])
    ('a', ', ', 'b')
    """
    parts: list[Inline] = []
    for each in texts:
        parts += [by, *each] if parts else each
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences."""

    text: Text


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: heads, rows of cells, which columns are set flush right, and how wide each is beside the others."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    widths: tuple[int, ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: the name of its file, its SVG, what it shows for whom cannot see it, and a line below it."""

    name: str
    svg: str
    about: str
    caption: Text


@dataclass(frozen=True, slots=True)
class Subheading:
    """A heading inside a section."""

    words: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a derivation: its left side, the relation, its right side, and why."""

    left: Math
    relation: Math
    right: Math
    why: Text


@dataclass(frozen=True, slots=True)
class Stated:
    """What a source says of a quantity: who, where, the formula, the mark of its verdict, and what is to be added."""

    source: str
    where: str
    plan: str
    formula: Math
    mark: str
    verdict: Text


@dataclass(frozen=True, slots=True)
class Other:
    """A quantity's formula for another architecture, and what it holds under that the first does not."""

    name: str
    formula: Math
    under: tuple[Math, ...]
    settings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """One quantity: its formula in paper form, its unit, what it holds under, its derivation, and what sources say.

    `about` is the architecture that it is derived for, if it is one of a model, `also` the formula for others;
    `settings` are those that it has unless others are asked for: the mask, the recipe, the kernels.
    `mark` is that of its derivation, `rows` the ledger that it starts from, with `heads` above it.
    """

    name: str
    title: str
    symbol: Math
    formula: Math
    unit: str
    under: tuple[Math, ...]
    settings: tuple[str, ...]
    about: str
    also: tuple[Other, ...]
    mark: str
    ending: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    lines: tuple[Line, ...]
    stated: tuple[Stated, ...]


@dataclass(frozen=True, slots=True)
class Cards:
    """The cards of one topic; what sources say may be left out."""

    topic: str
    cards: tuple[Card, ...]
    with_sources: bool = True


Block = Paragraph | Grid | Picture | Subheading | Cards


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document with a heading."""

    title: str
    anchor: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A title, a line below it, and sections."""

    title: str
    about: Text
    sections: tuple[Section, ...]


def pictures_of(document: Document) -> tuple[Picture, ...]:
    """All pictures of a document, in its order."""
    blocks = (block for section in document.sections for block in section.blocks)
    return tuple(block for block in blocks if isinstance(block, Picture))
