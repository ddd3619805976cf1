"""Floating-point formats by the bits of their parts: which values they have, and what rounding to them gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from derive.errors import DeriveError, unknown


class Specials(Enum):
    """What a format gives up for infinities and NaN, of the codes at the top of its range."""

    IEEE = "the largest exponent is for infinities and NaN"
    ONE_NAN = "the largest exponent has values, but all ones is NaN; there are no infinities"
    NONE = "every code is a value"


@dataclass(frozen=True, slots=True)
class Format:
    """A binary format: a sign, `exponent` bits with the bias 2^(exponent - 1) - 1, and `mantissa` bits.

    In a blocked format `block` values share one `scale`, the name of another format; values are those before scaling.
    """

    name: str
    exponent: int
    mantissa: int
    specials: Specials = Specials.IEEE
    block: int = 1
    scale: str = ""
    source: str = "IEEE 754-2019, table 3.5"

    @property
    def bits(self) -> int:
        """Bits of one value: the sign, the exponent, the mantissa."""
        return 1 + self.exponent + self.mantissa

    @property
    def finite(self) -> int:
        """Codes of one sign that are finite values, zero among them."""
        given_up = {Specials.IEEE: 2**self.mantissa, Specials.ONE_NAN: 1, Specials.NONE: 0}
        return 2 ** (self.exponent + self.mantissa) - given_up[self.specials]

    def decoded(self, code: int) -> Fraction:
        """The value of a code without its sign, 0 to `finite` - 1: exponent 0 has no implicit leading one."""
        field, fraction = divmod(code, 2**self.mantissa)
        significand = fraction + (2**self.mantissa if field else 0)
        return significand * Fraction(2) ** (max(field, 1) - (2 ** (self.exponent - 1) - 1) - self.mantissa)

    @property
    def largest(self) -> Fraction:
        """The largest finite value."""
        return self.decoded(self.finite - 1)

    @property
    def smallest(self) -> Fraction:
        """The smallest positive value, a subnormal one."""
        return self.decoded(1)

    def values(self) -> Iterator[Fraction]:
        """Every value that is not negative, upwards; only small formats are meant to be listed."""
        return map(self.decoded, range(self.finite))

    def rounded(self, value: Fraction | int) -> Fraction:
        """The value of the format that is nearest to `value`, of two the one whose last bit is 0 (IEEE's default).

        Raises `DeriveError` beyond the largest value.

        >>> bf16 = format_named("bf16")
        >>> bf16.rounded(1 + Fraction(1, 1000)) == 1, bf16.rounded(1 + Fraction(1, 100))
        (True, Fraction(129, 128))
        """
        exact = Fraction(value)
        if exact == 0:
            return exact
        size = abs(exact)
        exponent = size.numerator.bit_length() - size.denominator.bit_length()  # off by at most one
        exponent -= size < Fraction(2) ** exponent
        lowest = 2 - 2 ** (self.exponent - 1)  # of the normal values; below it the spacing stays
        spacing = Fraction(2) ** (max(exponent, lowest) - self.mantissa)
        nearest = round(size / spacing) * spacing  # a Fraction rounds half to even
        if nearest > self.largest:
            raise DeriveError(f"{exact} is beyond the largest {self.name} value, {self.largest}")
        return nearest if exact > 0 else -nearest


_OFP8 = "OCP 8-bit Floating Point Specification (OFP8), revision 1.0, 2023"
_MX = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023"

FORMATS = {
    each.name: each
    for each in (
        Format("fp64", 11, 52),
        Format("fp32", 8, 23),
        Format("tf32", 8, 10, source="NVIDIA A100 Tensor Core GPU Architecture whitepaper, 2020: held in 32 bits"),
        Format("bf16", 8, 7, source="Kalamkar et al. 2019, arXiv:1905.12322: the upper half of fp32"),
        Format("fp16", 5, 10),
        Format("e4m3", 4, 3, Specials.ONE_NAN, source=_OFP8),
        Format("e5m2", 5, 2, source=_OFP8),
        Format("e2m1", 2, 1, Specials.NONE, source=_MX),
        Format(
            "nvfp4", 2, 1, Specials.NONE, block=16, scale="e4m3",
            source="NVIDIA's NVFP4 (2025): blocks of 16 e2m1 values with one e4m3 scale",
        ),
    )
}  # fmt: skip


def format_named(name: str) -> Format:
    """The format of that name; `UnknownName` with the closest one.

    >>> str(format_named("e4m3").largest), str(format_named("e2m1").largest)
    ('448', '6')
    """
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]
