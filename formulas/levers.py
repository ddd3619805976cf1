"""Levers: what would make a run fit that does not, each with the peak of a device that it would give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError
from derive.model import Given

if TYPE_CHECKING:
    from derive.plan import Plan
    from formulas.planner import Run, Value

WORTH = Fraction(99, 100)  # a lever that leaves more of the peak than this changes nothing


@dataclass(frozen=True)
class Lever:
    """One change of a run that does not fit, and what it would give."""

    change: str
    run: Run

    @property
    def peak(self) -> Value:
        """The peak of memory after the change; the states alone where no model says more."""
        peak = self.run.value("peak-memory")
        return peak if peak is not None else self.run.value("states")


def levers(made: Run) -> Iterator[Lever]:
    """What could be changed, of that what lowers the peak: sharding, recomputation, batch, devices, some at once."""
    before, enough = Lever("", made).peak, False
    for lever in _levers(made):
        more = lever.change.endswith("devices")
        if more and enough:  # still more of them would fit too
            continue
        try:
            _ = lever.peak
        except DeriveError:  # degrees that do not divide the model, or the experts
            continue
        if isinstance(lever.peak, Fraction) and isinstance(before, Fraction) and lever.peak < before * WORTH:
            enough = more and lever.run.fits is not False
            yield lever


def _levers(made: Run) -> Iterator[Lever]:
    plan, values = made.plan, made.values
    whole = made.model is not None and "layer" in made.model.whole.block_names and "layer" not in plan.recompute
    if plan.dp > 1:
        for stage in range(plan.zero + 1, 4):
            yield Lever(f"zero={stage}", replace(made, plan=replace(plan, zero=stage)))
    if whole:
        yield Lever("recompute=layer", replace(made, plan=_recomputed(plan)))
    if made.model is not None and (b := values.get("b")) is not None and b.value > 1:
        yield Lever("micro-batch 1", _with(made, b=1))
    if made.model is not None and plan.dp % 2 == 0:
        yield _split(made, f"tp={2 * plan.tp}, sp", tp=2 * plan.tp, sp=True)
        yield _split(made, f"pp={2 * plan.pp}", pp=2 * plan.pp)
    if plan.zero < 3 and whole and plan.dp > 1:
        yield Lever("zero=3 and recompute=layer", replace(made, plan=_recomputed(replace(plan, zero=3))))
    if plan.tp == 1 and whole and plan.dp % 8 == 0:
        split = _recomputed(replace(plan, tp=8, sp=True, dp=plan.dp // 8, zero=max(plan.zero, 1)))
        yield Lever("tp=8, sp, zero=1 and recompute=layer", replace(made, plan=split))
    for factor in (2, 4, 8):
        yield _more_devices(made, factor)


def _split(made: Run, change: str, **degrees: Any) -> Lever:
    """Twice the tensor or pipeline parallelism on the same devices."""
    return Lever(change, replace(made, plan=replace(made.plan, dp=made.plan.dp // 2, **degrees)))


def _recomputed(plan: Plan) -> Plan:
    return replace(plan, recompute=tuple(sorted({*plan.recompute, "layer"})))


def _with(made: Run, **values: int) -> Run:
    return replace(made, values={**made.values, **{x: Given(value, "lever") for x, value in values.items()}})


def _more_devices(made: Run, factor: int) -> Lever:
    """More devices, which help where data parallel shards something: with ZeRO 3 where nothing is sharded yet."""
    plan = replace(made.plan, dp=made.plan.dp * factor, zero=made.plan.zero or 3)
    more = replace(_with(made, G=made.values["G"].value * factor), plan=plan)
    prefix = "" if made.plan.zero else "zero=3 and "
    return Lever(f"{prefix}{more.values['G'].value} devices", more)
