"""The page computes what Python computes: exactly where it is rational, to twelve digits where it is not."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from derive.errors import DeriveError
from derive.interval import Interval
from derive.render.documents.blocks import Document
from derive.render.page import page
from derive.sheet.live import live
from formulas import catalog
from tests.browsing import browsing, everything, small_page, written
from tests.paged import PLANS, Setting, expected, model_named, random_setting

SETTINGS = 200
CLOSE = Fraction(1, 10**12)


@pytest.fixture(scope="module")
def settings() -> list[Setting]:
    chance = random.Random(7)
    return [random_setting(chance) for _ in range(SETTINGS)]


@pytest.fixture(scope="module")
def computed(settings: list[Setting], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    with browsing() as browser:
        tab = browser.new_page()
        tab.goto(written(tmp_path_factory.mktemp("page"), small_page()))
        return tab.evaluate("settings => shapeproof.evaluate(settings)", [each.json() for each in settings])


def differs(found: dict[str, Any], wanted: Any) -> bool:
    """Whether the page says something else than Python."""
    if isinstance(wanted, DeriveError) or wanted is None:
        return "wrong" not in found
    if isinstance(wanted, Interval):
        return (Fraction(found.get("low", 0)), Fraction(found.get("high", 0))) != (wanted.low, wanted.high)
    if "value" not in found:
        return True
    value = Fraction(found["value"])
    return abs(value - wanted) > CLOSE * abs(wanted) if found["about"] else value != wanted


@pytest.mark.parametrize("name", catalog())
def test_every_formula_at_random_settings(name: str, settings: list[Setting], computed: list[dict[str, Any]]) -> None:
    formula, valued = catalog()[name], 0
    for setting, found in zip(settings, computed, strict=True):
        wanted = expected(formula, setting)
        assert not differs(found[name], wanted), f"{setting}: the page says {found[name]}, Python {wanted}"
        valued += "wrong" not in found[name]
    assert valued >= SETTINGS // 10, f"only {valued} settings have a value"


def test_approximate_values_are_marked_and_others_are_not(computed: list[dict[str, Any]]) -> None:
    marked = {name for each in computed for name, found in each.items() if found.get("about")}
    assert {"save-interval", "chinchilla-parameters", "parametric-loss", "optimal-tokens"} <= marked
    assert not marked & {"parameters", "activations", "training-flops", "float-max", "steps"}


SPLIT = ("a", "g", "h", "f", "f_e", "V")  # sizes that are made so large that every degree divides them
TYPES = ("mixtral", "deepseek_v3", "mamba", "gemma2", "gpt_neox")


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Setting, dict[str, Any]]]:
    models = tuple(model_named(name) for name in TYPES)
    settings = []
    for name in TYPES:
        for plan in PLANS:
            values = {key: Fraction(plan[key]) for key in ("t", "n")} | {"s": Fraction(96), "b": Fraction(3)}
            values |= {
                x: Fraction(given.value * plan["t"]) for x, given in model_named(name).sizes.items() if x in SPLIT
            }
            settings.append(Setting(name, "h100", {x: y for x, y in plan.items() if x not in ("t", "n")}, values))
    with browsing() as browser:
        tab = browser.new_page()
        tab.goto(written(tmp_path_factory.mktemp("page"), page(Document("M", (), ()), live(models))))
        found = tab.evaluate("settings => shapeproof.evaluate(settings)", [each.json() for each in settings])
    return list(zip(settings, found, strict=True))


@pytest.mark.parametrize("name", catalog())
def test_every_formula_of_models_from_files(name: str, configured: list[tuple[Setting, dict[str, Any]]]) -> None:
    formula = catalog()[name]
    for setting, found in configured:
        wanted = expected(formula, setting)
        assert not differs(found[name], wanted), f"{setting}: the page says {found[name]}, Python {wanted}"


@pytest.mark.parametrize("model", TYPES)
def test_most_quantities_of_a_model_from_a_file_have_values(
    model: str, configured: list[tuple[Setting, dict[str, Any]]]
) -> None:
    plans = [(setting, found) for setting, found in configured if setting.model == model]
    assert any(setting.values["t"] > 1 for setting, _ in plans)
    for setting, found in plans:
        missing = setting.choices["recompute"] and "unknown block" in found["parameters"].get("wrong", "")
        assert bool(missing) == (model == "mamba" and setting.choices["recompute"] == "core")
        least = 40 if missing else 90  # of 127 in all, many of which are not about a model
        assert sum("wrong" not in each for each in found.values()) >= least, setting


def test_sizes_that_contradict_one_another_are_refused_by_all_that_is_about_the_model(
    computed: list[dict[str, Any]],
) -> None:
    refused = [found for found in computed if "does not divide a" in found["parameters"].get("wrong", "")]
    exceeding = [found for found in computed if "exceeds S" in found["parameters"].get("wrong", "")]
    assert refused
    assert exceeding
    for found in (*refused, *exceeding):
        for each in everything().quantities:
            if "kind" in each.dimensions:
                assert "wrong" in found[each.name], each.name
