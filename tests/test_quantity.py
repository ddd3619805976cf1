"""Quantities made of others: letters that stand for them are replaced row by row, and kept where they are set."""

from fractions import Fraction
from typing import Any

import pytest
from sympy import Integer, Rational

from derive import Constant, Formula, Given, Ledger, Model, Plan, Row, Statement, flop, formula, parse_plan, token
from derive.errors import DeriveError, ModelError
from derive.interval import Interval
from derive.report import Report, report
from derive.situation import made_from, situation
from derive.units import byte, device, dimensionless, parameter, second
from formulas import catalog
from formulas.architectures.gpt import gpt
from formulas.models import model
from formulas.notation import common

CATALOG = catalog()
F, N, D, C, M, G, L = (common.symbol(x) for x in "FNDCMGL")


@formula("N", unit=parameter, notation=common)
def halves():
    """Parameters in two parts."""
    return Statement(N / 2, "one half"), Statement(N / 3, "a third")


@formula("F", unit=flop / token, notation=common, letters={"N": halves})
def each_token():
    """FLOPs of a token."""
    return Statement(6 * N, "products", each=flop / parameter / token), Statement(F, "the rest")


@formula("C", unit=flop, notation=common, letters={"F": each_token})
def whole_run():
    """FLOPs of a run."""
    return Statement(F * D, "every token")


RATE = Constant("FLOPs of a second", Fraction(10**12), flop / second, "Somebody 2020, table 1")


@formula("T", unit=second, notation=common, letters={"C": whole_run}, constants=(RATE,))
def long_run():
    """Time of a run."""
    return Statement(C / RATE.number, "all of it at one rate", each=second / flop)


@formula(
    "M", unit=byte, notation=common, per_device=False,
    defaults={"M": Given(Interval(Fraction(3), Fraction(5)), "default"), "G": Given(2, "default")},
)  # fmt: skip
def roughly():
    """Memory that is left."""
    return Statement(M / G, "a share", each=device)


def made(of: Formula, about: Model | None = None, plan: str = "", **options: Any) -> Report:
    return report(of, about, parse_plan(plan, common.symbol), options=options, judged=False)


# ---- replaced, row by row ----


def test_a_letter_is_replaced_by_the_rows_behind_it():
    rows = [(row.tensor, row.value) for row in each_token.ledger(None, Plan())]
    assert rows == [("one half", 3 * N), ("a third", 2 * N), ("the rest", F)]


def test_letters_are_replaced_all_the_way_down_but_those_to_keep():
    assert (whole_run.ledger(None, Plan()).value - (5 * N * D + F * D)).expand() == 0
    assert whole_run.ledger(None, Plan(), {"F"}).value == F * D
    assert (whole_run.ledger(None, Plan(), {"N"}).value - (6 * N * D + F * D)).expand() == 0
    assert whole_run.rows(None, Plan()).value == F * D


def test_every_quantity_below_is_found_once_for_each_way_to_it():
    assert [each.name for each in made_from(long_run, None, Plan())] == [
        "long-run", "whole-run", "each-token", "halves",
    ]  # fmt: skip
    assert {"C", "F", "D", "N"} <= set(long_run.reached(None, Plan()))


@pytest.mark.parametrize("name", CATALOG)
def test_replacing_letters_keeps_the_value(name: str):
    """The rows with all letters replaced have the sum of the rows as written, the letters replaced by whole values."""
    found = CATALOG[name]
    about = gpt.bare if found.takes_model else None
    plan = about.complete(Plan()) if about is not None else Plan()
    rows, ledger = found.rows(about, plan), found.ledger(about, plan)
    behind = {found.notation.symbol(x): each.ledger(about, plan).value
              for x, each in found.standing(about, rows.letters).items()}  # fmt: skip
    sides: tuple[Any, Any] = ledger.value, rows.value.xreplace(behind)
    symbols = sorted(sides[0].free_symbols | sides[1].free_symbols, key=str)
    at = {x: Integer(2 + place) for place, x in enumerate(symbols)}
    one, other = (side.xreplace(at).evalf(30) for side in sides)
    assert abs(one - other) <= abs(one) * Fraction(1, 10**20)
    assert rows.unit == ledger.unit == found.unit


# ---- set, kept, defaults, constants ----


