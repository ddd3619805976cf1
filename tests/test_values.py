"""Values are read exactly or refused in one line, and shown as decimal arithmetic rounds them."""

import time
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import UnknownName, ValueTextError
from derive.values import LARGEST, Value, parse_positive_integer, parse_value, round_significant, show

EXAMPLES = "write it like 7B, 4Mi, 2^22, 989e12, 80GB, 30d, 40% or 1_000"

READ = {
    "0": (0, None),
    "-0": (0, None),
    "1_000_000": (10**6, None),
    "7B": (7 * 10**9, None),
    "100B": (10**11, None),
    "15T": (15 * 10**12, None),
    "3K": (3000, None),
    "3k": (3000, None),
    "1.5M": (1500000, None),
    "4Ki": (4096, None),
    "4Mi": (4 * 2**20, None),
    "4Gi": (4 * 2**30, None),
    "4Ti": (4 * 2**40, None),
    "2^22": (2**22, None),
    "0^3": (0, None),
    "1^99999999999999999999": (1, None),
    "989e12": (989 * 10**12, None),
    "9.89E+14": (989 * 10**12, None),
    "1e-3": (Fraction(1, 1000), None),
    "1e40": (10**40, None),
    "-1e40": (-(10**40), None),
    "10^40": (10**40, None),
    "0e9999999999": (0, None),
    "0.4": (Fraction(2, 5), None),
    "40%": (Fraction(2, 5), None),
    "-2.5%": (Fraction(-1, 40), None),
    "80kB": (80 * 10**3, "byte"),
    "80MB": (80 * 10**6, "byte"),
    "80GB": (80 * 10**9, "byte"),
    "80TB": (80 * 10**12, "byte"),
    "80PB": (80 * 10**15, "byte"),
    "70KiB": (70 * 2**10, "byte"),
    "70MiB": (70 * 2**20, "byte"),
    "70GiB": (70 * 2**30, "byte"),
    "70TiB": (70 * 2**40, "byte"),
    "70PiB": (70 * 2**50, "byte"),
    "4.5s": (Fraction(9, 2), "second"),
    "3min": (180, "second"),
    "5h": (18000, "second"),
    "30d": (2592000, "second"),
}

REFUSED = {
    "": "'': it is empty",
    "1,000": "'1,000': a comma is ambiguous",
    " 5": "' 5': it has a space in it",
    "80 GB": "'80 GB': it has a space in it",
    "7B\n": "'7B\\n': it has a space in it",
    "+5": "'+5': a number has no plus sign",
    "7b": "'7b': unknown suffix 'b', did you mean B?",
    "5m": "'5m': unknown suffix 'm', did you mean M?",
    "64KB": "'64KB': unknown suffix 'KB', did you mean kB?",
    "80G": "'80G': unknown suffix 'G', did you mean Gi or GB or GiB?",
    "5parsecs": "'5parsecs': unknown suffix 'parsecs'",
    "1e": "'1e': unknown suffix 'e'",
    "10^10^10": "'10^10^10': a power has one exponent",
    "2^22B": "'2^22B': a power is of two whole numbers, without sign or suffix",
    "-2^2": "'-2^2': a power is of two whole numbers, without sign or suffix",
    "0^0": "'0^0': 0^0 has no value",
    "10^41": "'10^41': it is above 10^40",
    "99999999999^99999999999": "'99999999999^99999999999': it is above 10^40",
    "1e41": "'1e41': it is above 10^40",
    "-1e999999999": "'-1e999999999': it is above 10^40",
    "1e-999999999": "'1e-999999999': it is below 10^-40",
    "9" * 5000: "'999...' (5000 characters): it is above 10^40",
    "x" * 61: "'xxx...' (61 characters): it is too long",
    **{
        text: f"{text!r}: it is not a number"
        for text in ("abc", "nan", "inf", "0x10", "1__0", "_1", "1_", "1.", ".5", "١")
    },
    "\udc80\x1b": "'\\udc80\\x1b': it is not a number",
}


@pytest.mark.parametrize("text", READ)
def test_read_exactly(text: str) -> None:
    number, unit = READ[text]
    assert parse_value(text) == Value(Fraction(number), unit)


@pytest.mark.parametrize("text", REFUSED)
def test_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueTextError) as error:
        parse_value(text)
    assert str(error.value) == f"cannot read {REFUSED[text]}; {EXAMPLES}"


