"""Comparing: every claim beside what is derived, the differences exact, the text readable in 80 columns."""

import json
from fractions import Fraction
from typing import Any

import pytest

from derive.citation import REFUTED
from derive.cli import main
from derive.comparison import compare
from derive.plan import Plan, parse_plan
from derive.render.comparison import UNEXPLAINED, parts, separation
from derive.tree import to_text
from formulas import catalog, claims_about
from formulas.models import model
from formulas.notation import common

FORMULAS = catalog()
CLAIMED = [name for name, formula in FORMULAS.items() if claims_about(formula)]


def sides(name, named=None, plan="") -> Any:  # a report that may be None is looked at
    formula = FORMULAS[name]
    about = model(named) if named or formula.needs_model else None
    return compare(formula, about, parse_plan(plan, common.symbol), claims_about(formula))


def test_the_plan_of_the_person_comes_first():
    found = sides("activations", "gpt3-175b", "tp=8,sp")
    assert (found[0].plan.tp, found[0].plan.sp) == (8, True)
    assert "korthikanti2022" in {entry.valued.claim.source.key for entry in found[0].entries}


@pytest.mark.parametrize("name", CLAIMED)
def test_every_claim_is_there_once(name):
    claims = claims_about(FORMULAS[name])
    entries = [entry.valued.claim for side in sides(name) for entry in side.entries]
    assert sorted(map(id, entries)) == sorted(map(id, claims))


@pytest.mark.parametrize("name", CLAIMED)
def test_the_difference_in_numbers_is_what_separates_the_two_in_letters(name):
    """For every claim about this architecture whose hypotheses hold; where it is not, the text says so."""
    named = "gpt2" if FORMULAS[name].takes_model else None
    found = sides(name, named)
    for entry in (entry for side in found for entry in side.entries):
        if entry.valued.claim.about is not None and not entry.valued.failing:
            assert entry.explained is not False
    silent = [each for side in found for each in side.entries if each.explained is False and not each.valued.failing]
    shown = " ".join(part if isinstance(part, str) else "" for part in parts(found))
    assert " ".join(shown.split()).count(UNEXPLAINED) == len(silent)


def test_a_claim_for_another_number_of_micro_batches_is_flagged():
    first, *_ = sides("peak-memory", "gpt2")
    assert [entry.explained for entry in first.entries if entry.valued.judgement.hypotheses.keys() == {"m"}] == [
        False,
        False,
    ]


def test_a_claim_for_another_recipe_is_compared_under_it():
    found = sides("bytes-per-parameter")
    whole = [side for side in found if (side.plan.dp, side.plan.zero) == (1, 0)]
    recipes = {(side.plan.recipe.name, side.plan.optimizer.name): side.report.value for side in whole}
    assert [recipes[name, "adamw"] for name in ("bf16", "bf16-no-master", "bf16-fp32-grads")] == [16, 12, 18]
    assert all(entry.explained is not False for side in found for entry in side.entries)


def test_the_statements_about_activations():
    first, *_ = sides("activations", "gpt3-175b")
    by_source = {entry.valued.claim.source.key: entry for entry in reversed(first.entries)}
    assert first.report.value == 2868936704
    korthikanti = by_source["korthikanti2022"]
    assert (korthikanti.difference, korthikanti.relative) == (-32768, Fraction(-32768, 2868936704))
    assert separation(korthikanti) == "it leaves out 16*s*b (statistics)"
    assert by_source["llm-analysis"].valued.judgement.verdict == REFUTED
    assert by_source["llm-analysis"].difference == -2048 * 12288 - 16 * 2048
    assert separation(by_source["llm-analysis"]) == "claim - derived = -s*b*h, it leaves out 16*s*b besides"
    assert by_source["pytorch"].valued.failing == ("it is about gpt-unfused, not gpt",)


def test_in_letters_the_difference_is_an_expression():
    first, *_ = sides("activations")
    gaps = {entry.valued.claim.source.key: entry.gap for entry in first.entries if not entry.valued.failing}
    assert {key: to_text(gap) for key, gap in gaps.items()} == {
        "korthikanti2022": "-16*s*b", "llm-analysis": "-s*b*h - 16*s*b", "train-ledger": "-16*s*b",
    }  # fmt: skip
    assert all(entry.difference is None for entry in first.entries)


def test_a_claim_for_another_plan_is_compared_under_it():
    found = sides("activations", "gpt3-175b")
    recomputed = next(side for side in found if side.plan.recompute == ("core",))
    assert recomputed.report.plan == recomputed.plan
    assert recomputed.report.value < found[0].report.value
    assert min(abs(entry.relative) for entry in recomputed.entries) < Fraction(1, 100)


def test_a_setting_that_is_the_models_own_makes_no_other_side():
    first, *others = sides("flops-per-token", "llama3-8b")
    assert "megatron" in {entry.valued.claim.source.key for entry in first.entries}
    assert [side.plan.mask for side in others] == ["full"]


def test_what_nobody_states_is_said(capsys):
    assert main(["compare", "pointwise-elements"]) == 0
    assert "no source states it for this plan" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [
    ("flops-per-token", "--model", "llama3-8b"), ("activations",), ("activations", "--model", "gpt3-175b"),
    ("parameters", "--model", "gpt2"), ("layer-parameters",), ("checkpoint-interval",),
], ids=" ".join)  # fmt: skip
def test_the_text_fits_a_narrow_terminal(arguments, capsys):
    assert main(["compare", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    long = [line for line in out.splitlines() if len(line) > 80]
    assert long == []


def test_the_text_has_derived_value_differences_and_places(capsys):
    main(["compare", "parameters", "--model", "gpt2"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("parameters: Parameters of the whole model")
    derived = next(line for line in lines if "derived" in line and "claim" not in line)
    assert derived.split() == ["derived", "124.4M", "parameters"]
    assert any(
        line.split() == ["[1]", "narayanan2021", "■", "≈", "124.4M", "parameters", "-1536", "-0.00123"]
        for line in lines
    )
    assert "  [1] narayanan2021: Narayanan et al. 2021, section 5.1, equation 2" in lines


def test_the_json_has_every_difference(capsys):
    main(["compare", "activations", "--model", "gpt3-175b", "--json"])
    first, *_ = json.loads(capsys.readouterr().out)
    assert (first["name"], first["model"], first["value"], first["plan"]) == (
        "activations",
        "gpt3-175b",
        2868936704,
        {},
    )
    claim = next(each for each in first["claims"] if each["source"] == "korthikanti2022")
    assert (claim["difference"], claim["difference_exact"], claim["gap"]) == (-32768, "-32768", "-16*s*b")
    assert claim["relative"] == pytest.approx(-1.142e-5, rel=1e-3)
    assert claim["verdict"] == "proved up to"
    assert claim["separated_by"] == "it leaves out 16*s*b (statistics)"


def test_sizes_that_do_not_fit_are_one_line(capsys):
    assert main(["compare", "activations", "--model", "gpt3-175b", "--plan", "tp=7"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("derive: error: tp=7 does not divide")


def test_a_plan_without_claims_still_has_its_value():
    first, *_ = compare(FORMULAS["activations"], model("gpt2"), Plan(tp=2, recompute=("mlp",)), ())
    assert first.report is not None
    assert first.report.value is not None
    assert first.entries == ()
