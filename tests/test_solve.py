"""Solving: numbers that give the target or are the tightest whole ones, for every letter of every quantity."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def solved(name, target, letter, named=None, plan="", **values) -> Any:  # a field that may be None is looked at
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
        found: Any = solve(formula, value, letter, about, Plan(), options=others)
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


# ---- more than one solution ----


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


@pytest.mark.parametrize("preset", presets())
def test_the_answer_is_what_the_quantity_says_there(preset):
    found = solved("model-activations", 50 * 10**9, "s", preset)
    made = report(FORMULAS["model-activations"], model(preset), Plan(), options=options(s=int(found.value)))
    assert made.value == found.checks[0].value <= 50 * 10**9
    assert evaluate(parse(str(found.exact)), {}) == found.value
