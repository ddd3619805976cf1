"""Pictures as SVG: text, lines and shapes in classes of the theme, put together into one file that needs no other."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from derive.drawing.theme import ROOT, style
from derive.drawing.words import balanced, clean, width, wrapped

SIZE, SMALL, HEAD = 15.0, 15.0, 19.0  # of text: at the 360 pixels of a phone, 15 of 480 units are 11 pixels
WIDE, MARGIN = 480.0, 14.0  # of every picture: a column that a phone shows whole
ROOM = 0.87 * (WIDE - 2 * MARGIN)  # of lines that are wrapped: some screens have a wider font than Helvetica
SCALE = 1.5  # units to pixels, where nothing around the picture says how large it is

Point = tuple[float, float]


@dataclass(frozen=True)
class Picture:
    """A picture: what it is called, what it says in words, how tall it is, and its elements in drawing order.

    `key` is a word for its file and its patterns. `patterns` are the hatches that it uses.
    """

    key: str
    title: str
    about: str
    height: float
    elements: tuple[str, ...] = field(repr=False)

    def svg(self, theme: str | None = None) -> str:
        """The file; in one theme for programs that know no style sheets of both."""
        body = "".join(f"{element}\n" for element in self.elements)
        unique = f"{self.key}-{zlib.crc32(body.encode()):08x}"
        size = f'width="{number(WIDE * SCALE)}" height="{number(self.height * SCALE)}"'
        whole = f'width="{number(WIDE)}" height="{number(self.height)}"'
        used = "".join(made for name, made in HATCHES.items() if f"url(#{name})" in body)
        defined = f"<defs>{used}</defs>\n" if used else ""
        text = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT}" role="img" {size} '
            f'viewBox="0 0 {number(WIDE)} {number(self.height)}" aria-labelledby="T@ D@">\n'
            f'<title id="T@">{escaped(self.title)}</title>\n<desc id="D@">{escaped(self.about)}</desc>\n'
            f"<style>{style(theme)}</style>\n{defined}"
            f'<rect class="bg" {whole}/>\n'
        )
        for name in ("T@", "D@"):
            text = text.replace(f'id="{name}"', f'id="{unique}-{name[0].lower()}"')
        text = text.replace('"T@ D@"', f'"{unique}-t {unique}-d"')
        for name in HATCHES:
            text = text.replace(f'id="{name}"', f'id="{unique}-{name}"')
            body = body.replace(f"url(#{name})", f"url(#{unique}-{name})")
        return f"{text}{body}</svg>\n"


def number(value: float) -> str:
    """A coordinate, to a tenth of a unit: less than a pixel shows nowhere.

    >>> number(3.0), number(1 / 3), number(-0.001)
    ('3', '0.3', '0')
    """
    text = f"{float(value):.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def escaped(words: str) -> str:
    """Text as XML holds it.

    >>> escaped('<script>"&')
    '&lt;script&gt;&quot;&amp;'
    """
    return escape(clean(words), {'"': "&quot;"})


def _hatch(name: str, size: float, turned: int, drawn: str) -> str:
    return (
        f'<pattern id="{name}" width="{number(size)}" height="{number(size)}" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate({turned})">{drawn}</pattern>'
    )


_STRIPE = '<path class="hatch" stroke-width="1.6" d="M0 0V{0}"/>'
_CROSS = '<path class="hatch" stroke-width="1.2" d="M0 0V7M0 0H7"/>'
_DOT = '<circle class="hatch" cx="3" cy="3" r="1" stroke-width="1.2"/>'
# Patterns that tell fills apart without their colour; the first fill has none.
HATCHES = {
    "h2": _hatch("h2", 6, 45, _STRIPE.format(6)),
    "h3": _hatch("h3", 6, 0, _DOT),
    "h4": _hatch("h4", 6, -45, _STRIPE.format(6)),
    "h5": _hatch("h5", 7, 45, _CROSS),
    "h6": _hatch("h6", 6, 90, _STRIPE.format(6)),
}


def text(
    x: float, y: float, words: str, *, name: str = "ink", anchor: str = "start", size: float = SIZE,
    bold: bool = False, halo: bool = False,
) -> str:  # fmt: skip
    """A line of text whose baseline is at y; `anchor` is start, middle or end; `halo` sets it off from lines."""
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    weight = ' font-weight="700"' if bold else ""
    return (
        f'<text class="{name}{" halo" if halo else ""}" x="{number(x)}" y="{number(y)}" '
        f'font-size="{number(size)}"{side}{weight}>{escaped(words)}</text>'
    )


def line(  # noqa: PLR0917  # its two ends read as they are drawn
    x1: float, y1: float, x2: float, y2: float, name: str = "axis", thick: float = 1, dash: str = ""
) -> str:
    """A straight line; `dash` is a pattern such as "4 3"."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line class="{name}" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
        f'stroke-width="{number(thick)}"{dashed}/>'
    )


