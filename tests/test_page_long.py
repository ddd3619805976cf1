"""Long formulas on the page in a real browser: lines are broken at their sums, nothing of them is lost or cut off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from derive.plan import Plan
from derive.render.documents.blocks import Cards, Document, Section
from derive.render.documents.card import card
from derive.render.page import page
from derive.render.typeset.mathml import mathml
from derive.report import report
from derive.sheet.live import live, opened, others
from formulas import catalog
from formulas.models import model
from tests.browsing import written
from tests.visiting import browser

__all__ = ["browser"]

NAMES = ("parameters", "layer-flops", "flops-per-token", "model-activations", "recompute-factor", "peak-memory")
ABOUT = model("deepseek-v3")
CUT = """[...document.querySelectorAll(".formula, .card .scroll")].filter(x => x.scrollWidth > x.clientWidth + 1)
    .map(x => [x.closest(".card").id, getComputedStyle(x, "::before").content])"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    cards = [card(report(catalog()[name], model(), Plan(), judged=False)) for name in NAMES]
    sections = (Section("Long", "topic-long", (Cards("long", tuple(cards)),)),)
    choices = opened(live((ABOUT,)), ABOUT.name, "h100")
    return written(tmp_path_factory.mktemp("page"), page(Document("Long", (), sections), choices, others((ABOUT,))))


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Any]:
    found = browser.new_page(viewport={"width": 900, "height": 800})
    found.goto(address + "#model=deepseek-v3&tp=1&dp=1")
    yield found
    found.close()


def test_a_formula_in_several_lines_has_all_of_its_signs(tab: Any) -> None:
    formulas = {each.name: each.formula for kind, each in others((ABOUT,)) if kind == ABOUT.architecture.name}
    for name in ("parameters", "layer-flops", "flops-per-token"):
        pieces = tab.evaluate("x => [...document.querySelectorAll(x)].map(x => x.textContent)", f"#{name} {PIECES}")
        assert len(pieces) > 5
        assert "".join(pieces) == "".join(ElementTree.fromstring(mathml(formulas[name].latex)).itertext())
        assert all(piece[0] in "+−" for piece in pieces[1:])


PIECES = ".formula > span:last-child > math"


@pytest.mark.parametrize("width", [375, 900, 1600])
def test_what_is_cut_off_says_that_it_scrolls(tab: Any, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    tab.evaluate("document.querySelectorAll('.card details').forEach(each => { each.open = true; })")
    # The page measures itself a moment after it changed.
    tab.wait_for_function(f"({CUT}).every(([_, content]) => content.includes('scrolls sideways'))", timeout=10_000)
    cut = tab.evaluate(CUT)
    assert {name for name, _ in cut} <= ({*NAMES} if width == 375 else {"recompute-factor", "model-activations"})


def test_a_sign_that_a_formula_scrolls_goes_when_it_does_not(tab: Any) -> None:
    tab.set_viewport_size({"width": 320, "height": 800})
    tab.wait_for_timeout(200)
    assert tab.query_selector("#peak-memory .formula.wider[tabindex]")
    tab.set_viewport_size({"width": 1200, "height": 800})
    tab.wait_for_timeout(200)
    assert not tab.query_selector("#peak-memory .formula:is(.wider, [tabindex], [role])")


def test_nothing_of_a_long_sum_is_beyond_the_edge_of_paper(tab: Any) -> None:
    tab.set_viewport_size({"width": 700, "height": 1000})
    tab.emulate_media(media="print")
    edges = tab.evaluate(
        "[...document.querySelectorAll('.card')].map(x => [x.id, x.getBoundingClientRect().right,"
        " Math.max(...[...x.querySelectorAll('.formula math')].map(y => y.getBoundingClientRect().right))])"
    )
    assert len(edges) == len(NAMES)
    assert [name for name, edge, right in edges if right > edge] == []
