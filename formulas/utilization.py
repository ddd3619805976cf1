"""How much of what devices could do at their peak serves the model: MFU and its conventions."""

from dataclasses import dataclass
from fractions import Fraction

from derive import Statement, device, dimensionless, flop, formula, second
from formulas.flops import dense_flops_per_token, flops_per_token
from formulas.notation import notation_of
from formulas.recompute import recompute_factor
from formulas.scaling import training_flops

notation = notation_of("utilization")
F, B, T, G, P, Q, C, eta, rho, u = (
    notation.symbol(x) for x in ("F", "B", "T", "G", "P", "Q", "C", "eta", "rho", "u")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Anchor:
    """A utilization that a source reports, to compare one's own with; `counted` says whether it is an MFU or an HFU."""

    run: str
    counted: str
    low: Fraction
    high: Fraction
    source: str


# Recomputed products count in the first: its FLOP formula has a fourth pass, so three quarters of it are model FLOPs.
ANCHORS = (
    Anchor(
        "GPT with 1.008e12 parameters on 3072 A100", "HFU", Fraction("0.52"), Fraction("0.52"),
        "Narayanan et al. 2021, arXiv:2104.04473, table 1: 163 TFLOP/s of 312, recomputation counted",
    ),
    Anchor(
        "PaLM 540B on 6144 TPU v4", "MFU", Fraction("0.462"), Fraction("0.462"),
        "Chowdhery et al. 2022, arXiv:2204.02311, section 4.1",
    ),
    Anchor(
        "PaLM 540B on 6144 TPU v4", "HFU", Fraction("0.578"), Fraction("0.578"),
        "Chowdhery et al. 2022, arXiv:2204.02311, section 4.1",
    ),
    Anchor(
        "Llama 3 405B on 8192 to 16384 H100", "MFU", Fraction("0.38"), Fraction("0.43"),
        "Grattafiori et al. 2024, arXiv:2407.21783, table 4: 43% on 8192, 41% on 16384, 38% at 131072 tokens",
    ),
)  # fmt: skip

# Rules of thumb for an MFU: they differ, and are shown with their sources, not as truths.
RULES = (
    Anchor("usual", "MFU", Fraction("0.3"), Fraction("0.5"), "the pocket calculator, 0.35 as a first guess"),
    Anchor("usual", "MFU", Fraction("0.4"), Fraction("0.55"), "the lecture, good from 0.5, very good at 0.6"),
    Anchor("good", "MFU", Fraction("0.4"), Fraction(1), "the train-ledger article, a fault to look for below 0.3"),
)


@formula("Q", unit=flop / second / device, notation=notation, letters={"F": (flops_per_token, dense_flops_per_token)})
def achieved_flops():
    """FLOP/s of each device that serve the model, from the time of one step.

    What logs print as TFLOP/s per device, with model FLOPs: recomputation does not raise it. Unit: FLOP/second/device.
    """
    return Statement(F * B / (T * G), "model FLOPs of a step, over its time and its devices")


@formula("eta", unit=dimensionless, notation=notation, letters={"Q": achieved_flops})
def mfu():
    """Model FLOPs utilization: what devices do for the model over what they could do at their peak.

    `--set Q=430e12` in place of a step's time. Source of the definition: Chowdhery et al. 2022, appendix B. Unit: 1.
    """
    return Statement(Q / P, "achieved over peak")


@formula("eta", unit=dimensionless, notation=notation, letters={"F": dense_flops_per_token})
def mfu_by_6n():
    """Utilization by the convention 6N, whatever the model: no attention, tables and norms counted as products.

    Unit: 1.
    """
    return Statement(F * B / (T * G * P), "6N for each token of a step, over the step's peak")


@formula("eta_hw", unit=dimensionless, notation=notation, letters={"eta": mfu, "rho": recompute_factor})
def hfu():
    """Hardware FLOPs utilization: MFU with the products counted that the plan computes again.

    Unit: 1.
    """
    return Statement(eta * rho, "all that the hardware computes")


@formula("eta_job", unit=dimensionless, notation=notation, letters={"eta": mfu})
def job_mfu():
    """Model FLOPs utilization of a whole job: MFU times the share of the elapsed time that advances it.

    Restarts, repeated steps and saving are the rest of the time. Unit: 1.
    """
    return Statement(eta * u, "the useful share of it")


@formula("Q_job", unit=flop / second / device, notation=notation, letters={"C": training_flops})
def job_flops():
    """FLOP/s of each device over a whole job: all model FLOPs over all elapsed time, restarts included.

    Unit: FLOP/second/device.
    """
    return Statement(C / (T * G), "model FLOPs of the run, over all time and all devices")
