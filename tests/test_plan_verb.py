"""`derive plan`: the numbers of runs that are known, what it refuses, and that its view agrees with the quantities."""

import json
from fractions import Fraction

import pytest

from derive.cli import main
from formulas import catalog
from formulas.planner import SECTIONS

LLAMA = ("--model", "llama3-70b", "--tokens", "15T", "--gpu", "h100", "--gpus", "1024")
SEED = ("--params", "7B", "--tokens", "100B", "--gpu", "h100", "--gpus", "64")


def planned(capsys, *arguments: str) -> dict:
    assert main(["plan", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def refused(capsys, *arguments: str) -> str:
    assert main(["plan", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("derive: error: ")
    assert err.count("\n") == 1
    return err.removeprefix("derive: error: ").rstrip("\n")


def test_every_quantity_of_the_view_is_in_the_catalog_once():
    names = [name for section in SECTIONS.values() for name in section]
    assert len(set(names)) == len(names)
    assert set(names) <= set(catalog())


def test_a_run_of_llama(capsys):
    data = planned(capsys, *LLAMA, "--mfu", "40%", "--batch", "4Mi", "--plan", "tp=8,zero=1", "--price", "2.5")
    assert data["flops-per-token"] == {"value": 449226473472, "unit": "FLOP/token", "value_text": "449.2 GFLOP/token"}
    assert data["training-flops"]["value"] == 449226473472 * 15 * 10**12
    seconds = Fraction(449226473472 * 15 * 10**12, 1024 * 989 * 10**12) / Fraction(2, 5)
    assert data["training-time"]["value"] == float(seconds)
    assert data["training-time"]["value_text"].startswith("192.5 days")
    assert data["gpu-hours"]["value"] == float(seconds * 1024 / 3600)
    assert data["cost"]["value"] == float(seconds * 1024 / 3600 * Fraction(5, 2))
    assert data["step-time"]["value"] == float(Fraction(449226473472 * 2**22, 1024 * 989 * 10**12) / Fraction(2, 5))
    assert data["steps"]["value"] == 3576279
    assert data["mfu"]["value"] == 0.4
    assert data["plan"] == {"tp": 8, "dp": 128, "zero": 1}
    assert data["given"]["m"] == {"value": 4, "from": "accumulation"}
    assert set(data["usable-memory"]["value"]) == {"low", "high"}


def test_the_question_of_the_meeting(capsys):
    data = planned(capsys, *SEED, "--mfu", "35%", "--days", "30")
    assert data["training-flops"]["value"] == 42 * 10**20
    assert data["training-time"]["value"] == float(Fraction(187500000, 989))
    assert data["training-time"]["value_text"].startswith("2.194 days")
    assert data["in-time"] is True
    assert data["states"]["value"] == 112 * 10**9
    assert data["step-time"]["value"] is None
    assert data["cost"]["value"] is None
    assert round(data["chinchilla-parameters"]["value"]) == 5916079783
    assert data["fits"] is False
    fewest = planned(capsys, "--params", "7B", "--tokens", "100B", "--gpu", "h100", "--mfu", "35%", "--days", "30")
    assert fewest["given"]["G"] == {"value": 5, "from": "the fewest that --days allows"}


def test_utilization_as_observed(capsys):
    step = planned(capsys, *LLAMA, "--step-time", "4.5s", "--batch", "4Mi", "--plan", "tp=8")
    assert step["mfu"]["value"] == pytest.approx(0.41345, abs=1e-5)
    assert step["hfu"]["value"] == pytest.approx(step["mfu"]["value"] * step["recompute-factor"]["value"])
    assert step["step-time"]["value"] == 4.5
    log = planned(capsys, *LLAMA, "--tflops", "430")
    assert log["mfu"]["value"] == float(Fraction(430, 989))
    assert log["achieved-flops"]["value"] == 430 * 10**12
    assert log["given"]["eta"]["from"] == "430.0 TFLOP/s/device observed"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (LLAMA, "give one of --mfu 40%, --step-time 4.5s (with --batch) or --tflops 430"),
        ((*LLAMA, "--step-time", "4.5s"), "--step-time says nothing of MFU without --batch, the tokens of that step"),
        ((*LLAMA, "--mfu", "0"), "eta must be positive: got '0'"),
        ((*LLAMA, "--mfu", "140%"), "eta is at most 1: got '140%', which is 7/5"),
        ((*LLAMA, "--mfu=-40%"), "eta must be positive: got '-40%'"),
        ((*LLAMA, "--mfu", "-40%"), "eta must be positive: got '-40%'"),
        ((*LLAMA, "--mfu", "40%", "--mfu", "50%"), "--mfu is given twice: 40% and 50%"),
        ((*LLAMA, "--mfu", "40%", "--gpus", "8"), "--gpus is given twice: 1024 and 8"),
        ((*LLAMA, "--mfu", "40%", "--set", "N=7B"), "N = 7000000000 contradicts --model llama3-70b: give one of them"),
        ((*SEED, "--mfu", "40%", "--set", "C=1e20"), "C (training FLOPs) is computed from the run: leave out --set C"),
        (
            (*SEED, "--mfu", "40%", "--set", "F=1e9"),
            "F (FLOPs for each trained token) is computed from the run: leave out --set F",
        ),
        ((*SEED, "--mfu", "40%", "--set", "n=64", "--plan", "dp=32"), "n = 64 is set, but the plan says dp=32"),
        (
            (*SEED, "--mfu", "40%", "--set", "n=32"),
            "plan dp=32: G = 64 devices over tp*pp = 1 leave dp=64",
        ),
        (
            (*LLAMA, "--mfu", "40%", "--batch", "16Mi", "--set", "m=7"),
            "m = 7 is set, but --batch makes 2 micro-batches on each replica",
        ),
        (
            (*LLAMA, "--mfu", "40%", "--plan", "tp=3"),
            "G = 1024 is no multiple of tp*pp = 3*1 = 3: set --gpus or the plan",
        ),
        ((*LLAMA, "--mfu", "40%", "--plan", "tp=8,dp=64"), "plan dp=64: G = 1024 devices over tp*pp = 8 leave dp=128"),
        ((*LLAMA, "--mfu", "40%", "--params", "7B"), "--params 7B contradicts --model llama3-70b: give one of them"),
        ((*LLAMA[:-1], "0", "--mfu", "40%"), "G must be a positive integer: got '0'"),
        (
            (*SEED[2:], "--mfu", "40%"),
            "what is trained? give --model llama3-70b, or --params 7B where only the size is known",
        ),
        ((*SEED[:2], *SEED[4:], "--mfu", "40%"), "how many tokens? give --tokens 15T"),
        ((*SEED[:4], "--gpus", "64", "--mfu", "40%"), "on which device? give --gpu h100; see `derive hardware`"),
        (
            (*SEED[:-2], "--mfu", "40%"),
            "how many devices? give --gpus 1024, or --days 30 for the fewest that are fast enough",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(capsys, arguments, text):
    assert refused(capsys, *arguments) == text


def test_large_values_stay_exact(capsys):
    data = planned(capsys, "--params", "1e15", "--tokens", "1e15", "--gpu", "h100", "--gpus", "1000000", "--mfu", "40%")
    assert data["training-flops"]["value"] == 6 * 10**30
    assert data["states"]["value"] == 16 * 10**15


def test_a_model_larger_than_any_plan(capsys):
    text = refused(capsys, "--params", "1e18", "--tokens", "1T", "--gpu", "h100", "--gpus", "64", "--mfu", "40%")
    assert "no plan fits" in text


def test_degrees_by_their_letters_are_the_plan(capsys):
    """Levers change the plan: a degree that is set by its letter must not hold them back."""
    by_letter = planned(capsys, *SEED, "--mfu", "40%", "--set", "n=64")
    assert by_letter == planned(capsys, *SEED, "--mfu", "40%", "--plan", "dp=64")
    assert by_letter["levers"]


@pytest.mark.parametrize(
    ("model", "plan", "left_out"),
    [
        ("deepseek-v3", "pp=16,ep=64,dp=128,zero=1", "tp=8, sp, zero=1 and recompute=layer"),  # 64 of 16 ranks
        ("gpt2", "dp=2048", "tp=8, sp, zero=1 and recompute=layer"),  # 12 heads
    ],
)
def test_a_change_that_a_run_does_not_allow_is_left_out(capsys, model, plan, left_out):
    """A run that does not fit is told what would help, of what can be done, and each change does."""
    run = ("--model", model, "--tokens", "15T", "--gpu", "h100", "--gpus", "2048", "--mfu", "40%", "--plan", plan)
    data = planned(capsys, *run, "--set", "b=512")
    assert data["fits"] is False
    changes = {each["change"]: each["peak-memory"] for each in data["levers"]}
    assert changes
    assert left_out not in changes
    assert all(peak < data["peak-memory"]["value"] for peak in changes.values())


@pytest.mark.parametrize("plan", ["tp=8,sp", "pp=64", "tp=2,pp=2,zero=1"])
def test_what_a_split_of_a_bare_size_leaves_is_not_known(capsys, plan):
    """16N is on no device where layers or their matrices are split: 7B on tp=8 is not refused as a misfit."""
    data = planned(capsys, *SEED, "--mfu", "40%", "--plan", plan)
    assert data["states"]["value"] is data["gradients"]["value"] is data["fits"] is None
    assert data["training-time"] == planned(capsys, *SEED, "--mfu", "40%")["training-time"]


def test_micro_batches_that_are_set_stay(capsys):
    assert planned(capsys, *SEED, "--mfu", "40%", "--set", "m=4")["given"]["m"] == {"value": 4, "from": "option"}


def test_what_changes_nothing_is_said(capsys):
    assert main(["plan", *SEED, "--mfu", "40%", "--set", "s=4096", "--set", "W=3e12"]) == 0
    notes = [f"derive: note: {letter} changes nothing of this run" for letter in ("s", "W")]
    assert capsys.readouterr().err.splitlines() == notes


@pytest.mark.parametrize("days", ["30", "3e1", "30d", "720h", "2_592_000s"])
def test_a_deadline_is_in_days_or_in_its_own_unit(capsys, days):
    data = planned(capsys, "--params", "7B", "--tokens", "100B", "--gpu", "h100", "--mfu", "35%", "--days", days)
    assert data["given"]["G"]["value"] == 5


def test_a_deadline_needs_degrees_that_are_numbers(capsys):
    text = refused(capsys, *SEED[:-2], "--mfu", "35%", "--days", "30", "--plan", "dp=n")
    assert text == "plan dp=n: a run needs a number of devices"


def test_a_peak_without_a_value_is_said_to_have_none(capsys, tmp_path):
    """Mamba has no longest sequence: how long one is stays open."""
    file = tmp_path / "config.json"
    sizes = {"hidden_size": 768, "num_hidden_layers": 24, "state_size": 16, "vocab_size": 50280}
    file.write_text(json.dumps({"model_type": "mamba", **sizes}))
    run = ["plan", "--model", str(file), "--tokens", "1T", "--gpus", "8", "--gpu", "h100", "--mfu", "40%"]
    assert main(run) == 0
    out = capsys.readouterr().out
    assert "whether it fits is open: a letter of the peak has no value" in out
    assert main([*run, "--set", "s=1024"]) == 0
    assert "it fits: the peak is below" in capsys.readouterr().out
