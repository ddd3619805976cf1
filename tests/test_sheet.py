"""The cheat-sheet: whole, true, and held as it is derived."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from derive.exact import evaluate
from derive.plan import Plan
from derive.render.documents import markdown
from derive.render.documents.blocks import Cards, Code, Grid, Math, Paragraph
from derive.render.documents.markdown import overview
from derive.sheet import stored
from derive.sheet.document import sheet
from derive.sheet.judged import CONVENTIONS, conventions_section
from derive.sheet.letters import SIGNS
from derive.sheet.numbers import ROWS, numbers_section
from derive.sheet.selection import PRESETS, selection
from derive.sheet.short import QUANTITIES, short_sections
from derive.situation import amount, situation
from derive.tree import substitute
from derive.values import show
from formulas import TOPICS, all_claims, catalog, entries
from formulas.models import model
from tests.documents import held, mathematics, whole

__all__ = ["held", "whole"]

COMMANDS = {r"\frac", r"\left", r"\right", r"\min", r"\max", r"\sqrt", r"\lceil", r"\rceil", r"\cdot"}
CONVENTIONAL = [name for names in CONVENTIONS.values() if len(names) > 1 for name in names]


def test_what_is_held_is_what_is_derived_now():
    assert stored.is_current(), f"derive/sheet/sheet.json is of what the sources were before: run {stored.RENEW}"
    data = json.loads(stored.FILE.read_text(encoding="utf-8"))["held"]
    assert data == json.loads(json.dumps(stored.encoded(stored._derived())))


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"fingerprint": 1, "held": []}', "\x00"])
def test_what_is_held_and_damaged_is_derived_anew(monkeypatch, tmp_path, damage, held):
    (tmp_path / "sheet.json").write_text(damage, encoding="utf-8")
    monkeypatch.setattr(stored, "FILE", tmp_path / "sheet.json")
    monkeypatch.setattr(stored, "_derived", lambda: held)
    stored._committed.cache_clear()
    assert not stored.is_current()
    assert stored.held() is held
    stored._committed.cache_clear()


def test_every_quantity_has_a_card_and_every_claim_stands_on_one(held):
    cards = {card.name: card for topic in held.cards for card in topic.cards}
    assert list(cards) == [entry.name for entry in entries()]
    stated = [(card.name, each.source, each.where) for card in cards.values() for each in card.stated]
    assert len(stated) == len(all_claims())
    for claim in all_claims():
        assert any(name == claim.formula.name and source == claim.source.key for name, source, _ in stated)


def test_every_card_explains_itself(held):
    for topic in held.cards:
        for card in topic.cards:
            assert card.lines
            assert card.ending or not card.mark
            assert card.rows or card.formula.latex == "0", card.name
            assert card.lines[-1].relation.latex != r"\approx" or len(card.lines) > 1


def test_every_refuted_statement_is_shown_with_what_makes_it_false(whole):
    (refuted,) = [section for section in whole.sections if section.anchor == "refuted"]
    rows = [row for block in refuted.blocks if isinstance(block, Grid) for row in block.rows]
    assert len(rows) == sum(claim.expected == "refuted" for claim in all_claims())
    for row in rows:
        assert any("claim − derived" in str(part) or "claimed" in str(part) for part in row[-1]), row


def test_conventions_name_quantities():
    assert {name for names in CONVENTIONS.values() for name in names} <= set(catalog())


@pytest.mark.parametrize("name", PRESETS)
def test_numbers_are_those_of_the_catalog(held, name):
    grid = next(block for block in held.numbers.blocks if isinstance(block, Grid))
    column = 2 + PRESETS.index(name)
    known = catalog()
    for asked, row in zip(ROWS, grid.rows, strict=True):
        if asked.source or asked.values or asked.plan or asked.recipe != "bf16":
            continue
        value = amount(known[asked.quantity], model(name), Plan(), {})
        assert value is not None
        assert row[column] == (show(value, str(known[asked.quantity].unit)).partition(" (")[0],)


# The table of the train-ledger article, in its own words: what it states of the three models, to its last digit.
ARTICLE = {
    "states, bf16 gradients": ("128.5 GB", "1.129 TB", "6.494 TB"),
    "the same by 34sbh, which is about f = 4h and g = a": ("1.141 GB", "2.282 GB", "4.563 GB"),
    "logits": ("6.304 GB",) * 3,
    "a sequence on one device at its peak": ("0.4263 s", "3.721 s", "20.91 s"),
}


@pytest.mark.parametrize("row", ARTICLE)
def test_numbers_are_those_that_people_know(held, row):
    grid = next(block for block in held.numbers.blocks if isinstance(block, Grid))
    (found,) = [each for each in grid.rows if each[0] == (row,)]
    assert tuple(cell[0] for cell in found[2:]) == ARTICLE[row]


def test_a_model_and_a_device_of_ones_own_change_the_numbers(held):
    chosen = selection([], model("gpt2"), "a100")
    (numbers,) = [section for section in sheet(chosen, held).sections if section.anchor == "numbers"]
    grid = next(block for block in numbers.blocks if isinstance(block, Grid))
    assert grid.heads[2:] == ("gpt2",)
    assert ("124.4M parameters",) in grid.rows[0]
    assert numbers == replace(numbers_section((model("gpt2"),), chosen.device), blocks=numbers.blocks)


def test_a_topic_is_shown_alone(held):
    found = sheet(selection(["time"], None, None), held)
    assert [section.anchor for section in found.sections if section.anchor.startswith("topic")] == ["topic-time"]
    text = markdown.markdown(found)
    assert "`training-time`" in text
    assert "`zero-3`" not in text


def test_a_short_sheet_has_what_is_asked_for_most(held):
    names = [name for names in QUANTITIES.values() for name in names]
    assert len(set(names)) == len(names) < 40
    found = sheet(selection([], None, None, short=True), held)
    shown = [
        card.name
        for section in found.sections
        for block in section.blocks
        if isinstance(block, Cards)
        for card in block.cards
    ]
    assert shown == names
    assert found.sections[-1] == held.numbers
    text = markdown.markdown(found)
    assert "korthikanti2022" not in text.replace(markdown.written(found.about), "")
    assert len(text) < len(markdown.markdown(sheet(selection([], None, None), held))) / 8


def test_every_letter_of_a_short_sheet_is_explained(held):
    sections = short_sections(held.cards)
    common_letters = set(mathematics(sections[0]))
    for section in sections[1:]:
        *own, grid = section.blocks
        assert isinstance(grid, Cards)
        explained = common_letters | set(mathematics(tuple(own)))
        for card in grid.cards:
            shown = [card.formula, *card.under, *(each.formula for each in card.also)]
            signs = {sign for each in shown for sign in SIGNS.findall(each.latex)}
            assert {each for each in signs if each not in COMMANDS} <= explained, card.name


@pytest.mark.parametrize("name", CONVENTIONAL)
def test_what_a_convention_is_begins_with_nothing_but_the_whole(held, name):
    """The first line of a derivation may be one block's share, or end in what is nearly the quantity."""
    (card,) = [card for topic in held.cards for card in topic.cards if card.name == name]
    (shown,) = [
        "".join(mathematics(row[2]))
        for block in conventions_section(held.cards).blocks
        if isinstance(block, Grid) and len(block.heads) == 3
        for row in block.rows
        if row[0] == (Code(name),)
    ]
    whole = card.lines[0].left == card.symbol and card.lines[0].relation == Math("=")
    assert shown.endswith(f" = {card.formula.latex}")
    assert shown.removesuffix(f" = {card.formula.latex}") in (
        (card.symbol.latex, f"{card.symbol.latex} = {card.lines[0].right.latex}") if whole else (card.symbol.latex,)
    )


