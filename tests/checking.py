"""Statements for the tests of the checker, and the reason of a rejection."""

from pathlib import Path
from typing import Any

import pytest

from derive.proof.checker import Rejected, check

CHECKER = Path(__file__).parent.parent / "derive" / "proof" / "checker.py"
INTEGERS, REALS = ("a", "b", "s"), ("x", "y")
FREE = INTEGERS + REALS
SYMBOLS = {**dict.fromkeys(INTEGERS, "positive integer"), **dict.fromkeys(REALS, "positive real")}


def statement(left: Any, right: Any, given: list[Any] | None = None, **fields: Any) -> dict[str, Any]:
    symbols = SYMBOLS | {name: "positive integer" for name, _ in given or []}
    return {"relation": "==", "left": left, "right": right, "symbols": symbols, "given": given or []} | fields


def reason(data: Any) -> str:
    with pytest.raises(Rejected) as caught:
        check(data)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


SBH = dict.fromkeys("sbhatfdpm", "positive integer")
