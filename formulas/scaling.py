"""How much compute a training run is, and how it is best shared between parameters and tokens."""

from derive import Statement, flop, formula
from formulas.flops import dense_flops_per_token, flops_per_token
from formulas.notation import common

F, D = (common.symbol(x) for x in "FD")


@formula("C", unit=flop, notation=common, letters={"F": (flops_per_token, dense_flops_per_token)})
def training_flops():
    """FLOPs of a training run: the FLOPs of each token times the tokens.

    With a model, what its trace gives; without one, 6ND. Unit: FLOP.
    """
    return Statement(F * D, "FLOPs of every token")
