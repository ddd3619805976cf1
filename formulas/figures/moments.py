"""The parts of a device's memory over one training step, each a value of the catalog."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from derive.errors import DeriveError, PlanError
from derive.evaluation import number
from derive.model import Given
from derive.plan import Plan
from derive.reading import to_tree
from derive.roles import Role
from derive.situation import situation
from formulas import formula_of
from formulas.figures.subject import Subject
from formulas.notation import common


@dataclass(frozen=True)
class Moments:
    """The parts of a device's memory in bytes, and how much of the step's FLOPs is its forward pass."""

    weights: Fraction
    optimizer: Fraction
    gradients: Fraction
    activations: Fraction
    at_loss: Fraction
    of_layer: Fraction  # what one layer's backward pass has beside what was kept: run again, gathered
    forward: Fraction
    micro_batches: int

    @property
    def resident(self) -> Fraction:
        """The states that stay."""
        return self.weights + self.optimizer


def moments(about: Subject) -> Moments:
    """The parts from the formulas of the catalog; of a pipeline, those of the stage that the plan names."""
    of = about.exact
    m = micro_batches(about)
    weights = sum((x for role, x in _resident(about) if role is Role.MODEL_WEIGHTS), Fraction(0))
    forward, whole = (_flops(about, passes) for passes in (("forward",), ("forward", "backward", "recompute")))
    return Moments(
        weights=weights,
        optimizer=of("resident-states") - weights,
        gradients=of("gradients"),
        activations=of("model-activations", m=m),
        at_loss=of("loss-transient"),
        of_layer=of("recomputed-interior") + of("gathered-layer"),
        forward=forward / whole,
        micro_batches=m,
    )


def fullest(about: Subject) -> Plan:
    """The plan of that stage of a pipeline whose peak is the highest."""
    m = Given(micro_batches(about), "as many as stages")
    asked = situation(formula_of("peak-memory"), about.model, about.plan, options={"m": m}).asked
    return replace(about.plan, stage=asked.stage, position=asked.position)


def under_way(plan: Plan) -> str:
    """How many micro-batches the device has at once, and on which stage."""
    if plan.pp == 1:
        return "one micro-batch"
    name = f"stage {plan.position + 1} of {plan.pp}" if plan.stage == "middle" else f"the {plan.stage} stage"
    many = 1 if plan.stage == "last" else plan.pp - plan.position
    batches = "one micro-batch" if many == 1 else f"{many} micro-batches"
    return f"{batches} under way on {name}, gradients of earlier ones there"


def micro_batches(about: Subject) -> int:
    """As many as the pipeline has stages: with fewer of which some idle all along."""
    if not isinstance(about.plan.pp, int):
        raise PlanError(f"plan pp={about.plan.pp}: a picture needs a number of stages")
    return about.plan.pp


def _resident(about: Subject) -> list[tuple[Role | None, Fraction]]:
    case = situation(formula_of("resident-states"), about.model, about.plan)
    rows = case.formula.rows(case.model, case.plan)
    values = ((row.role, number(to_tree(row.value, common.order), {**case.known, **case.real})) for row in rows)
    return [(role, value) for role, value in values if isinstance(value, Fraction)]


def _flops(about: Subject, passes: tuple[str, ...]) -> Fraction:
    """FLOPs of the whole model in some passes, those that are run again among them."""
    from derive import flops

    case = situation(formula_of("flops-per-token"), about.model, about.plan)
    assert case.model is not None
    plan = about.plan.whole
    counted = flops(case.model.whole, case.model.complete(plan), *passes).value
    value = number(to_tree(counted, common.order), case.known)
    if not isinstance(value, Fraction):
        missing = sorted({str(x) for x in counted.free_symbols} - case.known.keys())
        raise DeriveError(f"{about.name} has no value for {', '.join(missing)}: --set {missing[0]}=4096")
    return value
