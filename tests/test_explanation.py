"""Explanations: the parts of a coefficient add up to it, however they are grouped; 34 is 10 + 24 and 4 + 11 + 19."""

from fractions import Fraction

import pytest
from sympy import Pow

from derive import Model, parse_plan
from derive.errors import DeriveError
from derive.explanation import SPLIT, WHOLE, Explanation, explain
from derive.grammar import parse
from derive.model import apply_relations
from derive.proof.canonical import difference
from derive.reading import to_sympy
from derive.tree import to_text
from formulas import catalog
from formulas.models import architectures, model

CATALOG, ALL = catalog(), architectures()
PLANS = ["", "tp=t", "tp=t,sp", "mask=full", "recompute=layer"]


def explained(name: str, coefficient: str, text: str = "", about: str | None = None) -> tuple[Explanation, ...]:
    formula = CATALOG[name]
    plan = parse_plan(text, formula.notation.symbol)
    return explain(formula, model(about) if formula.needs_model else None, plan, Fraction(coefficient))


def coefficients(name: str, architecture: str, text: str) -> dict[str, Fraction]:
    """Every term of a formula with its coefficient, by SymPy's own expansion."""
    formula, about = CATALOG[name], Model(ALL[architecture])
    plan = parse_plan(text, formula.notation.symbol).filled(about.architecture.kernels, about.architecture.mask)
    value = apply_relations(formula.ledger(about, plan).value, about.relations, formula.notation).expand()
    if any(power.base.is_Add and power.exp.is_negative for power in value.atoms(Pow)):  # a quotient of sums
        value = formula.rows(about, plan).value
    return {str(term): Fraction(str(c)) for term, c in value.as_coefficients_dict().items() if c}


CASES = [
    (name, architecture, text)
    for name in CATALOG
    if CATALOG[name].needs_model
    for architecture in ALL
    for text in PLANS
    if coefficients(name, architecture, text)
]


@pytest.mark.parametrize(("name", "architecture", "text"), CASES)
def test_every_coefficient_is_the_sum_of_its_parts(name: str, architecture: str, text: str):
    formula = CATALOG[name]
    wanted = coefficients(name, architecture, text)
    found = {}
    for value in set(wanted.values()):
        for each in explained(name, str(value), text, architecture):
            assert each.coefficient == value
            assert sum(part.adds for part in each.parts) == value
            for key in ("block", "held", "path"):
                assert sum(each.sums(key).values()) == value
            monomial = to_sympy(each.monomial, formula.notation.symbol)
            found[str(monomial)] = value
            for part in each.parts:
                assert difference(to_sympy(part.tree, formula.notation.symbol), part.row.value) == 0
    assert found == wanted


BY_BLOCK = [
    ("activations", "34", "", None, "s*b*h", {"norm": 4, "attention": 11, "mlp": 19}),
    ("activations", "5", "", None, "a*s^2*b", {"attention": 5}),
    ("activations", "10", "tp=t", None, "s*b*h", {"norm": 4, "attention": 3, "mlp": 3}),
    ("activations", "24", "tp=t", None, "s*b*h/t", {"attention": 8, "mlp": 16}),
    ("activations", "34", "", "gpt2", "s*b*h", {"norm": 4, "attention": 11, "mlp": 19}),
    ("activations", "16", "", "llama", "s*b*h", {"norm": 12, "attention": 2, "mlp": 2}),
    ("layer-parameters", "12", "", None, "h^2", {"attention": 4, "mlp": 8}),
    ("layer-flops", "24", "", None, "s*b*h^2", {"attention": 8, "mlp": 16}),
    ("flops-per-token", "72", "mask=full", None, "L*h^2", {"layer": 72}),
    ("matmul-flops", "2", "", None, "m*n*p", {"": 2}),
]


@pytest.mark.parametrize(("name", "coefficient", "text", "about", "monomial", "blocks"), BY_BLOCK)
def test_coefficients_by_block(name, coefficient, text, *, about, monomial, blocks):
    (found,) = explained(name, coefficient, text, about)
    assert (to_text(found.monomial), found.sums("block")) == (monomial, blocks)


BY_HOLDING = [
    ("activations", "34", "", {WHOLE: 10, SPLIT: 24}),
    ("activations", "5", "", {SPLIT: 5}),
    ("activations", "16", "", {WHOLE: 16}),
    ("model-activations", "34", "", {WHOLE: 10, SPLIT: 24}),
    ("logits", "6", "", {SPLIT: 6}),
    ("activations", "24", "tp=t", {"": 24}),  # the plan says already how it is held
    ("activations", "34", "tp=1,sp", {WHOLE: 10, SPLIT: 24}),
    ("layer-flops", "24", "", {"": 24}),  # no quantity of one device
    ("tensor-bytes", "2", "", {"": 2}),
]


@pytest.mark.parametrize(("name", "coefficient", "text", "held"), BY_HOLDING)
def test_coefficients_by_how_devices_hold_them(name: str, coefficient: str, text: str, held: dict[str, int]):
    (found,) = explained(name, coefficient, text)
    assert found.sums("held") == held


def test_the_rows_of_the_34():
    (found,) = explained("activations", "34")
    assert [(part.path, to_text(part.tree), part.adds, part.held) for part in found.parts] == [
        ("norm", "2*s*b*h", 2, WHOLE),
        ("attention", "2*s*b*h", 2, WHOLE),
        ("attention/core", "2*a*s*b*d", 2, SPLIT),
        ("attention/core", "2*g*s*b*d", 2, SPLIT),
        ("attention/core", "2*g*s*b*d", 2, SPLIT),
        ("attention", "2*a*s*b*d", 2, SPLIT),
        ("attention", "s*b*h", 1, WHOLE),
        ("norm", "2*s*b*h", 2, WHOLE),
        ("mlp", "2*s*b*h", 2, WHOLE),
        ("mlp", "2*s*b*f", 8, SPLIT),
        ("mlp", "2*s*b*f", 8, SPLIT),
        ("mlp", "s*b*h", 1, WHOLE),
    ]


def test_two_terms_with_one_coefficient_are_both_explained():
    found = explained("attention-flops", "6")
    assert [to_text(each.monomial) for each in found] == ["L*s*h", "L*h"]


REFUSED = [
    ("activations", "99", "", None, "no term of activations has the coefficient 99: "
     "there are 34 (s*b*h), 16 (s*b), 5 (a*s^2*b) (more with --plan tp=t)"),
    ("activations", "99", "tp=t", None, "no term of activations has the coefficient 99: "
     "there are 10 (s*b*h), 16 (s*b), 24 (s*b*h/t), 5 (a*s^2*b/t)"),
    ("layer-flops", "7/2", "", None, "no term of layer-flops has the coefficient 7/2: "
     "there are 24 (s*b*h^2), 2 (s^2*b*h), 2 (s*b*h)"),
    ("matmul-flops", "3", "", None, "no term of matmul-flops has the coefficient 3: there are 2 (m*n*p)"),
    ("mlp-activations", "19", "recompute=layer", None,
     "no term of mlp-activations has the coefficient 19: there are none, it is 0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "coefficient", "text", "about", "message"), REFUSED)
def test_an_error_lists_the_coefficients_that_there_are(name, coefficient, text, *, about, message):
    with pytest.raises(DeriveError) as error:
        explained(name, coefficient, text, about)
    assert str(error.value) == message


def test_hypotheses_are_used():
    (found,) = explained("layer-parameters", "12")
    assert {to_text(part.tree) for part in found.parts} == {"a*d*h", "g*d*h", "h*f"}
    assert found.monomial == parse("h^2")
