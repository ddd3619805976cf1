"""Boxes as Typst's mathematics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from derive.render.typeset.boxes import WORDS, Atom, Box, Fenced, Fraction, Root, Row, Scripts, boxes

SPACES = {"thin": "thin", "medium": "med", "wide": "quad"}
FENCES = {"(": "(", ")": ")", "⌈": "⌈", "⌉": "⌉", "⌊": "⌊", "⌋": "⌋"}


def quoted(text: str) -> str:
    r"""A string of Typst: nothing in it is code.

    >>> print(quoted('a "b" \\c'))
    "a \"b\" \\c"
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


# Signs that mean something to Typst are written as escapes; every other sign stands for itself.
ATOMS: dict[str, Callable[[str], str]] = {
    "letter": lambda text: text,
    "number": lambda text: text,
    "operator": lambda text: f"\\{text}" if text in "/,()|." else text,
    "word": lambda text: f"op({quoted(text)})" if text in WORDS else f"upright({quoted(text)})",
    "text": quoted,
    "space": lambda text: SPACES[text],
}


def typst(latex: str) -> str:
    r"""LaTeX that this package printed, as what stands between dollars in Typst.

    >>> print(typst(r"s b h \left(34 + \frac{5 a s}{h}\right)"))
    s b h lr((34 + frac(5 a s, h)))
    """
    return _items(boxes(latex))


def _items(box: Box) -> str:
    return " ".join(map(_one, box.items)) if isinstance(box, Row) else _one(box)


def _one(box: Box) -> str:
    return BOXES[type(box)](box)


def _scripts(box: Scripts) -> str:
    low = f"_({_items(box.low)})" if box.low is not None else ""
    high = f"^({_items(box.high)})" if box.high is not None else ""
    return f"{_one(box.base)}{low}{high}"


BOXES: dict[type, Callable[[Any], str]] = {
    Atom: lambda box: ATOMS[box.kind](box.text),
    Row: lambda box: _items(box) or '""',
    Fraction: lambda box: f"frac({_items(box.above)}, {_items(box.below)})",
    Root: lambda box: f"sqrt({_items(box.inside)})",
    Fenced: lambda box: f"lr({FENCES[box.before]}{_items(box.inside)}{FENCES[box.after]})",
    Scripts: _scripts,
}
