"""The page in a real browser: what a reader does to it, and what it never does."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.visiting import browser, visit

__all__ = ["browser", "visit"]


def test_a_preset_changes_every_number(visit: Any) -> None:
    page = visit()
    assert page.value("parameters") == "70.55B parameters"
    page.tab.select_option("#pick-model", "gpt2")
    assert page.value("parameters") == "124.4M parameters"
    assert page.tab.inner_text('[data-headline="parameters"] .exact') == "124439808"
    page.tab.select_option("#pick-gpu", "b200")
    assert "model=gpt2&gpu=b200" in page.fragment


def test_an_edit_changes_what_depends_on_it(visit: Any) -> None:
    page = visit()
    before = page.value("activations")
    page.tab.fill("#in-s", "128Ki")
    assert page.value("activations") != before
    assert page.value("parameters") == "70.55B parameters"
    page.tab.fill("#in-s", "")
    assert page.value("activations") == before
    page.tab.fill("#in-N", "7B")
    page.tab.fill("#in-t", "1")
    page.tab.fill("#in-n", "1")
    assert page.value("states") == "112.0 GB (104.3 GiB)"


def test_a_plan_changes_the_formula_that_is_shown(visit: Any) -> None:
    page = visit("#model=gpt3-175b")
    stated = page.tab.inner_html("#activations .formula")
    page.tab.fill("#in-t", "8")
    page.tab.select_option("#choose-sp", "1")
    page.tab.select_option("#choose-recompute", "layer")
    assert page.tab.inner_html("#activations .formula") != stated
    assert page.tab.inner_text("#activations .plan").endswith("gpt, tp=8,sp,recompute=layer,attention=materialised")
    page.tab.click("#activations summary:has-text('Derivation')")
    assert "--plan tp=8,sp,recompute=layer" in page.tab.inner_text("#activations details")


def test_an_entry_that_cannot_be_read_is_said_at_its_field(visit: Any) -> None:
    page = visit()
    before = page.value("activations")
    page.tab.fill("#in-s", "many")
    assert page.wrong("s") == "s must be a positive integer: got 'many'"
    assert page.tab.get_attribute("#in-s", "aria-invalid") == "true"
    assert page.value("activations") == before
    assert page.tab.evaluate("document.querySelector('#activations .value').classList.contains('stale')")
    assert page.value("parameters") == "70.55B parameters"
    assert "s=" not in page.fragment.replace("zeros=", "")
    page.tab.fill("#in-s", "4096")
    assert page.wrong("s") == ""
    assert not page.tab.query_selector("#activations .stale")
    page.tab.fill("#in-eta", "140%")
    assert page.wrong("eta").startswith("eta is at most 1")


def test_what_a_degree_does_not_divide_is_withheld(visit: Any) -> None:
    page = visit("#model=gpt2&tp=8")
    assert page.wrong("t") == "tp = 8 does not divide a = 12 (query heads)"
    assert "tp = 8 does not divide a = 12" in page.tab.inner_text("#activations .value")
    page.tab.fill("#in-t", "3")
    assert "tp = 3 does not divide V" in page.tab.inner_text("#peak-memory .value")
    page.tab.fill("#in-V", "50304")
    assert page.value("activations")
    assert page.value("peak-memory")


def test_sizes_that_contradict_one_another_are_said(visit: Any) -> None:
    page = visit("#model=gpt2&s=2048")
    assert page.wrong("s") == "s = 2048 exceeds S = 1024: set S too"
    assert page.wrong("S") == page.wrong("s")
    page.tab.fill("#in-s", "")
    page.tab.fill("#in-a", "7")
    assert page.wrong("d").startswith("d = h/a is not a whole number here")
    page.tab.fill("#in-a", "")
    page.tab.fill("#in-g", "5")
    assert page.wrong("g") == "g = 5 does not divide a = 12"


def test_a_reload_restores_everything(visit: Any) -> None:
    page = visit()
    page.tab.select_option("#pick-model", "llama3-8b")
    page.tab.fill("#in-t", "8")
    page.tab.select_option("#choose-sp", "1")
    page.tab.fill("#in-s", "128Ki")
    page.tab.fill("#in-B", "2^22")
    page.tab.click("#theme")
    fragment, value = page.fragment, page.value("activations")
    assert fragment == "#model=llama3-8b&gpu=h100&sp=1&s=128Ki&tp=8&B=2^22&theme=light"
    page.tab.reload()
    assert (page.fragment, page.value("activations")) == (fragment, value)
    assert page.tab.input_value("#in-s") == "128Ki"
    assert visit(fragment).value("activations") == value


HOSTILE = (
    "#model=<img src=x onerror=alert(1)>", "#s=1;alert(1)", "#__proto__=1&constructor=2&toString=3",
    "#model=constructor",
    "#zero=9&theme=javascript:alert(1)", "#s=1e999999999&B=" + "9" * 5000, "#%E0%A4%A&s=%00",
    "#tp=-1&sp=true&gpu=__proto__",
)  # fmt: skip


@pytest.mark.parametrize("fragment", HOSTILE)
def test_a_hostile_fragment_does_nothing_but_be_named(visit: Any, fragment: str) -> None:
    page = visit(fragment)
    assert page.value("parameters") == "70.55B parameters"
    assert page.value("activations") == visit().value("activations")
    assert "left out" in page.tab.inner_text("#notes")
    assert not page.tab.query_selector("img")
    assert page.tab.evaluate("({}).polluted === undefined && Object.prototype.constructor === Object")


def test_colours_follow_the_system_and_the_switch(visit: Any) -> None:
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    light, dark = (visit(color_scheme=scheme).tab.evaluate(colour) for scheme in ("light", "dark"))
    assert light != dark
    page = visit(color_scheme="light")
    page.tab.click("#theme")
    page.tab.click("#theme")
    assert page.tab.evaluate(colour) == dark
    assert page.fragment.endswith("theme=dark")
    assert visit("#theme=light", color_scheme="dark").tab.evaluate(colour) == light


@pytest.mark.parametrize("width", [320, 360, 414, 768, 1024, 1600])
def test_the_page_never_scrolls_sideways(visit: Any, width: int) -> None:
    page = visit("#model=llama3-70b&tp=8&sp=1&dp=8&zero=3&recompute=core", viewport={"width": width, "height": 800})
    page.tab.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.tab.wait_for_timeout(100)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width


def test_it_is_used_by_keyboard_alone(visit: Any) -> None:
    page = visit()
    press = page.tab.keyboard.press
    press("Tab")
    assert page.tab.evaluate("document.activeElement.className") == "skip"
    press("Enter")
    assert page.tab.evaluate("document.activeElement.id") == "content"
    press("/")
    assert page.tab.evaluate("document.activeElement.id") == "search"
    page.tab.keyboard.type("chinch")
    assert page.tab.inner_text("#found").startswith("1 formula")
    assert not page.tab.is_visible("#activations")
    press("Escape")
    assert page.tab.is_visible("#activations")
    page.tab.focus("#activations summary")
    press("Enter")
    page.tab.wait_for_selector("#activations details table", state="visible")
    page.tab.focus("#pick-model")
    press("End")
    assert "model=none" in page.fragment
    assert page.tab.inner_text("#parameters .value") == "parameters is a quantity of a model: give one"


def test_search_finds_names_titles_and_sources(visit: Any) -> None:
    page = visit()
    for words, name in (
        ("peak-mem", "peak-memory"),
        ("korthikanti", "activations"),
        ("wall-clock run", "training-time"),
    ):
        page.tab.fill("#search", words)
        assert page.tab.is_visible(f"#{name}")
        assert not page.tab.is_visible("#usable-memory")


def test_every_field_has_a_name_and_headings_go_down_one_by_one(visit: Any) -> None:
    page = visit()
    nameless = page.tab.evaluate(
        "[...document.querySelectorAll('input, select, button')].filter(x => !x.labels?.length && !x.ariaLabel).length"
    )
    assert nameless == 0
    levels = page.tab.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(x => Number(x.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    repeated = page.tab.evaluate(
        "(ids => ids.filter((x, i) => ids.indexOf(x) !== i))([...document.querySelectorAll('[id]')].map(x => x.id))"
    )
    assert repeated == []


def test_without_scripts_it_is_a_sheet(visit: Any) -> None:
    page = visit(java_script_enabled=False)
    assert page.tab.is_visible("#activations .formula math")
    assert "Without JavaScript this is a static sheet" in page.tab.text_content("noscript")
    assert not page.tab.is_visible("#controls")


def test_printed_it_has_what_is_chosen_and_open_and_no_controls(visit: Any) -> None:
    page = visit("#model=llama3-70b&s=4096&tp=4")
    assert not page.tab.is_visible("#chosen")
    page.tab.click("#activations summary:has-text('Derivation')")
    page.tab.wait_for_selector("#activations details table", state="visible")
    page.tab.emulate_media(media="print")
    assert page.tab.is_visible("#activations details table")
    assert not page.tab.is_visible("#peak-memory details")
    chosen = page.tab.inner_text("#chosen")
    assert (
        chosen
        == "Llama 3 70B on NVIDIA H100 SXM5 80GB; s = 4096; plan tp=4,dp=128,sp,zero=1,attention=flash,mask=causal"
    )
    assert page.tab.is_visible("#activations .value")
    assert not page.tab.is_visible("#search")
    assert not page.tab.is_visible("#in-s")


def test_brackets_and_roots_stretch_in_the_font_of_the_page(visit: Any) -> None:
    page = visit()
    assert page.tab.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"STIX Two Math subset\"'))")
    heights = page.tab.evaluate(
        "() => [...document.querySelectorAll('#activations mo')].map(x => x.getBoundingClientRect().height)"
    )
    assert max(heights) > 1.3 * min(heights)


def test_the_command_for_the_present_plan_has_what_the_value_depends_on(visit: Any) -> None:
    page = visit("#model=llama3-70b&tp=8&sp=1&dp=64&zero=1")
    page.tab.click("#peak-memory summary:has-text('Derivation')")
    said = page.tab.inner_text("#peak-memory .command code")
    assert (
        said == "python -m derive peak-memory --model llama3-70b --symbolic --plan tp=8,dp=64,sp,zero=1,attention=flash"
    )
