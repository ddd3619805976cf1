"""MFU, what a pipeline leaves idle, time and units."""

from __future__ import annotations

from fractions import Fraction

from checks.oracles.configured import ours, value
from derive.values import show
from tests.cases.asking import LLAMA_2, Pairs, bare, forward


def mfu_02() -> Pairs:
    F = 6 * 123587328 + 12 * 12 * 12 * 64 * 1024
    yield F, 854770176
    at = {"F": F, "B": 491520, "T": Fraction(576, 1000), "G": 8, "P": 312 * 10**12}
    yield round(float(bare("mfu", **at)), 8), 0.29222912


def mfu_04() -> Pairs:
    for peak, right in ((Fraction(9895, 10), 0.4244568), (1979, 0.2122284)):
        yield round(float(bare("mfu", Q=420 * 10**12, P=Fraction(peak) * 10**12)), 7), right


def mfu_05() -> Pairs:
    found = bare("mfu", Q=9600 * 5 * 10**10, P=989 * 10**12)
    yield round(float(found), 4), 0.4853


def mfu_10() -> Pairs:
    split, alone = (value(LLAMA_2, "flops-per-token", plan, s=4096) for plan in ("cp=2", ""))
    yield split, alone


def mfu_12() -> Pairs:
    split, alone = (value(LLAMA_2, "flops-per-token", plan, s=4096) for plan in ("tp=8", ""))
    yield split - alone, 0


def mfu_14() -> Pairs:
    again = ours(LLAMA_2, "hardware-flops", "recompute=layer,attention=materialised", s=64, b=1).value
    yield again / value(LLAMA_2, "layer-flops", s=64, b=1), 4
    yield value(LLAMA_2, "recompute-factor", "recompute=layer,attention=materialised", s=64) < Fraction(4, 3), True


def mfu_15() -> Pairs:
    yield value(LLAMA_2, "flops-per-token", s=64) / (forward(LLAMA_2, lambda _: True, "", s=64, b=1) / 64), 3


def pp_02() -> Pairs:
    yield bare("in-flight-microbatches", p=8, m=4) / 8, Fraction(1, 2)


def pp_03() -> Pairs:
    for m, ideal, total in ((16, Fraction(3, 16), Fraction(3, 19)), (8, Fraction(3, 8), Fraction(3, 11))):
        yield bare("pipeline-bubble", p=4, m=m), ideal
        yield bare("pipeline-bubble-of-whole", p=4, m=m), total


def tim_02() -> Pairs:
    yield bare("gpu-hours", G=160, T=15 * 86400), 57600


def uni_01() -> Pairs:
    yield show(Fraction(83 * 10**9), "byte"), "83.00 GB (77.30 GiB)"


CASES = (
    mfu_02,
    mfu_04,
    mfu_05,
    mfu_10,
    mfu_12,
    mfu_14,
    mfu_15,
    pp_02,
    pp_03,
    tim_02,
    uni_01,
)
