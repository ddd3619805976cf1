"""Pictures in the page, on screens of any width: whole where they can be read, else in a box that says it scrolls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from derive.drawing.svg import SIZE, WIDE
from derive.render.documents.blocks import Document, Picture, Section, text
from derive.render.page import page
from formulas.figures import FIGURES, draw
from formulas.figures.subject import subject
from tests.browsing import everything, written
from tests.visiting import Visit, browser

__all__ = ["browser"]
LEAST = 10  # pixels of letters that can still be read
HINT = "scrolls sideways →"


def illustrated() -> str:
    made = {name: draw(name, subject()) for name in FIGURES}
    pictures = tuple(Picture(name, each.svg(), each.about, text(each.title)) for name, each in made.items())
    return page(Document("Pictures", ("for tests",), (Section("All", "all", pictures),)), everything())


MEASURED = """each => {
  const svg = each.querySelector("svg"), box = each.querySelector(".scroll");
  return [svg.getBoundingClientRect().width, box.clientWidth, box.scrollWidth,
          getComputedStyle(box, "::before").content, box.getAttribute("aria-label")];
}"""


@pytest.mark.parametrize("width", [320, 360, 375, 390, 414, 768, 1280])
def test_a_picture_is_whole_or_its_box_says_that_it_scrolls(browser: Any, tmp_path: Path, width: int) -> None:
    visit = Visit(browser, written(tmp_path, illustrated()), viewport={"width": width, "height": 800})
    found = [each.evaluate(MEASURED) for each in visit.tab.query_selector_all("figure.picture")]
    assert len(found) == len(FIGURES)
    for drawn, box, inside, hint, label in found:
        assert drawn * SIZE / WIDE >= LEAST
        scrolls = inside > box
        assert scrolls == (drawn > box + 0.5)
        assert (HINT in hint, label) == ((True, HINT.removesuffix(" →")) if scrolls else (False, None))
        assert scrolls == (width < 360), "a phone of this decade shows the whole picture"
    assert visit.tab.evaluate("document.documentElement.scrollWidth") <= width
    visit.context.close()
    assert not visit.said
