"""Memory of one device over one training step: what stays, what rises, and the moments that can be the peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from derive.drawing import svg
from derive.drawing.axes import Axis, Frame, short
from derive.drawing.placing import Box, Placing, crosses, square, through
from derive.drawing.svg import Picture, Point
from derive.drawing.words import together, width
from derive.interval import Interval
from formulas.figures.moments import Moments, fullest, moments, under_way
from formulas.figures.subject import Subject, brief

STEP = Fraction(1, 8)  # of the picture's width: the optimizer's step, whose time no formula here says
SMALL = 5
DOT, TOLD_APART = 5.5, 6.0  # the radius of a point; lines that are closer than so are drawn as one
Points = list[tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Room:
    """What a device has: a line across the plot, how it is drawn, and what it is."""

    bytes: Fraction
    words: str
    name: str
    dash: str = ""


def memory_step(about: Subject) -> Picture:
    """Stacked areas over the step with their ends and the peak, and what the device has as lines across them."""
    written = about.laid_out
    if about.plan.pp != 1:
        about = replace(about, plan=fullest(about))
    there = moments(about)
    peak, forward_end, backward_end = (
        about.exact(name, m=there.micro_batches) for name in ("peak-memory", "forward-end", "backward-end")
    )
    usable = about.value("usable-memory", M=about.device.value("M", "").value)
    reported = Fraction(about.device.value("M", "").value)
    assert isinstance(usable, Interval)
    title = f"One training step of {together(about.name)}: {together(brief(peak, 'byte'))} at the peak"
    batches = under_way(about.plan)
    made, top = svg.heading(title, f"{written} · {batches} · {about.device.name}")
    top += 36
    small = peak * SMALL < usable.low  # beside the device's memory nothing of it would be seen
    high = peak * Fraction(125, 100) if small else max(peak, reported) * Fraction(112, 100)
    unit, label = _unit(high)
    frame = Frame(Axis(Fraction(0), 1 + STEP, 62, 466), Axis(Fraction(0), high, top + 330, top))
    ticks = [each * unit for each in Axis(0, high / unit, 0, 1).steps(6)]
    made += frame.beside(ticks, lambda each: short(each / unit), f"memory of a device, {label}")
    areas, outline = _areas(frame, there)
    rooms = [] if small else _rooms(frame, usable, reported)
    made += [*areas, *_phases(frame, there)]
    made += [drawn for each in rooms for drawn in _across(frame, each.bytes, each.name, each.dash)]
    made += _marks(frame, there, (forward_end, backward_end, peak), outline, rooms)
    entries = [
        (1, f"weights {brief(there.weights, 'byte')}"),
        (2, f"optimizer {brief(there.optimizer, 'byte')}"),
        (3, f"gradients {brief(there.gradients, 'byte')}"),
        (4, f"activations {brief(there.activations, 'byte')}"),
    ]
    entries += [(5, f"at the loss {brief(there.at_loss, 'byte')}")] if there.at_loss else []
    entries += [(6, f"a layer at work {brief(there.of_layer, 'byte')}")] if there.of_layer else []
    keyed, y = svg.legend(entries, top + 330 + 66)
    for each in rooms:
        if each.words:
            keyed.append(svg.line(svg.MARGIN, y + 9, svg.MARGIN + 36, y + 9, each.name, 2, each.dash))
            keyed.append(svg.text(svg.MARGIN + 46, y + 14, each.words))
            y += svg.SIZE + 8
    fits = "fits" if peak <= usable.low else "does not fit" if peak > usable.high else "may fit"
    said = (
        f"It {fits}: of the {together(brief(reported, 'byte'))} that the driver reports, "
        f"{together(brief(usable.low, 'byte'))} to {together(brief(usable.high, 'byte'))} are left for tensors."
    )
    below, y = svg.paragraph(said, y + 2)
    words = (
        f"Stacked areas of the memory of one device over a step: {'; '.join(each for _, each in entries)}. "
        f"At the end of the forward pass {brief(forward_end, 'byte')}, at the end of the backward pass "
        f"{brief(backward_end, 'byte')}, at the peak {brief(peak, 'byte')}. {said}"
    )
    return Picture("memory-step", title, words, y + 10, (*made, *keyed, *below))


def _unit(high: Fraction) -> tuple[Fraction, str]:
    return next((Fraction(10) ** power, name) for power, name in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "kB"), (0, "B"))
                if high >= 3 * Fraction(10) ** power or power == 0)  # fmt: skip


def _areas(frame: Frame, there: Moments) -> tuple[list[str], Points]:
    """What stays, what the backward pass makes, and what it frees, each on top of the one before; and their sum."""
    end, last = there.forward, 1 + STEP
    loss = (1 - end) / 30 if there.at_loss else Fraction(0)
    zero = Fraction(0)
    gradients: Points = [(end, zero), (Fraction(1), there.gradients), (last, there.gradients)]
    if there.micro_batches > 1:  # as forward-end and peak-memory have it: those of earlier ones are there
        gradients = [(zero, there.gradients), (last, there.gradients)]
    layers: list[tuple[int, Points]] = [
        (1, [(zero, there.weights), (last, there.weights)]),
        (2, [(zero, there.optimizer), (last, there.optimizer)]),
        (3, gradients),
        (4, [(zero, zero), (end, there.activations), (Fraction(1), zero)]),
        (5, [(end - loss, zero), (end, there.at_loss), (end, zero)]),
        (6, [(end, zero), (end, there.of_layer), (Fraction(1), there.of_layer), (Fraction(1), zero)]),
    ]
    made, lower = [], [(zero, zero), (last, zero)]
    for kind, points in layers:
        if not any(y for _, y in points):
            continue
        upper = _added(lower, points)
        above, below = ([frame.at(x, y) for x, y in line] for line in (upper, _within(lower, upper)))
        made.append(svg.area(above, below, f"f{kind}"))
        if f"h{kind}" in svg.HATCHES:
            made.append(svg.area(above, below, f"h{kind}"))
        lower = upper
    return made, lower


def _added(lower: Points, points: Points) -> Points:
    """The line of a part on the line below it; where the part jumps, the sum has both values there."""
    places = sorted({x for x, _ in lower} | {x for x, _ in points})
    sums: Points = []
    for x, before in _sides(places):
        value = (x, _at(lower, x, before) + _at(points, x, before))
        if not sums or sums[-1] != value:
            sums.append(value)
    return sums


def _within(line: Points, other: Points) -> Points:
    return [(x, _at(line, x, before)) for x, before in _sides(sorted({x for x, _ in other}))]


def _sides(places: list[Fraction]) -> list[tuple[Fraction, bool]]:
    """Every place twice, as what is before it and what is behind it; the ends of the picture once."""
    return [(x, before) for x in places for before in (True, False) if x != (places[0] if before else places[-1])]


def _at(points: Points, x: Fraction, before: bool) -> Fraction:
    """What a line comes to just before a place, or just behind it; 0 where there is no line."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 < x <= x1 if before else x0 <= x < x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return Fraction(0)


