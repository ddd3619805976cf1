"""Formulas: named quantities whose value is a ledger that a fold gives; frozen values, no registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.ledger import Ledger
from derive.letters import Notation
from derive.units import Unit, byte

if TYPE_CHECKING:
    from derive.model import Model
    from derive.plan import Plan


@dataclass(frozen=True, eq=False)
class Formula:
    """One quantity of the catalog: what gives its ledger, how it is written, in which unit, under which name."""

    function: Callable[..., Ledger]
    symbol: str
    unit: Unit
    notation: Notation
    name: str
    topic: str
    title: str

    @property
    def needs_model(self) -> bool:
        """Whether the quantity is one of a model, or of a bare product or tensor."""
        return "model" in inspect.signature(self.function).parameters

    @property
    def per_device(self) -> bool:
        """Whether it is what one device of the plan holds: bytes are, parameters and FLOPs are the whole model's."""
        return self.unit == byte

    def ledger(self, model: Model | None, plan: Plan) -> Ledger:
        """The rows of this quantity; quantities of the whole model are counted as on one device.

        Raises `DeriveError` if the quantity is about a model and there is none, or if the rows are in another unit.
        """
        plan = plan if self.per_device else plan.whole
        if self.needs_model and model is None:
            raise DeriveError(f"{self.name} is a quantity of a model: give one")
        rows = self.function(model, plan) if self.needs_model else self.function(plan)
        if rows.unit != self.unit:
            raise DeriveError(f"{self.name} is declared in {self.unit}, its rows are in {rows.unit}")
        return rows


def formula(symbol: str, *, unit: Unit, notation: Notation) -> Callable[[Callable[..., Ledger]], Formula]:
    """Declare a quantity: its function gives the name, the module the topic, the docstring's first line the title."""

    def decorate(function: Callable[..., Ledger]) -> Formula:
        title = (inspect.getdoc(function) or "").split("\n")[0]
        name, topic = function.__name__.replace("_", "-"), function.__module__.rpartition(".")[2]
        if not title:
            raise DeriveError(f"formula {name!r} has no docstring, whose first line is its title")
        return Formula(function, symbol, unit, notation, name, topic, title)

    return decorate
