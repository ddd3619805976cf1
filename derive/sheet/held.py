"""The parts of the sheet that nobody's selection changes."""

from __future__ import annotations

from dataclasses import dataclass

from derive.render.documents.blocks import Cards, Picture, Section


@dataclass(frozen=True)
class Held:
    """The cards, where coefficients come from, the numbers of the usual models, and the pictures about them."""

    cards: tuple[Cards, ...]
    origins: Section
    numbers: Section
    pictures: tuple[Picture, ...]