def _rooms(frame: Frame, usable: Interval, reported: Fraction) -> list[Room]:
    """What the driver reports, and the bounds of what is left for tensors where they are seen to be apart from it."""
    rooms = [Room(reported, f"the driver reports {brief(reported, 'byte')}", "l6")]
    if frame.y.at(usable.low) - frame.y.at(reported) >= TOLD_APART:
        left = f"left for tensors: {brief(usable.low, 'byte')} to {brief(usable.high, 'byte')}"
        rooms += [Room(usable.high, left, "l2", "7 4"), Room(usable.low, "", "l2", "7 4")]
    return rooms


def _across(frame: Frame, value: Fraction, name: str, dash: str = "") -> list[str]:
    """A line across the plot, set off from the areas behind it, whose colours can be its own."""
    left, right, y = frame.x.start, frame.x.end, frame.y.at(value)
    return [svg.line(left, y, right, y, "rim", 5), svg.line(left, y, right, y, name, 2, dash)]


def _marks(
    frame: Frame, there: Moments, values: Sequence[Fraction], outline: Points, rooms: Sequence[Room]
) -> list[str]:
    """The two ends as dots with their values, and the peak as a line with its own where it is at neither."""
    *ends, peak = values
    total = [frame.at(x, y) for x, y in outline]
    dots = [frame.at(x, y) for x, y in zip((there.forward, Fraction(1)), ends, strict=True)]
    plot = Placing(Box(frame.x.start + 2, frame.y.end, frame.x.end - 2, frame.y.start - 2))
    plot.boxes += [square(each, DOT + 1) for each in dots]
    plot.lines += through(total)
    plot.lines += [((x, frame.y.end), (x, frame.y.start)) for x, _ in dots]
    lines = [each.bytes for each in rooms] + ([peak] if peak not in ends else [])
    plot.lines += [((frame.x.start, y), (frame.x.end, y)) for y in map(frame.y.at, lines)]
    wanted = [(at, brief(value, "byte"), DOT + 3) for at, value in zip(dots, ends, strict=True)]
    made = []
    if peak not in ends:
        made += _across(frame, peak, "l4", "2 4")
        middle = (dots[0][0] + dots[1][0]) / 2, frame.y.at(peak)
        wanted.append((middle, f"peak {brief(peak, 'byte')}", 3.1))

    def on_areas(box: Box) -> float:
        """What it costs a label to stand on the areas and not on the ground above them."""
        return 40.0 * any(crosses(((x, y), (x, frame.y.start)), box) for x, y in _between(total, box.left, box.right))

    labels = []
    for at, words, apart in wanted:
        wide = width(words, svg.SIZE, bold=True) + 8
        box, (start, end) = plot.place(at, wide, svg.SIZE + 5, apart=apart, cost=on_areas)
        if abs(start[0] - end[0]) + abs(start[1] - end[1]) > 2 * apart + 4:
            made.append(svg.line(*start, *end, "l6", 1.6))
        labels.append(svg.rect(box.left, box.top, wide, svg.SIZE + 5, "bg", round_=4))
        labels.append(svg.text(box.middle[0], box.bottom - 5.5, words, anchor="middle", bold=True))
    return [*made, *(svg.circle(x, y, DOT, "ink") for x, y in dots), *labels]


