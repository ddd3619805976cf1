"""Values of letters on the command line: amounts in the letter's unit, exact at any size, and one line for the rest."""

import json
from fractions import Fraction

import pytest

from derive.cli import main
from derive.cli.case import value_of
from formulas import catalog
from formulas.notation import COMMON, common
from tests.test_cli_errors import NUMBERS, identify, is_one_line, outcome

RUN = ("--params", "7B", "--tokens", "100B", "--gpus", "64")
TIME = "training-time"

BAD: dict[tuple[str, ...], str] = {
    # utilizations
    (TIME, "--mfu", "0"): "eta must be positive: got '0'",
    (TIME, "--mfu", "0%"): "eta must be positive: got '0%'",
    (TIME, "--mfu", "150%"): "eta is at most 1: got '150%', which is 3/2",
    (TIME, "--mfu", "1.01"): "eta is at most 1: got '1.01', which is 101/100",
    (TIME, "--mfu", "40"): "eta is at most 1: got '40', which is 40",
    (TIME, "--set", "eta=-1"): "eta must be positive: got '-1'",
    (TIME, "--mfu", "-1"): "eta must be positive: got '-1'",
    (TIME, "--mfu", "nan"): f"eta: cannot read 'nan': it is not a number; {NUMBERS}",
    (TIME, "--mfu", ""): f"eta: cannot read '': it is empty; {NUMBERS}",
    (TIME, "--mfu", "40 %"): f"eta: cannot read '40 %': it has a space in it; {NUMBERS}",
    (TIME, "--mfu", "1e-50"): f"eta: cannot read '1e-50': it is below 10^-40; {NUMBERS}",
    # amounts in other units
    (TIME, "--set", "P=80GB"): "P is in FLOP/second/device: got '80GB', which is in byte",
    (TIME, "--peak", "5h"): "P is in FLOP/second/device: got '5h', which is in second",
    (TIME, "--peak", "inf"): f"P: cannot read 'inf': it is not a number; {NUMBERS}",
    (TIME, "--peak", "0"): "P must be positive: got '0'",
    ("compute-budget", "--set", "T=80GB"): "T is in second: got '80GB', which is in byte",
    ("compute-budget", "--set", "T=0"): "T must be positive: got '0'",
    ("compute-budget", "--set", "T=30days"): f"T: cannot read '30days': unknown suffix 'days'; {NUMBERS}",
    ("cost", "--price", "0"): "R must be positive: got '0'",
    ("cost", "--price", "-2"): "R must be positive: got '-2'",
    ("cost", "--price", "2h"): "R is in dollar/device/hour: got '2h', which is in second",
    # counts
    (TIME, "--tokens", "x"): "D must be a positive integer: got 'x'",
    (TIME, "--set", "D=x"): "D must be a positive integer: got 'x'",
    (TIME, "--tokens", "80GB"): "D must be a positive integer: got '80GB'",
    (TIME, "--tokens", "0"): "D must be a positive integer: got '0'",
    (TIME, "--params", "1.5"): "N must be a positive integer: got '1.5'",
    (TIME, "--set", "N=1.5"): "N must be a positive integer: got '1.5'",
    (TIME, "--gpus", "0"): "G must be a positive integer: got '0'",
    (TIME, "--gpus", "-1"): "G must be a positive integer: got '-1'",
    (TIME, "--tokens", "10^41"): "D must be a positive integer of at most 10^40: got '10^41'",
    ("step-time", "--batch", "4MiB"): "B must be a positive integer: got '4MiB'",
    # contradictions
    (TIME, "--tokens", "1T", "--set", "D=2T"): "D is set twice: to 2000000000000 and to 1000000000000",
    (TIME, "--set", "eta=0.4", "--mfu", "41%"): "eta is set twice: to 2/5 and to 41/100",
    (TIME, "--set", "G=8", "--set", "G=9"): "G is set twice: to 8 and to 9",
    ("zero-1", "--set", "n=64", "--plan", "dp=8"): "n = 64 is set, but the plan says dp=8",
    ("activations", "--set", "p=2", "--plan", "pp=4"): "p = 2 is set, but the plan says pp=4",
    # what does not belong
    ("training-flops", "--gpu", "h100"): "training-flops does not depend on the device: leave out --gpu h100",
    ("activations", "--gpu", "a100-80gb"): "activations does not depend on the device: leave out --gpu a100-80gb",
    (TIME, "--optimizer", "adamv"): "unknown optimizer 'adamv': did you mean 'adamw'?",
    (TIME, "--token", "1T"): "unrecognized arguments: --token 1T: did you mean --tokens?",
    (TIME, "--mfu"): f"argument --mfu: expected one argument; see derive {TIME} --help",
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD.items(), ids=map(identify, BAD))
def test_bad_values_are_one_line(capsys, arguments, message):
    code, out, err = outcome(capsys, *arguments)
    assert (code, out, err) == (2, "", f"derive: error: {message}\n")
    assert is_one_line(err)


