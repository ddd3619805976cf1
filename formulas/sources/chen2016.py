"""Chen et al. 2016: recomputing a network segment by segment."""

from derive import Citation, claims
from formulas.recompute import checkpoint_interval, checkpointed_bytes

chen2016 = Citation(
    key="chen2016",
    kind="paper",
    authors="Chen et al.",
    year=2016,
    title="Training Deep Nets with Sublinear Memory Cost",
    locator="arXiv:1604.06174",
)

interval = claims(
    chen2016, checkpoint_interval, "the O(sqrt(n)) algorithm: k = sqrt(n) segments of n/k layers", given={"A": "c"},
    rows={"": "L/sqrt(L)"}, note="where a layer's interior takes what a boundary takes",
)  # fmt: skip

kept = claims(
    chen2016, checkpointed_bytes, "the O(sqrt(n)) algorithm: n/k + k layers' outputs", given={"A": "c"},
    rows={"": "(L/k_s + k_s)*c"}, expected="refuted",
    note="as an order of growth it holds; exactly, the input of the segment that is run again is counted twice",
)  # fmt: skip
