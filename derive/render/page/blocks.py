"""The blocks of a document as HTML; whatever comes from data is text in it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from derive.render.documents.blocks import (
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
)
from derive.render.typeset.mathml import mathml

INLINE: dict[type, Callable[[Any], str]] = {
    str: escape,
    Math: lambda part: mathml(part.latex),
    Code: lambda part: f"<code>{escape(part.text)}</code>",
    Strong: lambda part: f"<strong>{escape(part.text)}</strong>",
}
VERDICTS = {"■": ("holds", "proved"), "■ ≈": ("nearly", "proved up to what it leaves out"), "✗": ("fails", "refuted"), "?": ("open", "open")}


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
    return f'<span class="mark {kind}" title="{escape(words)}"><span aria-hidden="true">{escape(sign)}</span><span class="hidden">{escape(words)}</span></span>'


def table(heads: tuple[str, ...], rows: tuple[tuple[Text, ...], ...], numeric: frozenset[int], label: str) -> str:
    """A table that scrolls inside its own box where it is wide."""
    top = "".join(f'<th scope="col"{_right(place, numeric)}>{escape(head)}</th>' for place, head in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(f"<td{_right(place, numeric)}>{inline(cell)}</td>" for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _right(place: int, numeric: frozenset[int]) -> str:
    return ' class="right"' if place in numeric else ""


def _picture(picture: Picture) -> str:
    caption = f"<figcaption>{inline(picture.caption)}</figcaption>" if picture.caption else ""
    return f'<figure class="picture" id="figure-{escape(picture.name)}"><div class="scroll" tabindex="0" role="img" aria-label="{escape(picture.about)}">{picture.svg}</div>{caption}</figure>'


def _cards(cards: Cards) -> str:
    return f'<div class="topic"><h3 id="topic-{escape(cards.topic)}">{escape(cards.topic)}</h3>{"".join(map(card, cards.cards))}</div>'


def card(each: Card) -> str:
    """One quantity: its formula, room for its live value, and what unfolds."""
    name = escape(each.name)
    under = f'<p class="under">for {", ".join(mathml(part.latex) for part in each.under)}</p>' if each.under else ""
    sources = " ".join(dict.fromkeys(one.source for one in each.stated))
    unit = f'<span class="unit">{escape(each.unit)}</span>' if each.unit != "1" else ""
    return (
        f'<article class="card" id="{name}" data-name="{name}" data-find="{escape(f"{each.name} {each.title} {sources}".lower())}">'
        f'<header><h4><a href="#{name}" tabindex="-1"><code>{name}</code></a> {mark(each.mark)}</h4>'
        f"<p>{escape(each.title)}</p></header>"
        f'<div class="body"><div class="formula scroll" tabindex="0" role="group" aria-label="formula of {name}">'
        f'<span class="left">{mathml(each.symbol.latex)}<math><mo>=</mo></math></span>'
        f'<span class="right-side" data-formula>{mathml(each.formula.latex)}</span></div>{unit}{under}'
        f'<p class="plan live" data-plan hidden></p>'
        f'<div class="value live" data-value hidden></div></div>'
        f"{_derivation(each)}{_ledger(each)}{_stated(each)}"
        f'<details class="letters live" data-letters hidden><summary>Where its numbers come from</summary><div></div></details>'
        "</article>"
    )


def _derivation(each: Card) -> str:
    if not each.lines:
        return ""
    lines = "".join(map(_line, each.lines))
    return (
        f'<details class="derivation"><summary>Derivation <small>{len(each.lines)} {"line" if len(each.lines) == 1 else "lines"}</small></summary>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="derivation of {escape(each.name)}"><ol class="lines">{lines}</ol></div>'
        f'<p class="note">{escape(each.ending)}</p><p class="note live" data-command hidden></p></details>'
    )


def _line(line: Line) -> str:
    left, relation, right = (mathml(part.latex) if part.latex else "" for part in (line.left, line.relation, line.right))
    return f'<li><span class="step"><span>{left}</span><span>{relation}</span><span>{right}</span></span><span class="why">{inline(line.why)}</span></li>'


def _ledger(each: Card) -> str:
    if not each.rows:
        return ""
    count = f'{len(each.rows)} {"row" if len(each.rows) == 1 else "rows"}'
    return (
        f'<details class="ledger"><summary>Where the coefficients come from <small>{count}</small></summary>'
        f"{table(each.heads, each.rows, frozenset(), 'ledger of ' + each.name)}</details>"
    )


def _stated(each: Card) -> str:
    if not each.stated:
        return ""
    items = "".join(map(_source, each.stated))
    return f'<details class="stated"><summary>What sources say <small>{len(each.stated)}</small></summary><ul>{items}</ul></details>'


def _source(each: Stated) -> str:
    plan = f' <code class="plan-text">{escape(each.plan)}</code>' if each.plan else ""
    said = f'<span class="why">{inline(each.verdict)}</span>' if each.verdict else ""
    return (
        f'<li>{mark(each.mark)}<span class="source"><strong>{escape(each.source)}</strong>, {escape(each.where)}{plan}</span>'
        f'<span class="scroll" tabindex="0" role="group" aria-label="formula of {escape(each.source)}">{mathml(each.formula.latex)}</span>{said}</li>'
    )


BLOCKS: dict[type, Callable[[Any], str]] = {
    Paragraph: lambda block: f"<p>{inline(block.text)}</p>",
    Grid: lambda block: table(block.heads, block.rows, block.numeric, ", ".join(block.heads)),
    Picture: _picture,
    Subheading: lambda block: f'<h3 id="{escape(block.anchor)}">{escape(block.words)}</h3>',
    Cards: _cards,
}


def section(each: Section) -> str:
    """A part of the document."""
    inside = "".join(BLOCKS[type(block)](block) for block in each.blocks)
    return f'<section id="{escape(each.anchor)}"><h2>{escape(each.title)}</h2>{inside}</section>'


def outline(sections: tuple[Section, ...]) -> str:
    """Links to the sections, and below them to their topics and headings."""
    items = []
    for each in sections:
        below = [
            (f"topic-{block.topic}", block.topic) if isinstance(block, Cards) else (block.anchor, block.words)
            for block in each.blocks
            if isinstance(block, Cards | Subheading)
        ]
        inner = "".join(f'<li><a href="#{escape(anchor)}">{escape(words)}</a></li>' for anchor, words in below)
        items.append(f'<li><a href="#{escape(each.anchor)}">{escape(each.title)}</a>{f"<ul>{inner}</ul>" if inner else ""}</li>')
    return f"<ul>{''.join(items)}</ul>"
