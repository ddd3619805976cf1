"""The blocks of a document as HTML; whatever comes from data is text in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from html import escape
from typing import Any

from derive.render.documents.blocks import (
    Block,
    Card,
    Cards,
    Code,
    Grid,
    Line,
    Math,
    Paragraph,
    Picture,
    Section,
    Stated,
    Strong,
    Subheading,
    Text,
    coded,
)
from derive.render.typeset.mathml import mathml

INLINE: dict[type, Callable[[Any], str]] = {
    str: escape,
    Math: lambda part: mathml(part.latex),
    Code: lambda part: f"<code>{escape(part.text)}</code>",
    Strong: lambda part: f"<strong>{escape(part.text)}</strong>",
}
VERDICTS = {
    "■": ("holds", "proved"),
    "■ ≈": ("nearly", "proved up to what it leaves out"),
    "✗": ("fails", "refuted"),
    "?": ("open", "open"),
}


def inline(text: Text) -> str:
    """Words and mathematics in a line.

    >>> inline(("a < ", Math("b")))
    'a &lt; <math><mi>b</mi></math>'
    """
    return "".join(INLINE[type(part)](part) for part in text)


def mark(sign: str) -> str:
    """The mark of a verdict, with its words for whom cannot see it."""
    if not sign:
        return ""
    kind, words = VERDICTS.get(sign, ("open", sign))
    return f'<abbr class="{kind}" title="{escape(words)}">{escape(sign)}</abbr>'


PROSE = ((18, "prose broad"), (12, "prose"), (0, ""))  # least sum of a grid's widths -> what keeps its columns wide


def table(
    heads: tuple[str, ...], rows: tuple[tuple[Text, ...], ...], numeric: frozenset[int] = frozenset(), width: int = 0
) -> str:
    """A table that scrolls inside its own box where it is wide."""
    name = next(name for least, name in PROSE if width >= least)
    kind = f' class="{name}"' if name else ""
    top = "".join(f'<th scope="col"{_right(place, numeric)}>{escape(head)}' for place, head in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(f"<td{_right(place, numeric)}>{inline(cell)}" for place, cell in enumerate(row))
        for row in rows
    )
    return f'<div class="scroll"><table{kind}><thead><tr>{top}<tbody>{body}</table></div>'


def _right(place: int, numeric: frozenset[int]) -> str:
    return ' class="right"' if place in numeric else ""


def _picture(picture: Picture) -> str:
    caption = f"<figcaption>{inline(picture.caption)}</figcaption>" if picture.caption else ""
    return (
        f'<figure class="picture" id="figure-{escape(picture.name)}" aria-label="{escape(picture.about)}">'
        f'<div class="scroll">{picture.svg}</div>{caption}</figure>'
    )


def _cards(cards: Cards) -> str:
    return f'<div class="topic" data-topic="{escape(cards.topic)}">{"".join(map(card, cards.cards))}</div>'


def card(each: Card) -> str:
    """One quantity: its formula, and room for its live value; what unfolds is put in by the page's code."""
    name = escape(each.name)
    under = f'<p class="under">for {", ".join(mathml(part.latex) for part in each.under)}' if each.under else ""
    sources = " ".join(dict.fromkeys(one.source for one in each.stated))
    return (
        f'<article class="card" id="{name}" data-find="{escape(sources.lower())}">'
        f'<header><h3><a href="#{name}">{name}</a> {mark(each.mark)}</h3><p>{inline(coded(each.title))}</header>'
        '<div class="body"><div><div class="formula scroll">'
        f"<span>{mathml(each.symbol.latex)}<math><mo>=</mo></math></span><span>{mathml(each.formula.latex)}</span></div>{under}</div></div></article>"
    )


