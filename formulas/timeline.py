"""The moments of a training step that can be its peak, in the letters of memory."""

from derive import Given, maximum, minimum
from derive.reading import to_tree
from derive.tree import to_text
from formulas.notation import notation_of

notation = notation_of("memory")
M_g, A, m = (notation.symbol(x) for x in ("M_g", "A", "m"))
# 0 in the first micro-batch, 1 after it: whether gradients are there when a backward pass starts.
again = minimum(1, m - 1)


def moments_of(at_loss, beside, apart):
    """What is on a device, beside the states that stay, at the moments of a step that can be its peak.

    `at_loss` is what the loss has beside what is kept, `beside` the same of a layer, `apart` what is never together of
    layers of several kinds, None where all are equal. Between the first and the last layer's backward pass, activations
    go and gradients come layer by layer: of equal layers, what is there is linear in the number of layers done, so it
    is largest at an end. Of several kinds it is bounded, whatever their order and whichever layer has most beside it.
    """
    between = {"first layer's backward pass": M_g + beside}
    if apart is not None:
        between = {"at most any layer's backward pass": A + M_g - apart + beside}
    return {
        "backward pass of the loss": A + at_loss + M_g * again,
        "last layer's backward pass": A + beside + M_g * again,
        **between,
        "optimizer step": M_g,
    }


def steady(plan):
    """The micro-batches of a step where none are said: as many as stages, with fewer of which some idle all along."""
    if not isinstance(plan.pp, int):
        return {}
    return {"m": Given(plan.pp, "default" if plan.pp == 1 else "default: as many as stages")}


def several(model):
    """Whether there is a model and its layers are of several kinds."""
    return model is not None and bool(model.architecture.kinds)


def highest(moments):
    """The largest of the moments, without those that another one is beyond by letters alone."""
    amounts = dict.fromkeys(moments.values())
    return maximum(*(x for x in amounts if not any((y - x).is_positive for y in amounts)))


def text_of(amount):
    """An amount in these letters as a line of an argument has it."""
    return to_text(to_tree(amount, notation.order))
