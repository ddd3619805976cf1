"""FLOPs of matrix products in model FLOPs: what the model needs, nothing that a plan computes twice."""

from derive import dimensionless, flop, flops, formula, pointwise, token
from formulas.notation import common

tokens = common.symbol("s") * common.symbol("b")


@formula("F", unit=flop, notation=common)
def layer_flops(model, plan):
    """FLOPs of the forward pass of one layer, for one micro-batch of b sequences.

    Unit: FLOP.
    """
    return flops(model.layer, plan, "forward")


@formula("F", unit=flop / token, notation=common)
def attention_flops(model, plan):
    """FLOPs of the two score products of all layers, forward and backward, for each token.

    Unit: FLOP/token.
    """
    return flops(model.whole, plan, "forward", "backward").within("core").per(tokens, token)


@formula("F", unit=flop / token, notation=common)
def flops_per_token(model, plan):
    """FLOPs of the whole model for each trained token, forward and backward.

    Unit: FLOP/token.
    """
    return flops(model.whole, plan, "forward", "backward").per(tokens, token)


@formula("E", unit=dimensionless, notation=common)
def pointwise_elements(model, plan):
    """Elements that one layer's forward pass writes outside matrix products: what FLOPs leave out.

    Activation functions, norms, softmax, dropout, masks, sums; each element costs a few operations, which no framework
    counts. Unit: 1.
    """
    return pointwise(model.layer, plan)
