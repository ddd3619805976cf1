"""Muennighoff et al. 2023: what repeated data is worth."""

from derive import Citation, claims
from formulas.scaling import effective_tokens

muennighoff2023 = Citation(
    key="muennighoff2023",
    kind="paper",
    authors="Muennighoff et al.",
    year=2023,
    title="Scaling Data-Constrained Language Models",
    locator="arXiv:2305.16264",
)

effective = claims(
    muennighoff2023, effective_tokens, "section 3.1, D' with its R_D = D/U_D - 1",
    rows={"": "U + U*r*(1 - 1/e^((D/U - 1)/r))"},
)  # fmt: skip

four_epochs = claims(
    muennighoff2023, effective_tokens, "abstract: up to 4 epochs are nearly as good as unique data, as an equality",
    given={"D": "4*U", "r": "3", "e": "2"}, expected="refuted", rows={"": "D"},
    note="shown in whole numbers; at its r = 15.39 and Euler's e they are worth 3.726 U: nearly, not equal",
)  # fmt: skip
