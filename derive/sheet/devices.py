"""The section of the hardware: peaks without sparsity, bandwidth, memory, and the balance between them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from derive.render.documents.blocks import Grid, Paragraph, Section, Strong, Text, text
from derive.values import round_significant, show
from formulas.hardware import COLUMNS, Device, devices


def hardware_section(chosen: Device | None) -> Section:
    """All devices, the chosen one set off; peaks in TFLOP/s, balances in FLOP/byte."""
    known = list(devices().values())
    memory = tuple(
        (
            _name(each, chosen), text(each.title), text(_bytes(each.memory)), text(_bytes(each.reported)),
            text(_bytes(each.bandwidth) + "/s"), text(_bytes(each.link) + "/s"),
        )
        for each in known
    )  # fmt: skip
    return Section("Hardware", "hardware", (
        Grid(
            ("device", "", "memory sold", "reported", "bandwidth", "link, one way"),
            memory, (2, 5, 2, 2, 2, 2), frozenset({2, 3, 4, 5}),
        ),
        Paragraph(text("Peaks without sparsity, in TFLOP/s:")),
        _by_format(known, chosen, lambda each, x: in_tera(each.peaks.get(x))),
        Paragraph(text("Balance: peak over memory bandwidth, in FLOP/byte:")),
        _by_format(known, chosen, lambda each, x: shortly(each.balance(x))),
    ))  # fmt: skip


def _by_format(known: list[Device], chosen: Device | None, cell: Callable[[Device, str], str]) -> Grid:
    rows = tuple((_name(each, chosen), *(text(cell(each, x)) for x in COLUMNS)) for each in known)
    return Grid(("device", *COLUMNS), rows, (3, *(2 for _ in COLUMNS)), frozenset(range(1, len(COLUMNS) + 1)))


def _name(each: Device, chosen: Device | None) -> Text:
    return text(Strong(each.name) if each is chosen else each.name)


def _bytes(value: Fraction | None) -> str:
    return "" if value is None else show(value, "byte").partition(" (")[0]


def in_tera(value: Fraction | None) -> str:
    """A peak in TFLOP/s as data sheets print it; nothing where there is none."""
    if value is None:
        return ""
    plain = round_significant(value / 10**12, 9)
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def shortly(value: Fraction | None) -> str:
    """A balance in four digits; nothing where there is none."""
    return "" if value is None else round_significant(value)
