"""What a person selects of the sheet: topics, a model, a device."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from derive.errors import ModelError, unknown
from formulas import TOPICS
from formulas.hardware import Device, device

if TYPE_CHECKING:
    from derive.model import Model

PRESETS = ("llama3-8b", "llama3-70b", "llama3-405b")  # the models whose numbers people compare
DEVICE = "h100"


@dataclass(frozen=True)
class Selection:
    """The topics to show, the model whose numbers are shown, if one is named, and the device that it runs on.

    `short` shows what is asked for most, on a few pages.
    """

    topics: tuple[str, ...]
    model: Model | None
    device: Device
    short: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether every topic is shown."""
        return self.topics == TOPICS

    @property
    def is_usual(self) -> bool:
        """Whether the models and the device are those that a sheet has unless others are named."""
        return self.model is None and self.device.name == DEVICE

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models whose numbers are shown."""
        from formulas.models import model

        return (self.model,) if self.model is not None else tuple(model(name) for name in PRESETS)


def topics_of(names: Collection[str]) -> tuple[str, ...]:
    """The topics of those names in the catalog's order, all without any; `UnknownName` for one that is none.

    >>> topics_of(["time", "flops"])
    ('flops', 'time')
    """
    for name in names:
        if name not in TOPICS:
            raise unknown("topic", name, TOPICS)
    return tuple(topic for topic in TOPICS if topic in names or not names)


def selection(topics: Collection[str], model: Model | None, gpu: str | None, *, short: bool = False) -> Selection:
    """The selection that a person asks for: everything, the Llama 3 models and the H100, unless something is named.

    Raises `ModelError` for an architecture without sizes, `UnknownName` for a topic or a device that is not there.
    """
    if model is not None and not model.sizes:
        raise ModelError(f"{model.architecture.name} has no sizes to put in: name a preset or a config.json")
    return Selection(topics_of(topics), model, device(gpu or DEVICE), short)