@pytest.mark.parametrize("name", [name for name, formula in catalog().items() if formula.needs_model])
def test_a_card_of_a_model_has_the_formula_of_llama_beside_that_of_gpt(held, name):
    (card,) = [card for topic in held.cards for card in topic.cards if card.name == name]
    assert card.about == "gpt"
    formula = catalog()[name]
    found, gpt = (situation(formula, model(each), Plan(), evaluated=False).expression for each in ("llama", "gpt"))
    values = {x: Fraction(7 + 2 * place) for place, x in enumerate(formula.notation.order)}
    if evaluate(found, values) != evaluate(substitute(gpt, model("gpt").relations), values):
        assert card.also[0].name == "llama"


def test_each_of_two_formulas_says_what_it_holds_under(held):
    (card,) = [card for topic in held.cards for card in topic.cards if card.name == "activations"]
    (llama,) = card.also
    assert (card.settings[-2:], llama.settings) == (
        ("attention materialised", "dropout"),
        ("attention flash", "no dropout"),
    )
    (row,) = overview(Cards("", (card,))).rows
    words = "".join(part if isinstance(part, str) else getattr(part, "text", "") for part in row[3])
    assert words.startswith("gpt ")
    assert words.endswith(", attention materialised, dropout; llama attention flash, no dropout")


def test_topics_are_headings(whole):
    assert [
        section.anchor.removeprefix("topic-") for section in whole.sections if section.anchor.startswith("topic-")
    ] == list(TOPICS)


def test_an_overview_names_each_source_once(held):
    for topic in held.cards:
        for card, row in zip(topic.cards, overview(topic).rows, strict=True):
            named = [part.split()[0] for part in str(row[4][0]).split(", ")] if row[4][0] else []
            assert sorted(named) == sorted({each.source for each in card.stated})


def test_a_value_has_its_origin_in_the_row(held):
    step = next(block for block in held.numbers.blocks if isinstance(block, Paragraph))
    assert "4194304 tokens on 1024 devices" in str(step.text)


def test_a_row_without_a_value_says_why_and_others_have_theirs(held):
    (numbers,) = [x for x in sheet(selection([], model("gpt2"), "v100"), held).sections if x.anchor == "numbers"]
    grid = next(block for block in numbers.blocks if isinstance(block, Grid))
    without = [str(row[0][0]) for row in grid.rows if row[2] == ("–",)]
    assert without == ["a sequence on one device at its peak", "a step at the peak", "a step at MFU 40%"]
    said = [str(block.text[0]) for block in numbers.blocks if isinstance(block, Paragraph)]
    assert f"– {', '.join(without)}: v100 has no bf16 peak: it has fp64, fp32, fp16; or set --peak" in said
    assert any(each.startswith("Not drawn, roofline: v100 has no bf16 peak") for each in said)
