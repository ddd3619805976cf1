"""The page as a file: one, small, the same every time, safe whatever is in its data, and of known operations only."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from checks.configurations import TYPES, configuration
from derive.cli import main
from derive.errors import DeriveError
from derive.model import Given, Model
from derive.reading import sum_to_tree
from derive.render.documents.blocks import Document, Picture, Section
from derive.render.page import HERE, page
from derive.render.page.data import payload
from derive.render.page.live import Use
from derive.render.page.packing import packed, unpacked
from derive.render.page.program import OPERATIONS, Program
from derive.sheet import cases
from derive.sheet.cases import DIMENSIONS, Case, Letters
from derive.sheet.catalog import cards
from derive.sheet.choices import EXAMPLES
from derive.sheet.live import _kind, _shown, live, opened
from derive.tree import Negative, Node
from formulas import catalog, entries
from formulas.architectures.gpt import gpt
from formulas.configs import model_of_fields
from formulas.models import in_letters, model
from tests.browsing import everything, small_page

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
LARGEST = 600_000  # bytes


def whole_page() -> str:
    sections = tuple(Section(each.topic, f"topic-{each.topic}", (each,)) for each in cards())
    return page(Document("All", ("of it",), sections), everything())


def test_all_cards_fit_with_room_for_the_rest() -> None:
    assert len(whole_page().encode()) < LARGEST * 2 / 3


def test_the_page_is_the_same_every_time() -> None:
    document = Document("Twice", ("the same",), ())
    assert page(document, live()) == page(document, live())


def test_the_page_asks_for_nothing_and_lets_nothing_in() -> None:
    text = small_page()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"\b(?:src|href)\s*=\s*[\"'](?!#)", text)
    assert not re.search(r"\beval\b|\bFunction\s*\(|innerHTML|outerHTML|document\.write|insertAdjacentHTML", text)
    assert text.count("<script") == 2
    assert "STIX Fonts Project Authors" in text
    assert "Open Font License" in (HERE / "font" / "OFL.txt").read_text(encoding="utf-8").title().replace("Sil ", "")


def test_what_comes_from_data_stays_text() -> None:
    name = "</script><script>alert(1)</script>"
    sizes = {letter: Given(64, "preset") for letter in gpt.letters.split()}
    text = page(Document(name, (name,), ()), live((Model(gpt, name, name, sizes),)))
    assert text.count("<script") == 2
    assert "&lt;/script&gt;&lt;script&gt;alert" in text


def test_a_picture_may_only_draw() -> None:
    for inside in ("<script>x</script>", '<g onclick="x"/>', '<a href="http://x"/>', '<g style="fill:red"/>'):
        picture = Picture("p", f"<svg>{inside}</svg>", "a picture", ("below",))
        with pytest.raises(DeriveError, match="may only draw"):
            page(Document("P", (), (Section("P", "p", (picture,)),)), everything())


def test_styles_of_pictures_are_let_in_by_their_hash() -> None:
    picture = Picture("p", "<svg><style>.a { fill: red }</style></svg>", "a picture", ("below",))
    without, text = (page(Document("P", (), blocks), everything()) for blocks in ((), (Section("P", "p", (picture,)),)))
    assert text.count("'sha256-") == without.count("'sha256-") + 1


def test_every_formula_and_preset_of_letters_is_on_the_page() -> None:
    found = everything()
    assert [each.name for each in found.quantities] == [entry.name for entry in entries()]
    assert {each.name for each in found.pickers[0].presets} == {*in_letters(), "none"}
    keys = [each.key for each in found.inputs]
    assert len(keys) == len(set(keys))
    shown = [key for group in found.groups for key in group.inputs] + list(found.degrees)
    assert sorted(shown) == sorted(keys)


def test_examples_are_of_letters_that_are_there() -> None:
    assert EXAMPLES.keys() <= {each.key for each in everything().inputs}


def test_only_known_operations_reach_the_machine() -> None:
    nodes = payload(everything())["nodes"]
    assert {type(node) for node in nodes} == {str, list}
    assert {node[0] for node in nodes if isinstance(node, list)} <= set(range(11))
    assert len(OPERATIONS) == 5
    with pytest.raises(DeriveError, match="the page does not compute: Strange"):
        Program({"x": 0}, {}).add(Negative(Strange()), {"x": Use("x")})  # pyright: ignore[reportArgumentType]


class Strange:
    """A node that nobody knows."""


@pytest.mark.parametrize("name", sorted(TYPES))
def test_a_page_of_any_model_has_only_inputs_of_its_kind(name: str) -> None:
    more = {"num_nextn_predict_layers": 1} if name == "deepseek_v3" else {}
    about = model_of_fields(configuration(name, 1) | more, "added")
    assert ("L_m" in about.sizes) == bool(more)
    kind = _kind("added", Model(about.architecture), Letters())
    sizes = _shown(about).sizes
    assert {kind.letters[letter] for letter in sizes} <= {*kind.inputs}
    assert about.sizes.keys() - sizes.keys() <= {"L_m"}


def test_more_modules_of_prediction_do_not_stop_a_page() -> None:
    about = model_of_fields(configuration("deepseek_v3", 1) | {"num_nextn_predict_layers": 1}, "added")
    assert payload(live((about,)))["pickers"][0]["first"] == "added"


def test_a_sum_of_other_letters_has_no_field() -> None:
    about = model_of_fields(configuration("gemma3_text", 1), "added")
    kind = _kind("added", Model(about.architecture), Letters())
    assert kind.follows == ("L",)
    assert "L" not in kind.inputs


def test_experts_are_not_taken_to_be_split_by_tensor_parallelism() -> None:
    about = model_of_fields(configuration("mixtral", 1), "added")
    splits = Case(catalog()["activations"], Model(about.architecture), Letters())._splits
    assert "E" not in {each.key for each in splits}
    assert {each.key for each in splits} >= {"a", "s"}


def test_no_sum_of_rows_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[object, ...]] = []

    def counted(amounts: tuple[Any, ...], order: tuple[str, ...]) -> Node:
        read.append((amounts, order))
        return sum_to_tree(amounts, order)

    monkeypatch.setattr(cases, "sum_to_tree", counted)
    cases._read.cache_clear()
    case = Case(catalog()["states"], Model(gpt), Letters())
    settings = [dict(zip(DIMENSIONS, values, strict=True)) for values in product(*DIMENSIONS.values())]
    assert sum(not isinstance(case.tree(each), str) for each in settings) > 9 * len(read) > 0
    assert len(read) == len(set(read))


def test_a_model_needs_a_name_of_its_own() -> None:
    with pytest.raises(DeriveError, match="a page needs a name of its own"):
        live((replace(Model(gpt), name="gpt2"),))


@pytest.mark.parametrize("text", ["", "a", "aaaaaaaaaaaaaaaaaaaaaaaaaa" * 90, "``~~`~`", "<b>&\"{}|'" * 9, "é×−" * 40])
def test_packing_loses_nothing(text: str) -> None:
    assert unpacked(packed(text)) == text


def test_packing_loses_nothing_of_a_page() -> None:
    text = small_page()
    assert unpacked(packed(text)) == text
    assert len(packed(text)) < len(text)


def test_words_that_people_search_for_are_of_what_is_there() -> None:
    names = {entry.name for entry in entries()} | {"numbers", "hardware"}
    assert {name for found in everything().aliases.values() for name in found} <= names


@pytest.mark.parametrize("options", [[], ["--model", "deepseek-v3"]], ids=["usual", "deepseek"])
def test_the_whole_sheet_is_small(options: list[str], tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    assert main(["cheatsheet", "-o", str(place), *options]) == 0
    assert len(place.read_bytes()) <= LARGEST
    (name,) = options[1:] or ["llama3-70b"]
    kinds = {kind for each in first_line(place)["quantities"] for kind, *_ in each["derived"]}
    assert kinds - {""} == {"none", "gpt", "llama", model(name).architecture.name}


def first_line(place: Path) -> Any:
    """What the code of a page reads."""
    return json.loads(unpacked(json.loads(DATA.findall(place.read_text(encoding="utf-8"))[0])).split("\n")[0])


@pytest.mark.parametrize("name", ["a \U0001f600", "bad \udcff"], ids=["emoji", "no letter"])
def test_names_of_any_letters_are_written(name: str) -> None:
    sizes = {letter: Given(64, "preset") for letter in gpt.letters.split()}
    text = page(Document(name, (name,), ()), live((Model(gpt, name, name, sizes),)))
    assert text.encode()


def test_a_page_opens_on_the_model_and_the_device_that_are_named(tmp_path: Path) -> None:
    found = opened(everything(), "gpt2", "a100-80gb")
    assert [each.first for each in found.pickers] == ["gpt2", "a100-80gb"]
    place = tmp_path / "x.html"
    assert main(["cheatsheet", "-o", str(place), "--model", "gpt2", "--gpu", "a100"]) == 0
    assert [each["first"] for each in first_line(place)["pickers"]] == ["gpt2", "a100-80gb"]
