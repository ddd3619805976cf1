"""Radford et al. 2019 (GPT-2): how the weights of residual layers are scaled."""

from derive import Citation, claims
from formulas.init import residual_scale

radford2019 = Citation(
    key="radford2019",
    kind="paper",
    authors="Radford et al.",
    year=2019,
    title="Language Models are Unsupervised Multitask Learners",
    locator="OpenAI technical report",
)

residual = claims(
    radford2019, residual_scale, "section 2.3, 1/sqrt(N) for N residual layers: two in each of L blocks",
    rows={"": "1/sqrt(2*L)"},
)  # fmt: skip
