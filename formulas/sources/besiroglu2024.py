"""Besiroglu et al. 2024: Chinchilla's loss law fitted again, to data read off its plots."""

from derive import Citation, claims
from formulas.scaling import parametric_loss

besiroglu2024 = Citation(
    key="besiroglu2024",
    kind="paper",
    authors="Besiroglu et al.",
    year=2024,
    title="Chinchilla Scaling: A Replication Attempt",
    locator="arXiv:2404.10102",
)

loss = claims(
    besiroglu2024, parametric_loss, "equation 1", rows={"": "E + A/N^alpha + B/D^beta"},
    note="the form of Hoffmann et al. 2022 with other coefficients: E 1.8172, A 482.01, alpha 0.3478, B 2085.43, "
    "beta 0.3658",
)  # fmt: skip
