"""Figures: pictures of what the catalog says, each a function from what it is about to a picture."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from derive.errors import DeriveError, unknown

if TYPE_CHECKING:
    from derive.drawing.svg import Picture
    from formulas.figures.subject import Subject


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure's title, the function that draws it, and what it can be told: a model, a plan, a gpu.

    `letters` says whether it is drawn of an architecture without sizes too.
    """

    title: str
    function: str
    takes: tuple[str, ...]
    letters: bool = False


FIGURES = {
    "roofline": Figure(
        "what devices compute at an arithmetic intensity, and what operations have",
        "roofline",
        ("model", "gpu", "dtype"),
    ),
    "memory-step": Figure("memory of a device over one training step", "memory_step", ("model", "plan", "gpu")),
    "bytes-per-parameter": Figure(
        "what training holds for each parameter, by recipe and by ZeRO stage", "bytes_per_parameter", ("plan",)
    ),
    "layer": Figure(
        "one layer as a data flow, with what it keeps for its backward pass", "layer", ("model", "plan"), letters=True
    ),
    "gemms": Figure("the three matrix products of one weight", "gemms", ("model", "plan"), letters=True),
    "attention-share": Figure(
        "attention's share of a model's FLOPs, by sequence length", "attention_share", ("model", "plan")
    ),
}


def figure_of(name: str) -> Figure:
    """The figure of that name; `UnknownName` with the closest one.

    >>> figure_of("rooflines")
    Traceback (most recent call last):
    derive.errors.UnknownName: unknown figure 'rooflines': did you mean 'roofline'?
    """
    if name not in FIGURES:
        raise unknown("figure", name, FIGURES)
    return FIGURES[name]


def draw(name: str, about: Subject) -> Picture:
    """The picture of that name; `DeriveError` where it is one of numbers and the model has none.

    >>> from formulas.figures.subject import subject
    >>> draw("roofline", subject()).title
    'Roofline of an H100, with the operations of Llama\xa03\xa070B'
    """
    figure = figure_of(name)
    if "model" in figure.takes and not figure.letters and not about.model.sizes:
        kind = about.model.architecture.name
        raise DeriveError(
            f"figure {name} is drawn of numbers, and {kind} has no sizes: name a preset, such as "
            f"--model {'gpt2' if kind.startswith('gpt') else 'llama3-8b'}, or a config.json"
        )
    if "plan" not in figure.takes:
        about = about.of_one_device
    return getattr(import_module(f"formulas.figures.{figure.function}"), figure.function)(about)
