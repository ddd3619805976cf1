"""He et al. 2015: the variance of weights that keeps a signal through rectifiers."""

from derive import Citation, claims
from formulas.init import relu_scale

he2015 = Citation(
    key="he2015",
    kind="paper",
    authors="He et al.",
    year=2015,
    title="Delving Deep into Rectifiers: Surpassing Human-Level Performance on ImageNet Classification",
    locator="arXiv:1502.01852",
)

rectified = claims(
    he2015, relu_scale, "equation 10, n_l Var[w_l]/2 = 1: standard deviation sqrt(2/n_l)", rows={"": "sqrt(2/d)"}
)
