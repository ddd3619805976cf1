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
