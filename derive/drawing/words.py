"""How wide text is, near enough to lay it out: the widths of Helvetica, which the fonts of most screens share."""

from __future__ import annotations

import re

# Thousandths of the font's size, by the characters that have that width; of any other character, the last one.
_WIDTHS = {
    190: "'",
    222: "ijl",
    260: "|",
    278: " \u00a0!,./:;I[\\]ft·",
    333: "()-`r",
    355: '"',
    389: "*",
    469: "^",
    500: "Jckvsxyz{}–",
    556: "#$?0123456789_abdeghnopquL²",
    584: "+<=>~×≤≥−≈",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
}
_WIDTH = {character: width for width, characters in _WIDTHS.items() for character in characters}
OTHER = 1050  # an ideograph, a full width and some room
BOLD = 1.08
ELLIPSIS = "…"
_WIDTH[ELLIPSIS] = 1000

# What XML has no place for: control characters, halves of surrogate pairs, and two code points that are none.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(words: str) -> str:
    """The text on one line, with a sign in place of what no XML file may hold.

    >>> clean("a\\nb\\x00")
    'a b�'
    """
    return _UNPRINTABLE.sub("�", re.sub("[\t-\r\x1c-\x1f\x85\u2028\u2029]", " ", words))


def together(words: str) -> str:
    """Words that no line breaks apart, such as a name, unless they are many.

    >>> together("Llama 3 8B").split(" ")
    ['Llama\xa03\xa08B']
    """
    return words.replace(" ", "\u00a0") if len(words) <= 28 else words


def width(words: str, size: float, *, bold: bool = False) -> float:
    """About how wide a text is, in the units of its size.

    >>> width("16 bytes", 10)
    37.8
    """
    total = sum(_WIDTH.get(character, OTHER) for character in words)
    return round(total * size / 1000 * (BOLD if bold else 1), 2)


def fitted(words: str, room: float, size: float, *, bold: bool = False) -> str:
    """The text, cut with an ellipsis where it is wider than its room.

    >>> fitted("a very long name of a model", 100, 10)
    'a very long name of…'
    """
    words = clean(words)
    if width(words, size, bold=bold) <= room:
        return words
    while words and width(words + ELLIPSIS, size, bold=bold) > room:
        words = words[:-1]
    return words.rstrip() + ELLIPSIS


def wrapped(words: str, room: float, size: float, *, bold: bool = False, most: int = 3) -> list[str]:
    """The text in lines that are no wider than their room; what is beyond the last line is cut.

    >>> wrapped("bytes that training holds for each parameter", 120, 10)
    ['bytes that training holds', 'for each parameter']
    """
    lines: list[str] = []
    for word in filter(None, clean(words).split(" ")):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and (width(longer, size, bold=bold) <= room or len(lines) == most):
            lines[-1] = longer
        else:
            lines.append(word)
    return [fitted(line, room, size, bold=bold) for line in lines]


def balanced(words: str, room: float, size: float) -> list[str]:
    """A bold title in as few lines as it needs, all about as long.

    >>> balanced("bytes that training holds for each parameter", 330, 16)
    ['bytes that training holds', 'for each parameter']
    """
    lines = wrapped(words, room, size, bold=True)
    while room > size and len(shorter := wrapped(words, room - size, size, bold=True)) == len(lines):
        if any(ELLIPSIS in line for line in shorter):
            break
        lines, room = shorter, room - size
    return lines
