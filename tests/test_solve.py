"""Solving: numbers that give the target or are the tightest whole ones, errors in one line, the command line."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.cli import main
from derive.equation import Question
from derive.errors import DeriveError, SolveError
from derive.exact import evaluate
from derive.grammar import parse
from derive.model import Given
from derive.plan import Plan, parse_plan
from derive.precision import RECIPES
from derive.report import report
from derive.situation import situation
from derive.solve import must_reach, solve
from derive.tree import to_text
from formulas import catalog
from formulas.models import model, presets
from formulas.notation import common

FORMULAS = catalog()
PEAK = 989 * 10**12


def options(**values):
    return {letter: Given(value, "option") for letter, value in values.items()}


def solved(name, target, letter, named=None, plan="", **values):
    formula = FORMULAS[name]
    about = model(named) if named or formula.needs_model else None
    laid_out = parse_plan(plan, common.symbol)
    return solve(formula, Fraction(target), letter, about, laid_out, options=options(**values))


# ---- numbers ----


def test_the_examples():
    days = 30 * 86400
    found = solved("training-time", days, "G", "llama3-70b", D=15 * 10**12, P=PEAK, eta=Fraction(2, 5))
    assert to_text(found.equation.closed.tree) == "C/(P*eta*T)"
    assert found.value == 6572
    assert [(each.at, each.value <= days) for each in found.checks] == [(6572, True), (6571, False)]
    assert solved("chinchilla-parameters", 7 * 10**9, "C").value == 120 * (7 * 10**9) ** 2
    assert solved("matmul-flops", 10**15, "n", m=4096, p=4096).value == 10**15 // (2 * 4096**2)
    found = solved("training-time", days, "eta", N=7 * 10**9, D=10**11, P=PEAK, G=64)
    assert found.value == Fraction(6 * 7 * 10**20, 64 * PEAK * days)
    assert found.exact == str(found.value)


def test_the_longest_sequence_that_fits():
    found = solved("model-activations", 70 * 2**30, "s", "llama3-8b")
    assert found.value == 10778
    assert [each.at for each in found.checks] == [10778, 10779]
    within, beyond = (each.value for each in found.checks)
    assert within <= 70 * 2**30 < beyond


def test_what_a_plan_divides_is_kept_whole():
    found = solved("model-activations", 70 * 2**30, "s", "llama3-8b", "tp=8,sp")
    assert [each.at % 8 for each in found.checks] == [0, 0]
    assert found.checks[0].at + 8 == found.checks[1].at


def test_a_degree_of_the_plan_is_solved_for():
    found = solved("activations", 2 * 10**9, "t", "gpt3-175b")
    assert found.value == 2
    assert found.report.plan.tp == 2
    # Fewer key/value heads than devices: they are kept whole, which the equation does not know, but the check does.
    found = solved("activations", 10**9, "t", "llama3-70b", "tp=t,sp")
    assert [each.value <= 10**9 for each in found.checks] == [True, False]
    asked = situation(FORMULAS["activations"], model("llama3-70b"), parse_plan("tp=16,sp", common.symbol))
    sixteen = solved("activations", asked.value, "t", "llama3-70b", "tp=t,sp")
    assert (sixteen.value, sixteen.checks[0].value) == (16, asked.value)


def test_a_size_that_bounds_the_letter_is_respected():
    found = solved("activations", 2 * 10**9, "s", "gpt3-175b", "attention=flash")
    assert found.value == 2048
    assert found.checks[1].reason == "s = 2049 exceeds S = 2048: set S too"


def test_a_maximum_is_solved_by_the_argument_that_decides():
    found = solved("attainable-flops", 10**14, "I", P=PEAK, W=3350 * 10**9)
    assert found.value == Fraction(10**14, 3350 * 10**9)
    assert [to_text(each) for each in found.equation.closed.branches] == ["I*W"]


def test_without_values_the_closed_form_stands_alone():
    found = solved("training-time", 30, "G")
    assert (found.value, found.equation.free) == (None, ("N", "D", "P", "eta"))
    assert to_text(found.equation.closed.tree) == "6*N*D/(P*eta*T)"


def test_which_side_is_safe():
    assert [
        name for name in ("mfu", "hfu", "tokens-per-second", "attainable-flops") if not must_reach(FORMULAS[name])
    ] == []
    assert [
        name
        for name in ("cost", "states", "training-time", "training-flops", "gpu-hours")
        if must_reach(FORMULAS[name])
    ] == []


def test_a_throughput_must_be_reached():
    found = solved("tokens-per-second", 10**6, "G", F=Fraction(42 * 10**9), P=PEAK, eta=Fraction(2, 5))
    assert found.reached
    assert found.checks[0].value >= 10**6 > found.checks[1].value


# Every letter of every quantity, at the sizes of a model: the answer gives the target, or is the tightest.
SETS = {
    "D": 15 * 10**12, "P": PEAK, "eta": Fraction(2, 5), "G": 1024, "R": Fraction(5, 2), "N": 7 * 10**9, "m": 512,
    "p": 4, "n": 768, "W": 3350 * 10**9,
}  # fmt: skip


def round_trips():
    for name, formula in FORMULAS.items():
        about = model("gpt2") if formula.needs_model else None
        reached = set(formula.reached(about, Plan()))
        known = options(**{x: value for x, value in SETS.items() if x in reached})
        if about is not None:
            known = {x: each for x, each in known.items() if x not in about.architecture.letters.split()}
        for letter in sorted(reached):
            if not formula.notation[letter].plan_key:
                yield pytest.param(name, letter, known, id=f"{name} {letter}")


@pytest.mark.parametrize(("name", "letter", "known"), list(round_trips()))
def test_solving_and_evaluating_is_a_round_trip(name, letter, known):
    formula = FORMULAS[name]
    about = model("gpt2") if formula.needs_model else None
    try:
        case = situation(formula, about, Plan(), options=known)
    except DeriveError:
        return
    value, here = case.value, case.known.get(letter)
    if not isinstance(value, Fraction) or value <= 0 or here is None:
        return
    others = {x: each for x, each in known.items() if x != letter}
    try:
        found = solve(formula, value, letter, about, Plan(), options=others)
    except SolveError as error:
        words = ("does not depend", "more than one", "neither only rises", "interval")
        if here.value == 0 or any(word in str(error) for word in words):
            return
        raise
    if found.value is None:
        return
    if found.checks:
        first, *beyond = found.checks
        assert found.keeps(first.value)
        assert all(each.value is None or not found.keeps(each.value) or each.value == first.value for each in beyond)
    else:
        assert abs(found.report.value - value) * 10**20 <= value
    if found.equation.closed is not None:
        assert abs(found.root - here.value) * 10**20 <= here.value


@given(st.integers(18, 10**18), st.sampled_from([12, 16, 18]))
@settings(max_examples=40)
def test_the_most_parameters_that_fit_are_the_floor(memory, each):
    names = {12: "bf16-no-master", 16: "bf16", 18: "bf16-fp32-grads"}
    found = solve(FORMULAS["states"], Fraction(memory), "N", None, Plan(recipe=RECIPES[names[each]]))
    assert found.value == memory // each


@given(st.integers(1, 10**9), st.integers(1, 10**14))
@settings(max_examples=40)
def test_the_fewest_devices_are_the_ceiling(seconds, tokens):
    known = options(N=7 * 10**9, D=tokens, P=PEAK, eta=Fraction(2, 5))
    found = solve(FORMULAS["training-time"], Fraction(seconds), "G", options=known)
    assert found.value == max(1, -(-6 * 7 * 10**9 * tokens * 5 // (2 * PEAK * seconds)))


def test_large_values_stay_exact():
    found = solved("training-time", 1, "G", N=10**15, D=10**20, P=1, eta=Fraction(1))
    assert found.value == 6 * 10**35


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


def test_more_than_one_solution_is_said():
    known = common.symbol("L"), common.symbol("a"), common.symbol("s")
    L, a, s = known
    from derive import Statement, dimensionless, formula

    @formula("y", unit=dimensionless, notation=common)
    def two_ways():
        """A quantity that first falls and then rises.

        Unit: 1.
        """
        return Statement(L / s + a * s, "a sum", each=dimensionless)

    question = "more than one s gives two-ways = 7: 6 and 1"
    with pytest.raises(SolveError, match=question):
        solve(two_ways, Fraction(7), "s", options=options(L=6, a=1))
    with pytest.raises(SolveError, match="more than one closed form for s"):
        solve(two_ways, Fraction(7), "s")
    assert solve(two_ways, Fraction(7), "L", options=options(s=2, a=1)).value == 10


def test_a_minimum_that_stays_where_it_is_has_many_solutions():
    with pytest.raises(SolveError, match="more than one m gives in-flight-microbatches = 4: all from 4 on"):
        solved("in-flight-microbatches", 4, "m", p=4)


def test_a_question_says_what_is_wanted():
    question = Question(FORMULAS["states"], Fraction(640 * 10**9), common["N"], None, Plan(), {})
    assert question.wanted == "states = 640.0 GB (596.0 GiB)"


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


@pytest.mark.parametrize("preset", presets())
def test_the_answer_is_what_the_quantity_says_there(preset):
    found = solved("model-activations", 50 * 10**9, "s", preset)
    made = report(FORMULAS["model-activations"], model(preset), Plan(), options=options(s=int(found.value)))
    assert made.value == found.checks[0].value <= 50 * 10**9
    assert evaluate(parse(str(found.exact)), {}) == found.value
