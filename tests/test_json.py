"""JSON keeps its schema, agrees with itself to the last digit, and shows a proof wherever something was proved."""

import json
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from derive.cli import main
from derive.exact import evaluate
from derive.grammar import parse
from derive.tree import symbols_of
from formulas import catalog
from formulas.models import presets

SCHEMA = json.loads(files("derive.render").joinpath("schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FORMULAS = catalog()
ABOUT_MODELS = [name for name, formula in FORMULAS.items() if formula.needs_model]
AMOUNTS = {"byte": "bytes", "FLOP": "flops", "parameter": "parameters", "FLOP/token": "flops", "1": "elements"}
# Sizes under which every architecture's hypotheses hold, for what is left in letters.
ANYWHERE: dict[str, Fraction | int] = dict(
    zip("LagsbdhfVStmnp", (3, 4, 4, 6, 5, 2, 8, 32, 24, 6, 2, 3, 5, 7), strict=True)
)

CASES = {
    **{name: (name,) for name in FORMULAS},
    **{f"{name} {preset}": (name, "--model", preset) for name in ABOUT_MODELS for preset in presets()},
    **{f"{name} {preset} symbolic": (name, "--model", preset, "--symbolic") for name in ABOUT_MODELS
       for preset in ("gpt2", "llama3-8b")},
    **{f"{name} tp=t,sp": (name, "--plan", "tp=t,sp") for name in ABOUT_MODELS},
    **{f"{name} llama3-70b tp=8": (name, "--model", "llama3-70b", "--plan", "tp=8,sp,recompute=mlp")
       for name in ABOUT_MODELS},
    "matmul-flops sizes": ("matmul-flops", "--set", "m=3", "--set", "n=4", "--set", "p=5"),
    "tensor-bytes sizes": ("tensor-bytes", "--set", "m=3", "--set", "n=5", "--dtype", "fp32"),
    "activations gpt-unfused": ("activations", "--model", "gpt-unfused"),
    "activations frozen": ("activations", "--plan", "frozen=up weight,attention=flash,early-stop,mask=full"),
}  # fmt: skip


@pytest.fixture
def data(capsys):
    """A function from arguments to the JSON that they print."""

    def read(*arguments: str) -> dict[str, Any]:
        code = main([*arguments, "--json"])
        out = capsys.readouterr().out
        assert code == 0
        return json.loads(out)

    return read


def sizes(report: dict[str, Any]) -> dict[str, Fraction | int]:
    """Values for all letters of a report: those given, and any that fit for those that are free."""
    known: dict[str, Fraction | int] = {
        name: given["value"] for name, given in report["given"].items() if len(name) == 1
    }
    return known if report["value"] is not None else ANYWHERE | known


def test_the_schema_is_one_and_refuses_what_is_not_in_it(data):
    Draft202012Validator.check_schema(SCHEMA)
    good = data("activations", "--model", "gpt2")
    assert VALIDATOR.is_valid(good)
    for broken in (
        {**good, "surprise": 1},
        {key: value for key, value in good.items() if key != "exact"},
        {**good, "value": None},
        {**good, "free_symbols": ["s"]},
        {**good, "plan": {"tp": 0}},
        {**good, "ledger": [{**good["ledger"][0], "flops": "1"}]},
        {**good, "claims": [{**good["claims"][0], "verdict": "maybe"}]},
        {**good, "claims": [{**good["claims"][0], "fails_here": ["f == 4*h"], "holds_here": True}]},
    ):
        assert not VALIDATOR.is_valid(broken)


@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES.keys())
def test_json_keeps_the_contract(data, arguments):
    report = data(*arguments)
    assert [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(report)] == []

    expression, at = parse(report["expression"]), sizes(report)
    assert report["free_symbols"] == [
        name for name in FORMULAS[arguments[0]].notation.order
        if name in symbols_of(expression) and name not in report["given"]
    ]  # fmt: skip
    total = evaluate(expression, at)
    if report["value"] is not None:
        assert Fraction(report["exact"]) == total
        assert report["value"] == (int(total) if total.denominator == 1 else float(total))
    amount = AMOUNTS[report["unit"]]
    assert sum(evaluate(parse(row[amount]), at) for row in report["ledger"]) == total
    check_steps(report, total, at)


def check_steps(report: dict[str, Any], total: Fraction, at: dict[str, Fraction | int]) -> None:
    """Each quantity starts with its definition; every later equality keeps its value and has its proof."""
    whole: dict[str, Fraction] = {}
    for step in report["steps"]:
        name, value = step["quantity"], evaluate(parse(step["expression"]), at)
        if name not in whole:
            whole[name] = value
            assert (step["relation"], step["proof"]) == ("=", None)
        elif step["relation"] == "=":
            assert value == whole[name]
            assert "==" in step["proof"]
        else:
            assert step["relation"] == "≈"
            assert value < whole[name]
            assert step["proof"] is None
    assert whole.pop(report["symbol"]) == total
    assert not whole or sum(whole.values()) == total


@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES.keys())
def test_claims_of_the_json_are_what_their_verdicts_say(data, arguments):
    report = data(*arguments)
    for claim in report["claims"]:
        assert claim["verdict"] == claim["expected"]
        if claim["counterexample"] and set(symbols_of(parse(claim["expression"]))) <= set(claim["counterexample"]):
            residual = evaluate(parse(claim["residual"]), claim["counterexample"])
            assert residual != 0