def data(capsys, *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_option_is_the_letter_that_it_sets(capsys):
    by_option = data(capsys, TIME, *RUN, "--mfu", "40%", "--peak", "989e12")
    by_letter = data(capsys, TIME, *(x for letter in ("N=7B", "D=1e11", "G=64", "eta=0.4", "P=989e12")
                                     for x in ("--set", letter)))  # fmt: skip
    assert by_option == by_letter
    assert Fraction(by_option["exact"]) == Fraction(6 * 7 * 10**9 * 10**11 * 5, 64 * 989 * 10**12 * 2)
    assert by_option["given"]["eta"] == {"value": 0.4, "from": "option"}


def test_one_value_may_be_said_twice(capsys):
    once = data(capsys, TIME, *RUN, "--mfu", "40%", "--peak", "989e12")
    twice = data(capsys, TIME, *RUN, "--mfu", "40%", "--peak", "989e12", "--set", "eta=0.4", "--set", "D=100B")
    assert once == twice


@pytest.mark.parametrize("letter", COMMON, ids=lambda letter: letter.name)
def test_every_letter_takes_a_value_in_its_unit(letter):
    assert value_of(letter, "1") == 1
    assert isinstance(value_of(letter, "1"), int | Fraction)


def test_every_option_of_a_letter_is_offered_and_sets_one_letter(capsys):
    options = [letter.option for letter in COMMON if letter.option]
    assert len(set(options)) == len(options) >= 7
    with pytest.raises(SystemExit):
        main([TIME, "--help"])
    shown = capsys.readouterr().out
    assert all(f"--{option} V" in shown for option in options)


# ---- large values stay exact ----


def test_large_values_stay_exact(capsys):
    huge = data(capsys, "training-flops", "--params", "1e15", "--tokens", "1e15")
    assert huge["value"] == 6 * 10**30
    assert huge["exact"] == str(6 * 10**30)
    largest = data(capsys, "training-flops", "--params", "10^40", "--tokens", "10^40")
    assert largest["exact"] == str(6 * 10**80)
    odd = data(capsys, "training-flops", "--params", str(10**15 + 1), "--tokens", str(10**15 + 3))
    assert odd["value"] == 6 * (10**15 + 1) * (10**15 + 3)
    time = data(capsys, TIME, "--set", "C=1e30", "--gpus", "7", "--mfu", "0.3", "--peak", "989e12")
    assert Fraction(time["exact"]) == Fraction(10**30 * 10, 7 * 989 * 10**12 * 3)


def test_an_amount_is_exact_where_a_float_would_not_be(capsys):
    assert value_of(common["eta"], "0.1") == Fraction(1, 10)
    shown = data(capsys, TIME, *RUN, "--mfu", "0.1", "--peak", "1e15")
    assert Fraction(shown["exact"]) == Fraction(6 * 7 * 10**20 * 10, 64 * 10**15)


# ---- a set letter wins over the quantity that it stands for ----


def test_a_set_letter_wins_over_the_quantity(capsys):
    letters = {"C": "1e24"}
    derived = data(capsys, TIME, "--model", "gpt2", "--tokens", "1B", "--gpus", "8", "--mfu", "0.4", "--peak", "1e15")
    assert derived["given"]["C"]["from"] == "training-flops"
    chosen = data(capsys, TIME, "--model", "gpt2", "--set", f"C={letters['C']}", "--gpus", "8", "--mfu", "0.4",
                  "--peak", "1e15")  # fmt: skip
    assert chosen["given"]["C"] == {"value": 10**24, "from": "option"}
    assert Fraction(chosen["exact"]) == Fraction(10**24 * 10, 8 * 10**15 * 4)


def test_what_is_missing_is_said_and_nothing_is_guessed(capsys):
    shown = data(capsys, TIME, *RUN)
    assert (shown["value"], shown["exact"], shown["value_text"]) == (None, None, None)
    assert shown["free_symbols"] == ["P", "eta"]


def test_a_degree_is_a_letter_too(capsys):
    """`--set n=64` is `--plan dp=64`, said once or twice."""
    planned = data(capsys, "zero-1", "--params", "7B", "--plan", "dp=64")
    letter = data(capsys, "zero-1", "--params", "7B", "--set", "n=64")
    both = data(capsys, "zero-1", "--params", "7B", "--set", "n=64", "--plan", "dp=n")
    assert planned["value"] == letter["value"] == both["value"] is not None


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_the_new_quantities_and_options(capsys, shell):
    assert main(["--print-completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in catalog())
    for option in ("tokens", "params", "gpus", "mfu", "gpu", "optimizer"):
        assert f"--{option}" in script or f"'{option}" in script or f" {option}" in script


@pytest.mark.parametrize(
    ("arguments", "exact"),
    [
        (("window-coverage", "--set", "n=10000"), "1 - (1 - 1/10000)^10000"),
        (("relu-moment", "--set", "L=100000", "--set", "d=3", "--set", "tau=1"), "(3*1/2)^100000"),
        (("float-max", "--set", "e=16", "--set", "m=7"), "2^(2^(16 - 1) - 1)*(2 - 1/2^7)"),
    ],
)
def test_more_digits_than_python_writes_are_an_expression(capsys, arguments, exact):
    shown = data(capsys, *arguments)
    assert shown["exact"] == exact
    assert shown["value_text"]


def test_a_value_above_any_float_is_null_beside_its_text(capsys):
    shown = data(capsys, "relu-moment", "--set", "L=2000", "--set", "d=3", "--set", "tau=1.7")
    assert (shown["value"], shown["value_text"]) == (None, "1.203e813")
    assert Fraction(shown["exact"]) == Fraction(51, 20) ** 2000


@pytest.mark.parametrize(
    ("text", "bytes_"), [("513", 2**21), ("1MiB", 2**21), ("2MB", 20 * 2**20), ("11MiB", 12 * 2**20)]
)
def test_a_request_may_be_written_in_bytes(capsys, text, bytes_):
    assert main(["allocated-segment", "--json", "--set", f"x_r={text}"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == bytes_


def test_a_request_is_of_whole_bytes(capsys):
    assert main(["allocated-segment", "--set", "x_r=1.5"]) == 2
    assert capsys.readouterr().err == "derive: error: x_r is a whole number of bytes: got '1.5', which is 3/2\n"
