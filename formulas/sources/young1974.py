"""Young 1974: how often to save, to first order."""

from derive import Citation, claims
from formulas.time import save_interval

young1974 = Citation(
    key="young1974",
    kind="paper",
    authors="Young",
    year=1974,
    title="A First Order Approximation to the Optimum Checkpoint Interval",
    locator="Communications of the ACM 17(9), pages 530-531",
)

optimum = claims(
    young1974, save_interval, "the first-order approximation, T_c = sqrt(2 T_s T_f)", rows={"": "sqrt(2*delta*tau)"}
)
