"""Reading pictures: the boxes of their elements and of their text, as near as widths of letters tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree.ElementTree import Element

from derive.drawing.words import width

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Box:
    """What an element covers."""

    left: float
    top: float
    right: float
    bottom: float
    words: str = ""
    size: float = 0


def texts(root: Element) -> list[Box]:
    """Every line of text with its box: from the tops of capitals to the ends of descenders."""
    found = []
    for each in root.iter(f"{SVG}text"):
        x, y, size = (float(each.get(key, "0")) for key in ("x", "y", "font-size"))
        wide = width(each.text or "", size, bold=each.get("font-weight") == "700")
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[each.get("text-anchor", "start")]
        found.append(Box(left, y - 0.74 * size, left + wide, y + 0.21 * size, each.text or "", size))
    return found


def boxes(root: Element) -> Iterator[Box]:
    """The boxes of all that is drawn, patterns apart."""
    yield from texts(root)
    for each in root:
        tag = each.tag.removeprefix(SVG)
        if tag == "rect":
            x, y, wide, high = (float(each.get(key, "0")) for key in ("x", "y", "width", "height"))
            assert min(wide, high) >= 0
            yield Box(x, y, x + wide, y + high, tag)
        elif tag == "line":
            x1, y1, x2, y2 = (float(each.get(key, "0")) for key in ("x1", "y1", "x2", "y2"))
            yield Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2), tag)
        elif tag == "circle":
            x, y, radius = (float(each.get(key, "0")) for key in ("cx", "cy", "r"))
            yield Box(x - radius, y - radius, x + radius, y + radius, tag)
        elif tag == "path":
            drawn = re.sub(r"V(-?[0-9.]+)", r"L0.5 \1", each.get("d", ""))
            numbers = [float(x) for x in re.findall(r"-?[0-9.]+", drawn)]
            yield Box(min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2]), tag)


def overlaps(root: Element) -> list[tuple[str, str]]:
    """Pairs of texts that lie on one another, by more than a hair."""
    hair = 0.6
    return [
        (one.words, other.words)
        for one, other in combinations(texts(root), 2)
        if min(one.right, other.right) - max(one.left, other.left) > hair
        and min(one.bottom, other.bottom) - max(one.top, other.top) > hair
    ]
