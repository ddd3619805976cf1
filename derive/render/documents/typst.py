"""A document as Typst, which makes a PDF where there is no TeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from derive.drawing.theme import style
from derive.render.documents.blocks import (
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
)
from derive.render.documents.markdown import OUTLINED, overview
from derive.render.typeset.broken import LINE
from derive.render.typeset.typst import quoted
from derive.render.typeset.typst import typst as mathematics

# No date, so that two people get the same bytes; fonts that Typst's compiler carries itself.
HEAD = """#set document(title: {title}, date: none)
#set page(paper: "a4", flipped: true, margin: 14mm, numbering: "1")
#set text(font: "Libertinus Serif", size: 8.5pt)
#set par(leading: 0.5em)
#show raw: set text(font: "DejaVu Sans Mono", size: 7pt)
#show math.equation: set text(font: "New Computer Modern Math")
#show math.frac: math.display
#show heading.where(level: 2): set block(above: 1.6em, below: 0.8em)
#set table(stroke: (x, y) => (bottom: if y == 0 {{ 0.6pt }} else {{ 0.2pt + luma(75%) }}), inset: (x: 3pt, y: 5pt))
#set table.cell(breakable: false)
#show table.cell.where(y: 0): strong
"""


BREAK = "\u200b"  # where a line may end in a plan, as wide as nothing


def typst(document: Document) -> str:
    """The document as Typst's source."""
    title = quoted(document.title)
    lines = [HEAD.format(title=title), f'#text(size: 18pt, weight: "bold", {title})', "", written(document.about), ""]
    if len(document.sections) >= OUTLINED:
        lines.append("#v(1em)\n#block(height: 11em, columns(3, gutter: 2em, outline(title: none, depth: 1)))")
    for section in document.sections:
        lines += _section(section)
    return "\n".join(lines) + "\n"


def pdf(document: Document) -> bytes:
    """The document as a PDF, the same bytes each time; `ImportError` where the compiler is not installed."""
    import typst as compiler

    return compiler.compile(typst(document).encode(), format="pdf", ignore_system_fonts=True)


def written(parts: Text, room: int = LINE) -> str:
    """Words, as strings so that nothing in them is markup, and mathematics, loosened where it is wider than `room`."""
    return "".join(INLINE[type(part)](part, room) for part in parts)


INLINE: dict[type, Callable[[Any, int], str]] = {
    str: lambda part, _: f"#{quoted(part)}",
    Math: lambda part, room: f"${mathematics(part.latex, room)}$",
    Code: lambda part, _: f"#raw({quoted(part.text.replace(',', ',' + BREAK).replace('=', '=' + BREAK))})",
    Strong: lambda part, _: f"#strong({quoted(part.text)})",
}


def _section(section: Section) -> Iterator[str]:
    yield f"#heading(level: 1, {quoted(section.title)})"
    for block, following in zip_longest(section.blocks, section.blocks[1:]):
        introduces = isinstance(block, Paragraph) and isinstance(following, Grid | Cards)
        lines = BLOCKS[type(block)](block)
        yield from [f"#block(sticky: true)[{line}]" for line in lines] if introduces else lines
        yield ""


def _grid(grid: Grid) -> Iterator[str]:
    columns = ", ".join(f"{share}fr" for share in grid.widths)
    align = ", ".join("right" if place in grid.numeric else "left" for place in range(len(grid.widths)))
    yield f"#table(columns: ({columns},), align: ({align},),"
    yield "  table.header(" + ", ".join(f"[#{quoted(head)}]" for head in grid.heads) + "),"
    rooms = [LINE * share // sum(grid.widths) for share in grid.widths]
    for row in grid.rows:
        yield "  " + ", ".join(f"[{written(cell, room)}]" for cell, room in zip(row, rooms, strict=True)) + ","
    yield ")"


def _picture(picture: Picture) -> Iterator[str]:
    # Typst knows no style sheet of two themes: paper has the light one.
    svg = picture.svg.replace(style(None), style("light"))
    image = f'#image(bytes({quoted(svg)}), format: "svg", alt: {quoted(picture.about)}, height: 15cm)'
    yield f"#block(breakable: false, width: 100%)[#align(center)[{image}\n{written(picture.caption)}]]"


BLOCKS: dict[type, Callable[[Any], Iterator[str]]] = {
    Paragraph: lambda block: iter([written(block.text)]),
    Grid: _grid,
    Subheading: lambda block: iter([f"#heading(level: 2, {quoted(block.words)})"]),
    Cards: lambda block: _grid(overview(block)),
    Picture: _picture,
}
