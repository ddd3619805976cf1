"""Glorot and Bengio 2010: the variance of weights between what the forward and the backward pass would keep."""

from derive import Citation, claims
from formulas.init import xavier_scale

glorot2010 = Citation(
    key="glorot2010",
    kind="paper",
    authors="Glorot and Bengio",
    year=2010,
    title="Understanding the difficulty of training deep feedforward neural networks",
    locator="AISTATS 2010, PMLR 9:249-256",
)

normalised = claims(
    glorot2010, xavier_scale, "equation 12, Var[W] = 2/(n_i + n_{i+1}), its root", rows={"": "sqrt(2/(d_in + d_out))"}
)
