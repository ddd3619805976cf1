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


def breakable(latex: str, room: int) -> str:
    r"""The LaTeX of a formula with brackets of one size, at whose sums and products TeX breaks a line.

    A fraction that is wider than the `room` is written with a slash.

    >>> print(breakable(r"s b \left(34 + \frac{5 a s}{h}\right)", 100))
    s\allowbreak b\allowbreak \bigl(34+\frac{5a s}{h}\bigr)
    >>> print(breakable(r"\frac{a + b}{2 s}", 50))
    \bigl(a+b\bigr)/\bigl(2\allowbreak s\bigr)
    """
    return _breaking(boxes(latex), room)


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


def _breaking(box: Box, room: int) -> str:
    match box:
        case Row(items):
            parts = [_breaking(item, room) for item in items]
            for place in range(1, len(parts)):
                if not (_is_sign(items[place - 1]) or _is_sign(items[place])):
                    parts[place] = r"\allowbreak " + parts[place]
            return "".join(parts)
        case Fenced(before, inside, after):
            return rf"\bigl{BY_SIGN[before]}{_breaking(inside, room)}\bigr{BY_SIGN[after]}"
        case Fraction(above, below) if _width(box) > room:
            sides = [_breaking(Fenced("(", x, ")") if isinstance(x, Row) else x, room) for x in (above, below)]
            return "/".join(sides)
    return _latex(box)


def _is_sign(box: Box) -> bool:
    return isinstance(box, Atom) and box.kind in ("operator", "space")


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
