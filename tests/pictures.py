"""Reading pictures: the boxes of their elements and of their text, as near as widths of letters tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
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


@dataclass(frozen=True)
class Stroke:
    """A drawn line as points close to one another, its class, and its place in the drawing order."""

    place: int
    name: str
    points: tuple[tuple[float, float], ...]

    def within(self, left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
        """The points that are in a rectangle."""
        return [(x, y) for x, y in self.points if left < x < right and top < y < bottom]


CLOSE = 1.0  # between the points of a stroke


def strokes(root: Element) -> Iterator[Stroke]:
    """Every line of a picture: straight ones, and paths of straight and bent pieces; areas have none."""
    for place, each in enumerate(root):
        tag, name = each.tag.removeprefix(SVG), (each.get("class") or "").split(" ")[0]
        if tag == "line":
            x1, y1, x2, y2 = (float(each.get(key, "0")) for key in ("x1", "y1", "x2", "y2"))
            yield Stroke(place, name, tuple(_straight((x1, y1), (x2, y2))))
        elif tag == "path" and each.get("stroke-width") is not None:
            yield Stroke(place, name, tuple(_along(each.get("d", ""))))


def _straight(one: tuple[float, float], other: tuple[float, float]) -> Iterator[tuple[float, float]]:
    (x1, y1), (x2, y2) = one, other
    steps = int(max(abs(x2 - x1), abs(y2 - y1)) / CLOSE) + 1
    yield from ((x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps) for step in range(steps + 1))


def _along(drawn: str) -> Iterator[tuple[float, float]]:
    """The points of a path of M, L, V and C; of a bend, straight pieces between points of its curve."""
    at = 0.0, 0.0
    for letter, written in re.findall(r"([A-Z])([^A-Z]*)", drawn):
        numbers = [float(x) for x in re.findall(r"-?[0-9.]+", written)]
        if letter == "M":
            at = numbers[0], numbers[1]
        elif letter == "C":
            start, ends = at, list(zip(numbers[::2], numbers[1::2], strict=True))
            for step in range(1, 25):
                bent = _bent((start, *ends), step / 24)
                yield from _straight(at, bent)
                at = bent
        else:
            assert letter in "LV", letter
            to = (numbers[0], numbers[1]) if letter == "L" else (at[0], numbers[0])
            yield from _straight(at, to)
            at = to


def _bent(points: tuple[tuple[float, float], ...], share: float) -> tuple[float, float]:
    """A point of a Bézier curve, by narrowing its hull."""
    if len(points) == 1:
        return points[0]
    hull = ((x1 + (x2 - x1) * share, y1 + (y2 - y1) * share) for (x1, y1), (x2, y2) in pairwise(points))
    return _bent(tuple(hull), share)


def crossings(root: Element) -> list[tuple[str, str]]:
    """Labels with a line through them, by its class; a grid is behind labels that stand on a ground of theirs."""
    every = list(strokes(root))
    hits = [
        (stroke, box)
        for box in texts(root)
        for stroke in every
        if stroke.within(box.left + 0.5, box.top + 0.5, box.right - 0.5, box.bottom - 0.5)
    ]
    return [
        (stroke.name, box.words)
        for stroke, box in hits
        if stroke.name != "grid" or not any(_covers(each, box) for each in list(root)[stroke.place + 1 :])
    ]


def _covers(each: Element, box: Box) -> bool:
    """Whether a rectangle or a disc has a label on it, but for its corners."""
    if each.tag == f"{SVG}circle":
        x, y, radius = (float(each.get(key, "0")) for key in ("cx", "cy", "r"))
        return abs(x - (box.left + box.right) / 2) < 1 and abs(y - (box.top + box.bottom) / 2) < radius / 2
    if each.tag != f"{SVG}rect":
        return False
    x, y, wide, high = (float(each.get(key, "0")) for key in ("x", "y", "width", "height"))
    return x <= box.left and y <= box.top + 0.5 and x + wide >= box.right and y + high >= box.bottom - 0.5


def dots(root: Element) -> list[tuple[int, float, float, float, str]]:
    """Every disc: its place in the drawing order, its middle, its radius, its class."""
    return [
        (place, *(float(each.get(key, "0")) for key in ("cx", "cy", "r")), (each.get("class") or "").split(" ")[0])
        for place, each in enumerate(root)
        if each.tag == f"{SVG}circle"
    ]  # pyright: ignore[reportReturnType]


def struck(root: Element) -> list[tuple[float, float]]:
    """Discs that a line is drawn over, and discs that a label which is not theirs lies on."""
    found, every, labels = [], list(strokes(root)), texts(root)
    for place, x, y, radius, _ in dots(root):
        least = radius - 0.5
        near = [point for stroke in every if stroke.place > place
                for point in stroke.within(x - least, y - least, x + least, y + least)]  # fmt: skip
        others = [box for box in labels if abs(x - (box.left + box.right) / 2) > 1]
        near += [(min(max(x, box.left), box.right), min(max(y, box.top), box.bottom)) for box in others]
        if any((a - x) ** 2 + (b - y) ** 2 < least**2 for a, b in near):
            found.append((x, y))
    return found
