"""What training holds for every parameter from step to step, whole or sharded, and what of it a checkpoint keeps."""

from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from derive import Given, Role, byte, formula
from derive.interval import Interval
from derive.persistent import persistent
from derive.units import parameter
from formulas.notation import notation_of
from formulas.parameters import device_parameters, parameters

notation = notation_of("states")
N, n, w = (notation.symbol(x) for x in "Nnw")
of_a_device = MappingProxyType({"N": device_parameters})
kept = frozenset({Role.MASTER, Role.OPTIMIZER, Role.SCALES})  # of the optimizer: it alone reads and writes them


def held(model, plan):
    """The rows of everything that a device holds, in N where they are the same for every parameter."""
    return persistent(plan, N, model.whole if model is not None else None)


def sharded(model, plan, stage):
    """The same under a stage of ZeRO, over n devices unless the plan says over how many."""
    return held(model, replace(plan, zero=stage, dp=n if plan.dp == 1 else plan.dp))


@formula("Q", unit=byte / parameter, notation=notation, letters=of_a_device, per_device=True)
def bytes_per_parameter(plan, model=None):
    """Bytes that training holds on a device for each parameter: weights, gradients, and what the optimizer keeps.

    The sum of the widths of the recipe's and the optimizer's tensors; under ZeRO a part of those that it shards. Unit:
    byte/parameter.

    >>> from derive import Plan, parse_plan, recipe
    >>> bytes_per_parameter.ledger(None, Plan()).value
    16
    >>> megatron = parse_plan("zero=1,dp=n", notation.symbol, recipe("bf16-fp32-grads"))
    >>> bytes_per_parameter.ledger(None, megatron).value
    6 + 12/n
    """
    return held(model, plan).per(N, parameter)


@formula("K", unit=byte / parameter, notation=notation, letters=of_a_device, per_device=True)
def optimizer_bytes(plan, model=None):
    """Bytes that the optimizer holds on a device for each parameter: master weights and its own tensors.

    The K of the ZeRO paper, 12 for Adam beside 2-byte weights. Unit: byte/parameter.

    >>> from derive import Plan
    >>> optimizer_bytes.ledger(None, Plan()).value
    12
    """
    return held(model, plan).of(kept).per(N, parameter)


@formula("M", unit=byte, notation=notation, letters=of_a_device)
def states(plan, model=None):
    """States that a device holds from step to step: weights, gradients, master weights and the optimizer's tensors.

    One row for each persistent tensor of the recipe and the optimizer; ZeRO divides those of its stage by the data
    parallel degree. Without a model in N, the parameters of a device. Unit: byte.

    >>> from derive import Plan
    >>> states.ledger(None, Plan()).value
    16*N
    """
    return held(model, plan)


@formula("M_1", unit=byte, notation=notation, letters=of_a_device)
def zero_1(plan, model=None):
    """States that a device holds where ZeRO shards the optimizer's tensors over n devices.

    Unit: byte.

    >>> from derive import Plan
    >>> zero_1.ledger(None, Plan()).value
    4*N + 12*N/n
    """
    return sharded(model, plan, 1)


@formula("M_2", unit=byte, notation=notation, letters=of_a_device)
def zero_2(plan, model=None):
    """States that a device holds where ZeRO shards the optimizer's tensors and the gradients over n devices.

    Unit: byte.

    >>> from derive import Plan
    >>> zero_2.ledger(None, Plan()).value
    2*N + 14*N/n
    """
    return sharded(model, plan, 2)


@formula("M_3", unit=byte, notation=notation, letters=of_a_device)
def zero_3(plan, model=None):
    """States that a device holds where ZeRO shards everything over n devices.

    What it gathers of a layer while that runs is no state: it is in the peak memory. Unit: byte.

    >>> from derive import Plan
    >>> zero_3.ledger(None, Plan()).value
    16*N/n
    """
    return sharded(model, plan, 3)


@formula("M_g", unit=byte, notation=notation, letters=of_a_device)
def gradients(plan, model=None):
    """Gradients that a device holds when the backward pass is done, as the recipe stores them.

    Unit: byte.

    >>> from derive import Plan
    >>> gradients.ledger(None, Plan()).value
    2*N
    """
    return held(model, plan).of({Role.GRADIENTS})


@formula("M_r", unit=byte, notation=notation, letters=of_a_device)
def resident_states(plan, model=None):
    """States that a device holds at every moment of a step: all but the gradients.

    Unit: byte.

    >>> from derive import Plan
    >>> resident_states.ledger(None, Plan()).value
    14*N
    """
    return held(model, plan).select(lambda row: row.role is not Role.GRADIENTS)


@formula(
    "M_c",
    unit=byte,
    notation=notation,
    letters={"N": parameters},
    defaults={"w": Given(Interval(Fraction(0), Fraction(1)), "default")},
    per_device=False,
)
def checkpoint_bytes(plan, model=None):
    """Bytes of a checkpoint of the whole model: master weights and the optimizer's tensors, so that training can go on.

    The weights that the model computes with can be made again from their master, so that they are saved or not (w, from
    0 to 1); without a master they are in it. Gradients are not. Unit: byte.

    >>> from derive import Plan, recipe
    >>> checkpoint_bytes.ledger(None, Plan()).value
    2*N*w + 12*N
    >>> checkpoint_bytes.ledger(None, Plan(recipe=recipe("fp32"))).value
    12*N
    """
    saved = held(model, plan).of(kept | {Role.MODEL_WEIGHTS})
    made_again = bool(saved.of({Role.MASTER}).rows)
    rows = []
    for row in saved:
        if made_again and row.role is Role.MODEL_WEIGHTS:
            rows.append(replace(row, value=row.value * w, why="w times: the master weights give them back"))
        else:
            rows.append(replace(row, why="once: nothing else gives it back"))
    return replace(saved, rows=tuple(rows))