def test_a_set_letter_wins_over_the_quantity_behind_it():
    assert made(long_run, N=3, D=10, F=7).value == Fraction(70, 10**12)
    assert made(long_run, C=5 * 10**12).value == 5
    assert made(long_run, C=5 * 10**12).given["C"] == Given(5 * 10**12, "option")


def test_a_value_says_which_quantity_gave_it():
    shown = made(CATALOG["training-time"], model("gpt2"), G=8, D=10**9, P=Fraction(10**15), eta=Fraction(2, 5))
    assert shown.given["C"].origin == "training-flops"
    assert shown.value == Fraction(shown.given["C"].value * 5, 8 * 10**15 * 2)


def test_a_constant_is_shown_with_its_source():
    assert made(long_run, C=1).given["FLOPs of a second"] == Given(Fraction(10**12), "Somebody 2020, table 1")
    assert made(long_run, C=1).free == ()


def test_a_default_holds_until_it_is_set():
    assert made(roughly).value == Interval(Fraction(3, 2), Fraction(5, 2))
    assert made(roughly).exact == "3/2..5/2"
    assert made(roughly, M=Fraction(8)).value == 4
    assert made(roughly, M=Fraction(8), G=1).given["G"] == Given(1, "option")
    assert made(roughly, G=1).given["M"].origin == "default"


def test_what_has_no_value_stays_a_letter():
    shown = made(long_run, N=3)
    assert (shown.value, shown.exact) == (None, None)
    assert shown.free == ("F", "D")


# ---- counts are whole ----


def test_a_count_that_a_quantity_gives_must_be_whole():
    with pytest.raises(ModelError) as error:
        situation(of_a_third_of_ten(), None, Plan(), options={})
    assert str(error.value) == "L = 10/3 (3.333; layers) is not whole: a-third decides it"


def of_a_third_of_ten() -> Formula:
    @formula("L", unit=dimensionless, notation=common)
    def a_third():
        """A third of ten."""
        return Statement(Rational(10, 3), "a third")

    @formula("C", unit=flop, notation=common, letters={"L": a_third})
    def of_it():
        """FLOPs of it."""
        return Statement(L, "one each", each=flop)

    return of_it


# ---- plans and letters of degrees ----


@pytest.mark.parametrize(
    ("plan", "options", "message"),
    [
        ("dp=8", {"n": 64}, "n = 64 is set, but the plan says dp=8"),
        ("pp=4", {"p": 2}, "p = 2 is set, but the plan says pp=4"),
        ("tp=2", {"t": 4}, "t = 4 is set, but the plan says tp=2"),
    ],
)
def test_a_degree_and_its_letter_have_one_value(plan: str, options: dict[str, int], message: str):
    with pytest.raises(ModelError) as error:
        made(CATALOG["zero-3"], None, plan, **options)
    assert str(error.value) == message


def test_a_degree_that_is_a_letter_takes_the_value():
    values = [made(CATALOG["zero-3"], None, plan, N=6 * 10**9, n=8).value for plan in ("", "dp=n", "dp=8")]
    assert len(set(values)) == 1
    assert values[0] is not None


# ---- what a formula refuses ----


def test_rows_in_another_unit_are_refused():
    @formula("M", unit=byte, notation=common)
    def wrong():
        """A title."""
        return Ledger((Row((), "x", (), None, C, "why"),), dimensionless)

    with pytest.raises(DeriveError) as error:
        wrong.rows(None, Plan())
    assert str(error.value) == "wrong is declared in byte, its rows are in 1"


def test_a_formula_of_a_model_needs_one():
    for name, found in CATALOG.items():
        if found.needs_model:
            with pytest.raises(DeriveError) as error:
                found.rows(None, Plan())
            assert str(error.value) == f"{name} is a quantity of a model: give one"


@pytest.mark.parametrize("name", CATALOG)
def test_letters_that_stand_for_quantities_are_letters_of_the_formula(name: str):
    """Each has a meaning of its own in the formula's notation, and the unit of what it stands for."""
    found = CATALOG[name]
    known = CATALOG.values()
    for letter, choices in found.letters.items():
        assert found.notation[letter].meaning
        assert choices
        for each in choices:
            assert each in known
            assert found.notation.units[letter] == each.unit, f"{letter} of {name} stands for {each.name}"
    assert all(found.notation[letter] for letter in found.usual(Plan()))
    assert all(each.source and each.name not in found.notation.letters for each in found.constants)