def _between(points: Sequence[Point], left: float, right: float) -> list[Point]:
    """The points of a line every few units from left to right."""
    return [
        (float(x), y0 + (y1 - y0) * (x - x0) / (x1 - x0))
        for (x0, y0), (x1, y1) in pairwise(points)
        for x in range(int(left), int(right) + 1, 4)
        if x0 <= x <= x1 and x0 < x1
    ]


def _phases(frame: Frame, there: Moments) -> list[str]:
    """The x axis: the passes, as wide as their FLOPs, with the optimizer's step behind them."""
    y, made = frame.y.start, [svg.line(frame.x.start, frame.y.start, frame.x.end, frame.y.start)]
    edges = [Fraction(0), there.forward, Fraction(1), 1 + STEP]
    for index, name in enumerate(("forward", "backward", "step")):
        x0, x1 = (frame.x.at(each) for each in edges[index : index + 2])
        made.append(svg.line(x1, frame.y.end, x1, y + 8, "axis", 1, "3 4"))
        made.append(svg.text((x0 + x1) / 2, y + 20, name, anchor="middle"))
    share = round(there.forward * 100)
    made.append(
        svg.text(frame.x.start, y + 42, f"FLOPs of the step, % (forward {share}, backward {100 - share})", name="mute")
    )
    return made
