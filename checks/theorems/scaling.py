"""Scaling: Chinchilla's ratio against itself, budgets, and how far fitted losses reach."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

MORE = Letter("C_2", "another compute budget, FLOPs", kind="positive real")
theorem = partial(Theorem, topic="scaling", letters=(Letter("c", "factor"), MORE))
parameters = partial(Of, "chinchilla-parameters")
tokens = partial(Of, "chinchilla-tokens")
flops = partial(Of, "training-flops")
lifetime = partial(Of, "lifetime-flops")

SCALING = (
    theorem(
        "budget-is-spent",
        "training Chinchilla's model on Chinchilla's tokens costs the budget that both are for",
        "spent == C",
        {"N_0": parameters(), "D_0": tokens(), "spent": flops(at={"N": "N_0", "D": "D_0"})},
    ),
    theorem(
        "tokens-over-parameters",
        "for every budget Chinchilla's tokens are twenty times its parameters",
        "D_0 == 20*N_0",
        {"N_0": parameters(), "D_0": tokens()},
    ),
    theorem(
        "model-comes-back",
        "the budget of a model's twenty tokens a parameter suits that model",
        "N_0 == N",
        {"C": flops(at={"D": "20*N"}), "N_0": parameters(at={"C": "C"})},
    ),
    theorem(
        "budget-for-a-scaled-model",
        "c^2 times the compute suits a model of c times the parameters",
        "larger == c*N_0",
        {"larger": parameters(at={"C": "c^2*C"}), "N_0": parameters()},
    ),
    theorem(
        "more-compute-no-smaller-model",
        "a larger budget never suits a smaller model",
        "N_0 <= N_2",
        {"N_0": parameters(), "N_2": parameters(at={"C": "C_2"})},
        given=("C_2 >= C",),
        equality={"C": 120, "C_2": 120},
        needed={"C_2 >= C": {"C": 2}},
    ),
    theorem(
        "chinchilla-is-not-overtrained",
        "a model on Chinchilla's tokens is not overtrained",
        "x == 1",
        {"N_0": parameters(), "D_0": tokens(), "x": Of("overtraining", at={"N": "N_0", "D": "D_0"})},
    ),
    theorem(
        "budget-traded",
        "a model of c times the parameters on a c-th of the tokens costs the same",
        "traded == C",
        {"traded": flops(at={"N": "c*N", "D": "D/c"}), "C": flops()},
    ),
    theorem(
        "overtraining-at-one-budget",
        "at one budget a model c times smaller is overtrained c^2 times as far",
        "smaller == c^2*x",
        {"smaller": Of("overtraining", at={"N": "N/c", "D": "c*D"}), "x": Of("overtraining")},
    ),
    theorem(
        "serving-beside-training",
        "from three tokens served for each trained one on, training is at most half of the FLOPs of a model's life",
        "2*C <= X",
        {"C": flops(), "X": lifetime()},
        given=("z >= 3*D",),
        witness={"z": 3},
        equality={"z": 3},
        needed={"z >= 3*D": {"z": 1}},
    ),
    theorem(
        "larger-costs-more-to-the-end",
        "a larger model costs more, trained and served on the same tokens",
        "X < larger",
        {"X": lifetime(), "larger": lifetime(at={"N": "N + 1"})},
    ),
    theorem(
        "loss-has-a-floor",
        "no model and no data get the fitted loss down to E",
        "E < X",
        {"X": Of("parametric-loss")},
    ),
    theorem(
        "repeating-has-a-ceiling",
        "however often U tokens are repeated, they are worth less than 1 + r times as many fresh ones",
        "X < U*(1 + r)",
        {"X": Of("effective-tokens")},
    ),
)