def agrees(report: dict[str, Any], claim: dict[str, Any]) -> bool | None:
    """Whether claim + neglected = value, exactly; None where the claim is about another case than the report."""
    settings = {key: report["given"][key]["value"] for key in ("attention", "mask") if key in report["given"]}
    theirs = {"attention": "materialised", "mask": "causal"} | claim["plan"]
    if claim["verdict"] == "refuted" or not claim["holds_here"] or claim["included"] or claim["about"] != "gpt":
        return None
    if set(claim["plan"]) - set(settings) or any(theirs[key] != value for key, value in settings.items()):
        return None
    at = presets()[report["model"]]["sizes"] | sizes(report)
    return claim["value"] + evaluate(parse(claim["neglected"] or "0"), at) == Fraction(report["exact"])


@pytest.mark.parametrize("model", ["gpt2", "gpt3-175b"])
def test_claims_that_hold_have_the_value_of_the_quantity_but_for_what_they_neglect(data, model):
    reports = [data(name, "--model", model) for name in ABOUT_MODELS]
    found = [(r["name"], c["where"], agrees(r, c)) for r in reports for c in r["claims"]]
    assert [each for each in found if each[2] is False] == []
    assert len([each for each in found if each[2]]) >= 3


def test_the_example_of_the_design(data):
    report = data("activations", "--model", "gpt3-175b")
    assert {key: report[key] for key in ("name", "symbol", "unit", "model", "plan", "free_symbols")} == {
        "name": "activations", "symbol": "A", "unit": "byte", "model": "gpt3-175b", "plan": {}, "free_symbols": [],
    }  # fmt: skip
    assert report["given"]["s"] == {"value": 2048, "from": "preset"}
    assert report["given"]["b"] == {"value": 1, "from": "default"}
    assert report["expression"] == "s*b*h*(34 + 5*a*s/h) + 16*s*b"
    assert report["value"] == 2868936704
    assert report["exact"] == "2868936704"
    assert report["value_text"] == "2.869 GB (2.672 GiB)"
    first = report["claims"][0]
    assert first["source"] == "korthikanti2022"
    assert first["where"] == "table 2"
    assert first["expression"] == "s*b*h*(34 + 5*a*s/h)"
    assert first["plan"] == {}
    assert first["hypotheses"] == ["f == 4*h", "g == a", "d == h/a"]
    assert (first["neglected"], first["verdict"], first["expected"]) == ("16*s*b", "proved up to", "proved up to")
    assert first["level"]["here"] == "certified"
    assert first["value"] == 2868903936
    assert first["holds_here"] is True


def test_a_claim_whose_hypotheses_fail_is_flagged(data):
    report = data("activations", "--model", "llama3-70b")
    assert report["value"] == 3261136896
    (selective,) = (
        claim for claim in report["claims"]
        if claim["source"] == "korthikanti2022" and claim["plan"] == {"tp": "t", "sp": True, "recompute": ["core"]}
    )  # fmt: skip
    assert selective["value"] == 2281701376
    assert selective["holds_here"] is False
    assert any("f == 4*h" in reason for reason in selective["fails_here"])
    assert any("g == a" in reason for reason in selective["fails_here"])


EXACT = {
    ("parameters", "llama3-70b"): 70553706496,
    ("parameters", "gpt2"): 124439808,
    ("parameters", "llama2-7b"): 6738415616,
    ("gemm-parameters", "llama3-70b"): 69501714432,
    ("flops-per-token", "llama3-70b"): 449226473472,
}


@pytest.mark.parametrize(("case", "value"), EXACT.items(), ids=[" ".join(case) for case in EXACT])
def test_exact_values(data, case, value):
    name, model = case
    assert data(name, "--model", model)["value"] == value


def test_megatron_s_claim_beside_flops_per_token(data):
    claims = data("flops-per-token", "--model", "llama3-70b")["claims"]
    assert 449222541312 in [claim["value"] for claim in claims if claim["source"] == "megatron"]


def test_a_value_that_is_not_whole_is_a_float_and_its_exact_text():
    from derive.render.json import number
    from derive.render.view import exact

    assert (number(Fraction(3)), number(Fraction(1, 4)), number(None)) == (3, 0.25, None)
    assert isinstance(number(Fraction(3)), int)
    assert (exact(Fraction(1, 3)), exact(Fraction(10**40)), exact(None)) == ("1/3", "1" + 40 * "0", None)
