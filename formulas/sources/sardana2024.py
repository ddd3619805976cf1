"""Sardana et al. 2024: compute of training and of serving together."""

from derive import Citation, claims
from formulas.scaling import lifetime_flops

sardana2024 = Citation(
    key="sardana2024",
    kind="paper",
    authors="Sardana et al.",
    year=2024,
    title="Beyond Chinchilla-Optimal: Accounting for Inference in Language Model Scaling Laws",
    locator="arXiv:2401.00448",
)

compute = claims(
    sardana2024, lifetime_flops, "section 2, the objective, 6 N D_tr + 2 N D_inf", rows={"": "6*N*D + 2*N*z"}
)
