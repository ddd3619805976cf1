"""Memory of one device over one training step: what stays, what rises, and the moments that can be the peak."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from derive.drawing import svg
from derive.drawing.axes import Axis, Frame, short
from derive.drawing.svg import Picture
from derive.drawing.words import together, width
from derive.errors import DeriveError, PlanError
from derive.evaluation import number
from derive.interval import Interval
from derive.reading import to_tree
from derive.roles import Role
from derive.situation import situation
from formulas import formula_of
from formulas.figures.subject import Subject, brief
from formulas.notation import common

STEP = Fraction(1, 8)  # of the picture's width: the optimizer's step, whose time no formula here says
SMALL = 5
Points = list[tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Moments:
    """The parts of a device's memory in bytes, and how much of the step's FLOPs is its forward pass."""

    weights: Fraction
    optimizer: Fraction
    gradients: Fraction
    activations: Fraction
    at_loss: Fraction
    of_layer: Fraction  # what one layer's backward pass has beside what was kept: run again, gathered
    forward: Fraction
    micro_batches: int

    @property
    def resident(self) -> Fraction:
        """The states that stay."""
        return self.weights + self.optimizer


def moments(about: Subject) -> Moments:
    """The parts from the formulas of the catalog; of a pipeline, those of its first stage."""
    of = about.exact
    m = micro_batches(about)
    weights = sum((x for role, x in _resident(about) if role is Role.MODEL_WEIGHTS), Fraction(0))
    forward, whole = (_flops(about, passes) for passes in (("forward",), ("forward", "backward", "recompute")))
    return Moments(
        weights=weights,
        optimizer=of("resident-states") - weights,
        gradients=of("gradients"),
        activations=of("model-activations", m=m),
        at_loss=of("loss-transient"),
        of_layer=of("recomputed-interior") + of("gathered-layer"),
        forward=forward / whole,
        micro_batches=m,
    )


def micro_batches(about: Subject) -> int:
    """As many as the pipeline has stages: so many are under way at once on its first stage."""
    if not isinstance(about.plan.pp, int):
        raise PlanError(f"plan pp={about.plan.pp}: a picture needs a number of stages")
    return about.plan.pp


def _resident(about: Subject) -> list[tuple[Role | None, Fraction]]:
    case = situation(formula_of("resident-states"), about.model, about.plan)
    rows = case.formula.rows(case.model, case.plan)
    values = ((row.role, number(to_tree(row.value, common.order), {**case.known, **case.real})) for row in rows)
    return [(role, value) for role, value in values if isinstance(value, Fraction)]


def _flops(about: Subject, passes: tuple[str, ...]) -> Fraction:
    """FLOPs of the whole model in some passes, those that are run again among them."""
    from derive import flops

    case = situation(formula_of("flops-per-token"), about.model, about.plan)
    assert case.model is not None
    plan = about.plan.whole
    counted = flops(case.model.whole, case.model.complete(plan), *passes).value
    value = number(to_tree(counted, common.order), case.known)
    if not isinstance(value, Fraction):
        missing = sorted({str(x) for x in counted.free_symbols} - case.known.keys())
        raise DeriveError(f"{about.name} has no value for {', '.join(missing)}: --set {missing[0]}=4096")
    return value


def memory_step(about: Subject) -> Picture:
    """Stacked areas over the step, the peak marked, and what the device has for tensors as a band."""
    written = about.laid_out
    if about.plan.pp != 1:
        about = replace(about, plan=replace(about.plan, stage="first"))
    there = moments(about)
    peak, ends = _exact(about, there, "peak-memory"), {}
    for name in ("forward-end", "backward-end"):
        ends[name] = _exact(about, there, name)
    usable = about.value("usable-memory", M=about.device.value("M", "").value)
    reported = about.device.value("M", "").value
    assert isinstance(usable, Interval)
    title = f"One training step of {together(about.name)}: {brief(peak, 'byte')} at the peak"
    many = f"{there.micro_batches} micro-batches under way on the first stage, gradients of earlier ones there"
    batches = "one micro-batch" if there.micro_batches == 1 else many
    made, top = svg.heading(title, f"{written} · {batches} · {about.device.name}")
    top += 36
    small = peak * SMALL < usable.low  # beside the device's memory nothing of it would be seen
    high = peak * Fraction(125, 100) if small else max(peak, Fraction(reported)) * Fraction(108, 100)
    unit, label = _unit(high)
    frame = Frame(Axis(Fraction(0), 1 + STEP, 62, 466), Axis(Fraction(0), high / unit, top + 330, top))
    made += frame.beside(frame.y.steps(6), short, f"memory of a device, {label}")
    made += _areas(frame, there, unit)
    made += [] if small else _device(frame, usable, Fraction(reported), unit)
    made += _marks(frame, there, ends, peak, unit)
    made += _phases(frame, there)
    y = top + 330 + 66
    entries = [
        (1, f"weights {brief(there.weights, 'byte')}"),
        (2, f"optimizer {brief(there.optimizer, 'byte')}"),
        (3, f"gradients {brief(there.gradients, 'byte')}"),
        (4, f"activations {brief(there.activations, 'byte')}"),
    ]
    entries += [(5, f"at the loss {brief(there.at_loss, 'byte')}")] if there.at_loss else []
    entries += [(6, f"a layer at work {brief(there.of_layer, 'byte')}")] if there.of_layer else []
    keyed, y = svg.legend(entries, y)
    fits = "fits" if peak <= usable.low else "does not fit" if peak > usable.high else "may fit"
    said = (
        f"It {fits}: of the {brief(reported, 'byte')} that the driver reports, "
        f"{brief(usable.low, 'byte')} to {brief(usable.high, 'byte')} are left for tensors."
    )
    below, y = svg.paragraph(said, y + 2)
    words = (
        f"Stacked areas of the memory of one device over a step: {'; '.join(each for _, each in entries)}. "
        f"At the end of the forward pass {brief(ends['forward-end'], 'byte')}, at the end of the backward pass "
        f"{brief(ends['backward-end'], 'byte')}, at the peak {brief(peak, 'byte')}. {said}"
    )
    return Picture("memory-step", title, words, y + 10, (*made, *keyed, *below))


def _exact(about: Subject, there: Moments, name: str) -> Fraction:
    return about.exact(name, m=there.micro_batches)


def _unit(high: Fraction) -> tuple[Fraction, str]:
    return next((Fraction(10) ** power, name) for power, name in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "kB"), (0, "B"))
                if high >= 3 * Fraction(10) ** power or power == 0)  # fmt: skip


def _areas(frame: Frame, there: Moments, unit: Fraction) -> list[str]:
    """What stays, what the backward pass makes, and what it frees; each on top of the one before."""
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
        above, below = ([frame.at(x, y / unit) for x, y in line] for line in (upper, _within(lower, upper)))
        made.append(svg.area(above, below, f"f{kind}"))
        if f"h{kind}" in svg.HATCHES:
            made.append(svg.area(above, below, f"h{kind}"))
        lower = upper
    return made


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


def _device(frame: Frame, usable: Interval, reported: Fraction, unit: Fraction) -> list[str]:
    """The memory of the device, and the bounds of what is left for tensors."""
    left, right = frame.x.start, frame.x.end
    y = [frame.y.within(each / unit) for each in (reported, usable.high, usable.low)]
    return [
        svg.line(left, y[0], right, y[0], "l6", 2),
        svg.line(left, y[1], right, y[1], "l2", 2, "7 4"),
        svg.line(left, y[2], right, y[2], "l2", 2, "7 4"),
        svg.text(right - 4, y[0] - 6, f"driver reports {brief(reported, 'byte')}", anchor="end", halo=True),
        svg.text(right - 4, (y[1] + y[2]) / 2 + 5, "left for tensors", name="d2", anchor="end", halo=True),
    ]


def _marks(frame: Frame, there: Moments, ends: dict[str, Fraction], peak: Fraction, unit: Fraction) -> list[str]:
    """The two ends as dots with their values, and the peak as a line where it is at neither."""
    made = []
    left = frame.at(there.forward, ends["forward-end"] / unit)
    right = frame.at(Fraction(1), ends["backward-end"] / unit)
    for (x, y), name, side in ((left, "forward-end", "end"), (right, "backward-end", "start")):
        made.append(svg.circle(x, y, 5.5, "ink"))
        value = brief(ends[name], "byte")
        shift = -10 if side == "end" else 0
        if side == "start":  # above the dot, to its left: right of it the picture ends
            made.append(svg.text(min(x + 40, 462), y - 12, value, anchor="end", bold=True, halo=True))
        else:
            made.append(svg.text(max(x + shift, 66 + width(value, 15, bold=True)), y - 4, value, anchor="end",
                                 bold=True, halo=True))  # fmt: skip
    if peak not in ends.values():
        y = frame.y.within(peak / unit)
        made.append(svg.line(frame.x.start, y, frame.x.end, y, "l4", 2, "2 4"))
        made.append(svg.text(left[0] + 9, y - 6, f"peak {brief(peak, 'byte')}", bold=True, halo=True))
    return made


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
