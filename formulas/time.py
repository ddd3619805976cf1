"""How long a training run takes on so many devices."""

from derive import Statement, formula, second
from formulas.notation import common
from formulas.scaling import training_flops

C, G, P, eta = (common.symbol(x) for x in ("C", "G", "P", "eta"))


@formula("T", unit=second, notation=common, letters={"C": training_flops})
def training_time():
    """Wall-clock time of a training run, at one utilization throughout.

    Unit: second.
    """
    return Statement(C / (G * P * eta), "all FLOPs over what the devices do in a second")
