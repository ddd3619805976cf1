"""An argument's lines: each is a premise or checked, and says under what."""

import pytest

from derive import Line, Plan, Statement, dimensionless, formula
from derive.derivation import Derivation, derivation
from derive.errors import ClaimError
from derive.render import view
from formulas.notation import common


def argued(*lines: Line) -> Derivation:
    letters = common.symbol

    def layers():
        """Layers of a segment."""
        return Statement(letters("L") / letters("a"), "layers", by=lines)

    return derivation(formula("b", unit=dimensionless, notation=common)(layers), None, Plan())


def test_a_line_says_what_no_line_before_it_states():
    given = {"L": "a*b"}
    silent = argued(Line("L/a", "b", "divided", given), Line("L", "b*a", "turned", given))
    assert [view.reason(step) for step in silent.steps[:2]] == ["divided, under L = a*b", "turned"]
    stated = argued(Line("L", "a*b", "so many"), Line("L/a", "b", "divided", given))
    assert [view.reason(step) for step in stated.steps[:2]] == ["premise: so many", "divided"]


def test_a_bound_is_no_premise_and_no_definition():
    with pytest.raises(ClaimError, match=r"^not shown: a <= L: "):
        argued(Line("a", "L", "nothing", relation="<="))
    bound = argued(Line("b", "L/a", "at most", {"L": "a*b"}, relation="<="))
    assert [(step.relation, bool(step.proof)) for step in bound.steps] == [("≤", True), ("=", False)]
