"""`derive solve`: what it prints, and its errors in one line."""

import json

import pytest

from derive.cli import main

# ---- errors ----

ERRORS = {
    ("cost=1000000", "G", "--params", "7B", "--tokens", "1T"): "cost does not depend on G (devices) here",
    ("mfu=120%", "G"): "mfu is at most 1: got '120%', which is 6/5",
    ("training-time=30d", "eta", "--params", "7B", "--tokens", "15T", "--peak", "989e12", "--gpus", "64"): (
        "training-time = 30.00 days (2592000 s) would take eta = 3.840, which is above its most, 1"
    ),
    ("training-time=80GB", "G"): "training-time is in second: got '80GB', which is in byte",
    ("training-time", "G"): "solve training-time: write NAME=VALUE, such as training-time=30d",
    ("training-time=", "G"): "solve training-time=: write NAME=VALUE, such as training-time=30d",
    ("training-tim=30d", "G"): "unknown quantity 'training-tim': did you mean 'training-time'?",
    ("training-time=30d", "Q"): "unknown symbol 'Q'",
    ("training-time=30d", "G", "--gpus", "12"): "G is what is solved for: leave out its value, 12",
    ("activations=2GB", "t", "--plan", "tp=8"): "t is what is solved for: leave out tp=8",
    ("activations=2GB", "b", "--model", "gpt3-175b"): (
        "no b keeps to activations = 2.000 GB (1.863 GiB): it is 2.869 GB (2.672 GiB) at b = 1"
    ),
    ("activations=200MB", "t", "--model", "gpt3-175b"): (
        "no t gives activations = 200.0 MB (190.7 MiB): it would have to be -50.63"
    ),
    ("attainable-flops=2000e12", "I", "--peak", "989e12", "--set", "W=3.35e12"): (
        "no I gives attainable-flops = 2.000 PFLOP/s/device: it is 989.0 TFLOP/s/device at I = 597.0"
    ),
}  # fmt: skip


@pytest.mark.parametrize("arguments", ERRORS, ids=" ".join)
def test_what_cannot_be_solved_is_one_line(arguments, capsys):
    equation, letter, *rest = arguments
    assert main(["solve", equation, "--for", letter, *rest]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"derive: error: {ERRORS[arguments]}")
    assert err.count("\n") == 1


# ---- the command line ----


def run(capsys, *arguments):
    code = main(["solve", *arguments])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


STATES = ("states=640GB", "--for", "N", "--recipe", "bf16-no-master")


def test_the_text_has_equation_form_number_and_check(capsys):
    lines = run(capsys, *STATES).splitlines()
    assert lines[0] == "states = 640.0 GB (596.0 GiB), solved for N: parameters"
    assert "M = 12*N   [byte]" in lines
    assert "N = M/12" in lines
    assert any(line.startswith("N = 53333333333 = 53.33B parameters") for line in lines)
    assert "  53333333333  639999999996   below" in lines
    assert "  53333333334  640000000008   above: no longer" in lines
    assert max(map(len, lines)) <= 80


def test_the_json_has_what_is_promised(capsys):
    data = json.loads(run(capsys, *STATES, "--json"))
    assert {key: data[key] for key in ("name", "for", "value", "exact", "expression", "latex")} == {
        "name": "states", "for": "N", "value": 53333333333, "exact": "53333333333", "expression": "M/12",
        "latex": r"\frac{M}{12}",
    }  # fmt: skip
    assert [(each["at"], each["value"]) for each in data["check"]] == [
        (53333333333, 639999999996), (53333333334, 640000000008),
    ]  # fmt: skip
    assert data["given"]["recipe"] == {"value": "bf16-no-master", "from": "option"}


def test_the_latex_is_a_derivation(capsys):
    assert run(capsys, "chinchilla-parameters=7B", "--for", "C", "--latex").splitlines() == [
        r"\begin{align*}",
        r"N &= \sqrt{\frac{C}{120}} \\",
        r"C &= 120 N^{2} \quad \blacksquare \\",
        r"C &= 5880000000000000000000",
        r"\end{align*}",
    ]


def test_the_device_gives_its_peak(capsys):
    arguments = ("training-time=30d", "--for", "G", "--model", "llama3-70b", "--tokens", "15T", "--mfu", "40%")
    assert json.loads(run(capsys, *arguments, "--gpu", "h100", "--json"))["value"] == 6572


def test_a_value_of_too_many_digits_is_solved_for_too(capsys):
    arguments = ("relu-moment=2", "--for", "tau", "--set", "d=100", "--set", "L=1000")
    assert json.loads(run(capsys, *arguments, "--json"))["exact"] == "2*2^(1/1000)/100"


def test_where_every_value_keeps_to_the_target_there_is_no_largest(capsys):
    """A stored token has 4 bytes at most: that is not to say that no vocabulary gives 4."""
    assert main(["solve", "token-bytes=4", "--for", "V"]) == 2
    wanted = "every V up to 10^40 keeps to token-bytes = 4 B/token: there is no largest one"
    assert capsys.readouterr().err == f"derive: error: {wanted}\n"