def derivation(each: Card, about: str) -> tuple[str, str] | None:
    """The heading and the inside of a card's derivation, which is `about` something, on a line each."""
    if not each.lines:
        return None
    lines = "".join(map(_line, each.lines))
    inside = f'<div class="scroll"><table class="lines">{lines}</table></div><p class="note">{escape(each.ending)}'
    return f"Derivation{_for(about)} <small>{_count(each.lines, 'line')}</small>", on_one_line(inside)


def ledger(each: Card, about: str) -> tuple[str, str] | None:
    """The same of the rows that the derivation starts from, where there are some."""
    if not each.rows:
        return None
    heading = f"Where the coefficients come from{_for(about)} <small>{_count(each.rows, 'row')}</small>"
    return heading, on_one_line(table(each.heads, each.rows))


def sources(each: Card) -> tuple[str, str]:
    """The same of what sources say."""
    inside = f'<ul class="stated">{"".join(map(_source, each.stated))}</ul>'
    return f"What sources say <small>{len(each.stated)}</small>", on_one_line(inside)


def _for(about: str) -> str:
    return f" for {escape(about)}" if about else ""


def _count(parts: tuple[Any, ...], noun: str) -> str:
    return f"{len(parts)} {noun}{'s' * (len(parts) != 1)}"


def on_one_line(html: str) -> str:
    """HTML without line ends and, for the packing, without letters beyond the basic plane."""
    return "".join(x if ord(x) <= 0xFFFF else f"&#{ord(x)};" for x in " ".join(html.splitlines()))


def _line(line: Line) -> str:
    cells = (mathml(part.latex) if part.latex else "" for part in (line.left, line.relation, line.right))
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells) + f"<td>{inline(line.why)}"


def _source(each: Stated) -> str:
    plan = f" <code>{escape(each.plan)}</code>" if each.plan else ""
    said = f"<p>{inline(each.verdict)}" if each.verdict else ""
    formula = f'<div class="scroll">{mathml(each.formula.latex)}</div>'
    return f"<li>{mark(each.mark)}<p><b>{escape(each.source)}</b>, {escape(each.where)}{plan}</p>{formula}{said}"


BLOCKS: dict[type, Callable[[Any], str]] = {
    Cards: _cards,
    Paragraph: lambda block: f"<p>{inline(block.text)}",
    Grid: lambda block: table(block.heads, block.rows, block.numeric, sum(block.widths)),
    Picture: _picture,
    Subheading: lambda block: f'<h3 id="{escape(block.anchor)}">{escape(block.words)}</h3>',
}


def section(each: Section, later: Collection[str] = ()) -> str:
    """A part of the document; of one that comes `later`, the page's code puts in what is behind its first block."""
    blocks = each.blocks[:1] if each.anchor in later else each.blocks
    there = " data-later" if each.anchor in later else ""
    return f'<section id="{escape(each.anchor)}"{there}><h2>{escape(each.title)}</h2>{_blocks(blocks)}</section>'


def rest(each: Section) -> str:
    """What is behind the first block of a part, on one line."""
    return on_one_line(_blocks(each.blocks[1:]))


def _blocks(blocks: Iterable[Block]) -> str:
    return "".join(BLOCKS[type(block)](block) for block in blocks)


def outline(sections: tuple[Section, ...]) -> str:
    """Links to the sections, and below them to their headings."""
    items: list[str] = []
    for each in sections:
        below = [(block.anchor, block.words) for block in each.blocks if isinstance(block, Subheading)]
        inner = "".join(f'<li><a href="#{escape(anchor)}">{escape(words)}</a>' for anchor, words in below)
        under = f"<ul>{inner}</ul>" if inner else ""
        kind = ' class="topics"' if any(isinstance(block, Cards) for block in each.blocks) else ""
        if kind and not any("topics" in item for item in items):
            items.append('<li class="label topics">Formulas')
        items.append(f'<li{kind}><a href="#{escape(each.anchor)}">{escape(each.title)}</a>{under}')
    return f"<ul>{''.join(items)}</ul>"
