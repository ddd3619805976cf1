"""What recomputation costs and what it keeps, and how a global batch is split into micro-batches."""

from dataclasses import replace

from derive import (
    Given,
    Line,
    Statement,
    byte,
    dimensionless,
    flop,
    flops,
    formula,
    rational,
    saved,
    sqrt,
    tensors,
    token,
)
from formulas.flops import flops_per_token
from formulas.notation import notation_of

notation = notation_of("recompute")
X, F, c, A, k_s, L, B, s, b, n = (notation.symbol(x) for x in ("X", "F", "c", "A", "k_s", "L", "B", "s", "b", "n"))
tokens = s * b


@formula("X", unit=flop / token, notation=notation)
def recomputed_flops_per_token(model, plan):
    """FLOPs that the plan runs again for the backward pass of the whole model, for each trained token.

    What `recompute=` names, and what kernels such as flash attention make again, or multiply beside: a scan in chunks
    (Mamba-2) has products that the recurrence does without. No model FLOPs. Unit: FLOP/token.
    """
    return flops(model.whole, plan, "recompute").per(tokens, token)


@formula("F_hw", unit=flop / token, notation=notation)
def hardware_flops_per_token(model, plan):
    """FLOPs that hardware runs for each trained token: forward, backward, and what the plan computes again.

    Unit: FLOP/token.
    """
    return flops(model.whole, plan, "forward", "backward", "recompute").per(tokens, token)


@formula("F_hw", unit=flop, notation=notation, of_layer=True)
def attention_hardware_flops(model, plan):
    """FLOPs that hardware runs for the two score products of one layer: forward, backward, and what is computed again.

    For one micro-batch of b sequences. Unit: FLOP.
    """
    return flops(model.layer, plan, "forward", "backward", "recompute").within("core")


@formula(
    "rho",
    unit=dimensionless,
    notation=notation,
    letters={"X": recomputed_flops_per_token, "F": flops_per_token},
    of_model=True,
)
def recompute_factor():
    """FLOPs that hardware runs over those that the model needs: HFU over MFU.

    4/3 only where every product is run again, the head's too. Unit: 1.
    """
    return Statement(rational(1), "the model's own FLOPs"), Statement(X / F, "what is run again")


ALONE = {"b": Given(1, "default"), "n": Given(1, "default")}


@formula("m", unit=dimensionless, notation=notation, defaults=ALONE, of_sizes=True)
def accumulation():
    """Micro-batches that each data-parallel rank runs for one step: how often gradients are added up.

    Unit: 1.
    """
    return Statement(
        B / (s * b * n), "the batch's tokens over those of a micro-batch on every rank", each=dimensionless / token
    )


@formula("c", unit=byte, notation=notation, of_layer=True)
def layer_input_bytes(model, plan):
    """The input of one layer: what is kept of a layer, or of a segment of layers, that is run again.

    Unit: byte.
    """
    return tensors(model.layer, plan, ("layer input",), "the boundary that the segment is run again from")


@formula("A", unit=byte, notation=notation, of_layer=True)
def live_layer(model, plan):
    """What one layer keeps while its backward pass runs, its input included: all of it, as if nothing were recomputed.

    Unit: byte.
    """
    return saved(model.layer, replace(plan, recompute=()))


segment = {"c": layer_input_bytes, "A": live_layer}


def keeps_its_input(model, plan):
    """Whether a layer keeps its input where nothing is recomputed: a norm that is written out keeps a copy instead."""
    live, boundary = live_layer.rows(model, plan), layer_input_bytes.rows(model, plan)
    return len(live.less(boundary).rows) < len(live.rows)


@formula("A", unit=byte, notation=notation, letters=segment, of_layer=True)
def checkpointed_bytes(plan, model=None):
    """Activations of L layers at their peak where segments of k_s layers are run again, one after the other.

    The input of every segment is kept; one segment at a time has all of its layers' activations, and its input, where
    its first layer keeps that, is there already. k_s = L keeps everything, k_s = 1 is full recomputation, layer by
    layer. With `recompute=` in the plan a layer counts as if nothing were recomputed. Unit: byte.
    """
    twice = model is None or keeps_its_input(model, plan)
    return (
        Statement(L / k_s * c, "the inputs of the L/k_s segments"),
        Statement(k_s * A, "the segment that is run again"),
        *((Statement(-c, "its input, counted in both"),) if twice else ()),
    )


@formula("k_s", unit=dimensionless, notation=notation, letters=segment, per_device=True, of_layer=True)
def checkpoint_interval():
    """Layers in a segment for which recomputation segment by segment keeps least.

    The best whole number of layers is one of the two around it, since what is kept falls before it and grows after it.
    Unit: 1.
    """
    best = {"L": "A*k0^2/c"}
    return Statement(
        sqrt(c * L / A),
        "where the segments' inputs and the interior of one take the same",
        by=(
            Line("L", "A*k0^2/c", "this defines k0"),
            Line(
                "c*L/k_s + A*k_s",
                "2*A*k0 + A*(k_s - k0)^2/k_s",
                "the last term is never negative: nothing is below the other, which k_s = k0 reaches",
                best,
            ),
            Line("k0", "sqrt(c*L/A)", "solved for k0", best),
            Line("2*A*k0", "2*sqrt(A*c*L)", "the least, before the input that is counted in both", best),
        ),
    )
