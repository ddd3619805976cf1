"""JSON keeps its schema, agrees with itself to the last digit, and shows a proof wherever something was proved."""

import json
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from derive.cli import main
from derive.evaluation import exact_text
from derive.exact import evaluate
from derive.grammar import parse
from derive.interval import Interval
from derive.model import Given, Model
from derive.plan import Plan, parse_plan
from derive.quantity import Formula
from derive.reading import to_tree
from derive.render.json import number, plain
from derive.situation import made_from
from derive.tree import symbols_of
from formulas import catalog
from formulas.models import in_letters
from formulas.models import model as model_named
from tests.exactly import value_at

SCHEMA = json.loads(files("derive.render").joinpath("schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FORMULAS = catalog()
ABOUT_MODELS = [name for name, formula in FORMULAS.items() if formula.needs_model]
TAKING = [name for name, formula in FORMULAS.items() if formula.takes_model and not formula.needs_model]
COUNTED = {
    "byte": "bytes", "FLOP": "flops", "parameter": "parameters", "token": "tokens", "second": "seconds",
    "dollar": "dollars", "device": "devices", "device*hour": "device-hours",
}  # fmt: skip
# Sizes under which every architecture's hypotheses hold, for what is left in letters.
SIZES: dict[str, Fraction | int] = dict(
    zip("LagsbdhfVStmnp", (3, 4, 4, 6, 5, 2, 8, 32, 24, 6, 2, 3, 5, 7), strict=True)
)
NEAR = Fraction(1, 10**9)  # what floats of given values leave of an exact one

CASES = {
    **{name: (name,) for name in FORMULAS},
    **{f"{name} {preset}": (name, "--model", preset) for name in ABOUT_MODELS
       for preset in (*in_letters(), "gpt-oss-20b")},
    **{f"{name} {preset} symbolic": (name, "--model", preset, "--symbolic") for name in ABOUT_MODELS
       for preset in ("gpt2", "llama3-8b")},
    **{f"{name} tp=t,sp": (name, "--plan", "tp=t,sp") for name in ABOUT_MODELS},
    **{f"{name} llama3-70b tp=8": (name, "--model", "llama3-70b", "--plan", "tp=8,sp,recompute=mlp")
       for name in ABOUT_MODELS},
    **{f"{name} llama3-8b pp=4": (name, "--model", "llama3-8b", "--plan", "pp=4,dp=2,zero=3") for name in ABOUT_MODELS},
    **{f"{name} {preset}": (name, "--model", preset) for name in TAKING for preset in ("gpt2", "llama3-8b")},
    **{f"{name} gpt2 symbolic": (name, "--model", "gpt2", "--symbolic") for name in TAKING},
    "training-time": ("training-time", "--params", "7B", "--tokens", "1T", "--gpus", "64", "--mfu", "0.3",
                      "--peak", "989e12"),
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


def sizes(report: dict[str, Any], plan: str = "") -> dict[str, Fraction | int]:
    """Values for all letters of a report: those given, and any that fit for those that are free.

    A letter that stands for another quantity and has no value of its own has that of the other one.
    """
    formula = FORMULAS[report["name"]]
    values = {name: each["value"] for name, each in report["given"].items()}
    known = {x: Fraction(str(value)) for x, value in values.items() if x in formula.notation.letters}
    free = [x for each in (formula, *standing_for(report, formula)) for x in each.notation.order]
    at: dict[str, Fraction | int] = {x: 2 + place for place, x in enumerate(dict.fromkeys(free))} | SIZES | known
    model, degrees = subject(report), parse_plan(plan, formula.notation.symbol)
    if model is not None:
        degrees = model.complete(degrees)
    rows = formula.rows(model, degrees)
    named = {x: value_at(to_tree(each.ledger(model, degrees).value), at)
             for x, each in formula.standing(model, rows.letters).items() if x not in known}  # fmt: skip
    return at | named


def subject(report: dict[str, Any]) -> Model | None:
    """The model that a report is about, in letters."""
    return model_named(report["model"]).bare if report["model"] is not None else None


def standing_for(report: dict[str, Any], formula: Formula) -> list[Formula]:
    """The quantities that a formula's letters stand for, and theirs."""
    return list(made_from(formula, subject(report), Plan()))[1:]


def bounded(report: dict[str, Any]) -> bool:
    """Whether the report rests on a value of which only bounds are known."""
    return any(isinstance(each["value"], dict) for each in report["given"].values())


def near(one: Fraction, other: Fraction) -> bool:
    """Whether two values are equal but for the rounding of given floats."""
    return abs(one - other) <= NEAR * max(abs(one), abs(other))


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

    plan = arguments[arguments.index("--plan") + 1] if "--plan" in arguments else ""
    expression = parse(report["expression"])
    assert report["free_symbols"] == [
        name for name in FORMULAS[arguments[0]].notation.order
        if name in symbols_of(expression) and name not in report["given"]
    ]  # fmt: skip
    if not report["ledger"]:
        assert report["exact"] == "0"
        return
    (amount,) = set(report["ledger"][0]) - {"block", "path", "tensor", "shape", "dtype", "why"}
    counted = COUNTED.get(report["unit"].partition("/")[0])
    assert amount == counted or (counted is None and amount in ("elements", "amount"))
    if bounded(report):
        if report["exact"] is None:
            return
        low, high = map(Fraction, report["exact"].split(".."))
        assert report["value"] == {"low": plain_number(low), "high": plain_number(high)}
        return
    at = sizes(report, plan)
    total = value_at(expression, at)
    if report["value"] is not None:
        exact = value_at(parse(report["exact"]), {})
        assert near(total, exact)
        assert total == exact or not all(isinstance(each["value"], int) for each in report["given"].values())
        assert report["value"] == plain_number(exact)
    assert near(sum((value_at(parse(row[amount]), at) for row in report["ledger"]), Fraction(0)), total)
    check_steps(report, total, at)


def plain_number(value: Fraction) -> int | float:
    """A value as the contract has it."""
    return int(value) if value.denominator == 1 else float(value)


def check_steps(report: dict[str, Any], total: Fraction, at: dict[str, Fraction | int]) -> None:
    """Each quantity starts with its definition; every later equality keeps its value and has its proof.

    Before that come the lines of an argument, each a premise or proved under definitions of its own.
    """
    whole: dict[str, Fraction] = {}
    symbol = FORMULAS[report["name"]].symbol
    for step in report["steps"]:
        name = step["quantity"]
        if step["relation"] in ("under", "≤") or (name not in {*whole, symbol} and step["proof"] is not None):
            assert (step["proof"] is None) == (step["relation"] == "under")
            parse(name)
            continue
        value = value_at(parse(step["expression"]), at)
        if name not in whole:
            whole[name] = value
            assert step["relation"] == "="  # a definition, or what the lines before it arrive at
            assert step["proof"] is None or any(each["relation"] == "under" for each in report["steps"])
        elif step["relation"] == "=":
            assert near(value, whole[name])
            assert "==" in step["proof"]
        else:
            assert step["relation"] == "≈"
            assert value < whole[name]
            assert step["proof"] is None
    assert near(whole.pop(symbol), total)
    assert not whole or near(sum(whole.values(), Fraction(0)), total)


@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES.keys())
def test_claims_of_the_json_are_what_their_verdicts_say(data, arguments):
    report = data(*arguments)
    for claim in report["claims"]:
        assert claim["verdict"] == claim["expected"]
        if claim["counterexample"] and set(symbols_of(parse(claim["expression"]))) <= set(claim["counterexample"]):
            residual = value_at(parse(claim["residual"]), claim["counterexample"])
            assert residual != 0


def agrees(report: dict[str, Any], claim: dict[str, Any]) -> bool | None:
    """Whether claim + neglected = value, exactly; None where the claim is about another case than the report."""
    settings = {key: report["given"][key]["value"] for key in ("attention", "mask") if key in report["given"]}
    theirs = {"attention": "materialised", "mask": "causal"} | claim["plan"]
    if claim["verdict"] == "refuted" or not claim["holds_here"] or claim["included"] or claim["about"] != "gpt":
        return None
    if set(claim["plan"]) - set(settings) or any(theirs[key] != value for key, value in settings.items()):
        return None
    at = {x: given.value for x, given in model_named(report["model"]).sizes.items()} | sizes(report)
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
    assert (number(Fraction(3)), number(Fraction(1, 4)), number(None)) == (3, 0.25, None)
    assert isinstance(number(Fraction(3)), int)
    known = {"C": Given(Fraction(10**40), "option"), "P": Given(Fraction(3), "option")}
    assert [exact_text(parse(text), known) for text in ("1/P", "C", "C/P*P")] == ["1/3", "1" + 40 * "0", "1" + 40 * "0"]
    assert exact_text(parse("sqrt(C/P)"), known) == f"sqrt({10**40}/3)"


def test_an_interval_has_two_ends():
    between = Interval(Fraction(1), Fraction(5, 2))
    assert number(between) == plain(between) == {"low": 1, "high": 2.5}
    assert exact_text(parse("2*P"), {"P": Given(between, "default")}) == "2..5"
