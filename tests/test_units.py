"""Units form a group, print as people say them, and refuse sums of different things."""

import subprocess
import sys
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import UnitError
from derive.units import (
    Unit,
    byte,
    device,
    dimensionless,
    dollar,
    flop,
    parameter,
    parse_unit,
    second,
    token,
    unit_of,
)

BASES = (byte, flop, token, parameter, device, second, dollar)
EXPONENTS = st.fractions(-20, 20, max_denominator=6)
UNITS = st.lists(st.tuples(st.sampled_from([base.powers[0][0] for base in BASES]), EXPONENTS)).map(
    lambda powers: Unit(tuple(powers))
)


@given(UNITS, UNITS, UNITS)
def test_units_form_a_commutative_group(a: Unit, b: Unit, c: Unit) -> None:
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert a * dimensionless == a
    assert a / a == dimensionless
    assert a / b == a * b**-1
    assert hash(a * b) == hash(b * a)


@given(UNITS, UNITS, EXPONENTS, EXPONENTS)
def test_powers_follow_their_laws(a: Unit, b: Unit, x: Fraction, y: Fraction) -> None:
    assert (a * b) ** x == a**x * b**x
    assert a ** (x + y) == a**x * a**y
    assert (a**x) ** y == a ** (x * y)


@given(st.lists(st.sampled_from(BASES), max_size=8), st.lists(st.sampled_from(BASES), max_size=8), st.integers(1, 9))
def test_text_of_a_unit_is_read_back(above: list[Unit], below: list[Unit], root: int) -> None:
    unit = dimensionless
    for factor in above:
        unit *= factor
    for factor in below:
        unit /= factor
    assert parse_unit(str(unit)) == unit
    assert parse_unit(str(unit ** Fraction(1, root))) == unit ** Fraction(1, root)


TEXTS = {
    "1": dimensionless,
    "byte": byte,
    "FLOP": flop,
    "token": token,
    "parameter": parameter,
    "device": device,
    "second": second,
    "dollar": dollar,
    "FLOP/token": flop / token,
    "FLOP/second/device": flop / device / second,
    "FLOP/token/parameter": flop / parameter / token,
    "dollar/second/device": dollar / second / device,
    "byte/second": byte / second,
    "1/second": second**-1,
    "byte*token^2/second^(1/2)": byte * token**2 / second ** Fraction(1, 2),
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str) -> None:
    assert str(TEXTS[text]) == text
    assert parse_unit(text) == TEXTS[text]


def test_other_ways_to_write_a_unit() -> None:
    assert parse_unit("FLOP/device/second") == parse_unit("1/second*FLOP/device") == flop / second / device
    assert parse_unit("byte/byte") == parse_unit("byte^0") == dimensionless
    assert str(Unit((("sequence", Fraction(-1)), ("FLOP", Fraction(1))))) == "FLOP/sequence"


