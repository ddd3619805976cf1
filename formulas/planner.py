"""A training run in one view: its quantities from one set of values, and whether it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from derive.errors import DeriveError, PlanError
from derive.interval import Interval
from derive.model import Given
from derive.situation import amount
from derive.values import show
from formulas import formula_of
from formulas.notation import common

if TYPE_CHECKING:
    from derive.model import Model
    from derive.plan import Plan

Value = Fraction | Interval | None

# What is shown, by heading, under the names of the catalog.
SECTIONS = {
    "Compute": ("parameters", "active-parameters", "flops-per-token", "training-flops"),
    "Memory of one device": (
        "bytes-per-parameter", "device-parameters", "states", "gradients", "activations", "model-activations",
        "peak-memory", "usable-memory",
    ),
    "Time and money": (
        "mfu", "hfu", "recompute-factor", "achieved-flops", "tokens-per-second", "steps", "step-time", "training-time",
        "gpu-hours", "cost", "checkpoint-bytes", "pipeline-bubble-of-whole",
    ),
    "Chinchilla's optimum for these FLOPs": ("chinchilla-parameters", "chinchilla-tokens", "overtraining"),
}  # fmt: skip
MOST_DEVICES = 10**6  # beyond any cluster: a model whose states fill more than these is refused
OBSERVED = {"T": "second", "Q": "FLOP/second/device"}
POINT = Fraction(1, 100)  # of MFU


@dataclass(frozen=True)
class Run:
    """A run: what is trained, how it is laid out, and the values of letters, those of the device among them."""

    model: Model | None
    plan: Plan
    values: Mapping[str, Given]

    def value(self, name: str) -> Value:
        """The value of a quantity of the catalog for this run; None where it has none, or values for it are missing."""
        found = formula_of(name)
        if self.model is None and name in SHARDED and self.plan.tp * self.plan.pp != 1:
            return None  # what tensor and pipeline parallelism leave of a bare size depends on the model
        letter = STANDS.get(name, "")
        if letter in self.values:
            return Fraction(self.values[letter].value)
        if found.needs_model and self.model is None:
            return self.value(BARE[name]) if name in BARE else None
        own = found.notation.letters  # where a topic has a letter of its own, the run's value is about another thing
        values = {x: given for x, given in self.values.items() if own.get(x) == common.letters.get(x)}
        return amount(found, self.model, self.plan, {**values, **self._more(name)})

    def _more(self, name: str) -> dict[str, Given]:
        """Values for one quantity: Chinchilla's optimum is that of the run's FLOPs, the whole run is one long step."""
        wanted = MORE.get(name, {})
        more = {x: Given(value, of) for x, of in wanted.items() if (value := self.value(of)) is not None}
        if name == "achieved-flops":
            return more | {"B": self.values["D"]}
        if name == "hfu" and self.model is None:
            return {"rho": Given(1, "nothing of a bare size is computed again")}
        return more

    @cached_property
    def used(self) -> Mapping[str, Given]:
        """The values that something in the view depends on."""
        plan = self.model.complete(self.plan) if self.model is not None else self.plan
        found = [formula_of(name) for names in SECTIONS.values() for name in names]
        able = [each for each in found if self.model is not None or not each.needs_model]
        letters = frozenset[str]().union(*(each.reached(self.model, plan) for each in able), {"G"})
        return {x: given for x, given in self.values.items() if x in letters}

    @cached_property
    def accumulated(self) -> Value:
        """The peak with two micro-batches a step or more, where nothing says how many there are."""
        return replace(self, values={**self.values, "m": Given(2, "more than one")}).value("peak-memory")

    @cached_property
    def fits(self) -> bool | None:
        """Whether the peak is within what a device has left for tensors; None where the bounds do not decide."""
        peak, usable = self.value("peak-memory"), self.value("usable-memory")
        if not isinstance(usable, Interval):
            return None
        if isinstance(peak, Fraction):
            return True if peak <= usable.low else False if peak > usable.high else None
        states = self.value("states")
        return False if isinstance(states, Fraction) and states > usable.high else None

    @cached_property
    def seconds_a_point_buys(self) -> Fraction | None:
        """By how many seconds one more point of MFU makes the run shorter."""
        eta, now = self.values.get("eta"), self.value("training-time")
        if eta is None or not isinstance(now, Fraction) or eta.value + POINT > 1:
            return None
        faster = replace(self, values={**self.values, "eta": Given(eta.value + POINT, "one point more")})
        then = faster.value("training-time")
        return now - then if isinstance(then, Fraction) else None


# Quantities that a person may give by a letter, and letters of a quantity that are other quantities of the run.
STANDS = {"mfu": "eta", "parameters": "N"}
SHARDED = frozenset({"states", "gradients"})
BARE = {"flops-per-token": "dense-flops-per-token"}  # what stands in for a quantity where only N is known
MORE = {
    "chinchilla-parameters": {"C": "training-flops"},
    "chinchilla-tokens": {"N": "chinchilla-parameters"},
    "achieved-flops": {"T": "training-time"},
}


def run(model: Model | None, plan: Plan, values: Mapping[str, Given]) -> Run:
    """Complete a run: data parallel is what is left of the devices, micro-batches what is left of the batch, and MFU.

    One of the letters eta (MFU), Q (FLOP/s of a device) and T (time of a step, with B) must be given.
    Raises `DeriveError` or `PlanError`, one line, where values are missing or contradict one another.
    """
    values = dict(values)
    given = [letter for letter in ("eta", "Q", "T") if letter in values]
    if len(given) != 1:
        wanted = "give one of --mfu 40%, --step-time 4.5s (with --batch) or --tflops 430"
        raise DeriveError(wanted if not given else f"MFU is given twice, by {' and '.join(given)}: {wanted}")
    if given == ["T"] and "B" not in values:
        raise DeriveError("--step-time says nothing of MFU without --batch, the tokens of that step")
    plan = _laid_out(plan, values["G"].value)
    if given != ["eta"]:
        observed = values.pop(given[0])
        eta = amount(formula_of("mfu"), model, plan, {**values, given[0]: observed})
        if not isinstance(eta, Fraction):
            raise DeriveError("MFU cannot be told from what is given: the FLOPs of a token and a peak are needed")
        if eta > 1:
            raise DeriveError(
                f"that is an MFU of {_percent(eta)}, more than the devices can do: look at --step-time, "
                f"--tflops, --batch and the peak of {show(values['P'].value, 'FLOP/second/device')}"
            )
        values["eta"] = Given(eta, f"{show(observed.value, OBSERVED[given[0]])} observed")
    values["m"] = _micro_batches(model, plan, values)
    made = Run(model, plan, values)
    _refuse_beyond_any_cluster(made)
    hardware = made.value("hfu")
    if isinstance(hardware, Fraction) and hardware > 1:
        raise DeriveError(
            f"an MFU of {_percent(values['eta'].value)} is an HFU of {_percent(hardware)} under this plan, more than "
            "the devices can do: what is computed again counts too"
        )
    return made


def _percent(share: Fraction) -> str:
    return f"{show(share * 100, '1')}%"


def _degrees(plan: Plan) -> int:
    """The devices that hold one copy of the model between them; `PlanError` where a degree is a letter."""
    for key in ("tp", "pp", "dp"):
        if not isinstance(getattr(plan, key), int):
            raise PlanError(f"plan {key}={getattr(plan, key)}: a run needs a number of devices")
    return int(plan.tp * plan.pp * plan.cp)


def _laid_out(plan: Plan, devices: int) -> Plan:
    own = _degrees(plan)
    keys = "tp*pp" if plan.cp == 1 else "tp*pp*cp"
    if devices % own:
        sizes = "*".join(str(getattr(plan, key)) for key in keys.split("*"))
        raise PlanError(f"G = {devices} is no multiple of {keys} = {sizes} = {own}: set --gpus or the plan")
    if plan.dp not in (1, devices // own):
        raise PlanError(f"plan dp={plan.dp}: G = {devices} devices over {keys} = {own} leave dp={devices // own}")
    return replace(plan, dp=devices // own)


def fewest_devices(model: Model | None, plan: Plan, values: Mapping[str, Given], deadline: Fraction) -> int:
    """The fewest devices that the plan can be laid out on and that are done in so many seconds.

    With a batch, the next number of replicas on that it divides into whole micro-batches. Raises `DeriveError` where
    MFU is not given, `PlanError` for a degree that is a letter.
    """
    if "eta" not in values:
        raise DeriveError("how many devices --days needs depends on MFU: give --mfu 40%")
    own = _degrees(plan) * int(plan.dp)
    alone = amount(formula_of("training-time"), model, plan, {**values, "G": Given(1, "one device")})
    if not isinstance(alone, Fraction):
        raise DeriveError("how many devices --days needs depends on the run's time: the FLOPs and a peak are missing")
    copies = -(-alone // (deadline * own))
    sizes = {**(model.sizes if model is not None else {}), **values}
    if {"B", "s", "b"} <= sizes.keys():
        most = sizes["B"].value // (sizes["s"].value * sizes["b"].value)
        copies = next((n for n in range(copies, most + 1) if most % n == 0), copies)
    return copies * own


def _micro_batches(model: Model | None, plan: Plan, values: Mapping[str, Given]) -> Given:
    """Micro-batches of a step: what the batch says; else one, or as many as a pipeline has stages."""
    if "B" not in values or model is None:
        return values.get("m") or Given(plan.pp, "default" if plan.pp == 1 else "default: as many as stages")
    count = amount(formula_of("accumulation"), model, plan, {**values, "n": Given(plan.dp, "plan")})
    if count is None:
        raise DeriveError("how many micro-batches a step has depends on the tokens of a sequence: give --set s=2048")
    if not isinstance(count, Fraction) or count.denominator != 1:
        sizes = ", ".join(f"{x} = {values[x].value}" for x in ("B", "b") if x in values)
        raise DeriveError(
            f"a step of {sizes} has {count} micro-batches on each of dp={plan.dp} replicas, which is not whole: "
            "choose --batch as a multiple of s*b*dp tokens"
        )
    if "m" in values and values["m"].value != count:
        raise DeriveError(f"m = {values['m'].value} is set, but --batch makes {count} micro-batches on each replica")
    return Given(int(count), "accumulation")


def _refuse_beyond_any_cluster(made: Run) -> None:
    parameters, each = made.value("parameters"), made.value("bytes-per-parameter")
    memory = made.values["M"].value
    if not isinstance(parameters, Fraction) or not isinstance(each, Fraction):
        return
    if (states := parameters * each) > memory * MOST_DEVICES:
        raise DeriveError(
            f"{show(parameters, 'parameter')} have {show(states, 'byte')} of states, more than {MOST_DEVICES} such "
            "devices hold: no plan fits them"
        )
