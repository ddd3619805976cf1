"""Numbers as people write them (7B, 4Mi, 80GB, 30d, 40%), read exactly, and exact values shown in four digits."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Literal

from derive.errors import ValueTextError, unknown
from derive.interval import Interval
from derive.rounding import after_rounding, magnitude, round_significant, rounded

LARGEST = 10**40  # far above any run's FLOPs, far below what makes an exact integer slow
LONGEST = 60  # characters of a number; int() never sees more, so that no text costs time

System = Literal["si", "iec"]
Ladder = tuple[tuple[int, str], ...]  # sizes and their prefixes, upwards


@dataclass(frozen=True, slots=True)
class Value:
    """An exact number and the unit that its suffix named: "byte", "second", or None.

    >>> Value(Fraction(5), "second")
    Value(number=Fraction(5, 1), unit='second')
    """

    number: Fraction
    unit: str | None


# ---- reading ----

_SUFFIXES: dict[str, tuple[Fraction, str | None]] = {
    "": (Fraction(1), None),
    "%": (Fraction(1, 100), None),
    **{s: (Fraction(1000**n), None) for s, n in (("K", 1), ("k", 1), ("M", 2), ("B", 3), ("T", 4))},
    **{s: (Fraction(1024**n), None) for n, s in enumerate(("Ki", "Mi", "Gi", "Ti"), 1)},
    **{s: (Fraction(1000**n), "byte") for n, s in enumerate(("kB", "MB", "GB", "TB", "PB"), 1)},
    **{s: (Fraction(1024**n), "byte") for n, s in enumerate(("KiB", "MiB", "GiB", "TiB", "PiB"), 1)},
    **{s: (Fraction(n), "second") for s, n in (("s", 1), ("min", 60), ("h", 3600), ("d", 86400))},
}

# ASCII digits only: \d and int() would take digits of every script.
_DIGITS = "[0-9](?:_?[0-9])*"
_DECIMAL = re.compile(
    rf"(?P<sign>-?)(?P<whole>{_DIGITS})(?:\.(?P<part>{_DIGITS}))?(?:[eE](?P<exponent>[+-]?[0-9]+))?"
    r"(?P<suffix>%|[A-Za-z]*)"
)
_POWER = re.compile(rf"(?P<base>{_DIGITS})\^(?P<exponent>{_DIGITS})")
_NUMERAL = re.compile("[0-9_]+")

_EXAMPLES = "write it like 7B, 4Mi, 2^22, 989e12, 80GB, 30d, 40% or 1_000"
_REASONS = (  # why a text is no number: the first pattern that occurs in it
    (re.compile(r"\A\Z"), "it is empty"),
    (re.compile(r"\s"), "it has a space in it"),
    (re.compile(","), "a comma is ambiguous"),
    (re.compile(r"\^.*\^"), "a power has one exponent"),
    (re.compile(r"\^"), "a power is of two whole numbers, without sign or suffix"),
    (re.compile(r"\A\+"), "a number has no plus sign"),
    (re.compile(""), "it is not a number"),
)


class _TooLargeError(ValueTextError):
    """A number that is one, but beyond the largest: `parse_positive_integer` words it differently."""


def _quoted(text: str) -> str:
    return repr(text) if len(text) <= LONGEST else f"{text[:3] + '...'!r} ({len(text)} characters)"


def _unreadable(text: str, reason: str) -> ValueTextError:
    return ValueTextError(f"cannot read {_quoted(text)}: {reason}; {_EXAMPLES}")


def _too_large(text: str) -> ValueTextError:
    return _TooLargeError(f"cannot read {_quoted(text)}: it is above 10^40; {_EXAMPLES}")


def parse_value(text: str) -> Value:
    """The exact number that `text` writes, in bytes or seconds where its suffix says so.

    Suffixes: K M B T (thousands), Ki Mi Gi Ti (powers of 1024), kB to PB and KiB to PiB (bytes), s min h d
    (seconds), %. Raises ValueTextError for anything else, and for sizes above 10^40 or between 0 and 10^-40.

    >>> parse_value("70GiB")
    Value(number=Fraction(75161927680, 1), unit='byte')
    >>> [str(parse_value(text).number) for text in ("7B", "4Mi", "2^22", "989e12", "30d", "40%", "1_000")]
    ['7000000000', '4194304', '4194304', '989000000000000', '2592000', '2/5', '1000']
    """
    if len(text) > LONGEST:
        raise (_too_large if _NUMERAL.fullmatch(text) else partial(_unreadable, reason="it is too long"))(text)
    if match := _POWER.fullmatch(text):
        return Value(_power(text, int(match["base"]), int(match["exponent"])), None)
    if not (match := _DECIMAL.fullmatch(text)):
        raise _unreadable(text, next(reason for pattern, reason in _REASONS if pattern.search(text)))
    if match["suffix"] not in _SUFFIXES:
        raise _unreadable(text, _about_suffix(match["suffix"]))
    part = (match["part"] or "").replace("_", "")
    shift = int(match["exponent"] or 0) - len(part)
    scale, unit = _SUFFIXES[match["suffix"]]
    coefficient = int(match["whole"] + part) * scale
    # Before any power is computed: with at most 60 digits, nothing beyond these bounds is within 10^-40 .. 10^40.
    number = coefficient * Fraction(10) ** min(max(shift, -3 * LONGEST), 3 * LONGEST)
    if number > LARGEST:
        raise _too_large(text)
    if 0 < number < Fraction(1, LARGEST):
        raise _unreadable(text, "it is below 10^-40")
    return Value(-number if match["sign"] else number, unit)


def _power(text: str, base: int, exponent: int) -> Fraction:
    if base == exponent == 0:
        raise _unreadable(text, "0^0 has no value")
    number = base ** min(exponent, LARGEST.bit_length())  # 2 to that is too large: nothing larger is computed
    if number > LARGEST:
        raise _too_large(text)
    return Fraction(number)


def _about_suffix(suffix: str) -> str:
    same = [known for known in _SUFFIXES if known.lower() == suffix.lower()]
    close = same or [known for known in _SUFFIXES if known.lower().startswith(suffix.lower())]
    hint = f", did you mean {' or '.join(close)}?" if close else ""
    shown = suffix if len(suffix) <= 12 else suffix[:9] + "..."
    return f"unknown suffix {shown!r}{hint}"


def parse_positive_integer(text: str, name: str) -> int:
    """The whole number from 1 to 10^40 that `text` writes without a unit; `name` is whose value it is.

    Raises ValueTextError, one line that names both.

    >>> parse_positive_integer("4Ki", "s"), parse_positive_integer("1e3", "s")
    (4096, 1000)
    >>> parse_positive_integer("1.5", "s")
    Traceback (most recent call last):
    derive.errors.ValueTextError: s must be a positive integer: got '1.5'
    """
    refused = ValueTextError(f"{name} must be a positive integer: got {_quoted(text)}")
    try:
        value = parse_value(text)
    except _TooLargeError:
        raise ValueTextError(f"{name} must be a positive integer of at most 10^40: got {_quoted(text)}") from None
    except ValueTextError:
        raise refused from None
    # 200% is 2, but nobody counts in percent.
    if value.unit or text.endswith("%") or value.number < 1 or value.number.denominator != 1:
        raise refused
    return value.number.numerator


def parse_amount(text: str, name: str, unit: str, most: int | None = None) -> Fraction:
    """The positive number that `text` writes in `unit`, not above `most`; `name` is whose value it is.

    A suffix of bytes or seconds must be that of the unit. Raises ValueTextError, one line that names both.

    >>> parse_amount("40%", "eta", "1", 1), parse_amount("30d", "T", "second")
    (Fraction(2, 5), Fraction(2592000, 1))
    >>> parse_amount("80GB", "T", "second")
    Traceback (most recent call last):
    derive.errors.ValueTextError: T is in second: got '80GB', which is in byte
    """
    try:
        value = parse_value(text)
    except ValueTextError as error:
        raise ValueTextError(f"{name}: {error}") from None
    if value.unit not in (None, unit):
        raise ValueTextError(f"{name} is in {unit}: got {_quoted(text)}, which is in {value.unit}")
    if value.number <= 0:
        raise ValueTextError(f"{name} must be positive: got {_quoted(text)}")
    if most is not None and value.number > most:
        raise ValueTextError(f"{name} is at most {most}: got {_quoted(text)}, which is {value.number}")
    return value.number


# ---- showing: every value below is 0 or above, `show` puts the sign in front ----


def _four(value: Fraction) -> str:
    """Four significant digits, in scientific notation where plain decimals would be filled up with zeros."""
    coefficient, exponent = rounded(value)
    if -4 <= exponent < 4:
        return round_significant(value)
    return f"{round_significant(Fraction(coefficient, 1000))}e{exponent}"


def _whole_or_four(value: Fraction) -> str:
    return str(value) if value.denominator == 1 and value < 10**6 else _four(value)


def _number(value: Fraction) -> str:
    """As above, but zeros at the end are left out where nothing was rounded: 0.4 is 2/5, and 0.4000 only nearly."""
    figures, mark, exponent = _whole_or_four(value).partition("e")
    if "." in figures and after_rounding(value) == value:
        figures = figures.rstrip("0").rstrip(".")
    return figures + mark + exponent


def _climbed(value: Fraction, ladder: Ladder) -> str:
    """`value` under the highest prefix that it reaches once rounded (999.95 k is 1.000 M), or scientific above all."""
    for (size, label), (following, _) in pairwise(ladder):
        if after_rounding(value / size) * size < following:
            return (_whole_or_four(value) if size == 1 else _four(value / size)) + label
    return _four(value) + ladder[0][1]


def _ladder(step: int, labels: str) -> Ladder:
    """Sizes step^0, step^1, ... with their labels, and the size from which on none of them is readable."""
    return tuple((step**n, label) for n, label in enumerate([*labels.split(","), ""]))


_COUNTS = _ladder(1000, ",K,M,B,T")
_FLOPS = _ladder(1000, " FLOP, kFLOP, MFLOP, GFLOP, TFLOP, PFLOP, EFLOP")  # above, people write 6.350e24 FLOP
_SI, _IEC = _ladder(1000, " B, kB, MB, GB, TB, PB, EB"), _ladder(1024, " B, KiB, MiB, GiB, TiB, PiB, EiB")
_SYSTEMS: dict[str, tuple[Ladder, Ladder]] = {"si": (_SI, _IEC), "iec": (_IEC, _SI)}
_TIMES = ((172800, 86400, " days"), (7200, 3600, " hours"), (120, 60, " minutes"))  # used above, length, label


def _bytes(value: Fraction, system: str) -> list[str]:
    return list(dict.fromkeys(_climbed(value, ladder) for ladder in _SYSTEMS[system]))  # 24 B is the same in both


def _seconds(value: Fraction, _system: str) -> list[str]:
    for above, length, label in _TIMES:
        if value > above:
            # Beside days, seconds are whole or have one decimal: four digits would be those of another day.
            digits = magnitude(value) + (1 if value.denominator == 1 else 2)
            seconds = round_significant(value, digits) if digits < 16 else _four(value)
            return [_four(value / length) + label, f"{seconds} s"]
    return [_whole_or_four(value) + " s"]


def _hours(value: Fraction) -> str:
    """Device-hours below a million as they stand: 3370 and 542113, which people do not write as 542.1K."""
    return str(round(value)) if 1000 <= value < 10**6 else _climbed(value, _COUNTS)


def _nouns(noun: str, text: Callable[[Fraction], str], value: Fraction, _system: str) -> list[str]:
    return [f"{text(value)} {noun}{'s' * (value != 1)}"]


# How each unit is shown: a text and, where there is one, the text that follows in brackets.
_SHOWN: dict[str, Callable[[Fraction, str], list[str]]] = {
    "byte": _bytes,
    "FLOP": lambda value, _system: [_climbed(value, _FLOPS)],
    "token": partial(_nouns, "token", partial(_climbed, ladder=_COUNTS)),
    "parameter": partial(_nouns, "parameter", partial(_climbed, ladder=_COUNTS)),
    "device": partial(_nouns, "device", _number),  # a cluster of 16384 is known by that number
    "device*hour": partial(_nouns, "device-hour", _hours),
    "second": _seconds,
    "dollar": lambda value, _system: ["$" + _climbed(value, _COUNTS)],
    "1": lambda value, _system: [_number(value)],
}
_PER = {"second": "s"}  # after a slash, where it is not the unit's own name


def show(value: Fraction | int | Interval, unit: str, system: System = "si") -> str:
    """`value` in `unit` ("byte", "FLOP/token", "1" for a pure number), in four significant digits, rounded exactly.

    Bytes are shown in both systems of prefixes, `system` first. A unit that is in no table follows the number as it is.
    Raises UnknownName for a system other than "si" and "iec".

    >>> show(2868936704, "byte"), show(2868936704, "byte", "iec"), show(24, "byte")
    ('2.869 GB (2.672 GiB)', '2.672 GiB (2.869 GB)', '24 B')
    >>> show(449226473472, "FLOP/token"), show(70553706496, "parameter"), show(15 * 10**12, "token")
    ('449.2 GFLOP/token', '70.55B parameters', '15.00T tokens')
    >>> show(16675200, "second"), show(1234000, "dollar"), show(Fraction(2, 5), "1")
    ('193.0 days (16675200 s)', '$1.234M', '0.4')
    """
    if system not in _SYSTEMS:
        raise unknown("system of units", system, _SYSTEMS)
    if isinstance(value, Interval):
        return f"{show(value.low, unit, system)} to {show(value.high, unit, system)}"
    exact = Fraction(value.numerator, value.denominator)
    first, *others = unit.split("/")
    if first not in _SHOWN:
        return f"{'-' * (exact < 0)}{_number(abs(exact))} {unit}"
    per = "".join("/" + _PER.get(other, other) for other in others)
    texts = [f"{'-' * (exact < 0)}{text}{per}" for text in _SHOWN[first](abs(exact), system)]
    return texts[0] + "".join(f" ({text})" for text in texts[1:])