def test_nothing_large_is_ever_computed() -> None:
    start = time.perf_counter()
    for text in ("10^10^10", f"{'9' * 28}^{'9' * 28}", "1e" + "9" * 50, "1e-" + "9" * 50, "9" * 10**6, "1_" * 10**6):
        with pytest.raises(ValueTextError):
            parse_value(text)
    assert time.perf_counter() - start < 0.5


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse_value(text)
    except ValueTextError as error:
        message = str(error)
    else:
        message = "read"
        assert abs(value.number) <= LARGEST
        assert text.isascii()
    assert len(message.splitlines()) == 1


@given(st.integers(-LARGEST, LARGEST))
def test_integers_are_read_back(number: int) -> None:
    assert parse_value(str(number)) == parse_value(f"{number:_}") == Value(Fraction(number), None)


@given(st.decimals(-(10**20), 10**20, places=9))
def test_decimals_are_read_back(number: Decimal) -> None:
    assert parse_value(f"{number:f}").number == parse_value(f"{number:.30e}").number == Fraction(number)


@given(st.integers(0, 10**9), st.integers(0, 40))
def test_powers_are_read_back_or_too_large(base: int, exponent: int) -> None:
    text = f"{base}^{exponent}"
    if base == exponent == 0 or base**exponent > LARGEST:
        with pytest.raises(ValueTextError):
            parse_value(text)
    else:
        assert parse_value(text).number == base**exponent


@given(st.integers(0, 10**6), st.integers(0, 999))
def test_suffixes_agree_with_one_another(whole: int, part: int) -> None:
    number = f"{whole}.{part:03}"
    same = [(f"{number}k", f"{whole * 1000 + part}"), (f"{number}B", f"{number}e9"), (f"{number}%", f"{number}e-2")]
    same += [(f"{number}TB", f"{number}e9kB"), (f"{number}Gi", f"{whole * 1000 + part}e-3Gi")]
    same += [(f"{whole}d", f"{24 * whole}h"), (f"{whole}h", f"{60 * whole}min"), (f"{whole}GiB", f"{1024 * whole}MiB")]
    assert [parse_value(left) for left, _ in same] == [parse_value(right) for _, right in same]


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("1e3", 1000), ("4Ki", 4096), ("1.5K", 1500), ("2^22", 2**22), ("1e40", 10**40)]
)
def test_positive_integers(text: str, number: int) -> None:
    assert parse_positive_integer(text, "s") == number


NOT_POSITIVE = ["0", "-1", "1.5", "abc", "", "5h", "80GB", "100%", " 5", "5 ", "5\u2003", "+5", "0x10", "nan", "inf"]
NOT_POSITIVE += ["1e-3", "١", "²", "1,000", "10^10^10", "-1e40"]


@pytest.mark.parametrize("text", NOT_POSITIVE)
def test_not_a_positive_integer(text: str) -> None:
    with pytest.raises(ValueTextError) as error:
        parse_positive_integer(text, "s")
    assert str(error.value) == f"s must be a positive integer: got {text!r}"


@pytest.mark.parametrize(
    ("text", "shown"), [("1" * 5000, "'111...' (5000 characters)"), ("1e41", "'1e41'"), ("2^200", "'2^200'")]
)
def test_too_large_an_integer(text: str, shown: str) -> None:
    with pytest.raises(ValueTextError) as error:
        parse_positive_integer(text, "s")
    assert str(error.value) == f"s must be a positive integer of at most 10^40: got {shown}"


@given(st.integers(-(10**25), 10**25), st.integers(-30, 30), st.integers(1, 12))
def test_rounding_is_that_of_decimal(coefficient: int, exponent: int, digits: int) -> None:
    exact = Decimal(coefficient).scaleb(exponent)
    expected = Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(exact)
    text = round_significant(Fraction(exact), digits)
    assert Decimal(text) == expected
    if coefficient:
        figures = text.lstrip("-0.").replace(".", "")
        assert len(figures) == max(digits, expected.adjusted() + 1)
        assert "e" not in text.lower()


def test_rounding_by_brute_force() -> None:
    context = Context(prec=3, rounding=ROUND_HALF_EVEN)
    for number in range(1, 20001):
        assert Decimal(round_significant(Fraction(number, 10), 3)) == context.plus(Decimal(number) / 10), number


@given(st.fractions(min_value=Fraction(1, 10**9)), st.integers(1, 8))
def test_rounding_is_idempotent_and_near(value: Fraction, digits: int) -> None:
    text = round_significant(value, digits)
    assert round_significant(Fraction(text), digits) == text
    assert abs(Fraction(text) - value) * 2 * 10 ** (digits - 1) <= value


