"""Number formats: the largest and smallest values, the spacing and the count that the bits of a format give."""

from collections.abc import Mapping

from derive import Given, Line, Plan, Statement, dimensionless, formula, rational
from derive.formats import FORMATS, Format, Specials
from formulas.notation import notation_of

notation = notation_of("formats")
e, m, k, z = (notation.symbol(x) for x in "emkz")

BIAS = Line("x", "2^(e - 1) - 1", "the bias: half of the stored exponents are for values below 2")
LOWEST = "it is stored as 1: a stored 0 is for values without a leading one"


def chosen(plan: Plan) -> Format:
    """The format that the plan computes in."""
    return FORMATS[plan.recipe.compute.name]


def bits(plan: Plan) -> Mapping[str, Given]:
    """The bits of that format as values of their letters."""
    form = chosen(plan)
    found = {"e": form.exponent, "m": form.mantissa}
    if form.scale:
        found |= {"k": form.block, "z": FORMATS[form.scale].bits}
    return {letter: Given(value, f"{form.name}: {form.source}") for letter, value in found.items()}


# The largest significand and the largest exponent, by what a format gives up for infinities and NaN.
_LARGEST = {
    Specials.IEEE: ((2 - 2**-m) * 2 ** (2 ** (e - 1) - 1), "all ones, one exponent below the largest"),
    Specials.ONE_NAN: ((2 - 2 ** (1 - m)) * 2 ** (2 ** (e - 1)), "one below all ones at the largest exponent"),
    Specials.NONE: ((2 - 2**-m) * 2 ** (2 ** (e - 1)), "all ones at the largest exponent"),
}
# Codes of one sign that are no finite values.
_GIVEN_UP = {
    Specials.IEEE: 2**m,
    Specials.ONE_NAN: rational(1),
    Specials.NONE: rational(0),
}


@formula("x_max", unit=dimensionless, notation=notation, defaults=bits)
def float_max(plan):
    """Largest finite value of a number format (`--dtype`).

    Of e4m3 it is 448: OCP's format has no infinities and one NaN. Of nvfp4 it is that before a block's scale. Unit: 1.
    """
    specials = chosen(plan).specials
    amount, what = _LARGEST[specials]
    return Statement(amount, what, specials.value, by=(BIAS,))


@formula("x_min", unit=dimensionless, notation=notation, defaults=bits)
def float_min_normal():
    """Smallest positive value of a number format that has its full precision.

    Unit: 1.
    """
    return Statement(2 ** (2 - 2 ** (e - 1)), "one at the lowest exponent, 1 - x", LOWEST, by=(BIAS,))


@formula("x_sub", unit=dimensionless, notation=notation, defaults=bits)
def float_min_subnormal():
    """Smallest positive value of a number format: one unit in the last place at the lowest exponent.

    Unit: 1.
    """
    amount = 2 ** (2 - 2 ** (e - 1) - m)
    return Statement(amount, "the last bit of the mantissa at the lowest exponent, 1 - x", LOWEST, by=(BIAS,))


@formula("epsilon", unit=dimensionless, notation=notation, defaults=bits)
def float_epsilon():
    """Machine epsilon of a number format: the distance from 1 to the next value above.

    Rounding to nearest is wrong by at most half of it, the unit roundoff. Unit: 1.
    """
    return Statement(2**-m, "the last bit of the mantissa of 1")


@formula("x_0", unit=dimensionless, notation=notation, defaults=bits)
def float_underflow():
    """Largest value that rounds to zero in a number format: half of the smallest one.

    A tie goes to the even neighbour, which is zero. Unit: 1.
    """
    amount = 2 ** (1 - 2 ** (e - 1) - m)
    return Statement(amount, "half of the last bit of the mantissa at the lowest exponent, 1 - x", LOWEST, by=(BIAS,))


@formula("c", unit=dimensionless, notation=notation, defaults=bits)
def float_codes():
    """Bit patterns of a number format, whatever they mean.

    Unit: 1.
    """
    return Statement(2 ** (1 + e + m), "a sign, the exponent and the mantissa")


@formula("v", unit=dimensionless, notation=notation, defaults=bits)
def float_values(plan):
    """Distinct finite values of a number format: its codes without infinities, NaN and the second zero.

    Unit: 1.
    """
    specials = chosen(plan).specials
    rows = [Statement(2 ** (1 + e + m), "codes", "a sign, the exponent and the mantissa")]
    if _GIVEN_UP[specials] != 0:
        rows.append(Statement(-2 * _GIVEN_UP[specials], "infinities and NaN", specials.value))
    return (*rows, Statement(rational(-1), "the second zero", "+0 and -0 are one value"))


@formula("w", unit=dimensionless, notation=notation, defaults=bits)
def bits_per_value(plan):
    """Bits that storage takes for one value of a number format, its share of a block's scale included.

    Unit: 1.
    """
    form = chosen(plan)
    rows = [Statement(1 + e + m, "the value", "a sign, the exponent and the mantissa")]
    if form.scale:
        rows.append(Statement(z / k, "its share of the scale", f"{form.block} values share one {form.scale} value"))
    held = plan.recipe.compute.bytes * 8
    if not form.scale and held != form.bits:
        rows.append(Statement(rational(held - form.bits), "unused", f"{form.name} is held in {held} bits"))
    return tuple(rows)
