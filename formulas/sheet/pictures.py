"""The pictures of the sheet, about what a person selects."""

from __future__ import annotations

from derive.render.documents.blocks import Picture
from formulas.sheet.selection import Selection


def pictures(chosen: Selection) -> tuple[Picture, ...]:
    """Every figure, about the chosen model and device."""
    return ()
