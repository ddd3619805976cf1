"""Pages for the tests, and a real browser to look at them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from derive.plan import Plan
from derive.render.documents.blocks import Cards, Code, Document, Grid, Math, Paragraph, Section, Subheading
from derive.render.documents.card import card
from derive.render.page import page
from derive.render.page.live import Live
from derive.report import report
from derive.sheet.live import live, others
from formulas import catalog, claims_about
from formulas.models import model

SHOWN = (
    "parameters",
    "activations",
    "states",
    "peak-memory",
    "usable-memory",
    "training-time",
    "chinchilla-parameters",
    "mfu",
)
WITHOUT_BROWSER = "no chromium and playwright here: SHAPEPROOF_BROWSER=1 makes that a failure"


@cache
def everything() -> Live:
    """All that a page computes."""
    return live()


@cache
def small_page() -> str:
    """A page of a few cards of two topics, with everything live."""
    formulas = [catalog()[name] for name in SHOWN]
    cards = [
        card(report(each, model() if each.needs_model else None, Plan(), claims=claims_about(each)))
        for each in formulas
    ]
    paragraph = Paragraph(("a < b, ", Math("a^{2}"), Code("<x>")))
    sections = (
        Section("Some", "topic-some", (Cards("some", tuple(cards[:5])),)),
        Section("More", "topic-more", (Cards("more", tuple(cards[5:])),)),
        Section("Rest", "rest", (Subheading("Words", "words"), paragraph, Grid(("h",), ((("v",),),), (1,)))),
    )
    return page(Document("Formulas <&>", ("for tests",), sections), everything(), others(), {"rest"})


@contextmanager
def browsing() -> Iterator[Any]:
    """A real browser without a window; the test is skipped, or fails where `SHAPEPROOF_BROWSER` asks for one."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if sync_playwright is None or program is None:
        assert os.environ.get("SHAPEPROOF_BROWSER") != "1", (
            "SHAPEPROOF_BROWSER=1, but there is no chromium or no playwright"
        )
        pytest.skip(WITHOUT_BROWSER)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def written(folder: Path, text: str) -> str:
    """The address of a page that is written to a folder."""
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()
