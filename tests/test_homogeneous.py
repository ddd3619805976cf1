"""Units of the whole catalog: every row that an author states is in its quantity's unit, and pint finds the same."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pint
import pytest
from sympy import Expr, Integer, Symbol

from derive import Formula, Ledger, Model, Plan, Statement
from derive.errors import UnitError
from derive.letters import Letter
from derive.quantity import formula as declared
from derive.reading import to_sympy
from derive.units import Unit, dimensionless, flop, parse_unit, token, unit_of
from formulas import all_claims, catalog
from formulas.architectures.gpt import gpt
from formulas.notation import COMMON, TOPICS, common, notation_of

CATALOG = catalog()
LETTERS = [letter for table in (COMMON, *TOPICS.values()) for letter in table]
NAMES = ("FLOP", "byte", "token", "parameter", "dollar", "second", "device", "hour")
PLANS = (
    Plan(),
    Plan(dp=common.symbol("n"), zero=2),
    Plan(tp=2, pp=2, stage="last", dp=8, zero=3, recompute=("layer",)),
)


def stated(formula: Formula, plan: Plan) -> list[Statement] | Ledger:
    """What a formula's function returns: the statements of its author, or the ledger of a fold."""
    about = Model(gpt) if "model" in formula.arguments else None
    plan = plan.filled(gpt.kernels, gpt.mask) if about is not None else plan
    plan = plan if formula.per_device else plan.whole
    found = formula.function(**{name: {"model": about, "plan": plan}[name] for name in formula.arguments})
    return [found] if isinstance(found, Statement) else found if isinstance(found, Ledger) else list(found)


def units_in(formula: Formula, statement: Statement) -> dict[str, Unit]:
    """The units of the letters of a statement: none of those that are numbers in a fitted law."""
    return formula.notation.units | dict.fromkeys(statement.counts, dimensionless)


# Where letters enter as mere numbers: laws fitted to numbers, and the size at which two rates meet.
OF_NUMBERS = {
    "parametric-loss", "optimal-parameters", "optimal-tokens", "compute-bound-size", "allocated-block",
    "allocated-segment",
}  # fmt: skip


def test_few_quantities_take_letters_as_mere_numbers():
    found = {name: stated(formula, PLANS[0]) for name, formula in CATALOG.items()}
    assert {
        name for name, each in found.items() if not isinstance(each, Ledger) and any(one.counts for one in each)
    } == OF_NUMBERS


CASES = [(name, place) for name in CATALOG for place in range(len(PLANS))]


@pytest.mark.parametrize("name", CATALOG)
def test_every_formula_is_stated_or_folded(name: str):
    found = stated(CATALOG[name], PLANS[0])
    assert isinstance(found, Ledger) or (found and all(isinstance(each, Statement) for each in found))


@pytest.mark.parametrize(("name", "place"), CASES)
def test_every_row_is_in_the_unit_of_its_quantity(name: str, place: int):
    formula = CATALOG[name]
    units, found = formula.notation.units, stated(formula, PLANS[place])
    if isinstance(found, Ledger):
        # Rows of a trace: their numbers have the units of formats and products, the same in every row.
        assert found.unit == formula.unit
        assert len({unit_of(row.value, units) for row in found if row.value != 0}) <= 1
    else:
        kept = [each for each in found if each.amount != 0]
        assert all(unit_of(each.amount, units_in(formula, each)) * each.each == formula.unit for each in kept)


# ---- pint, as a second opinion ----


def registry() -> pint.UnitRegistry:
    """Our base units and nothing else."""
    made: Any = pint.UnitRegistry("")
    for name in NAMES:
        made.define(f"{name} = [of_{name}]")
    return made


REGISTRY: Any = registry()
ONE: Any = REGISTRY.Quantity(1.0, "")


def in_pint(unit: Unit) -> Any:
    """One of a unit, as pint has it."""
    return math.prod((REGISTRY.Quantity(1.0, name) ** float(power) for name, power in unit.powers), start=ONE)


def valued(expression: Any, letters: dict[str, Any]) -> Any:
    """The value of an expression where letters are pint's quantities: pint adds, multiplies, compares."""
    if isinstance(expression, Symbol):
        return letters[expression.name]
    if not expression.args:
        return ONE * float(expression)
    parts = [valued(part, letters) for part in expression.args]
    return OPERATIONS[type(expression).__name__](parts)


def rounded(function: Callable[[float], int]) -> Callable[[list[Any]], Any]:
    return lambda parts: REGISTRY.Quantity(float(function(parts[0].magnitude)), parts[0].units)


