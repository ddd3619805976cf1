"""The run on the page in a real browser: it is one run, it agrees with the command line, and it says what is wrong."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from derive.model import Given
from derive.plan import parse_plan
from derive.values import show
from formulas.hardware import device
from formulas.models import model
from formulas.notation import common
from formulas.planner import run
from tests.browsing import everything
from tests.visiting import browser, visit

__all__ = ["browser", "visit"]


def test_it_opens_on_a_run_that_can_be(visit: Any) -> None:
    page = visit()
    for name in [each.name for each in everything().pickers[0].presets]:
        page.tab.select_option("#pick-model", name)
        said = page.tab.evaluate("[...document.querySelectorAll('.controls .wrong .said')].map(x => x.textContent)")
        assert said == [], name
    page.tab.select_option("#pick-model", "llama3-70b")
    assert page.tab.get_attribute("#in-m", "placeholder") == "4"
    assert page.tab.get_attribute("#in-G", "placeholder") == "1024"


def test_the_numbers_are_those_of_the_command_line_for_the_run(visit: Any) -> None:
    page, about = visit(), model("llama3-70b")
    values = {"D": 15 * 10**12, "B": 2**22, "G": 1024, "eta": Fraction(2, 5)}
    given = {x: Given(value, "option") for x, value in values.items()}
    given |= device("h100").values(("P", "M"), "bf16", given)
    planned = run(about, parse_plan("tp=8,sp,zero=1", common.symbol), given)
    for name, unit in (("peak-memory", "byte"), ("training-time", "second"), ("states", "byte")):
        value = planned.value(name)
        assert isinstance(value, Fraction)
        assert page.value(name) == show(value, unit)
    words = {True: "fits", None: "may fit", False: "does not fit"}
    assert page.tab.inner_text(".verdict:not(:empty)") == words[planned.fits]


@pytest.mark.parametrize(
    ("fragment", "fits"), [("&dp=1024&B=2^23&zero=3&recompute=layer", "fits"), ("&gpu=v100", "does not fit")]
)
def test_the_verdict_is_in_words(visit: Any, fragment: str, fits: str) -> None:
    assert visit("#model=llama3-70b" + fragment).tab.inner_text(".verdict:not(:empty)") == fits


def test_a_run_that_contradicts_itself_is_said_and_withheld(visit: Any) -> None:
    page = visit()
    page.tab.fill("#in-G", "1000")
    assert page.wrong("G") == "G = 1000 is set, but the plan has tp*dp = 8*128 = 1024 devices: set G or the plan"
    assert page.tab.inner_text('[data-headline="training-time"] dd') == "—"
    page.tab.fill("#in-G", "1024")
    assert page.value("training-time").startswith("192.5 days")
    page.tab.fill("#in-m", "3")
    assert page.wrong("m") == "m = 3 is set, but B = 4194304 makes 4 micro-batches on each replica"
    page.tab.fill("#in-m", "")
    page.tab.fill("#in-b", "3")
    assert page.wrong("m").startswith("a step of B = 4194304, b = 3 has 4/3 micro-batches on each of dp=128 replicas")
    assert page.wrong("m") in page.tab.inner_text("#peak-memory .value")
    assert page.tab.inner_text("#missing") == page.wrong("m")


def test_tiles_have_dashes_and_each_message_is_said_once(visit: Any) -> None:
    page = visit("#model=none")
    assert page.tab.inner_text('[data-headline="parameters"] dd') == "—"
    assert page.tab.inner_text("#missing") == "Without a model: a dash is a number that needs one."
    page.tab.select_option("#pick-model", "llama3-70b")
    assert page.tab.text_content("#missing") == ""
    assert page.tab.inner_text('[data-headline="parameters"] .rounded') == "70.55B parameters"


def test_a_device_without_such_a_peak_says_which_it_has(visit: Any) -> None:
    page = visit("#gpu=v100")
    assert page.wrong("P").startswith("v100 has no bf16 peak: it has fp64, fp32, fp16")
    assert page.tab.inner_text("#missing") == page.wrong("P")


def test_search_says_what_it_finds_and_is_left_by_links(visit: Any) -> None:
    page = visit()
    page.tab.fill("#search", "oom")
    assert page.tab.is_visible("#peak-memory")
    assert page.tab.is_visible(".headline")
    assert page.tab.is_visible("#pick-model")
    page.tab.fill("#search", "zzz")
    assert "zzz" in page.tab.inner_text("#nothing")
    page.tab.click("#nothing .clear")
    assert page.tab.is_visible("#activations")
    assert not page.tab.is_visible("#nothing")
    page.tab.fill("#search", "nucleotide")
    page.tab.click(".outline a[href='#topic-some']")
    assert page.tab.is_visible("#activations")
    assert page.tab.input_value("#search") == ""


def test_folds_say_what_they_are_of(visit: Any) -> None:
    page = visit()
    assert "Derivation for llama, one device" in page.tab.inner_text("#activations summary >> nth=0")
    page.tab.click("#activations summary >> nth=0")
    said = page.tab.inner_text("#activations .command >> nth=0")
    assert "python -m derive activations --model llama3-70b --symbolic --plan tp=8,sp" in said
    page.tab.select_option("#pick-model", "gpt2")
    page.tab.select_option("#choose-attention", "materialised")
    assert not page.tab.is_visible("#activations .command >> nth=0")
    assert "Derivation for gpt, one device" in page.tab.inner_text("#activations summary >> nth=0")


ALONE = "&tp=1&dp=1"
HEAD, LINES = "#activations .formula > span:last-child", "#activations .lines"


@pytest.mark.parametrize(("model", "kind"), [("llama3-70b", "llama"), ("gpt3-175b", "gpt")])
def test_a_mark_is_of_the_formula_that_is_derived_below_it(visit: Any, model: str, kind: str) -> None:
    page = visit(f"#model={model}{ALONE}")
    page.tab.click("#activations summary >> nth=0")
    assert f"Derivation for {kind}, one device" in page.tab.inner_text("#activations summary >> nth=0")
    assert page.tab.is_visible("#activations abbr[title=proved]")
    assert page.tab.inner_html(HEAD) in page.tab.inner_html(LINES)
    assert not page.tab.is_visible("#activations .command >> nth=0")
    page.tab.fill("#in-t", "8")
    assert not page.tab.is_visible("#activations h3 abbr")
    assert page.tab.inner_html(HEAD) not in page.tab.inner_html(LINES)
    assert page.tab.is_visible("#activations .command >> nth=0")
    assert page.tab.is_visible("#training-time h3 abbr"), "it is the same for any plan"


def test_what_unfolds_follows_the_model(visit: Any) -> None:
    page, said = visit(f"#model=gpt2{ALONE}"), []
    page.tab.evaluate("document.querySelectorAll('#activations details').forEach(each => { each.open = true; })")
    for name in ("gpt2", "llama3-8b", "gpt2", "none"):
        page.tab.select_option("#pick-model", name)
        page.tab.fill("#in-t", "1")
        said.append([page.tab.inner_html(f"#activations {x}") for x in (".formula", ".under", ".lines")])
    assert said[0] == said[2] == said[3]
    assert all(x != y for x, y in zip(said[0], said[1], strict=True))


def test_an_address_with_every_field_set_comes_back_whole(visit: Any) -> None:
    long, live = "1".zfill(60), everything()
    pairs = [f"{live.planned.get(each.key, each.key)}={long}" for each in live.inputs]
    page = visit("#model=gpt2&gpu=h100&" + "&".join(pairs))
    assert page.tab.inner_text("#notes") == ""
    page.tab.click("#theme")
    assert set(page.fragment.removeprefix("#").split("&")) == {"model=gpt2", "gpu=h100", "theme=light", *pairs}
    assert 4000 < 2 * len(page.fragment) < 2**16


def test_a_long_address_is_cut_between_fields_and_that_is_said(visit: Any) -> None:
    page = visit("#model=gpt2&" + "b=1&" * 999 + "s=512")
    assert page.tab.input_value("#in-s") == "512"
    page = visit("#model=gpt2&" + "b=1&" * 16380 + "s=512345")
    assert page.tab.input_value("#in-s") == ""
    assert page.tab.input_value("#in-b") == "1"
    assert "left out: what is behind its first 65536 characters" in page.tab.inner_text("#notes")


def test_a_model_that_cannot_be_has_no_values_and_others_do(visit: Any) -> None:
    page = visit("#model=gpt2&g=7")
    for name in ("parameters", "activations", "states"):
        assert page.tab.inner_text(f"#{name} .value") == "g = 7 does not divide a = 12"
    assert page.value("usable-memory")


def test_what_is_not_about_a_model_is_not_bound_by_its_sizes(visit: Any) -> None:
    page = visit("#model=gpt2&s=8192")
    found = page.tab.evaluate("shapeproof.evaluate([{ picks: { model: 'gpt2', gpu: 'h100' }, set: { s: '8192' } }])[0]")
    assert found["flash-intensity"] == {"value": "8193/4", "about": False}
    assert found["parameters"] == {"wrong": "s = 8192 exceeds S = 1024: set S too"}
