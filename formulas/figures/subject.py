"""What a figure is about: a model, a plan and a device, and the values of the catalog for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.drawing.axes import short
from derive.errors import DeriveError
from derive.interval import Interval
from derive.model import Given, Model
from derive.plan import Plan, parse_plan
from derive.report import plan_text
from derive.situation import amount
from derive.values import show
from formulas import formula_of
from formulas.hardware import Device, device
from formulas.models import model
from formulas.notation import common

if TYPE_CHECKING:
    from derive.precision import Optimizer, Recipe
    from derive.values import System

_FIGURES = re.compile(r"-?[0-9.]+(?=[ A-Z]|$)")
MODEL, PLAN, DEVICE = "llama3-70b", "tp=8,sp,dp=64,zero=1", "h100"


@dataclass(frozen=True)
class Subject:
    """A model, how a step of it is laid out, and what it runs on.

    `chosen` are those of model, plan and gpu that a person named.
    """

    model: Model
    plan: Plan
    device: Device
    chosen: frozenset[str] = frozenset()

    @property
    def of_one_device(self) -> Subject:
        """The same with nothing of the plan but its formats."""
        return replace(self, plan=Plan(recipe=self.plan.recipe, optimizer=self.plan.optimizer))

    @property
    def name(self) -> str:
        """The model as people call it, or its architecture."""
        return self.model.title or self.model.name or self.model.architecture.name

    @property
    def laid_out(self) -> str:
        """The plan in words."""
        return plan_text(self.plan) or "one device, nothing recomputed"

    def value(self, name: str, of: Model | None = None, **given: int | Fraction) -> Fraction | Interval | None:
        """The value of a quantity of the catalog, of another model if one is named; letters may be `given`."""
        formula = formula_of(name)
        about = (of or self.model) if formula.takes_model else None
        plan = self.plan if about is not None else Plan(recipe=self.plan.recipe, optimizer=self.plan.optimizer)
        return amount(formula, about, plan, {x: Given(each, "figure") for x, each in given.items()})

    def exact(self, name: str, of: Model | None = None, **given: int | Fraction) -> Fraction:
        """The same where it must be one number; `DeriveError` where sizes are missing."""
        value = self.value(name, of, **given)
        if not isinstance(value, Fraction):
            raise DeriveError(f"{name} has no value for {self.name}: sizes are missing, such as --set s=4096")
        return value


def subject(
    model_name: str | None = None,
    plan: str | None = None,
    gpu: str | None = None,
    *,
    read: Model | None = None,
    recipe: Recipe | None = None,
    optimizer: Optimizer | None = None,
) -> Subject:
    """What a figure is about, of what a person names; of a model that is named without a plan, one device.

    `read` is a model that was read already. Raises what reading each of them raises.

    >>> subject("gpt2").laid_out, subject().name
    ('one device, nothing recomputed', 'Llama 3 70B')
    """
    names = {"model": model_name or read, "plan": plan, "gpu": gpu}
    chosen = frozenset(key for key, name in names.items() if name)
    written = plan if plan is not None else "" if "model" in chosen else PLAN
    about = read if read is not None else model(model_name or MODEL)
    formats = {"recipe": recipe or Plan().recipe, "optimizer": optimizer or Plan().optimizer}
    return Subject(about, parse_plan(written, common.symbol, **formats), device(gpu or DEVICE), chosen)


def brief(value: Fraction | int, unit: str, system: System = "si") -> str:
    """A value with its unit, in three significant digits and one system of prefixes.

    >>> brief(2868936704, "byte"), brief(Fraction(1, 2), "FLOP/byte"), brief(989 * 10**12, "FLOP/second")
    ('2.87 GB', '0.5 FLOP/byte', '989 TFLOP/s')
    """
    shown = show(value, unit, system).partition(" (")[0]
    found = _FIGURES.match(shown)
    if found is None or "." not in found[0]:
        return shown
    return short(Fraction(found[0])) + shown[found.end() :]
