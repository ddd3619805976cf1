"""How many parameters a layer and a model have, and which of them multiply a token."""

from derive import formula
from derive.folds import parameters as trained
from derive.units import parameter
from formulas.notation import common


@formula("N", unit=parameter, notation=common, of_layer=True)
def layer_parameters(model, plan):
    """Parameters of one layer.

    Weights, biases and norm weights of the whole layer, however it is laid out. Unit: parameter.

    >>> from derive import Model, Plan
    >>> from formulas.architectures.llama import llama
    >>> layer_parameters.ledger(Model(llama), Plan()).value
    2*a*d*h + 2*d*g*h + 3*f*h + 2*h
    """
    return trained(model.layer, plan)


@formula("N", unit=parameter, notation=common)
def parameters(model, plan):
    """Parameters of the whole model: embedding, layers, final norm, head; a tied table once.

    Unit: parameter.
    """
    return trained(model.whole, plan)


@formula("N", unit=parameter, notation=common)
def embedding_parameters(model, plan):
    """Parameters of the tables that are looked up: tokens, and positions where they are learned.

    Unit: parameter.
    """
    return trained(model.whole, plan, used_in="lookup")


@formula("N", unit=parameter, notation=common)
def gemm_parameters(model, plan):
    """Parameters that are weights of matrix products: 6 FLOPs a token each when trained.

    The head counts, tied or not; tables that are only looked up, norm weights and biases do not. Unit: parameter.
    """
    return trained(model.whole, plan, used_in="einsum")


@formula("N", unit=parameter, notation=common)
def active_parameters(model, plan):
    """Parameters that one token uses: of the experts those that it is routed to; everything else, embeddings included.

    Unit: parameter.
    """
    return trained(model.whole, plan, active=True)


@formula("N", unit=parameter, notation=common, per_device=True)
def device_parameters(model, plan):
    """Parameters that one device holds: its shards under tensor parallelism, its stage of a pipeline.

    What tensor parallelism does not split, such as norms, every device holds whole. Of a pipeline it is the stage that
    holds most: the first with the tables, or the last with the head and, where it is tied, a second table. ZeRO's
    sharding is not in it: what it shards depends on the stage. Unit: parameter.
    """
    return trained(model.whole, plan)
