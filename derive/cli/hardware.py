"""`derive hardware`: devices with their memory, bandwidth, dense peaks and balance, and where each value comes from."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable
from fractions import Fraction

from derive.cli.show import emit, present
from derive.render.table import Table
from derive.sheet.devices import in_tera, shortly
from derive.values import show
from formulas.hardware import COLUMNS, Device, devices

NUMBERS = frozenset(range(1, len(COLUMNS) + 1))


def run(_name: str, options: Namespace) -> int:
    """Print the devices."""
    known = list(devices().values())
    if options.json:
        emit(json.dumps({each.name: _record(each) for each in known}, indent=2, ensure_ascii=False), data=True)
        return 0
    heads = ("device", "sold", "reported", "bandwidth", "link, one way")
    memory = [
        (each.name, _bytes(each.memory), _bytes(each.reported), _rate(each.bandwidth), _rate(each.link))
        for each in known
    ]
    names = [(each.name, each.title, ", ".join(each.aliases)) for each in known]
    sources = [
        (each.name, what, text)
        for each in known
        for what, text in (*each.sources.items(), ("link is", each.link_about))
    ]
    present([
        Table("Devices", ("device", "title", "also"), names),
        Table("\nMemory", heads, memory, frozenset(range(1, len(heads)))),
        _by_format("\nPeaks without sparsity, TFLOP/s", known, lambda each, x: in_tera(each.peaks.get(x))),
        _by_format("\nBalance, peak over bandwidth, FLOP/byte", known, lambda each, x: shortly(each.balance(x))),
        "  fp8: e4m3 and e5m2. fp4: e2m1 and nvfp4. int8: operations for FLOP.",
        Table("\nSources", ("device", "of", "source"), sources),
    ])  # fmt: skip
    return 0


def _by_format(title: str, known: list[Device], cell: Callable[[Device, str], str]) -> Table:
    return Table(
        title, ("device", *COLUMNS), [(each.name, *(cell(each, x) for x in COLUMNS)) for each in known], NUMBERS
    )


def _bytes(value: Fraction | None) -> str:
    """As sold in GB or GiB, whichever is whole; both where neither is."""
    if value is None:
        return "unknown"
    both = show(value, "byte")
    for size, unit in ((10**9, "GB"), (2**30, "GiB")):
        if (value / size).denominator == 1:
            return f"{value / size} {unit}"
    return both.partition("(")[2].rstrip(")") or both


def _rate(value: Fraction) -> str:
    return f"{show(value, 'byte').partition(' (')[0]}/s"


def _record(each: Device) -> dict:
    """A device as JSON: whole numbers as numbers, others as exact text."""
    rates = {x: _exact(each.peaks[x]) for x in each.peaks}
    return {
        "title": each.title,
        "aliases": list(each.aliases),
        "memory": _exact(each.memory),
        "reported": _exact(each.reported) if each.reported is not None else None,
        "bandwidth": _exact(each.bandwidth),
        "link": _exact(each.link),
        "link_about": each.link_about,
        "peaks": rates,
        "balance": {x: _exact(each.peaks[x] / each.bandwidth) for x in each.peaks},
        "sources": dict(each.sources),
    }


def _exact(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)
