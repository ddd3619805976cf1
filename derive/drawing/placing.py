"""Where labels go: near the points that they name, and clear of lines, of other points and of one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from derive.drawing.svg import Point

Line = tuple[Point, Point]
GRID, REACH = 5.0, 130.0  # places that are tried: so far apart, and no further away
HIT, CROSSED = 10_000.0, 25.0  # what it costs to lie on something, and to lead over a line, in units of distance


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> Point:
        """The point between its sides."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def around(self, room: float) -> Box:
        """The same with room on all sides."""
        return Box(self.left - room, self.top - room, self.right + room, self.bottom + room)

    def holds(self, other: Box) -> bool:
        """Whether another is wholly in it.

        >>> Box(0, 0, 10, 10).holds(Box(2, 2, 10, 4)), Box(0, 0, 10, 10).holds(Box(2, 2, 11, 4))
        (True, False)
        """
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def meets(self, other: Box) -> bool:
        """Whether the two have more than sides in common.

        >>> Box(0, 0, 10, 10).meets(Box(9, 9, 20, 20)), Box(0, 0, 10, 10).meets(Box(10, 0, 20, 10))
        (True, False)
        """
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def nearest(self, point: Point) -> Point:
        """The point of the rectangle that is closest to another.

        >>> Box(0, 0, 10, 4).nearest((12, 3))
        (10, 3)
        """
        return min(max(point[0], self.left), self.right), min(max(point[1], self.top), self.bottom)


def square(at: Point, half: float) -> Box:
    """The rectangle around a point."""
    return Box(at[0] - half, at[1] - half, at[0] + half, at[1] + half)


@dataclass
class Placing:
    """A plot while labels are put into it: where they may be, and the rectangles and lines that are there already."""

    within: Box
    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    leaders: list[Line] = field(default_factory=list)

    def place(
        self, at: Point, wide: float, high: float, *, apart: float, cost: Callable[[Box], float] = lambda _: 0.0
    ) -> tuple[Box, Line]:
        """The rectangle of a label for a point, and the leader from the point to it; both are there from now on.

        It is the closest one that is free, no closer than `apart`; a place can have a `cost` of its own. Where nothing
        is free, it is the one that hits least.
        """
        best: tuple[float, Box, Line] | None = None
        for near, x, y in _around(wide, high):
            if best is not None and near >= best[0]:
                break
            box = Box(at[0] + x - wide / 2, at[1] + y - high / 2, at[0] + x + wide / 2, at[1] + y + high / 2)
            if near < apart or not self.within.holds(box):
                continue
            leader = at, box.nearest(at)
            worth = near + self._hits(at, box, leader) + cost(box)
            if best is None or worth < best[0]:
                best = worth, box, leader
        assert best is not None, "a plot is larger than its labels"
        _, box, leader = best
        self.boxes.append(box)
        self.leaders.append(leader)
        return box, leader

    def _hits(self, at: Point, box: Box, leader: Line) -> float:
        """What it costs to put a label and its leader there."""
        room = box.around(3)
        hits = sum(room.meets(each) for each in self.boxes)
        hits += sum(crosses(each, room) for each in (*self.lines, *self.leaders))
        # A leader starts in its own point, so that others there are not what it runs into.
        others = [each for each in self.boxes if not each.meets(square(at, 0.5))]
        hits += sum(crosses(leader, each) for each in others)
        hits += sum(meet(leader, each) for each in self.leaders)
        start = towards(at, leader[1], 2)
        return HIT * hits + CROSSED * sum(meet((start, leader[1]), each) for each in self.lines)


@lru_cache(maxsize=64)
def _around(wide: float, high: float) -> tuple[tuple[float, float, float], ...]:
    """Where the middle of a rectangle can be, seen from its point: how far the two are apart, across, down; by that."""
    steps = [GRID * step for step in range(-int(REACH / GRID), int(REACH / GRID) + 1)]
    found = [(_far((0, 0), (max(abs(x) - wide / 2, 0), max(abs(y) - high / 2, 0))), x, y) for y in steps for x in steps]
    return tuple(sorted(((round(near, 3), x, y) for near, x, y in found), key=lambda each: each[0]))


def _far(one: Point, other: Point) -> float:
    return ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5


def towards(start: Point, end: Point, far: float) -> Point:
    """The point that is so far from the start on the way to the end, and no further than the end.

    >>> towards((0, 0), (0, 10), 4)
    (0.0, 4.0)
    """
    share = min(1.0, far / (_far(start, end) or 1.0))
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def crosses(line: Line, box: Box) -> bool:
    """Whether a line has a point in a rectangle.

    >>> crosses(((0, 0), (10, 10)), Box(4, 3, 6, 5)), crosses(((0, 0), (10, 10)), Box(4, 0, 6, 3))
    (True, False)
    """
    (x1, y1), (x2, y2) = line
    first, last = 0.0, 1.0
    for start, step, least, most in ((x1, x2 - x1, box.left, box.right), (y1, y2 - y1, box.top, box.bottom)):
        if step == 0:
            if not least <= start <= most:
                return False
            continue
        one, other = sorted(((least - start) / step, (most - start) / step))
        first, last = max(first, one), min(last, other)
    return first <= last


def meet(one: Line, other: Line) -> bool:
    """Whether two lines cross one another.

    >>> meet(((0, 0), (4, 4)), ((0, 4), (4, 0))), meet(((0, 0), (1, 1)), ((0, 4), (4, 0)))
    (True, False)
    """

    def side(line: Line, point: Point) -> float:
        (x1, y1), (x2, y2) = line
        return (x2 - x1) * (point[1] - y1) - (y2 - y1) * (point[0] - x1)

    return side(one, other[0]) * side(one, other[1]) < 0 and side(other, one[0]) * side(other, one[1]) < 0


def through(points: Iterable[Point]) -> list[Line]:
    """The lines between points, one after another."""
    return list(pairwise(points))
