"""Bytes that are kept from the forward pass for the backward pass, on one device, for one micro-batch."""

from derive import byte, formula, in_flight, saved, tensors
from formulas.notation import common
from formulas.timeline import steady


@formula("A", unit=byte, notation=common, of_layer=True)
def activations(model, plan):
    """Activations that one layer keeps from its forward pass for its backward pass.

    On one device, one micro-batch of b sequences of s tokens. Unit: byte.
    """
    return saved(model.layer, plan)


@formula("A", unit=byte, notation=common, of_layer=True)
def attention_activations(model, plan):
    """Activations that the attention block of one layer keeps, without the norm before it.

    Unit: byte.
    """
    return saved(model.layer, plan).within("attention")


@formula("A", unit=byte, notation=common, of_layer=True)
def mlp_activations(model, plan):
    """Activations that the MLP block of one layer keeps, without the norm before it.

    Unit: byte.
    """
    return saved(model.layer, plan).within("mlp")


@formula("A", unit=byte, notation=common, defaults=steady)
def model_activations(model, plan):
    """Activations that the whole model keeps: embedding, all layers, final norm, head and loss.

    On one device; of a pipeline, on the stage that keeps most, for all micro-batches that are under way there.
    Unit: byte.
    """
    return in_flight(saved(model.whole, plan), plan, common.symbol("m"))


@formula("M", unit=byte, notation=common)
def logits(model, plan):
    """Logits that live at the loss: in the compute format and as the fp32 copy that the loss reads.

    Unit: byte.
    """
    return tensors(model.whole, plan, ("logits", "logits in fp32"), "lives while the loss is computed")
