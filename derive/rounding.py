"""Exact values rounded to so many significant digits, half to even, in whole numbers throughout."""

from fractions import Fraction


def magnitude(value: Fraction) -> int:
    """The e with 10^e <= value < 10^(e+1), for a positive value."""
    # 0.30103 is log10(2): a guess from the lengths, off by at most a few.
    guess = (value.numerator.bit_length() - value.denominator.bit_length()) * 30103 // 100000
    while Fraction(10) ** guess > value:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= value:
        guess += 1
    return guess


def rounded(value: Fraction, digits: int = 4) -> tuple[int, int]:
    """The whole number of so many `digits` and the exponent of its first digit, for a value that is not negative."""
    if value == 0:
        return 0, 0
    exponent = magnitude(value)
    coefficient = round(value / Fraction(10) ** (exponent - digits + 1))  # a Fraction rounds half to even, exactly
    return (coefficient // 10, exponent + 1) if coefficient == 10**digits else (coefficient, exponent)


def after_rounding(value: Fraction) -> Fraction:
    """What is left of a positive value in four significant digits."""
    coefficient, exponent = rounded(value)
    return coefficient * Fraction(10) ** (exponent - 3)


def round_significant(value: Fraction | int, digits: int = 4) -> str:
    """`value` in plain decimals, rounded half to even to so many significant `digits`; zeros at the end stay.

    Exact for every size; zero is "0". Raises ValueError for fewer than one digit.

    >>> [round_significant(value) for value in (Fraction(70553706496, 10**9), 1000, Fraction(1, 3), 123456, -2)]
    ['70.55', '1000', '0.3333', '123500', '-2.000']
    """
    if digits < 1:
        raise ValueError(f"a number is rounded to at least one digit: got {digits}")
    value = Fraction(value.numerator, value.denominator)  # not Fraction(value), which would let floats in
    if value == 0:
        return "0"
    coefficient, exponent = rounded(abs(value), digits)
    figures = str(coefficient).rjust(digits - min(exponent, 0), "0").ljust(exponent + 1, "0")
    point = max(exponent, 0) + 1
    sign = "-" if value < 0 else ""
    return f"{sign}{figures[:point]}.{figures[point:]}" if figures[point:] else sign + figures
