"""Huang et al. 2019 (GPipe): the bubble of a pipeline."""

from derive import Citation, claims
from formulas.parallelism import pipeline_bubble, pipeline_bubble_of_whole

huang2019 = Citation(
    key="huang2019",
    kind="paper",
    authors="Huang et al.",
    year=2019,
    title="GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism",
    locator="arXiv:1811.06965",
)

bubble = claims(
    huang2019, pipeline_bubble_of_whole, "section 2.3, bubble time, its K partitions and M micro-batches", form=True,
    rows={"": "(p - 1)/(m + p - 1)"},
    note="the paper writes it as an order of growth; as a share of the whole step it is exact",
)  # fmt: skip

mixed_up = claims(
    huang2019, pipeline_bubble, "section 2.3, read as a share of the ideal time", expected="refuted",
    rows={"": "(p - 1)/(m + p - 1)"},
    note="the share of the whole step; of the ideal time it is (p - 1)/m",
)  # fmt: skip