def test_rounding_examples() -> None:
    examples = {
        "2.869": Fraction(2868936704, 10**9),
        "70.55": Fraction(70553706496, 10**9),
        "449.2": Fraction(4492, 10),
    }
    examples |= {"1000": Fraction(99995, 100), "0.3333": Fraction(1, 3), "123500": Fraction(123456), "0": Fraction(0)}
    examples |= {"2.998": Fraction(29985, 10**4), "3.000": Fraction(29995, 10**4), "-2.000": Fraction(-2)}
    assert [round_significant(value) for value in examples.values()] == list(examples)
    assert round_significant(10**5000 + 1) == "1" + "0" * 5000
    with pytest.raises(ValueError, match="a number is rounded to at least one digit: got 0"):
        round_significant(1, 0)


SHOWN = [
    (2868936704, "byte", "2.869 GB (2.672 GiB)"),
    (0, "byte", "0 B"),
    (24, "byte", "24 B"),
    (999, "byte", "999 B"),
    (1010, "byte", "1.010 kB (1010 B)"),
    (999949, "byte", "999.9 kB (976.5 KiB)"),
    (999950, "byte", "1.000 MB (976.5 KiB)"),
    (10**40, "byte", "1.000e40 B"),
    (-2868936704, "byte", "-2.869 GB (-2.672 GiB)"),
    (Fraction(1, 2), "byte/parameter", "0.5000 B/parameter"),
    (327680, "byte/token", "327.7 kB/token (320.0 KiB/token)"),
    (335 * 10**10, "byte/second", "3.350 TB/s (3.047 TiB/s)"),
    (449226473472, "FLOP", "449.2 GFLOP"),
    (449226473472, "FLOP/token", "449.2 GFLOP/token"),
    (989 * 10**12, "FLOP/second/device", "989.0 TFLOP/s/device"),
    (635 * 10**22, "FLOP", "6.350e24 FLOP"),
    (70553706496, "parameter", "70.55B parameters"),
    (768, "parameter", "768 parameters"),
    (1, "parameter", "1 parameter"),
    (15 * 10**12, "token", "15.00T tokens"),
    (999950, "token", "1.000M tokens"),
    (16384, "device", "16384 devices"),
    (Fraction(372, 100), "second", "3.720 s"),
    (120, "second", "120 s"),
    (Fraction(241, 2), "second", "2.008 minutes (120.5 s)"),
    (8000, "second", "2.222 hours (8000 s)"),
    (16675200, "second", "193.0 days (16675200 s)"),
    (Fraction(166752003, 10), "second", "193.0 days (16675200.3 s)"),
    (10**30, "second", "1.157e25 days (1.000e30 s)"),
    (Fraction(1, 10**6), "second", "1.000e-6 s"),
    (1234000, "dollar", "$1.234M"),
    (-1234000, "dollar", "-$1.234M"),
    (Fraction(5, 2), "dollar", "$2.500"),
    (0, "1", "0"),
    (34, "1", "34"),
    (999999, "1", "999999"),
    (1234567, "1", "1.235e6"),
    (2 * 10**6, "1", "2e6"),
    (Fraction(2, 5), "1", "0.4"),
    (Fraction(40001, 10**5), "1", "0.4000"),
    (Fraction(-4, 3), "1", "-1.333"),
    (Fraction(1, 4), "1/second", "0.25/s"),
    (1234567, "joule/token", "1.235e6 joule/token"),
    (12, "byte^2", "12 byte^2"),
]


@pytest.mark.parametrize(("value", "unit", "text"), SHOWN)
def test_shown(value: Fraction | int, unit: str, text: str) -> None:
    assert show(value, unit) == text


def test_shown_in_binary_prefixes_first() -> None:
    assert show(2868936704, "byte", "iec") == "2.672 GiB (2.869 GB)"
    assert show(1010, "byte", "iec") == "1010 B (1.010 kB)"
    assert show(1048535, "byte", "iec") == "1.000 MiB (1.049 MB)"
    assert show(449226473472, "FLOP", "iec") == "449.2 GFLOP"
    with pytest.raises(UnknownName, match="unknown system of units 'sii': did you mean 'si'"):
        show(1, "byte", "sii")  # pyright: ignore[reportArgumentType]


@given(st.fractions(1, 10**17))
def test_what_is_shown_reads_back_as_what_was_rounded(value: Fraction) -> None:
    texts = show(value, "byte").rstrip(")").split(" (")
    readable = [parse_value(text.replace(" B", "").replace(" ", "")) for text in texts]
    readable.append(parse_value(show(min(value, Fraction(10**14)), "parameter").split()[0]))
    exact = [value] * len(texts) + [min(value, Fraction(10**14))]
    for read, given_value in zip(readable, exact, strict=True):
        assert abs(read.number - given_value) * 2000 <= given_value
