"""Values of quantities for the tests of the topics: asked as on the command line, exact."""

from fractions import Fraction

from derive.interval import Interval
from derive.model import Given
from derive.plan import parse_plan
from derive.report import Report, report
from formulas import catalog, claims_about
from formulas.models import model as preset
from formulas.notation import common

FORMULAS = catalog()
LLAMAS = ("llama3-8b", "llama3-70b", "llama3-405b")


def asked(name: str, model: str | None = None, plan: str = "", /, **letters: int | Fraction | str) -> Report:
    """The report of a quantity for a preset, a plan and values of letters, as numbers or their exact text."""
    formula = FORMULAS[name]
    options = {letter: Given(exactly(each), "option") for letter, each in letters.items()}
    about = preset(model) if model is not None or formula.needs_model else None
    return report(formula, about, parse_plan(plan, common.symbol), options=options, claims=claims_about(formula))


def exactly(value: int | Fraction | str) -> int | Fraction:
    exact = Fraction(value)
    return int(exact) if exact.denominator == 1 else exact


def value(name: str, model: str | None = None, plan: str = "", /, **letters: int | Fraction | str) -> Fraction:
    """The exact value of a quantity that has one."""
    found = asked(name, model, plan, **letters).value
    assert found is not None
    assert not isinstance(found, Interval)
    return Fraction(found)


# Their arguments lead up to the formula, but no checked line arrives at it: these end without a square.
UNLINKED = {
    "compute-bound-size", "dual-pipe-idle", "float-max", "float-min-normal", "float-min-subnormal", "float-underflow",
    "in-flight-microbatches", "interleaved-in-flight-microbatches", "optimal-parameters", "optimal-tokens",
    "relu-moment", "window-coverage",
}  # fmt: skip
