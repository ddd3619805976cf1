"""A tab of a real browser with the page in it, which must be quiet and ask nothing of a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browsing import browsing, small_page, written


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


class Visit:
    """One tab with the page, and everything that it said or asked for."""

    def __init__(self, browser: Any, address: str, fragment: str = "", **options: Any):
        self.context = browser.new_context(**options)
        self.tab = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.goto(address + fragment)

    def value(self, name: str) -> str:
        return self.tab.inner_text(f"#{name} .value .rounded")

    def wrong(self, key: str) -> str:
        return self.tab.inner_text(f'[data-input="{key}"] .said')

    @property
    def fragment(self) -> str:
        return self.tab.evaluate("location.hash")


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Any]:
    address = written(tmp_path, small_page())
    visits: list[Visit] = []

    def go(fragment: str = "", **options: Any) -> Visit:
        visits.append(Visit(browser, address, fragment, **options))
        return visits[-1]

    yield go
    for each in visits:
        asked = [url for url in each.asked if not url.startswith((address, "data:"))]
        each.context.close()
        assert not each.said, "the console is quiet"
        assert not asked, "nothing is asked of a network"
