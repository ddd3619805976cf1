"""A document as Markdown that GitHub renders: tables, mathematics between dollars and backticks, pictures beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from derive.render.documents.blocks import (
    Card,
    Cards,
    Code,
    Document,
    Grid,
    Math,
    Paragraph,
    Picture,
    Section,
    Strong,
    Subheading,
    Text,
    coded,
    joined,
)
from derive.render.marks import markdown_math
from derive.render.marks import markdown_text as escape

OUTLINED = 10  # sections from which on a document has an outline


def markdown(document: Document, assets: str | None = None) -> str:
    """The document as Markdown; `assets` is the folder beside it that its pictures are in, None where there is none."""
    lines = [f"# {escape(document.title)}", "", written(document.about), ""]
    if len(document.sections) >= OUTLINED:
        lines += [f"- [{escape(section.title)}](#{anchor(section.title)})" for section in document.sections]
    for section in document.sections:
        lines += ["", *_section(section, assets)]
    return "\n".join(lines).rstrip("\n") + "\n"


def anchor(title: str) -> str:
    """The name that GitHub gives a heading.

    >>> anchor("Where the coefficients come from")
    'where-the-coefficients-come-from'
    """
    kept = "".join(character for character in title.lower() if character.isalnum() or character in " -_")
    return kept.replace(" ", "-")


def _section(section: Section, assets: str | None) -> Iterator[str]:
    yield f"## {escape(section.title)}"
    for block in section.blocks:
        if isinstance(block, Picture):
            if assets is not None:
                yield from (
                    "",
                    f"![{escape(block.about)}]({quote(assets)}/{block.name}.svg)",
                    "",
                    written(block.caption),
                )
        else:
            yield ""
            yield from BLOCKS[type(block)](block)


def written(parts: Text) -> str:
    """Words and mathematics in one line."""
    return "".join(INLINE[type(part)](part) for part in parts)


def code(text: str) -> str:
    """What a person types, between as many backticks as it needs.

    >>> code("a`b")
    '``a`b``'
    """
    fence = "`" * (max(map(len, "".join(x if x == "`" else " " for x in text).split()), default=0) + 1)
    edge = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{edge}{text}{edge}{fence}".replace("|", r"\|").replace("\n", " ")


INLINE: dict[type, Callable[[Any], str]] = {
    str: escape,
    Math: lambda part: markdown_math(part.latex),
    Code: lambda part: code(part.text),
    Strong: lambda part: f"**{escape(part.text)}**",
}


def _grid(grid: Grid) -> Iterator[str]:
    yield "| " + " | ".join(escape(head) for head in grid.heads) + " |"
    yield "|" + "".join(" ---: |" if place in grid.numeric else " --- |" for place in range(len(grid.heads)))
    for row in grid.rows:
        yield "| " + " | ".join(map(written, row)) + " |"


def overview(cards: Cards) -> Grid:
    """The cards of a topic as a table: what is known of each in a row.

    A source is named once, with the mark of each thing that it states.
    """
    rows = tuple(
        (
            (Code(card.name), " ", *coded(card.title)),
            _formulas(card),
            (card.unit,) if card.unit != "1" else (),
            _under(card),
            (_sources(card),),
        )
        for card in cards.cards
    )
    heads, widths = ("quantity", "formula", "unit", "under", "sources"), (5, 8, 2, 3, 4)
    if cards.with_sources:
        return Grid(heads, rows, widths)
    return Grid(heads[:-1], tuple(row[:-1] for row in rows), widths[:-1])


def _formulas(card: Card) -> Text:
    """The formula with its mark; where other architectures have another one, each with the name of its architecture."""
    symbol = card.symbol.latex
    first = (Math(f"{symbol} = {card.formula.latex}"), *((f" {card.mark}",) if card.mark else ()))
    others = [("; ", Strong(each.name), " ", Math(f"{symbol} = {each.formula.latex}")) for each in card.also]
    return (*((Strong(_whose(card)), " ") if others else ()), *first, *(part for each in others for part in each))


def _whose(card: Card) -> str:
    """What the first of several formulas is about."""
    return card.about or "bare sizes"


def _under(card: Card) -> Text:
    """What the formula holds under, and those of other architectures besides."""
    holding = [
        (_whose(card), card.under, card.settings),
        *((each.name, each.under, each.settings) for each in card.also),
    ]
    said = []
    for name, under, settings in holding:
        what = joined([*((part,) for part in under), *((part,) for part in settings)])
        if what:
            said.append((Strong(name), " ", *what) if card.also else what)
    return joined(said, "; ")


def _sources(card: Card) -> str:
    marks: dict[str, list[str]] = {}
    for each in card.stated:
        held = marks.setdefault(each.source, [])
        held += [each.mark] if each.mark not in held else []
    return ", ".join(f"{source} {' '.join(held)}" for source, held in marks.items())


BLOCKS: dict[type, Callable[[Any], Iterator[str]]] = {
    Paragraph: lambda block: iter([written(block.text)]),
    Grid: _grid,
    Subheading: lambda block: iter([f"### {escape(block.words)}"]),
    Cards: lambda block: _grid(overview(block)),
}
