"""What sources report and is no formula: utilizations of published runs, years of papers, sums that a format rounds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from derive.formats import format_named
from derive.interval import Interval
from formulas.sources.hoffmann2022 import hoffmann2022
from formulas.utilization import ANCHORS


def _anchor(run: str, counted: str) -> Interval:
    (found,) = [each for each in ANCHORS if run in each.run and each.counted == counted]
    return Interval(found.low, found.high)


def megatron_hfu() -> Interval:
    """What Megatron-LM reports on A100, recomputation counted."""
    return _anchor("GPT", "HFU")


def palm_mfu() -> Interval:
    """What PaLM reports."""
    return _anchor("PaLM", "MFU")


def llama_mfu() -> Interval:
    """What Llama 3 405B reports, over its configurations."""
    return _anchor("Llama 3 405B", "MFU")


def chinchilla_year() -> Interval:
    """The year of Hoffmann et al."""
    return Interval(Fraction(hoffmann2022.year), Fraction(hoffmann2022.year))


def _sum(name: str, x: Fraction, y: Fraction) -> Interval:
    total = format_named(name).rounded(x + y)
    return Interval(total, total)


def bf16_sum(x: Fraction, y: Fraction) -> Interval:
    """x + y rounded to bf16."""
    return _sum("bf16", x, y)


def fp16_sum(x: Fraction, y: Fraction) -> Interval:
    """x + y rounded to fp16."""
    return _sum("fp16", x, y)


CITED: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (megatron_hfu, palm_mfu, llama_mfu, chinchilla_year, bf16_sum, fp16_sum)
}
