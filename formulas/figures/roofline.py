"""The roofline: what devices can compute at an arithmetic intensity, with operations on it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from derive.drawing import svg
from derive.drawing.axes import Axis, Frame, short
from derive.drawing.placing import Box, Placing, square, through, towards
from derive.drawing.svg import Picture, Point
from derive.drawing.words import together, width
from derive.errors import DeriveError
from formulas.figures.subject import Subject, brief
from formulas.hardware import PRINTED, Device, device

OTHERS = ("a100-80gb", "b200", "rtx-4090")
SQUARE = 1024  # of the matrix product that everybody knows: n/3 operations a byte
DASHES = ("", "8 4", "2 4", "10 3 2 3")
LOW, HIGH = Fraction(1, 8), Fraction(8192)
DOT, DISC = 4.5, 10.5  # radii of a point, and of its number, which stands beside it


@dataclass(frozen=True)
class Operation:
    """A point on the roofline: what it is called, and its operations for each byte that it moves."""

    name: str
    intensity: Fraction


def operations(about: Subject) -> list[Operation]:
    """The operations by rising intensity, each valued by its formula of the catalog."""
    found = [
        Operation("ReLU", about.exact("relu-intensity")),
        Operation("GELU", about.exact("gelu-intensity")),
        Operation("dot product", about.exact("dot-intensity", n=SQUARE)),
        Operation("matrix times vector", about.exact("matvec-intensity", n=SQUARE)),
        Operation(f"matrix product, n = {SQUARE}", about.exact("arithmetic-intensity", m=SQUARE, n=SQUARE, p=SQUARE)),
    ]
    s = about.model.sizes["s"].value if "s" in about.model.sizes else 0
    decode = about.value("decode-intensity") if s else None
    if isinstance(decode, Fraction):
        found.append(Operation(f"decoding, b = 1, s = {short(s)}", decode))
    sizes = {x: about.model.sizes[x].value for x in ("s", "a", "d") if x in about.model.sizes}
    flash = about.value("flash-intensity", b=1, **sizes) if s else None
    if isinstance(flash, Fraction):
        found.append(Operation(f"flash attention, s = {short(s)}", flash))
    return sorted(found, key=lambda each: each.intensity)


def roofline(about: Subject) -> Picture:
    """The roofs of a device and of others, in bf16 or the format that the device has, with operations on its own."""
    dtype = about.plan.recipe.compute.name
    own = about.device
    devices = [own, *(each for each in map(device, OTHERS) if each.name != own.name and dtype in each.peaks)]
    if not _has(own, dtype):
        raise DeriveError(f"{own.name} has no {dtype} peak, so no roof: choose --dtype among {', '.join(own.peaks)}")
    points = operations(about)
    title = f"Roofline of {_article(own)}, with the operations of {together(about.name)}"
    below = f"{dtype}, dense peaks; each tensor read or written once. The lower of peak and intensity × bandwidth."
    made, top = svg.heading(title, below)
    top += 34
    left, right = min(LOW, *(each.intensity for each in points)), max(HIGH, *(each.intensity for each in points))
    low = min(each.bandwidth for each in devices) * left
    high = max(each.peak(dtype) for each in devices)
    frame = Frame(
        Axis(left, right, 74, 466, 2),
        Axis(Fraction(10) ** (len(str(int(low))) - 1), Fraction(10) ** len(str(int(high))), top + 290, top, 10),
    )
    made += frame.below(frame.x.powers(3), short, "arithmetic intensity, FLOP/byte")
    made += frame.beside(
        frame.y.powers(), lambda each: brief(int(each), "FLOP").removesuffix("FLOP"), "FLOP/s a device"
    )
    for index, each in reversed(list(enumerate(devices))):
        made += _roof(frame, each, dtype, index)
    made += _points(frame, devices, dtype, points)
    y = top + 290 + 62
    rows, y = _devices(devices, dtype, y)
    listed, y = _listed(own, dtype, points, y + 10)
    says = "; ".join(f"{each.name} {brief(each.intensity, 'FLOP/byte')}" for each in points)
    about_it = (
        f"A log-log plot of attainable FLOP/s against arithmetic intensity. {own.title}: {_said(own, dtype)}. "
        f"Operations by rising intensity: {says}."
    )
    return Picture("roofline", title, about_it, y, (*made, *rows, *listed))


def _has(each: Device, dtype: str) -> bool:
    return PRINTED.get(dtype, dtype) in each.peaks


def _article(own: Device) -> str:
    name = own.title.removeprefix("NVIDIA ").removeprefix("AMD ").removeprefix("Google ").split(" SXM")[0]
    return f"{'an' if name[0] in 'AEFHILMNORSX' else 'a'} {name}"


def _said(each: Device, dtype: str) -> str:
    peak, bandwidth = brief(each.peak(dtype), "FLOP/second"), brief(each.bandwidth, "byte/second")
    return f"{peak}, {bandwidth}, balance {short(each.peak(dtype) / each.bandwidth)} FLOP/byte"


def _corners(frame: Frame, each: Device, dtype: str) -> list[Point]:
    """One roof: the slope that memory feeds, up to the balance, and the peak behind it."""
    peak, balance = each.peak(dtype), each.peak(dtype) / each.bandwidth
    start = max(frame.x.low, Fraction(frame.y.low) / each.bandwidth)
    return [frame.at(x, y) for x, y in ((start, start * each.bandwidth), (balance, peak), (frame.x.high, peak))]


def _roof(frame: Frame, each: Device, dtype: str, index: int) -> list[str]:
    points = _corners(frame, each, dtype)
    return [svg.path(points, f"l{index + 1}", 3.2 if index == 0 else 1.6, DASHES[index])]


def _points(frame: Frame, devices: list[Device], dtype: str, points: list[Operation]) -> list[str]:
    """A dot for each operation, on the roof where its numbers are; its own number beside it, at the end of a leader."""
    own = devices[0]
    dots = [frame.at(each.intensity, min(own.peak(dtype), each.intensity * own.bandwidth)) for each in points]
    plot = Placing(Box(frame.x.start + 2, frame.y.end + 2, frame.x.end + 4, frame.y.start - 2))
    plot.boxes += [square(each, DOT + 1) for each in dots]
    for each in devices:
        plot.lines += through(_corners(frame, each, dtype))
    leaders, made, numbers = [], [], []
    for place, at in enumerate(dots, 1):
        aside = partial(_aside, at[0])
        box, _ = plot.place(at, 2 * DISC, 2 * DISC, apart=DOT + 7, cost=aside)
        x, y = box.middle
        leaders.append(svg.line(*at, *towards((x, y), at, DISC), "l6", 1.6))
        made.append(svg.circle(*at, DOT, "ink"))
        numbers += _number(x, y, place)
    return [*leaders, *made, *numbers]


def _aside(x: float, box: Box) -> float:
    """What it costs a number to stand beside its dot and not above or below it: leaders that are alike read well."""
    return abs(box.middle[0] - x) / 2


def _number(x: float, y: float, place: int) -> list[str]:
    words = svg.text(x, y + 5, str(place), name="on", anchor="middle", size=14.5, bold=True)
    return [svg.circle(x, y, DISC, "f1"), words]


def _devices(devices: list[Device], dtype: str, y: float) -> tuple[list[str], float]:
    made = []
    for index, each in enumerate(devices):
        made.append(svg.line(14, y + 10, 50, y + 10, f"l{index + 1}", 3.2 if index == 0 else 1.6, DASHES[index]))
        made.append(svg.text(60, y + 15, each.name, bold=index == 0))
        made.append(svg.text(466, y + 15, _short(each, dtype), name="mute", anchor="end"))
        y += 22
    return made, y


def _short(each: Device, dtype: str) -> str:
    peak, bandwidth = brief(each.peak(dtype), "FLOP/second"), brief(each.bandwidth, "byte/second")
    return f"{peak} · {bandwidth} · {short(each.peak(dtype) / each.bandwidth)} FLOP/byte"


def _listed(own: Device, dtype: str, points: list[Operation], y: float) -> tuple[list[str], float]:
    """The operations by number: intensity, and the share of the peak that it lets the device reach."""
    made = [
        svg.text(14, y + 15, "operation", name="mute"),
        svg.text(372, y + 15, "FLOP/byte", name="mute", anchor="end"),
        svg.text(466, y + 15, "of peak", name="mute", anchor="end"),
        svg.line(14, y + 22, 466, y + 22, "grid"),
    ]
    y += 26
    for place, each in enumerate(points, 1):
        share = min(Fraction(1), each.intensity * own.bandwidth / own.peak(dtype))
        made += _number(25, y + 11, place)
        made.append(svg.text(44, y + 16, each.name))
        made.append(svg.text(372, y + 16, short(each.intensity), anchor="end"))
        made.append(svg.text(466, y + 16, f"{short(share * 100, 2)}%", anchor="end"))
        assert width(each.name, svg.SIZE) < 270
        y += 25
    return made, y + 10
