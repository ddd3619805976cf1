"""What the fields of the page say in a real browser: what can be typed, what differs from it, and why there is none."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from derive.cli import main
from formulas.hardware import devices
from tests.browsing import everything
from tests.visiting import browser, visit

__all__ = ["browser", "visit"]

LETTERS = {
    each.key: {
        "name": each.key, "whole": each.whole, "unit": each.unit, "least": each.least,
        "most": each.most and str(each.most),
    }
    for each in everything().inputs
}  # fmt: skip
READ = "([texts, letters]) => texts.map(([key, text]) => [key, text, shapeproof.parse(text, letters[key])])"
OPEN = "document.querySelectorAll('.inputs').forEach(each => { each.open = true; })"
GREY = """[...document.querySelectorAll("[data-entry]")].map(x => [x.dataset.entry, x.placeholder])"""


@pytest.mark.parametrize("fragment", ["", "#model=gpt2&gpu=a100", "#model=llama3-8b&gpu=b200", "#model=none"])
def test_what_is_in_grey_can_be_typed(visit: Any, fragment: str) -> None:
    page = visit(fragment)
    ends = [[key, end] for key, text in page.tab.evaluate(GREY) for end in text.split(" to ") if text != "—"]
    texts = [[key, text] for key, text in ends if text != "0"]  # an amount is positive
    assert len(texts) > 60
    for key, text, found in page.tab.evaluate(READ, [texts, LETTERS]):
        assert "value" in found, (key, text, found)


def test_what_is_in_grey_is_short_and_in_units_that_people_write(visit: Any) -> None:
    page = visit("#model=llama3-70b&gpu=h100")
    page.tab.evaluate(OPEN)
    grey = dict(page.tab.evaluate(GREY))
    assert {key: grey[key] for key in ("P", "W", "M", "s", "D", "N", "eta", "time.tau")} == {
        "P": "989T", "W": "3.35T", "M": "79.6GiB", "s": "8192", "D": "15T", "N": "70.55B", "eta": "0.4",
        "time.tau": "12h",
    }  # fmt: skip
    assert page.tab.inner_text("[data-input=P] td:last-child > small") == "FLOP/s"
    assert page.tab.inner_text("[data-input=T] td:last-child > small") == "s"


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("C", "1e24", "training-flops is 6.738e24 FLOP here; what uses C takes what you typed"),
        ("T", "30d", "training-time is 192.5 days here; what uses T takes what you typed"),
        ("N", "7B", "parameters is 70.55B here; what uses N takes what you typed"),
        ("F", "1T", "flops-per-token is 449.2 GFLOP/token here; what uses F takes what you typed"),
    ],
)
def test_a_letter_that_is_another_than_its_quantity_is_said(visit: Any, key: str, text: str, said: str) -> None:
    page = visit("#model=llama3-70b")
    page.tab.evaluate(OPEN)
    page.tab.fill(f"#in-{key}", text)
    assert page.wrong(key) == said
    assert page.tab.get_attribute(f"#in-{key}", "aria-invalid") == "false"
    page.tab.fill(f"#in-{key}", "70.55B" if key == "N" else "")
    assert "what you typed" not in page.wrong(key)
    page.tab.fill(f"#in-{key}", text)
    page.tab.select_option("#pick-model", "none")
    assert key != "N" or "what you typed" not in page.wrong(key), "then nothing else says how many there are"


def test_a_dash_has_its_reason_beside_it_once(visit: Any) -> None:
    page = visit("#model=gpt2&tp=8&s=2048")
    assert page.tab.inner_text("#missing") == "s = 2048 exceeds S = 1024: set S too"
    assert page.wrong("t") == "tp = 8 does not divide a = 12 (query heads)"
    dashes = page.tab.evaluate("[...document.querySelectorAll('[data-headline] dd')].filter(x => x.innerText === '—')")
    assert len(dashes) == 9
    page.tab.fill("#in-s", "")
    assert page.wrong("t") == "tp = 8 does not divide a = 12 (query heads)"
    assert page.wrong("t") not in page.tab.inner_text("#missing"), "the field is above the numbers"


def test_many_reasons_are_not_all_said(visit: Any) -> None:
    page = visit("#model=llama3-70b&G=1000")
    for key in ("V", "s", "D", "M", "eta", "R"):
        page.tab.fill(f"#in-{key}", "many")
    said = page.tab.inner_text("#missing").split("\n")
    assert len(said) == 4
    assert said[-1].startswith("and ")


def test_what_cannot_be_read_leaves_no_verdict(visit: Any) -> None:
    page = visit("#model=llama3-70b")
    assert page.tab.inner_text(".verdict") == "may fit"
    page.tab.fill("#in-s", "many")
    assert page.tab.text_content(".verdict") == ""
    assert page.tab.inner_text("[data-headline=peak-memory] dd") == "—"
    assert page.tab.inner_text("#missing") == "s must be a positive integer: got 'many'"
    page.tab.fill("#in-s", "")
    assert page.tab.inner_text(".verdict") == "may fit"
    assert page.tab.text_content("#missing") == ""


@pytest.mark.parametrize("name", [alias for each in devices().values() for alias in each.aliases])
def test_a_device_is_known_by_its_other_names(visit: Any, name: str) -> None:
    page = visit(f"#gpu={name}")
    assert page.tab.inner_text("#notes") == ""
    page.tab.fill("#in-s", "4096")
    (meant,) = (each.name for each in devices().values() if name in each.aliases)
    assert page.tab.input_value("#pick-gpu") == meant
    assert f"gpu={meant}&" in page.fragment


def test_where_other_models_come_from_is_said_below_the_list(visit: Any) -> None:
    assert "derive cheatsheet --model NAME" in visit().tab.inner_text("fieldset.pickers")


CONFIG = (
    '{"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4, "vocab_size": 128, '
    '"num_hidden_layers": 2, "num_key_value_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5, '
    '"hidden_act": "silu", "torch_dtype": "bfloat16"}'
)


def test_a_model_from_a_file_is_called_by_it(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "config.json").write_text(CONFIG, encoding="utf-8")
    place = tmp_path / "page.html"
    assert main(["cheatsheet", "-o", str(place), "--model", str(folder / "config.json")]) == 0
    tab = browser.new_page()
    tab.goto(place.as_uri())
    assert tab.inner_text("#pick-model option:checked") == "mine/config.json (llama)"
    assert "Derivation for llama" in tab.inner_text("#activations summary >> nth=0")
    assert Fraction(tab.get_attribute("#in-h", "placeholder")) == 64
    tab.close()
