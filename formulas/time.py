"""How long a training run takes on so many devices, what that costs, and how often it should save its state."""

from fractions import Fraction

from derive import (
    Constant,
    Line,
    Statement,
    ceil,
    device,
    dimensionless,
    dollar,
    flop,
    formula,
    hour,
    second,
    sqrt,
    token,
)
from formulas.flops import dense_flops_per_token, flops_per_token
from formulas.notation import notation_of
from formulas.scaling import training_flops

notation = notation_of("time")
B, C, D, F, G, H, P, R, T, eta, delta, tau, x = (
    notation.symbol(name) for name in ("B", "C", "D", "F", "G", "H", "P", "R", "T", "eta", "delta", "tau", "x")
)  # fmt: skip

EACH_TOKEN = {"F": (flops_per_token, dense_flops_per_token)}
HOUR = Constant("seconds in an hour", Fraction(3600), second / hour, "definition")
DALY = "Daly 2006, Future Generation Computer Systems 22(3), equation 37"
FIRST = Constant("first-order coefficient of the expansion", Fraction(1, 3), dimensionless, DALY)
SECOND = Constant("second-order coefficient of the expansion", Fraction(1, 9), dimensionless, DALY)


@formula("T", unit=second, notation=notation, letters=EACH_TOKEN)
def step_time():
    """Wall-clock time of one step of B tokens; at eta = 1 no step can be faster.

    Unit: second.
    """
    return Statement(F * B / (G * P * eta), "FLOPs of a step over what the devices do in a second")


@formula("n_steps", unit=dimensionless, notation=notation)
def steps():
    """Optimizer steps of a run: a last batch that is not full is a step too.

    Unit: 1.
    """
    return Statement(ceil(D / B), "tokens over tokens a step, rounded up")


@formula("T", unit=second, notation=notation, letters={"C": training_flops})
def training_time():
    """Wall-clock time of a training run, at one utilization throughout.

    Unit: second.
    """
    return Statement(C / (G * P * eta), "all FLOPs over what the devices do in a second")


@formula("H", unit=device * hour, notation=notation, letters={"T": training_time}, constants=(HOUR,))
def gpu_hours():
    """Device-hours of a training run: at one utilization, the same on however many devices.

    Unit: device*hour.
    """
    return Statement(G * T / HOUR.number, "devices times hours", each=hour / second)


@formula("K", unit=dollar, notation=notation, letters={"H": gpu_hours})
def cost():
    """Price of a training run, at a price for each device and hour.

    Unit: dollar.
    """
    return Statement(R * H, "price times device-hours")


@formula("v_token", unit=token / second, notation=notation, letters=EACH_TOKEN)
def tokens_per_second():
    """Tokens that all devices together train on in a second.

    Unit: token/second.
    """
    return Statement(G * P * eta / F, "FLOPs done in a second over the FLOPs of a token")


@formula("C", unit=flop, notation=notation)
def compute_budget():
    """FLOPs that devices do in a given time, at one utilization.

    Unit: FLOP.
    """
    return Statement(G * P * eta * T, "devices, peak, the share of it, and time")


@formula("D", unit=token, notation=notation, letters={"C": compute_budget, **EACH_TOKEN})
def affordable_tokens():
    """Tokens that a model can be trained on with a compute budget, or in a given time.

    `--set C=...` fixes the compute, G, P, eta and T the wall-clock time. Unit: token.
    """
    return Statement(C / F, "FLOPs over the FLOPs of a token")


@formula("u_lost", unit=dimensionless, notation=notation)
def saving_overhead():
    """Share of the time that saving and failures cost, to first order, when a job saves every x seconds.

    Every interval pays one save; a failure, once in tau on average, loses half an interval. First order: delta much
    less than x, x much less than tau; the time to restart does not depend on x. Unit: 1.
    """
    return (
        Statement(delta / x, "writing a checkpoint once an interval"),
        Statement(x / (2 * tau), "work lost at a failure: half an interval, once in tau"),
    )


@formula("x_0", unit=second, notation=notation)
def save_interval():
    """Best time between two checkpoints, to first order: what a save costs and what a failure loses are balanced.

    No x does better: the overhead at x exceeds that at x_0 by a square over positive numbers. Source: Young 1974.
    Unit: second.
    """
    overhead = "delta/x + x/(2*tau)"
    given = {"delta": "x_0^2/(2*tau)"}
    return Statement(
        sqrt(2 * delta * tau),
        "where the overhead is least",
        by=(
            Line("delta", given["delta"], "the optimum is where both parts of the overhead are equal"),
            Line(
                overhead,
                "x_0/tau + (x - x_0)^2/(2*tau*x)",
                "least at the optimum, for a square is never negative",
                given,
            ),
            Line("x_0", "sqrt(2*delta*tau)", "solved for the optimum", given),
        ),
    )


@formula("x_0", unit=second, notation=notation, constants=(FIRST, SECOND))
def save_interval_higher_order():
    """Best time of work between two checkpoints by Daly's expansion, for saves that take less than 2 tau.

    Poisson failures, lost work and repeated restarts included; the time of the save itself is not part of the
    interval. From 2 tau on the paper takes tau. Source: Daly 2006, equation 37. Unit: second.
    """
    young, small = sqrt(2 * delta * tau), delta / (2 * tau)
    return (
        Statement(young, "Young's interval"),
        Statement(FIRST.number * delta, "the first correction: Young's interval times a third of sqrt(delta/(2*tau))"),
        Statement(SECOND.number * small * young, "the second: Young's interval times a ninth of delta/(2*tau)"),
        Statement(-delta, "the save itself"),
    )