def rect(x: float, y: float, wide: float, high: float, name: str, *, round_: float = 0, note: str = "") -> str:
    """A rectangle; `name` is a class or a hatch (`h2`); a `note` is shown where a pointer rests on it."""
    corner = f' rx="{number(round_)}"' if round_ else ""
    shape = f'x="{number(x)}" y="{number(y)}" width="{number(wide)}" height="{number(high)}"{corner}'
    return f"<rect {_filled(name)} {shape}" + (f"><title>{escaped(note)}</title></rect>" if note else "/>")


def circle(x: float, y: float, radius: float, name: str) -> str:
    """A disc with a rim of the ground's colour, so that it stands off the lines below it."""
    return f'<circle class="{name} rim" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" stroke-width="1.5"/>'


def path(points: Sequence[Point], name: str, thick: float = 2, dash: str = "") -> str:
    """A line through points."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path class="{name}" d="{_through(points)}" stroke-width="{number(thick)}" stroke-linejoin="round"{dashed}/>'
    )


def curve(drawn: str, name: str, thick: float = 2) -> str:
    """A line that SVG's own path language describes; its numbers are the caller's."""
    return f'<path class="{name}" d="{drawn}" stroke-width="{number(thick)}" stroke-linecap="round"/>'


def area(upper: Sequence[Point], lower: Sequence[Point], name: str) -> str:
    """What is between two lines that run from left to right."""
    return f'<path {_filled(name)} d="{_through([*upper, *reversed(lower)])}Z"/>'


def _through(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def _filled(name: str) -> str:
    return f'fill="url(#{name})"' if name in HATCHES else f'class="{name}"'


def filled(kind: int, x: float, y: float, wide: float, high: float, *, round_: float = 0, note: str = "") -> list[str]:
    """A rectangle of one of the six kinds: its colour, and over it its hatch."""
    hatch = [rect(x, y, wide, high, f"h{kind}", round_=round_)] if f"h{kind}" in HATCHES else []
    return [rect(x, y, wide, high, f"f{kind}", round_=round_, note=note), *hatch]


def heading(title: str, below: str = "", *, top: float = MARGIN) -> tuple[list[str], float]:
    """The title and a line below it, wrapped to the picture's width, and where what follows may start."""
    room, y, made = ROOM, top + HEAD - 3, []
    for words in balanced(title, room, HEAD):
        made.append(text(MARGIN, y, words, size=HEAD, bold=True))
        y += HEAD + 4
    for words in wrapped(below, room, SIZE, most=4):
        made.append(text(MARGIN, y, words, name="mute"))
        y += SIZE + 4
    return made, y - SIZE + 6


def paragraph(words: str, y: float, *, name: str = "mute", most: int = 6) -> tuple[list[str], float]:
    """Lines of text across the picture from y on, and where what follows may start."""
    made = []
    for each in wrapped(words, ROOM, SIZE, most=most):
        made.append(text(MARGIN, y + SIZE, each, name=name))
        y += SIZE + 4
    return made, y


def legend(entries: Sequence[tuple[int, str]], y: float, *, x: float = MARGIN) -> tuple[list[str], float]:
    """Boxes of kinds with their words, as many on a line as there is room for, and where what follows may start."""
    made, left = [], x
    for kind, words in entries:
        wide = 20 + width(words, SIZE) + 18
        if left > x and left + wide - 18 > WIDE - MARGIN:
            left, y = x, y + SIZE + 8
        made += filled(kind, left, y + 1, 15, 15, round_=3)
        made.append(text(left + 21, y + 14, words))
        left += wide
    return made, y + SIZE + 8
