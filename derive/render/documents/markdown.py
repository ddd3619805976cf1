"""A document as Markdown that GitHub renders: tables, mathematics between dollars and backticks, pictures beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from derive.render.documents.blocks import (
    Card,
    Cards,
    Code,
    Document,
    Grid,
    Inline,
    Math,
    Paragraph,
    Picture,
    Section,
    Strong,
    Subheading,
    Text,
    coded,
)
from derive.render.marks import markdown_math
from derive.render.marks import markdown_text as escape


def markdown(document: Document, assets: str | None = None) -> str:
    """The document as Markdown; `assets` is the folder beside it that its pictures are in, None where there is none."""
    lines = [f"# {escape(document.title)}", "", written(document.about), ""]
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
                yield from ("", f"![{escape(block.about)}]({assets}/{block.name}.svg)", "", written(block.caption))
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
            (Math(f"{card.symbol.latex} = {card.formula.latex}"), *((f" {card.mark}",) if card.mark else ())),
            (card.unit,) if card.unit != "1" else (),
            _between(card.under),
            (_sources(card),),
        )
        for card in cards.cards
    )
    return Grid(("quantity", "formula", "unit", "under", "sources"), rows, (5, 6, 2, 2, 4))


def _between(parts: tuple[Math, ...]) -> Text:
    found: list[Inline] = []
    for part in parts:
        found += [", ", part] if found else [part]
    return tuple(found)


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
