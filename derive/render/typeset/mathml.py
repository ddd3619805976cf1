"""Boxes as presentation MathML, as short as browsers read it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from derive.render.typeset.boxes import Atom, Box, Fenced, Fraction, Root, Row, Scripts, boxes, spaced

WIDTHS = {"thin": "0.17em", "medium": "0.28em", "wide": "1em"}
THIN = '<mspace width="0.17em"/>'
UPRIGHT = ' mathvariant="normal"'
ATOMS: dict[str, Callable[[str], str]] = {
    "letter": lambda text: f"<mi>{escape(text)}</mi>",
    "number": lambda text: f"<mn>{text}</mn>",
    "operator": lambda text: f"<mo>{escape(text)}</mo>",
    # A name of one letter would be set in italics.
    "word": lambda text: (
        f"<mi>{escape(text)}</mi>" if len(text) > 1 else f'<mi mathvariant="normal">{escape(text)}</mi>'
    ),
    "text": lambda text: f"<mtext>{escape(text)}</mtext>",
    "space": lambda text: f'<mspace width="{WIDTHS[text]}"/>',
}


def mathml(latex: str, *, display: bool = False) -> str:
    r"""LaTeX that this package printed, as a MathML element.

    >>> print(mathml(r"\frac{5 a}{h}"))
    <math><mfrac><mrow><mn>5</mn><mi>a</mi></mrow><mi>h</mi></mfrac></math>
    """
    inside = _items(boxes(latex))
    return f'<math display="block">{inside}</math>' if display else f"<math>{inside}</math>"


def _items(box: Box) -> str:
    """A box where a row stands without a tag of its own."""
    if isinstance(box, Row):
        return "".join((THIN if apart else "") + _one(item) for item, apart in spaced(box.items))
    return _one(box)


def _one(box: Box) -> str:
    return BOXES[type(box)](box)


def _scripts(box: Scripts) -> str:
    tag = {(True, False): "msub", (False, True): "msup", (True, True): "msubsup"}
    parts = [part for part in (box.low, box.high) if part is not None]
    name = tag[box.low is not None, box.high is not None]
    return f"<{name}>{_one(box.base)}{''.join(map(_one, parts))}</{name}>"


BOXES: dict[type, Callable[[Any], str]] = {
    Atom: lambda box: ATOMS[box.kind](box.text),
    Row: lambda box: f"<mrow>{_items(box)}</mrow>",
    Fraction: lambda box: f"<mfrac>{_one(box.above)}{_one(box.below)}</mfrac>",
    Root: lambda box: f"<msqrt>{_items(box.inside)}</msqrt>",
    Fenced: lambda box: f"<mrow><mo>{box.before}</mo>{_items(box.inside)}<mo>{box.after}</mo></mrow>",
    Scripts: _scripts,
}
