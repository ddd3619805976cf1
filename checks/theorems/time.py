"""Time and money: what devices, utilization and tokens do to them, whole batches, and saving against failures."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="time", letters=(Letter("c", "factor"),))
training = partial(Of, "training-time", keep="F")
step = partial(Of, "step-time", keep="F")
overhead = partial(Of, "saving-overhead")
hours = Of("gpu-hours", keep="F")
best = Of("save-interval")

TIME = (
    theorem(
        "inverse-to-devices",
        "at one utilization c times the devices take a c-th of the time",
        "c*more == T",
        {"more": training(at={"G": "c*G"}), "T": training()},
    ),
    theorem(
        "inverse-to-utilization",
        "c times the MFU takes a c-th of the time",
        "c*better == T",
        {"better": training(at={"eta": "c*eta"}), "T": training()},
    ),
    theorem(
        "one-more-device-is-faster",
        "at one utilization one more device makes a run shorter",
        "more < T",
        {"more": training(at={"G": "G + 1"}), "T": training()},
    ),
    theorem(
        "gain-of-a-device-falls",
        "the next device makes a run shorter by less than the one before it",
        "T_1 - T_2 < T - T_1",
        {"T": training(), "T_1": training(at={"G": "G + 1"}), "T_2": training(at={"G": "G + 2"})},
    ),
    theorem(
        "linear-in-tokens",
        "c times the tokens take c times as long",
        "longer == c*T",
        {"longer": training(at={"D": "c*D"}), "T": training()},
    ),
    theorem(
        "never-faster-than-the-peak",
        "no step is faster than at an MFU of 1",
        "T_1 <= T",
        {"T_1": step(at={"eta": "1"}), "T": step()},
        given=("eta <= 1",),
        equality={"eta": 1},
        needed={"eta <= 1": {"eta": 2}},
    ),
    theorem(
        "utilization-and-time-agree",
        "a step of the time that an MFU gives has that MFU",
        "U == eta",
        {"T": step(), "U": Of("mfu", keep="F", at={"T": "T"})},
    ),
    theorem(
        "device-hours",
        "device-hours are devices times hours",
        "3600*H == G*T",
        {"H": hours, "T": training()},
    ),
    theorem(
        "cost-is-device-hours-at-a-price",
        "a run costs its device-hours times the price of one",
        "X == H*R",
        {"X": Of("cost", keep="F"), "H": hours},
    ),
    theorem(
        "cost-is-linear-in-tokens",
        "c times the tokens cost c times as much",
        "more == c*X",
        {"more": Of("cost", keep="F", at={"D": "c*D"}), "X": Of("cost", keep="F")},
    ),
    theorem(
        "tokens-per-second-and-training-time",
        "tokens for each second, through the whole run, are all tokens",
        "x*T == D",
        {"x": Of("tokens-per-second", keep="F"), "T": training()},
    ),
    theorem(
        "tokens-per-second-and-step-time",
        "tokens for each second, through one step, are the batch",
        "x*T == B",
        {"x": Of("tokens-per-second", keep="F"), "T": step()},
    ),
    theorem(
        "affordable-in-its-own-time",
        "in the time that training takes, its tokens can be afforded",
        "X == D",
        {"T": training(), "X": Of("affordable-tokens", keep="F", at={"T": "T"})},
    ),
    theorem(
        "budget-of-its-own-time",
        "in the time that training takes, devices do its FLOPs",
        "X == C",
        {"T": training(), "X": Of("compute-budget", at={"T": "T"}), "C": Of("training-flops", keep="F")},
    ),
    theorem(
        "steps-cover-the-tokens",
        "the steps of a run have all of its tokens",
        "D <= n*B",
        {"n": Of("steps")},
        equality={"D": 6, "B": 3},
    ),
    theorem(
        "steps-waste-less-than-a-batch",
        "the steps of a run have less than a batch more than its tokens",
        "n*B < D + B",
        {"n": Of("steps")},
    ),
    theorem(
        "whole-steps-take-longer",
        "run as whole steps, training never takes less than its FLOPs say",
        "T <= n*T_1",
        {"T": training(), "n": Of("steps"), "T_1": step()},
        equality={"D": 6, "B": 3},
    ),
    theorem(
        "young-saves-best",
        "no interval between checkpoints costs less, to first order, than Young's",
        "least <= x_1",
        {"x_0": best, "least": overhead(at={"x": "x_0"}), "x_1": overhead()},
        equality={"delta": 2, "tau": 1, "x": 2},
    ),
    theorem(
        "youngs-overhead",
        "at Young's interval saving and failures cost sqrt(2 delta/tau) of the time",
        "least == sqrt(2*delta/tau)",
        {"x_0": best, "least": overhead(at={"x": "x_0"})},
    ),
    theorem(
        "young-balances",
        "at Young's interval saving costs as much as failures do",
        "delta/x_0 == x_0/(2*tau)",
        {"x_0": best},
    ),
    theorem(
        "faster-saves-are-more-frequent",
        "saves that take c^2 times as long are best c times as far apart",
        "slower == c*x_0",
        {"slower": Of("save-interval", at={"delta": "c^2*delta"}), "x_0": best},
    ),
)