OPERATIONS: dict[str, Callable[[list[Any]], Any]] = {
    "Add": lambda parts: sum(parts[1:], start=parts[0]),
    "Mul": math.prod,
    "Pow": lambda parts: parts[0] ** parts[1],
    "Max": max,
    "Min": min,
    "ceiling": rounded(math.ceil),
    "floor": rounded(math.floor),
}


def dimensions(quantity: Any) -> dict[str, float]:
    """The exponents of base units, without those that are zero but for the rounding of floats."""
    return {name: round(float(power), 9) for name, power in quantity.dimensionality.items() if abs(power) > 1e-9}


@pytest.mark.parametrize(("name", "place"), CASES)
def test_pint_finds_the_same_unit(name: str, place: int):
    formula = CATALOG[name]
    found = stated(formula, PLANS[place])
    if isinstance(found, Ledger):
        letters = {x: 2.5 * in_pint(unit) for x, unit in formula.notation.units.items()}
        of_rows = [dimensions(valued(row.value, letters)) for row in found if row.value != 0]
        assert all(each == of_rows[0] for each in of_rows)
    else:
        wanted = dimensions(in_pint(formula.unit))
        for each in found:
            letters = {x: 2.5 * in_pint(unit) for x, unit in units_in(formula, each).items()}
            if each.amount != 0:
                assert dimensions(valued(each.amount, letters) * in_pint(each.each)) == wanted


def test_pint_refuses_what_we_refuse():
    letters = {x: 2.5 * in_pint(unit) for x, unit in common.units.items()}
    wrong: Expr = common.symbol("C") + common.symbol("D")
    with pytest.raises(UnitError):
        unit_of(wrong, common.units)
    with pytest.raises(pint.DimensionalityError):
        valued(wrong, letters)


# ---- what a statement in another unit says ----


def test_a_statement_in_another_unit_is_refused():
    C, D, P = (common.symbol(x) for x in "CDP")

    def told(statement: Statement) -> str:
        def quantity():
            """A title."""
            return statement

        with pytest.raises(UnitError) as error:
            declared("F", unit=flop / token, notation=common)(quantity).rows(None, Plan())
        return str(error.value)

    assert told(Statement(C, "all of it")) == ("quantity is declared in FLOP/token, but all of it = C is in FLOP")
    assert told(Statement(6 * C / D, "each", each=flop)).endswith("each = 6*C/D is in FLOP^2/token")
    assert told(Statement(C + D, "both")) == "cannot add C (FLOP) and D (token)"
    assert told(Statement(P**D, "power")) == "an exponent has no unit: D (token) in P**D"


# ---- notation ----


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.name)
def test_every_letter_has_a_unit_that_can_be_read(letter: Letter):
    assert parse_unit(str(parse_unit(letter.unit))) == parse_unit(letter.unit)
    assert letter.meaning
    assert letter.kind in ("positive integer", "positive real")
    assert letter.most is None or letter.most > 0


def test_the_notation_is_shown_with_its_units(capsys):
    from derive.cli import main

    assert main(["notation"]) == 0
    shown = capsys.readouterr().out
    for letter in COMMON:
        line = next(line for line in shown.splitlines() if line.split()[:1] == [letter.name])
        assert letter.meaning.split()[0] in line
        if parse_unit(letter.unit) != dimensionless:
            assert letter.unit in line


# ---- claims ----

OF_STATEMENTS = [
    claim for claim in all_claims()
    if not isinstance(stated(claim.formula, Plan()), Ledger) and claim.formula.unit != Unit()
]  # fmt: skip


@pytest.mark.parametrize("claim", OF_STATEMENTS, ids=lambda claim: f"{claim.source.key}: {claim.text}")
def test_a_claim_about_a_stated_quantity_adds_no_different_units(claim):
    """Its numbers may have units of their own, as the 6 of 6ND has: only what it adds and compares is looked at."""
    notation = claim.formula.notation
    found = stated(claim.formula, Plan())
    assert not isinstance(found, Ledger)
    units = notation.units | dict.fromkeys([letter for each in found for letter in each.counts], dimensionless)
    assert unit_of(to_sympy(claim.tree, notation.symbol), units) is not None


def test_pure_numbers_have_no_unit():
    assert unit_of(Integer(6), {}) == dimensionless
    assert unit_of(Fraction(1, 2), {}) == dimensionless
    assert all(notation_of(topic).units for topic in TOPICS)
