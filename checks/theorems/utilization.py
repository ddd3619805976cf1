"""Utilization: MFU, HFU and 6N, what they share and where they differ."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

AGAIN = Letter("X", "FLOPs run again for the backward pass, for each trained token", kind="positive real", least=0)
theorem = partial(Theorem, topic="utilization", letters=(AGAIN, Letter("c", "factor", kind="positive real")))
mfu = partial(Of, "mfu", keep="F")
rho = Of("recompute-factor", about="gpt", keep="X F")
hfu = partial(Of, "hfu", keep="F", at={"rho": "rho"})
by_6n = Of("mfu-by-6n")

UTILIZATION = (
    theorem(
        "mfu-at-most-hfu",
        "MFU is never above HFU: what a plan runs again serves no model",
        "U <= H",
        {"U": mfu(), "rho": rho, "H": hfu()},
        equality={"X": 0},
    ),
    theorem(
        "hfu-over-mfu",
        "HFU over MFU is the recomputation factor, whatever the devices and the time",
        "H/U == rho",
        {"U": mfu(), "rho": rho, "H": hfu()},
    ),
    theorem(
        "full-recomputation-in-hfu",
        "where every forward product is run again, a third of the model's FLOPs, HFU is 4/3 of MFU",
        "H/U == 4/3",
        {"U": mfu(), "rho": rho, "H": hfu()},
        given=("X == F/3",),
    ),
    theorem(
        "mfu-inverse-to-devices",
        "at a fixed throughput c times the devices have a c-th of the MFU",
        "more == U/c",
        {"more": mfu(at={"G": "c*G"}), "U": mfu()},
    ),
    theorem(
        "mfu-in-proportion-to-throughput",
        "c times the batch in the same time is c times the MFU",
        "more == c*U",
        {"more": mfu(at={"B": "c*B"}), "U": mfu()},
    ),
    theorem(
        "weak-scaling-keeps-mfu",
        "c times the devices that do c times the batch in the same time keep the MFU",
        "more == U",
        {"more": mfu(at={"B": "c*B", "G": "c*G"}), "U": mfu()},
    ),
    theorem(
        "slower-is-lower",
        "a step that takes c times as long has a c-th of the MFU",
        "slower == U/c",
        {"slower": mfu(at={"T": "c*T"}), "U": mfu()},
    ),
    theorem(
        "mfu-at-most-one",
        "a step that takes at least the time of its FLOPs at the peak has an MFU of at most 1",
        "U <= 1",
        {"U": mfu()},
        given=("T >= F*B/(G*P)",),
        equality={"T": 1},
        needed={"T >= F*B/(G*P)": {"T": "1/2"}},
    ),
    theorem(
        "mfu-of-the-achieved",
        "the FLOP/s that a device achieves are its peak times the MFU",
        "Q == U*P",
        {"Q": Of("achieved-flops", keep="F"), "U": mfu()},
    ),
    theorem(
        "job-at-most-its-steps",
        "the MFU of a job, restarts and all, is never above that of its steps",
        "J <= U",
        {"J": Of("job-mfu", keep="F"), "U": mfu()},
        given=("u <= 1",),
        equality={"u": 1},
        needed={"u <= 1": {"u": 2}},
    ),
    theorem(
        "conventions-of-mfu",
        "MFU by 6N is MFU times 6N over the model's FLOPs for each token",
        "U_6 == U*6*N/F",
        {"U_6": by_6n, "U": mfu()},
    ),
    theorem(
        "six-n-understates",
        "where a token costs at least 6N FLOPs, MFU by 6N is never above MFU",
        "U_6 <= U",
        {"U_6": by_6n, "U": mfu()},
        given=("F >= 6*N",),
        witness={"F": 6},
        equality={"F": 6, "N": 1},
        needed={"F >= 6*N": {"F": 1}},
    ),
)
