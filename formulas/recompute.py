"""What recomputation costs: FLOPs that a plan runs again, as a share of those that the model needs."""

from sympy import Integer

from derive import Statement, dimensionless, flop, flops, formula, token
from formulas.flops import flops_per_token
from formulas.notation import notation_of

notation = notation_of("recompute")
X, F = (notation.symbol(x) for x in "XF")
tokens = notation.symbol("s") * notation.symbol("b")


@formula("X", unit=flop / token, notation=notation)
def recomputed_flops_per_token(model, plan):
    """FLOPs that the plan runs again for the backward pass of the whole model, for each trained token.

    What `recompute=` names, and what kernels such as flash attention make again; no model FLOPs. Unit: FLOP/token.
    """
    return flops(model.whole, plan, "recompute").per(tokens, token)


@formula("rho", unit=dimensionless, notation=notation, letters={"X": recomputed_flops_per_token, "F": flops_per_token})
def recompute_factor(model):
    """FLOPs that hardware runs over those that the model needs: HFU over MFU.

    Unit: 1.
    """
    return Statement(Integer(1), "the model's own FLOPs"), Statement(X / F, "what is run again")