FORM = "write it like FLOP/token, byte or FLOP/second/device"
UNREADABLE = {
    "flops": "unknown unit 'flops': did you mean 'FLOP'?",
    "byte/tokens": "unknown unit 'tokens': did you mean 'token'?",
    "": f"cannot read the unit '': {FORM}",
    "byte/": f"cannot read the unit 'byte/': {FORM}",
    "byte token": f"cannot read the unit 'byte token': {FORM}",
    "byte^2^2": f"cannot read the unit 'byte^2^2': {FORM}",
    "byte^9999": f"cannot read the unit 'byte^9999': {FORM}",
    "byte^(1/0)": f"cannot read the unit 'byte^(1/0)': {FORM}",
    "byte\n": f"cannot read the unit 'byte\\n': {FORM}",
    "/" * 5000: f"cannot read the unit '{'/' * 57}...': {FORM}",
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable_units(text: str) -> None:
    with pytest.raises(UnitError) as error:
        parse_unit(text)
    assert str(error.value) == UNREADABLE[text]


N, D, G, T, P, W, k, x, y = sympy.symbols("N D G T P W k x y", positive=True)
OF = {
    "N": parameter,
    "D": token,
    "G": device,
    "T": second,
    "P": flop / second / device,
    "W": byte / second,
    "k": flop / parameter / token,
    "x": dimensionless,
    "y": dimensionless,
}

EXPRESSIONS = [
    (sympy.Integer(0), dimensionless),
    (sympy.pi * sympy.Rational(1, 3), dimensionless),
    (7, dimensionless),
    (Fraction(1, 2), dimensionless),
    (k * N * D, flop),
    (k * N * D / (G * P), second),
    (k * N * D / (G * P) + T, second),
    (sympy.Max(k * N * D / (G * P), T), second),
    (sympy.Min(k * N * D / P, G * T), second * device),
    (sympy.Max(0, T - k * N * D / (G * P), evaluate=False), second),
    (sympy.ceiling(N / 3) + sympy.floor(2 * N), parameter),
    (sympy.sqrt(N * D), (parameter * token) ** Fraction(1, 2)),
    (N ** sympy.Rational(-2, 3), parameter ** Fraction(-2, 3)),
    (x**y + 2**x + sympy.log(N / N + x) + sympy.exp(x), dimensionless),
    (sympy.Add(0, 0, evaluate=False), dimensionless),
    (W * T * x, byte),
]


@pytest.mark.parametrize(("expression", "unit"), EXPRESSIONS)
def test_unit_of(expression: object, unit: Unit) -> None:
    assert unit_of(expression, OF) == unit


MISTAKES = [
    (N + D, "cannot add D (token) and N (parameter)"),
    (1 + D, "cannot add 1 (no unit) and D (token)"),
    (T * (N + x), "cannot add N (parameter) and x (no unit)"),
    (sympy.Max(T, N), "cannot compare N (parameter) and T (second)"),
    (sympy.Min(W, 2 * P, evaluate=False), "cannot compare W (byte/second) and 2*P (FLOP/second/device)"),
    (2**N, "an exponent has no unit: N (parameter) in 2**N"),
    (N**x, "cannot raise N (parameter) to x: it is not a rational number"),
    (sympy.log(N), "cannot take log of N (parameter)"),
    (sympy.Symbol("tokenz") * N, "no unit for a symbol: unknown symbol 'tokenz': known are N, D, G, T, P, W, k, x, y"),
    (sympy.sin(x), "no rule for the unit of sin in sin(x)"),
    (sympy.Eq(x, y), "no rule for the unit of Equality in Eq(x, y)"),
    (0.5, "no rule for the unit of float in 0.5"),
]


@pytest.mark.parametrize(("expression", "message"), MISTAKES)
def test_mistakes_name_terms_and_units(expression: object, message: str) -> None:
    with pytest.raises(UnitError) as error:
        unit_of(expression, OF)
    assert str(error.value) == message


def test_long_terms_are_abbreviated() -> None:
    names = [f"size_{i}" for i in range(40)]
    with pytest.raises(UnitError) as error:
        unit_of(sympy.Mul(*map(sympy.Symbol, names)) + N, dict.fromkeys(names, dimensionless) | {"N": parameter})
    assert len(str(error.value)) < 160


@given(st.lists(st.tuples(st.sampled_from(sorted(OF)), st.fractions(-3, 3, max_denominator=4)), max_size=6))
def test_unit_of_a_product_is_the_product_of_units(factors: list[tuple[str, Fraction]]) -> None:
    known = {"N": N, "D": D, "G": G, "T": T, "P": P, "W": W, "k": k, "x": x, "y": y}
    expression, unit = sympy.Integer(6), dimensionless
    for name, exponent in factors:
        expression *= known[name] ** sympy.Rational(exponent.numerator, exponent.denominator)
        unit *= OF[name] ** exponent
    assert unit_of(expression, OF) == unit
    assert unit_of(expression + 2 * expression, OF) == unit
    with pytest.raises(UnitError):
        unit_of(sympy.Add(expression, expression * N, evaluate=False), OF)


def test_neither_file_imports_sympy() -> None:
    code = "import sys, derive.units, derive.values; assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
