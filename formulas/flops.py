"""FLOPs of matrix products: what the model needs, and what hardware runs where a plan computes things twice."""

from derive import Input, dimensionless, flop, flops, formula, linear, pointwise, token, trace
from derive.errors import PlanError
from derive.units import parameter
from formulas.notation import common
from formulas.parameters import parameters

tokens = common.symbol("s") * common.symbol("b")


@formula("F", unit=flop, notation=common, of_layer=True)
def layer_flops(model, plan):
    """FLOPs of the forward pass of one layer, for one micro-batch of b sequences.

    Unit: FLOP.
    """
    return flops(model.layer, plan, "forward")


@formula("H", unit=flop, notation=common, of_layer=True)
def hardware_flops(model, plan):
    """FLOPs that hardware runs for one layer: forward, backward, and what the plan computes again.

    For one micro-batch of b sequences; the other quantities here are model FLOPs, which recomputation leaves alone, and
    which have a scan (Mamba-2) as a recurrence: what its kernel multiplies in chunks is here.
    Unit: FLOP.

    >>> from derive import Model, parse_plan
    >>> from formulas.architectures.gpt import gpt
    >>> extra = lambda text: hardware_flops.ledger(Model(gpt), parse_plan(text, common.symbol)).within("core").value
    >>> extra("mask=full,attention=flash") - extra("mask=full")
    2*a*b*d*s**2
    """
    return flops(model.layer, plan, "forward", "backward", "recompute")


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


@formula("E", unit=dimensionless, notation=common, of_layer=True)
def pointwise_elements(model, plan):
    """Elements that one layer's forward pass writes outside matrix products: what FLOPs leave out.

    Activation functions, norms, softmax, dropout, masks, sums; each element costs a few operations, which no framework
    counts. Unit: 1.
    """
    return pointwise(model.layer, plan)


weight = trace(
    lambda x: linear(x, "h -> f", name="product"), Input("x", "s h"), sizes={x: common.symbol(x) for x in "shf"}
)


@formula("F", unit=flop / token, notation=common, letters={"N": parameters})
def dense_flops_per_token(plan):
    """FLOPs for each trained token if every parameter is a weight that multiplies each token once: 6N.

    One product forward, one for the gradient of its input, one for that of the weight, 2 FLOPs a weight each; traced
    on one matrix. What it leaves out: the score products of attention; what it counts too much: tables, norms, biases.
    Unit: FLOP/token.
    """
    if plan.frozen:
        names = "+".join(plan.frozen)
        raise PlanError(f"frozen={names}: 6N takes every parameter as trained; flops-per-token counts what is frozen")
    s, h, f, N = (common.symbol(x) for x in "shfN")
    rate = flops(weight, plan, "forward", "backward").per(s, token).per(h * f, parameter)
    return rate.times(N, parameter)
