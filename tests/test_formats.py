"""Number formats: closed forms against every code decoded, the standards' values, and exact rounding."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.cli import main
from derive.errors import DeriveError, UnknownName
from derive.formats import FORMATS, Format, Specials, format_named
from derive.plan import Plan
from derive.precision import COMPUTE_DTYPES, recipe
from derive.situation import situation
from formulas import formula_of

EVERY = pytest.mark.parametrize("name", FORMATS)
SMALL = pytest.mark.parametrize("name", [x for x, each in FORMATS.items() if each.bits <= 16])
# max, smallest normal, smallest subnormal, epsilon.
TABLE = {
    "fp16": (65504, "1/16384", "1/16777216", "1/1024"),
    "bf16": (338953138925153547590470800371487866880, f"1/{2**126}", f"1/{2**133}", "1/128"),
    "fp32": (340282346638528859811704183484516925440, f"1/{2**126}", f"1/{2**149}", "1/8388608"),
    "e4m3": (448, "1/64", "1/512", "1/8"),
    "e5m2": (57344, "1/16384", "1/65536", "1/4"),
    "e2m1": (6, "1", "1/2", "1/2"),
}


def value(name: str, dtype: str, **letters: int) -> Fraction:
    found = situation(formula_of(name), None, Plan(recipe=recipe(dtype=dtype)), options=letters).value
    assert isinstance(found, Fraction)
    return found


# ---- the formulas ----


def test_every_format_that_products_are_computed_in_has_parts():
    assert list(FORMATS) == list(COMPUTE_DTYPES)


@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_formats(name: str):
    quantities = ("float-max", "float-min-normal", "float-min-subnormal", "float-epsilon")
    assert [value(x, name) for x in quantities] == [Fraction(x) for x in TABLE[name]]


@EVERY
def test_closed_forms_are_what_the_codes_say(name: str):
    form = FORMATS[name]
    assert value("float-max", name) == form.largest
    assert value("float-min-subnormal", name) == form.smallest
    assert value("float-min-normal", name) == form.decoded(2**form.mantissa)
    assert value("float-epsilon", name) == form.decoded((2 ** (form.exponent - 1) - 1) * 2**form.mantissa + 1) - 1
    assert value("float-codes", name) == 2**form.bits
    assert value("float-values", name) == 2 * form.finite - 1
    assert value("float-underflow", name) == form.smallest / 2


@SMALL
def test_codes_go_upwards(name: str):
    form = FORMATS[name]
    values = list(form.values())
    assert values[0] == 0
    assert all(low < high for low, high in pairwise(values))
    assert len(values) == len(set(values)) == form.finite


def test_four_bits_are_sixteen_codes_and_fifteen_values():
    assert (value("float-codes", "e2m1"), value("float-values", "e2m1")) == (16, 15)
    assert (value("float-codes", "nvfp4"), value("float-values", "nvfp4")) == (16, 15)
    assert [str(x) for x in format_named("e2m1").values()] == ["0", "1/2", "1", "3/2", "2", "3", "4", "6"]


@EVERY
def test_bits_per_value_are_the_width_in_storage(name: str):
    assert value("bits-per-value", name) == 8 * COMPUTE_DTYPES[name].bytes
    assert value("tensor-bytes", name, m=32, n=1) == 4 * value("bits-per-value", name)


def test_a_block_scale_is_half_a_bit():
    assert value("bits-per-value", "nvfp4") == Fraction(9, 2)


def test_range_of_bf16_and_fp32():
    assert value("float-max", "bf16") / value("float-max", "fp32") == Fraction(65536, 65793)
    assert value("float-min-normal", "bf16") == value("float-min-normal", "fp32") == Fraction(1, 2**126)
    assert value("float-min-subnormal", "bf16") / value("float-min-subnormal", "fp32") == 2**16


def test_bits_can_be_set(capsys):
    assert value("float-max", "fp16", e=8, m=7) == value("float-max", "bf16")
    assert main(["float-max", "--dtype", "e4m3"]) == 0
    shown = capsys.readouterr()
    assert "448" in shown.out
    assert "OFP8" in shown.out
    assert not shown.err


@EVERY
def test_the_command_line_has_nothing_to_note_where_only_the_bits_change(name: str, capsys):
    assert main(["float-epsilon", "--dtype", name]) == 0
    assert not capsys.readouterr().err


# ---- rounding ----


def test_rounding_is_to_the_nearest_value_and_ties_go_to_even():
    form = format_named("e2m1")
    values = list(form.values())
    for low, high in pairwise(range(len(values))):
        middle = (values[low] + values[high]) / 2
        even = values[low] if low % 2 == 0 else values[high]
        assert form.rounded(middle) == even
        assert form.rounded(middle - Fraction(1, 1000)) == values[low]
        assert form.rounded(middle + Fraction(1, 1000)) == values[high]
        assert form.rounded(-middle) == -even


@SMALL
def test_every_value_is_its_own_rounding(name: str):
    form = FORMATS[name]
    for code in range(0, form.finite, max(1, form.finite // 500)):
        assert form.rounded(form.decoded(code)) == form.decoded(code)


NUMBERS = st.fractions(min_value=Fraction(1, 10**9), max_value=50000)


@given(NUMBERS, st.sampled_from(["bf16", "fp16", "e5m2", "fp32", "tf32", "fp64"]))
def test_rounding_is_within_the_unit_roundoff(number: Fraction, name: str):
    form = FORMATS[name]
    error = abs(form.rounded(number) - number)
    assert error <= max(number * Fraction(1, 2 ** (form.mantissa + 1)), form.smallest / 2)


@given(NUMBERS)
def test_rounding_is_what_hardware_does(number: Fraction):
    assert float(format_named("fp64").rounded(number)) == number.numerator / number.denominator


def test_half_of_the_smallest_value_rounds_to_zero_and_more_does_not():
    for name, form in FORMATS.items():
        threshold = value("float-underflow", name)
        assert form.rounded(threshold) == 0
        assert form.rounded(threshold * Fraction(1001, 1000)) == form.smallest
    assert value("float-underflow", "fp16") == Fraction(1, 33554432) > Fraction(1, 10**8)
    assert format_named("fp16").rounded(Fraction(1, 10**8)) == 0
    assert format_named("bf16").rounded(Fraction(1, 10**8)) > 0
    assert format_named("fp16").rounded(Fraction(4, 10**8)) == Fraction(1, 2**24)  # below the smallest, yet not lost


def test_one_plus_a_thousandth_is_one_in_bf16():
    bf16 = format_named("bf16")
    assert bf16.rounded(1 + Fraction(1, 1000)) == 1
    assert bf16.rounded(1 + Fraction(1, 256)) == 1  # a tie goes to the even neighbour
    assert bf16.rounded(1 + Fraction(1001, 256000)) == Fraction(129, 128)
    assert format_named("fp16").rounded(1 + Fraction(1, 1000)) == 1 + Fraction(1, 1024)


@given(
    st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(1, 512), max_denominator=10**7), st.integers(128, 255)
)
def test_an_update_of_less_than_two_to_the_minus_nine_is_lost_in_bf16(share: Fraction, mantissa: int):
    weight = Fraction(mantissa, 128)
    if share < Fraction(1, 512):
        assert format_named("bf16").rounded(weight * (1 + share)) == weight
    for lost in (Fraction(1, 10**4), Fraction(1, 10**6)):
        assert format_named("bf16").rounded(weight * (1 - lost / 2)) == weight


@given(st.integers(128, 255), st.fractions(min_value=0, max_value=1, max_denominator=1000))
def test_a_second_moment_in_bf16_never_falls_at_a_beta_of_0_999(mantissa: int, square: Fraction):
    bf16, beta, moment = format_named("bf16"), Fraction(999, 1000), Fraction(mantissa, 128)
    change = (1 - beta) * (square / moment - 1)
    if change < 0 and mantissa > 128:  # just above a power of two the spacing below is half
        assert change >= -Fraction(1, 1000)
        assert bf16.rounded(moment * (1 + change)) == moment


def test_a_second_moment_in_bf16_grows_only_where_the_square_is_several_times_it():
    bf16, beta = format_named("bf16"), Fraction(999, 1000)

    def grown(ratio: Fraction, mantissa: int) -> bool:
        moment = Fraction(mantissa, 128)
        return bf16.rounded(moment * (1 + (1 - beta) * (ratio - 1))) > moment

    least, enough = 1 + Fraction(1, 512) / (1 - beta), 1 + Fraction(1, 256) / (1 - beta)
    assert (least, enough) == (1 + Fraction(125, 64), 1 + Fraction(125, 32))
    assert not any(grown(least - Fraction(1, 100), mantissa) for mantissa in range(128, 256))
    assert all(grown(enough + Fraction(1, 100), mantissa) for mantissa in range(128, 256))


def test_what_is_beyond_the_largest_value_is_refused():
    for form in FORMATS.values():
        assert form.rounded(form.largest) == form.largest
        with pytest.raises(DeriveError) as error:
            form.rounded(2 * form.largest)
        assert f"is beyond the largest {form.name} value, {form.largest}" in str(error.value)


def test_rules_for_special_values_matter():
    ieee = Format("e4m3 as IEEE would have it", 4, 3)
    assert (ieee.largest, format_named("e4m3").largest) == (240, 448)
    assert Format("e4m3 without specials", 4, 3, Specials.NONE).largest == 480


def test_an_unknown_format_is_named():
    with pytest.raises(UnknownName) as error:
        format_named("e4m2")
    assert str(error.value) == "unknown format 'e4m2': did you mean 'e4m3'?"
