"""The page reads and shows numbers as Python does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from derive.errors import ValueTextError
from derive.values import parse_amount, parse_positive_integer, parse_value, show
from formulas import entries
from tests.browsing import browsing, small_page, written

WRITTEN = (
    "7B 100B 15T 4Mi 2^22 989e12 80GB 70GiB 30d 5h 0.4 40% 1_000 1__0 _1 1_ 1,000 +1 -1 -0 0 00 0^0 0^1 2^133 2^132 "
    "10^40 10^41 1e40 1e41 1e-40 1e-41 1e e5 1.5.2 .5 5. 1.50K 3k 3m 3M 3g 3GB 3Gb 3GIB 3gib 1min 1mn 2^2^2 2^-1 1.5^2 "
    "2^x ९ １２ ∞ NaN 0x10 1e+5 1e-5 1E3 1e0000000000000000000000001 1e99999999999999999999999999999999999 0e999999999 "
    "1e-999999999 <script> constructor 1constructor 1toString 200% 1%"
)
LONG = ("", " ", "1 000", "9" * 59, "9" * 60, "9" * 61, "1" + "0" * 40)
PARTS = [*"017_.e-+^%KdhsTx ", "12", "999", "Mi", "GB", "KiB", "min"]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browsing() as browser:
        page = browser.new_page()
        page.goto(written(Path(tmp_path_factory.mktemp("page")), small_page()))
        yield page


def texts() -> list[str]:
    chance = random.Random(3)
    return [
        *LONG,
        *WRITTEN.split(),
        *("".join(chance.choices([*PARTS, " "], k=chance.randint(1, 6))) for _ in range(800)),
    ]


def read(reader: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return reader()
    except ValueTextError as error:
        return {"wrong": str(error)}


def alike(here: dict[str, Any], there: dict[str, Any]) -> bool:
    """Whether both read the same, or refuse with the same words; Python writes some letters in quotes otherwise."""
    quoted = any(letter in there.get("wrong", "") for letter in '\\"')
    return here == there or (quoted and here.keys() == there.keys())


def exact(text: str) -> dict[str, Any]:
    value = parse_value(text)
    return {"value": str(value.number), "unit": value.unit}


def test_numbers_are_read_alike(tab: Any) -> None:
    found = tab.evaluate("texts => texts.map(text => shapeproof.parse(text))", texts())
    for text, here in zip(texts(), found, strict=True):
        assert alike(here, read(partial(exact, text))), text


LETTERS = (
    {"name": "s", "whole": True, "unit": "1", "least": 1, "most": None},
    {"name": "T", "whole": False, "unit": "second", "least": 0, "most": None},
    {"name": "eta", "whole": False, "unit": "1", "least": 0, "most": 1},
    {"name": "M", "whole": False, "unit": "byte", "least": 0, "most": None},
)


def of_letter(letter: dict[str, Any], text: str) -> dict[str, Any]:
    if letter["whole"]:
        return {"value": str(parse_positive_integer(text, letter["name"]))}
    return {"value": str(parse_amount(text, letter["name"], letter["unit"], letter["most"]))}


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter["name"])
def test_letters_are_read_alike(tab: Any, letter: dict[str, Any]) -> None:
    found = tab.evaluate("([texts, letter]) => texts.map(text => shapeproof.parse(text, letter))", [texts(), letter])
    for text, here in zip(texts(), found, strict=True):
        assert alike(here, read(partial(of_letter, letter, text))), text


def values() -> list[Fraction]:
    chance = random.Random(5)
    near = [Fraction(n) * 10**e / 10**9 for n in (1, 5, 9, 9994, 9995, 9996, 99995, 12345) for e in range(0, 40, 3)]
    binary = [Fraction(1024**n) + shift for n in range(1, 7) for shift in (-1, 0, 1, Fraction(1, 3))]
    times = [Fraction(n) for n in (119, 120, 121, 7199, 7200, 7201, 172799, 172800, 172801, 10**7)]
    some = [
        Fraction(chance.randint(0, 10**e), chance.choice((1, 1, 3, 7, 1000, 10**9)))
        for e in range(1, 41)
        for _ in range(3)
    ]
    return [Fraction(0), *near, *binary, *times, *some, *(-x for x in some[:20])]


UNITS = sorted({entry.unit for entry in entries()} | {"device", "token/second", "byte/second/device"})


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("system", ["si", "iec"])
def test_numbers_are_shown_alike(tab: Any, unit: str, system: Literal["si", "iec"]) -> None:
    code = "([texts, unit, iec]) => texts.map(text => shapeproof.show(text, unit, iec))"
    found = tab.evaluate(code, [[str(x) for x in values()], unit, system == "iec"])
    assert dict(zip(values(), found, strict=True)) == {x: show(x, unit, system) for x in values()}
