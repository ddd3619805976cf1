"""Roofline: intensities of the operators, their limits as exact inequalities, and where a product is compute bound."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.plan import Plan, parse_plan
from derive.precision import COMPUTE_DTYPES, recipe
from derive.roles import Role
from derive.situation import situation
from formulas import formula_of
from formulas.notation import notation_of
from formulas.roofline import flash_intensity

SIZES = st.integers(1, 10**6)
DTYPES = st.sampled_from(list(COMPUTE_DTYPES))
W = Fraction("3.35e12")
PEAKS = {"bf16": Fraction("989.5e12"), "fp32": Fraction("67.5e12"), "e4m3": Fraction("1979e12")}


def value(name: str, dtype: str = "bf16", plan: str = "", **letters: Fraction | int) -> Fraction:
    found = formula_of(name)
    laid = parse_plan(plan, found.notation.symbol, recipe(dtype=dtype))
    number = situation(found, None, laid, options=letters).value  # pyright: ignore[reportArgumentType]
    assert isinstance(number, Fraction)
    return number


# ---- intensities ----


@given(SIZES, SIZES, SIZES, DTYPES)
def test_a_product_is_its_operations_over_its_bytes(m: int, n: int, p: int, dtype: str):
    moved = COMPUTE_DTYPES[dtype].bytes * (m * n + n * p + m * p)
    assert value("arithmetic-intensity", dtype, m=m, n=n, p=p) == m * p * (2 * n - 1) / moved


@given(SIZES, SIZES, DTYPES)
def test_other_products_are_special_cases(n: int, p: int, dtype: str):
    assert value("matvec-intensity", dtype, n=n) == value("arithmetic-intensity", dtype, m=n, n=n, p=1)
    assert value("dot-intensity", dtype, n=n) == value("arithmetic-intensity", dtype, m=1, n=n, p=1)
    assert value("arithmetic-intensity", dtype, m=n, n=n, p=p) == value("arithmetic-intensity", dtype, m=p, n=n, p=n)


def test_values_in_bf16():
    assert value("relu-intensity") == Fraction(1, 4)
    assert value("gelu-intensity") == 5
    assert value("dot-intensity", n=2**20) == Fraction(2097151, 4194306)
    assert value("matvec-intensity", n=1024) == Fraction(2047, 2052)
    assert value("arithmetic-intensity", m=1024, n=1024, p=1024) == Fraction(2047, 6)


@given(SIZES, DTYPES)
def test_limits(n: int, dtype: str):
    width = COMPUTE_DTYPES[dtype].bytes
    # Below the limit, and the distance falls below every bound: it is at most a constant over n.
    for name, limit in (("dot-intensity", 1 / width), ("matvec-intensity", 2 / width)):
        below = limit - value(name, dtype, n=n)
        assert 0 < below <= 5 / (width * n)
    square = value("arithmetic-intensity", dtype, m=n, n=n, p=n)
    assert 2 * n / (3 * width) - square == 1 / (3 * width)  # n/3 in bf16, of which it stays a sixth away


@given(SIZES, DTYPES)
def test_intensities_grow_with_size_and_fall_with_width(n: int, dtype: str):
    for name in ("dot-intensity", "matvec-intensity"):
        assert value(name, dtype, n=n) < value(name, dtype, n=n + 1)
    width = COMPUTE_DTYPES[dtype].bytes
    for name in ("relu-intensity", "gelu-intensity"):
        assert value(name, dtype) * width == value(name, "e4m3")


@given(SIZES)
def test_flash_attention(s: int):
    assert value("flash-intensity", plan="mask=full", s=s) == Fraction(s, 2)
    assert value("flash-intensity", s=s) == Fraction(s + 1, 4)


def test_flash_attention_without_the_diagonal_is_half():
    rows = [row for row in flash_intensity.rows(None, Plan()) if row.role is not Role.DIAGONAL]
    assert str(sum(row.value for row in rows)) == "s/4"


def least(name: str, letter: str, bound: Fraction, **options: str) -> int:
    low, high = 0, 2**20
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if value(name, **options, **{letter: middle}) >= bound else (middle, high)  # pyright: ignore[reportArgumentType]
    return high


def test_the_length_from_which_flash_attention_is_compute_bound():
    balance = value("machine-balance", P=PEAKS["bf16"], W=W)
    assert least("flash-intensity", "s", balance, plan="mask=full") == 591
    assert least("flash-intensity", "s", balance) == 1181  # (s + 1)/4; s/4 gives 1182
    assert -(-4 * balance // 1) == 1182


# ---- roofs ----


@given(st.fractions(min_value=Fraction(1, 1000), max_value=10**6))
def test_attainable_is_the_lower_of_the_two_and_the_bound_its_share(intensity: Fraction):
    peak = PEAKS["bf16"]
    attainable = value("attainable-flops", P=peak, W=W, I=intensity)
    assert attainable == min(peak, intensity * W)
    assert value("mfu-bound", P=peak, W=W, I=intensity) == attainable / peak == min(1, intensity / (peak / W))
    # Time under perfect overlap: n operations take the longer of both.
    assert 1 / attainable == max(1 / peak, 1 / (intensity * W))


def test_relu_and_gelu_wait_for_memory():
    balance = value("machine-balance", P=PEAKS["bf16"], W=W)
    ratio = balance / value("relu-intensity")
    assert (ratio, 1 - 1 / ratio) == (Fraction(79160, 67), Fraction(79093, 79160))
    assert balance / value("gelu-intensity") == Fraction(3958, 67)
    assert value("gelu-intensity") / value("relu-intensity") == 20
    assert value("mfu-bound", P=PEAKS["bf16"], W=W, I=Fraction(1, 4)) == 1 / ratio


def test_a_product_of_1024_is_just_compute_bound():
    assert value("mfu-bound", P=PEAKS["bf16"], W=W, m=1024, n=1024, p=1024) == 1
    assert value("attainable-flops", P=PEAKS["bf16"], W=W, m=1024, n=1024, p=1024) == PEAKS["bf16"]
    assert value("mfu-bound", P=PEAKS["bf16"], W=W, m=886, n=886, p=886) < 1


@pytest.mark.parametrize(("dtype", "size"), [("fp32", 122), ("bf16", 887), ("e4m3", 887)])
def test_the_crossing_size(dtype: str, size: int):
    assert value("compute-bound-size", dtype, P=PEAKS[dtype], W=W) == size


@given(st.integers(10**9, 10**17), st.integers(10**9, 10**13), DTYPES)
def test_the_crossing_size_is_the_smallest(peak: int, bandwidth: int, dtype: str):
    n = int(value("compute-bound-size", dtype, P=peak, W=bandwidth))
    balance = Fraction(peak, bandwidth)
    assert value("arithmetic-intensity", dtype, m=n, n=n, p=n) >= balance
    if n > 1:
        assert value("arithmetic-intensity", dtype, m=n - 1, n=n - 1, p=n - 1) < balance


@given(st.integers(10**12, 10**16), st.integers(10**9, 10**13))
def test_twice_the_peak_in_half_the_width_is_the_same_size(peak: int, bandwidth: int):
    wide = value("compute-bound-size", "bf16", P=peak, W=bandwidth)
    assert wide == value("compute-bound-size", "e4m3", P=2 * peak, W=bandwidth)


def test_letters_of_the_topic():
    letters = notation_of("roofline")
    assert letters["I"].unit == "FLOP/byte"
    assert "sum" in letters["n"].meaning
