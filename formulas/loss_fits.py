"""Published coefficients of the loss law E + A/N^alpha + B/D^beta, each set as its source prints it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from derive import Given


@dataclass(frozen=True, slots=True)
class Fit:
    """One set of fitted coefficients; N in parameters, D in tokens, the loss in nats a token."""

    E: Fraction
    A: Fraction
    alpha: Fraction
    B: Fraction
    beta: Fraction
    source: str

    def given(self, *letters: str) -> Mapping[str, Given]:
        """The values of these letters with their source, as the defaults or the options of a quantity."""
        return {letter: Given(getattr(self, letter), self.source) for letter in letters}


def _fit(source: str, **coefficients: str) -> Fit:
    return Fit(source=source, **{name: Fraction(text) for name, text in coefficients.items()})


FITS = {
    "hoffmann2022-rounded": _fit(
        "Hoffmann et al. 2022, arXiv:2203.15556, equation 10",
        E="1.69", A="406.4", alpha="0.34", B="410.7", beta="0.28",
    ),
    # The paper's TeX source has log E, log A and log B to eight digits; these are their exponentials to nine.
    "hoffmann2022": _fit(
        "Hoffmann et al. 2022, arXiv:2203.15556, TeX source, as Besiroglu et al. 2024 quote it",
        E="1.69337368", A="406.401018", alpha="0.33917084", B="410.722827", beta="0.2849083",
    ),
    "besiroglu2024": _fit(
        "Besiroglu et al. 2024, arXiv:2404.10102, table 1",
        E="1.8172", A="482.01", alpha="0.3478", B="2085.43", beta="0.3658",
    ),
}  # fmt: skip
# The default: it fits the data, and agrees with the two other approaches of Hoffmann et al., 20 tokens a parameter.
USUAL = FITS["besiroglu2024"]
