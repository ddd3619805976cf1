"""Units as exponents of base names, and the unit of an expression: adding bytes to FLOPs is an error."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.errors import UnitError, unknown

# The order in which people say them: FLOP/second/device, FLOP/token/parameter. Other names follow, by the alphabet.
_READING = ("FLOP", "byte", "token", "parameter", "dollar", "second", "device", "hour")


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of base units with rational exponents, kept sorted by name and without zeros, so that == decides.

    >>> str(flop / (second * device)), str(second**-1), str(byte / byte), byte * token == token * byte
    ('FLOP/second/device', '1/second', '1', True)
    """

    powers: tuple[tuple[str, Fraction], ...] = ()

    def __post_init__(self) -> None:
        total: dict[str, Fraction] = {}
        for name, exponent in self.powers:
            total[name] = total.get(name, Fraction(0)) + exponent
        kept = tuple(sorted((name, exponent) for name, exponent in total.items() if exponent))
        object.__setattr__(self, "powers", kept)

    def __mul__(self, other: "Unit") -> "Unit":
        return Unit(self.powers + other.powers)

    def __truediv__(self, other: "Unit") -> "Unit":
        return self * other**-1

    def __pow__(self, exponent: int | Fraction) -> "Unit":
        exact = Fraction(exponent.numerator, exponent.denominator)  # not Fraction(exponent), which takes floats
        return Unit(tuple((name, own * exact) for name, own in self.powers))

    def __str__(self) -> str:
        said = sorted(self.powers, key=lambda power: (_READING.index(power[0]) if power[0] in _READING else 99, power))
        above = "*".join(_power_text(name, exponent) for name, exponent in said if exponent > 0)
        below = "".join("/" + _power_text(name, -exponent) for name, exponent in said if exponent < 0)
        return (above or "1") + below


def _power_text(name: str, exponent: Fraction) -> str:
    if exponent == 1:
        return name
    return f"{name}^{exponent}" if exponent.denominator == 1 else f"{name}^({exponent})"


def _base(name: str) -> Unit:
    return Unit(((name, Fraction(1)),))


dimensionless = Unit()
byte, flop, token, parameter = _base("byte"), _base("FLOP"), _base("token"), _base("parameter")
device, second, dollar = _base("device"), _base("second"), _base("dollar")
hour = _base("hour")  # a unit of its own, since devices are rented by it: 3600 second/hour is a number that is written

_FACTOR = re.compile(r"(?P<name>1|[A-Za-z]+)(?:\^(?:(?P<whole>[0-9]{1,3})|\((?P<ratio>[0-9]{1,3}/[1-9][0-9]{0,2})\)))?")
_SIGNS = {"*": 1, "/": -1}


def parse_unit(text: str) -> Unit:
    """The unit that `text` writes: base names with *, / (from left to right) and ^, or 1; what `str` of a unit gives.

    Raises UnitError, with the closest name where one is close.

    >>> parse_unit("FLOP/token") == flop / token, parse_unit("byte^(1/2)") == byte ** Fraction(1, 2)
    (True, True)
    >>> parse_unit("flops/token")
    Traceback (most recent call last):
    derive.errors.UnitError: unknown unit 'flops': did you mean 'FLOP'?
    """
    unit, place, sign = dimensionless, 0, 1
    while match := _FACTOR.match(text, place):
        if match["name"] not in ("1", *_READING):
            raise UnitError(str(unknown("unit", match["name"], _READING)))
        factor = dimensionless if match["name"] == "1" else _base(match["name"])
        unit *= factor ** (sign * Fraction(match["ratio"] or match["whole"] or 1))
        place = match.end()
        if place == len(text):
            return unit
        sign = _SIGNS.get(text[place], 0)
        if not sign:
            break
        place += 1
    shown = repr(text if len(text) <= 60 else text[:57] + "...")
    raise UnitError(f"cannot read the unit {shown}: write it like FLOP/token, byte or FLOP/second/device")


# ---- the unit of an expression ----
# Expressions are recognised by their class's name, so that this file costs no import of SymPy.

Units = Mapping[str, Unit]


def unit_of(expression: Any, units: Units) -> Unit:
    """The unit of a SymPy expression whose symbols have the given `units`, by name.

    Sums, Max and Min need one unit throughout (a term that is 0 fits any), exponents are pure, and rational where the
    base has a unit. Raises UnitError, which names the two terms and both units, the symbol, or the unknown function.

    >>> from sympy import symbols
    >>> N, D, W = symbols("N D W")
    >>> units = {"N": parameter, "D": token, "W": byte / second}
    >>> str(unit_of(6 * N * D, units | {"N": flop / token}))
    'FLOP'
    >>> unit_of(N + D, units)
    Traceback (most recent call last):
    derive.errors.UnitError: cannot add D (token) and N (parameter)
    """
    for ancestor in type(expression).__mro__:
        if rule := _RULES.get(ancestor.__name__):
            return rule(expression, units)
    raise UnitError(f"no rule for the unit of {type(expression).__name__} in {_brief(expression)}")


def _brief(expression: Any) -> str:
    text = " ".join(str(expression).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _with_unit(term: Any, unit: Unit) -> str:
    return f"{_brief(term)} ({unit if unit.powers else 'no unit'})"


def _pure(_expression: Any, _units: Units) -> Unit:
    return dimensionless


def _symbol(expression: Any, units: Units) -> Unit:
    if expression.name not in units:
        raise UnitError(f"no unit for a symbol: {unknown('symbol', expression.name, units)}")
    return units[expression.name]


def _agreeing(verb: str) -> Callable[[Any, Units], Unit]:
    def rule(expression: Any, units: Units) -> Unit:
        found = [(term, unit_of(term, units)) for term in expression.args if term != 0]
        if not found:
            return dimensionless
        (first, unit), *others = found
        for term, other in others:
            if other != unit:
                raise UnitError(f"cannot {verb} {_with_unit(first, unit)} and {_with_unit(term, other)}")
        return unit

    return rule


def _product(expression: Any, units: Units) -> Unit:
    return Unit(tuple(power for factor in expression.args for power in unit_of(factor, units).powers))


def _raised(expression: Any, units: Units) -> Unit:
    base, exponent = expression.args
    unit, of_exponent = unit_of(base, units), unit_of(exponent, units)
    if of_exponent != dimensionless:
        raise UnitError(f"an exponent has no unit: {_with_unit(exponent, of_exponent)} in {_brief(expression)}")
    if unit == dimensionless:
        return unit
    if not exponent.is_Rational:
        raise UnitError(f"cannot raise {_with_unit(base, unit)} to {_brief(exponent)}: it is not a rational number")
    return unit ** Fraction(int(exponent.p), int(exponent.q))


def _passed(expression: Any, units: Units) -> Unit:
    return unit_of(expression.args[0], units)


def _of_pure(expression: Any, units: Units) -> Unit:
    argument = expression.args[0]
    if (unit := unit_of(argument, units)) != dimensionless:
        raise UnitError(f"cannot take {type(expression).__name__} of {_with_unit(argument, unit)}")
    return dimensionless


_RULES: dict[str, Callable[[Any, Units], Unit]] = {
    "Add": _agreeing("add"),
    "Max": _agreeing("compare"),
    "Min": _agreeing("compare"),
    "Mul": _product,
    "Pow": _raised,
    "ceiling": _passed,
    "floor": _passed,
    "Abs": _passed,
    "log": _of_pure,
    "exp": _of_pure,
    "Symbol": _symbol,
    "Number": _pure,
    "NumberSymbol": _pure,
    "int": _pure,
    "Fraction": _pure,
}
