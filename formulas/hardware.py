"""Devices: hardware.toml read into records that give letters their values, and sparse peaks told from dense ones."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from derive.errors import DeriveError, unknown
from derive.values import parse_amount

if TYPE_CHECKING:
    from derive.model import Given

DEVICES = Path(__file__).with_name("hardware.toml")

# The name that vendors print a peak under, for each format that products are computed in; otherwise its own name.
PRINTED = {"e4m3": "fp8", "e5m2": "fp8", "e2m1": "fp4", "nvfp4": "fp4"}
COLUMNS = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4")
CLOSE = Fraction(1, 500)  # sheets round: 1978.9, 1979 and twice 989 are one sparse figure


@dataclass(frozen=True, slots=True)
class Device:
    """A device as its vendor describes it: exact values, peaks without sparsity by the format that vendors name.

    `memory` is what is sold, `reported` what the driver says there is, or None where no source says; both in bytes.
    `bandwidth` and `link` are byte/s, the link's in one direction.
    """

    name: str
    title: str
    aliases: tuple[str, ...]
    memory: Fraction
    reported: Fraction | None
    bandwidth: Fraction
    link: Fraction
    link_about: str
    peaks: Mapping[str, Fraction] = field(repr=False)
    sparse: Mapping[str, Fraction] = field(repr=False)
    sources: Mapping[str, str] = field(repr=False)

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters that a device gives a value: its peak, its bandwidth, its memory."""
        return tuple(_LETTERS)

    def value(self, letter: str, dtype: str) -> Given:
        """The value of one of its letters where products are computed in `dtype`, with its origin.

        Raises `DeriveError` for a format that the device has no peak for.

        >>> device("h100").value("P", "bf16")
        Given(value=Fraction(989000000000000, 1), origin='h100, bf16 dense')
        """
        from derive.model import Given

        value, origin = _LETTERS[letter](self, dtype)
        return Given(value, origin)

    def values(self, letters: Collection[str], dtype: str, already: Mapping[str, Given]) -> dict[str, Given]:
        """The values of those of its letters that are among `letters` and have none `already`.

        Raises `DeriveError` for a peak that is missing, and for one that is set to the device's figure with sparsity.
        """
        if "P" in already and "P" in letters:
            self.refuse_sparse(already["P"].value, dtype)
        return {x: self.value(x, dtype) for x in self.letters if x in letters and x not in already}

    def peak(self, dtype: str) -> Fraction:
        """The dense peak in FLOP/s of products in that format; `DeriveError`, naming those it has, if there is none."""
        printed = PRINTED.get(dtype, dtype)
        if printed not in self.peaks:
            raise DeriveError(f"{self.name} has no {dtype} peak: it has {', '.join(self.peaks)}; or set --peak")
        return self.peaks[printed]

    def balance(self, printed: str) -> Fraction | None:
        """FLOP for each byte of memory traffic at the peak of that column, or None where there is no such peak."""
        return self.peaks[printed] / self.bandwidth if printed in self.peaks else None

    def refuse_sparse(self, peak: Fraction, dtype: str) -> None:
        """Raise `DeriveError` if `peak` is the device's figure with 2:4 sparsity, which no dense product reaches.

        >>> device("h100").refuse_sparse(Fraction(1979 * 10**12), "bf16")
        Traceback (most recent call last):
        derive.errors.DeriveError: 1979e12 is h100's bf16 figure with 2:4 sparsity; dense it is 989e12: leave out --peak
        """
        printed = PRINTED.get(dtype, dtype)
        figure = self.sparse.get(printed)
        if figure is not None and abs(peak - figure) <= CLOSE * figure:
            raise DeriveError(
                f"{tera(peak)} is {self.name}'s {dtype} figure with 2:4 sparsity; "
                f"dense it is {tera(self.peaks[printed])}: leave out --peak"
            )


def _memory(known: Device, _dtype: str) -> tuple[Fraction, str]:
    if known.reported is None:
        return known.memory, f"{known.name}, as sold: what its driver reports is not known"
    return known.reported, f"{known.name}, as its driver reports it"


_LETTERS: dict[str, Callable[[Device, str], tuple[Fraction, str]]] = {
    "P": lambda known, dtype: (known.peak(dtype), f"{known.name}, {dtype} dense"),
    "W": lambda known, _dtype: (known.bandwidth, f"{known.name}, memory bandwidth"),
    "M": _memory,
}


def tera(value: Fraction) -> str:
    """FLOP/s as data sheets print them: in units of 10^12, exact.

    >>> tera(Fraction(9895 * 10**11))
    '989.5e12'
    """
    from derive.values import round_significant

    plain = round_significant(value / 10**12, 40)
    return (plain.rstrip("0").rstrip(".") if "." in plain else plain) + "e12"


@cache
def devices() -> dict[str, Device]:
    """The devices of hardware.toml by name."""
    records = tomllib.loads(DEVICES.read_text(encoding="utf-8"))
    return {name: _read(name, record) for name, record in records.items()}


def _read(name: str, record: Mapping) -> Device:
    def rates(key: str) -> dict[str, Fraction]:
        found = record.get(key, {})
        return {x: parse_amount(found[x], f"{name} {key}", "FLOP/second") for x in COLUMNS if x in found}

    def amount(key: str, unit: str) -> Fraction:
        return parse_amount(record[key], f"{name} {key}", unit)

    return Device(
        name,
        record["title"],
        tuple(record.get("aliases", ())),
        amount("memory", "byte"),
        amount("reported", "byte") if "reported" in record else None,
        amount("bandwidth", "byte/second"),
        amount("link", "byte/second"),
        record["link_about"],
        rates("peaks"),
        rates("sparse"),
        record["sources"],
    )


def device(name: str) -> Device:
    """The device of that name or alias; `UnknownName` with the closest one.

    >>> device("a100").name, str(device("h100").memory), device("h100").bandwidth == 335 * 10**10
    ('a100-80gb', '80000000000', True)
    """
    known = {x: each for each in devices().values() for x in (each.name, *each.aliases)}
    if name not in known:
        raise unknown("device", name, known)
    return known[name]
