"""The pictures of the sheet, about what a person selects."""

from __future__ import annotations

from dataclasses import replace

from derive.errors import DeriveError
from derive.render.documents.blocks import Picture, text
from derive.sheet.selection import Selection
from formulas.figures import FIGURES, draw
from formulas.figures.subject import subject


def pictures(chosen: Selection) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """Every figure about the chosen model and device; and which of them cannot be drawn of that model, with why."""
    about = subject(gpu=chosen.device.name, read=chosen.model)
    if chosen.is_usual:
        about = replace(about, chosen=frozenset())
    found, undrawn = [], []
    for name in FIGURES:
        try:
            drawn = draw(name, about)
        except DeriveError as error:
            undrawn.append(f"Not drawn, {name}: {error}")
            continue
        takes = FIGURES[name].takes
        plan = f"; an example, with the plan {about.laid_out}" if "plan" in takes else ""
        found.append(Picture(name, drawn.svg(), drawn.about, text(f"{drawn.title}{plan}.")))
    return tuple(found), tuple(undrawn)
