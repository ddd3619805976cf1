"""Boxes as LaTeX again, in such a way that TeX can break a long formula in a narrow column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from derive.render.expression import ESCAPES
from derive.render.typeset.boxes import (
    BRACKETS,
    LETTERS,
    OPERATORS,
    SIGNS,
    SPACES,
    WORDS,
    Atom,
    Box,
    Fenced,
    Fraction,
    Root,
    Row,
    Scripts,
    boxes,
)

# About how wide signs are, in tenths of a digit's width: enough to tell which formulas are long.
LINE = 1900  # so many of them are in a line of a landscape page, in the size that sheets are set in
WIDTHS = {"letter": 12, "number": 10, "operator": 28, "word": 11, "text": 9, "space": 8}
BY_SIGN = {sign: f"\\{name} " for table in (LETTERS, OPERATORS, BRACKETS) for name, sign in table.items()}
BY_SIGN |= {sign: name for name, sign in SIGNS.items()}
BY_SPACE = {"thin": r"\, ", "medium": r"\; ", "wide": r"\quad "}
assert set(BY_SPACE) == set(SPACES.values())
ATOMS: dict[str, Callable[[str], str]] = {
    "letter": lambda text: BY_SIGN.get(text, text),
    "number": lambda text: text,
    "operator": lambda text: BY_SIGN[text],
    "word": lambda text: f"\\{text} " if text in WORDS else rf"\mathrm{{{_escaped(text)}}}",
    "text": lambda text: rf"\text{{{_escaped(text)}}}",
    "space": lambda text: BY_SPACE[text],
}


def width(latex: str) -> int:
    """About how wide a formula is, in tenths of the width of a digit.

    >>> width("2 a"), width(r"\\frac{2 a}{h}"), width("2 a + b")
    (22, 26, 62)
    """
    return _width(boxes(latex))


def loosened(latex: str, room: int) -> Box:
    """The boxes of a formula without what holds them together on one line.

    Brackets are signs of one size among others; a fraction that is wider than the `room` is written with a slash.

    >>> [type(box).__name__ for box in loosened(r"\\frac{a + b}{c}", 30).items]
    ['Atom', 'Atom', 'Atom', 'Atom', 'Atom', 'Atom', 'Atom']
    """
    return Row(_loose(boxes(latex), room))


def breakable(latex: str, room: int) -> str:
    r"""The LaTeX of a formula at whose sums and products TeX breaks a line.

    >>> print(breakable(r"s b \left(34 + \frac{5 a s}{h}\right)", 100))
    s\allowbreak b\allowbreak (34+\frac{5a s}{h})
    >>> print(breakable(r"\frac{a + b}{2 s}", 50))
    (a+b)/(2\allowbreak s)
    """
    parts: list[str] = []
    before = None
    for box in _loose(boxes(latex), room):
        apart = before is not None and not (_ends(before, OPENING) or _ends(box, CLOSING))
        parts += [r"\allowbreak ", _latex(box)] if apart else [_latex(box)]
        before = box
    return "".join(parts)


OPENING, CLOSING = frozenset("(⌈⌊"), frozenset(")⌉⌋")


def _ends(box: Box, allowed: frozenset[str]) -> bool:
    """Whether a box is a sign at which no line is broken by us: TeX breaks at operators itself."""
    return isinstance(box, Atom) and box.kind in ("operator", "space") and (box.text in allowed or not _bracket(box))


def _bracket(box: Atom) -> bool:
    return box.text in OPENING | CLOSING


def _loose(box: Box, room: int) -> tuple[Box, ...]:
    match box:
        case Row(items):
            return tuple(each for item in items for each in _loose(item, room))
        case Fenced(before, inside, after):
            return (Atom("operator", before), *_loose(inside, room), Atom("operator", after))
        case Fraction(above, below) if _width(box) > room:
            sides = [_loose(Fenced("(", x, ")") if isinstance(x, Row) else x, room) for x in (above, below)]
            return (*sides[0], Atom("operator", "/"), *sides[1])
    return (box,)


def _escaped(text: str) -> str:
    return "".join(ESCAPES.get(character, character) for character in text)


def _width(box: Box) -> int:
    match box:
        case Atom(kind, text):
            return WIDTHS[kind] * (len(text) if kind in ("number", "word", "text") else 1)
        case Row(items):
            return sum(map(_width, items))
        case Fraction(above, below):
            return max(_width(above), _width(below)) + 4
        case Root(inside) | Fenced(_, inside, _):
            return _width(inside) + 16
        case Scripts(base, low, high):
            return _width(base) + max(_width(part) for part in (low, high) if part is not None) * 7 // 10


def _latex(box: Box) -> str:
    return LATEX[type(box)](box)


def _row(box: Row) -> str:
    parts = [_latex(item) for item in box.items]
    # A letter after a letter is kept from it, so that no command runs into it.
    return "".join(
        f" {part}" if place and parts[place - 1][-1].isalpha() and part[0].isalpha() else part
        for place, part in enumerate(parts)
    )


def _scripts(box: Scripts) -> str:
    low = f"_{{{_latex(box.low)}}}" if box.low is not None else ""
    high = f"^{{{_latex(box.high)}}}" if box.high is not None else ""
    return f"{_latex(box.base)}{low}{high}"


LATEX: dict[type, Callable[[Any], str]] = {
    Atom: lambda box: ATOMS[box.kind](box.text),
    Row: _row,
    Fraction: lambda box: rf"\frac{{{_latex(box.above)}}}{{{_latex(box.below)}}}",
    Root: lambda box: rf"\sqrt{{{_latex(box.inside)}}}",
    Fenced: lambda box: rf"\left{BY_SIGN[box.before]}{_latex(box.inside)}\right{BY_SIGN[box.after]}",
    Scripts: _scripts,
}
