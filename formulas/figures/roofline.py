"""The roofline: what devices can compute at an arithmetic intensity, with operations on it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.drawing import svg
from derive.drawing.axes import Axis, Frame, short
from derive.drawing.svg import Picture
from derive.drawing.words import together, width
from derive.errors import DeriveError
from formulas.figures.subject import Subject, brief
from formulas.hardware import PRINTED, Device, device

OTHERS = ("a100-80gb", "b200", "rtx-4090")
SQUARE = 1024  # of the matrix product that everybody knows: n/3 operations a byte
DASHES = ("", "8 4", "2 4", "10 3 2 3")
LOW, HIGH = Fraction(1, 8), Fraction(8192)


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
    low = min(each.bandwidth for each in devices) * LOW
    high = max(each.peak(dtype) for each in devices)
    frame = Frame(
        Axis(
            min(LOW, *(each.intensity for each in points)), max(HIGH, *(each.intensity for each in points)), 74, 466, 2
        ),
        Axis(Fraction(10) ** (len(str(int(low))) - 1), Fraction(10) ** len(str(int(high))), top + 290, top, 10),
    )
    made += frame.below(frame.x.powers(3), short, "arithmetic intensity, FLOP/byte")
    made += frame.beside(
        frame.y.powers(), lambda each: brief(int(each), "FLOP").removesuffix("FLOP"), "FLOP/s a device"
    )
    for index, each in reversed(list(enumerate(devices))):
        made += _roof(frame, each, dtype, index)
    made += _points(frame, own, dtype, points)
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


def _roof(frame: Frame, each: Device, dtype: str, index: int) -> list[str]:
    """One roof: the slope that memory feeds, up to the balance, and the peak behind it."""
    peak, balance = each.peak(dtype), each.peak(dtype) / each.bandwidth
    start = max(frame.x.low, Fraction(frame.y.low) / each.bandwidth)
    corners = [(start, start * each.bandwidth), (balance, peak), (frame.x.high, peak)]
    points = [frame.at(x, y) for x, y in corners]
    return [svg.path(points, f"l{index + 1}", 3.2 if index == 0 else 1.6, DASHES[index])]


def _points(frame: Frame, own: Device, dtype: str, points: list[Operation]) -> list[str]:
    """A numbered disc for each operation, on the roof or, where another one is there, below it."""
    leaders, made, taken = [], [], []
    for place, each in enumerate(points, 1):
        attained = min(own.peak(dtype), each.intensity * own.bandwidth)
        x, y = frame.at(each.intensity, attained)
        low = y
        while any(abs(x - a) < 19 and abs(low - b) < 21 for a, b in taken):
            low += 28
        taken.append((x, low))
        leaders += [svg.line(x, y, x, low, "l1", 1.6)] if low != y else []
        made.append(svg.circle(x, low, 10.5, "f1"))
        made.append(svg.text(x, low + 5, str(place), name="on", anchor="middle", size=14.5, bold=True))
    return leaders + made


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
        made.append(svg.circle(25, y + 11, 10.5, "f1"))
        made.append(svg.text(25, y + 16, str(place), name="on", anchor="middle", size=14.5, bold=True))
        made.append(svg.text(44, y + 16, each.name))
        made.append(svg.text(372, y + 16, short(each.intensity), anchor="end"))
        made.append(svg.text(466, y + 16, f"{short(share * 100, 2)}%", anchor="end"))
        assert width(each.name, svg.SIZE) < 270
        y += 25
    return made, y + 10
