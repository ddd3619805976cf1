"""Derivations: every line is equal to the rows that it stands for, at any sizes; a false line is not built."""

import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from sympy import N, Rational

import derive.derivation
from checks.configurations import configuration
from derive import Citation, Claim, Formula, Ledger, Model, Role, claims, parse_plan
from derive.citation import OPEN, PROVED, REFUTED, UP_TO
from derive.derivation import Derivation, derivation
from derive.errors import ClaimError, IrrationalError
from derive.exact import approximate, evaluate
from derive.grammar import parse
from derive.plan import Plan
from derive.proof.step import show
from derive.report import report
from derive.situation import amount, made_from
from derive.tree import Node, Relation, symbols_of, to_text
from derive.verdict import judge, plan_of
from formulas import all_claims, catalog, claims_about
from formulas.configs import model_of_fields
from formulas.models import architectures
from formulas.notation import common
from tests.asking import UNLINKED
from tests.exactly import close

CATALOG, ALL, CLAIMS = catalog(), architectures(), all_claims()
PLANS = [
    "",
    "tp=t",
    "tp=t,sp",
    "tp=8,sp,attention=materialised,recompute=core",
    "tp=t,recompute=layer",
    "attention=flash,mask=full",
    "attention=cuda_flash,recompute=mlp,early-stop",
    "mask=full,frozen=up weight",
]
STAGES = ["tp=2,pp=p,stage=first,dp=n,zero=1", "tp=t,sp,pp=4,stage=last,dp=8,zero=3"]
OF_MODELS = [name for name in CATALOG if CATALOG[name].needs_model]
TAKING = [name for name in CATALOG if CATALOG[name].takes_model and name not in OF_MODELS]
CASES = [(name, model, text) for name in OF_MODELS for model in ALL for text in (*PLANS, *STAGES)]
CASES += [(name, model, text) for name in TAKING for model in ALL for text in ("", PLANS[3], *STAGES)]
CASES += [(name, None, text) for name in CATALOG if name not in OF_MODELS for text in ("", "tp=t", "mask=full")]


@cache
def built(name: str, model: str | None, text: str, *, quoting: bool = True) -> Derivation:
    formula, plan = CATALOG[name], parse_plan(text, CATALOG[name].notation.symbol)
    about = Model(ALL[model]) if model is not None else None
    if about is not None:
        plan = plan.filled(about.architecture.kernels, about.architecture.mask)
    return derivation(formula, about, plan, claims_about(formula) if quoting else ())


def point(derived: Derivation, seed: int) -> dict[str, Fraction]:
    """A value for every letter, such that the hypotheses hold; not whole, as an identity holds anywhere.

    A letter that stands for another quantity has the value of that one.
    """
    chance = random.Random(seed)
    letters = {name for each in made_from(derived.formula, derived.model, derived.plan) for name in each.notation.order}
    values = {name: Fraction(chance.randint(1, 99), chance.randint(1, 9)) for name in sorted(letters)}
    relations = derived.model.relations if derived.model is not None else {}
    values |= {letter: evaluate(tree, values) for letter, tree in relations.items()}
    standing = derived.formula.standing(derived.model, derived.ledger.letters)
    return values | {x: total(each.ledger(derived.model, derived.plan), values) for x, each in standing.items()}


def total(ledger: Ledger, values: Mapping[str, Fraction]) -> Fraction:
    """The sum of the rows at a point, by substitution: nothing of what the derivation does to them."""
    result = Fraction(0)
    for row in ledger:
        numbers = {x: Rational(*values[str(x)].as_integer_ratio()) for x in row.value.free_symbols}
        amount = row.value.xreplace(numbers)
        exact = isinstance(amount, Rational)
        result += Fraction(int(amount.p), int(amount.q)) if exact else Fraction(str(N(amount, 60)))
    return result


def equals(tree: Node, values: Mapping[str, Fraction], wanted: Fraction) -> bool:
    """Whether a tree has the wanted value: exactly where it is rational, to forty digits where it has roots."""
    try:
        return evaluate(tree, values) == wanted
    except IrrationalError:
        return close(approximate(tree, values), wanted)


@pytest.mark.parametrize(("name", "model", "text"), CASES)
def test_every_line_equals_its_rows(name: str, model: str | None, text: str):
    derived = built(name, model, text)
    assert derived.proved == (name not in UNLINKED)
    groups = derived.ledger.groups()
    for seed in range(3):
        values = point(derived, seed)
        whole = total(derived.ledger, values)
        assert equals(derived.expression, values, whole)
        for step in derived.steps:
            if step.left is not None:
                # A line of an argument is a premise, or proved under its own definitions.
                assert bool(step.proof) == (step.relation != "under")
            elif step.relation == "=":
                wanted = total(groups[step.part], values) if step.part else whole
                assert equals(step.expression, values, wanted)
                for term in step.terms:
                    assert equals(term.tree, values, total(Ledger(term.rows, derived.ledger.unit), values))
            else:
                assert derived.headline is not None
                assert derived.headline.neglected is not None
                left_out = evaluate(derived.headline.neglected, values)
                assert evaluate(step.expression, values) == whole - left_out
                assert 0 < left_out < whole


@pytest.mark.parametrize(("name", "model", "text"), CASES)
def test_every_row_stands_in_one_term(name: str, model: str | None, text: str):
    derived = built(name, model, text)
    shown = [id(row) for step in derived.steps for term in step.terms for row in term.rows]
    assert sorted(shown) == sorted(id(row) for row in derived.ledger if row.value != 0)
    assert {step.part for step in derived.steps if step.terms} <= {*derived.ledger.groups(), ""}


@pytest.mark.parametrize(("name", "model", "text"), CASES)
def test_without_claims_no_letter_is_left_that_a_hypothesis_defines(name: str, model: str | None, text: str):
    derived = built(name, model, text, quoting=False)
    assert derived.headline is None
    assert derived.model is None or not set(symbols_of(derived.expression)) & set(derived.model.relations)
    standing = derived.formula.standing(derived.model, derived.ledger.letters)
    assert not set(symbols_of(derived.expression)) & set(standing)
    assert all(step.relation == "=" or step.left is not None for step in derived.steps)


# ---- the form that a source gave ----

HEADLINES = [
    ("activations", "gpt", "", "table 2", "s*b*h*(34 + 5*a*s/h)", "s*b*h*(34 + 5*a*s/h) + 16*s*b"),
    ("activations", "gpt", "tp=t", "table 2", "s*b*h*(10 + 24/t + 5*a*s/(h*t))",
     "s*b*h*(10 + 24/t + 5*a*s/(h*t)) + 16*s*b"),
    ("activations", "gpt", "sp,tp=t", "table 2", "s*b*h*(34/t + 5*a*s/(h*t))",
     "s*b*h*(34/t + 5*a*s/(h*t)) + 16*s*b/t"),
    ("activations", "gpt", "recompute=core,tp=t", "table 2", "s*b*h*(10 + 24/t)", "s*b*h*(10 + 24/t) + 16*s*b"),
    ("activations", "gpt", "tp=t,recompute=layer", "table 2", "s*b*h*2", "s*b*h*2"),
    ("layer-flops", "gpt", "mask=full", "appendix A", "24*b*s*h^2 + 4*b*s^2*h", "24*b*s*h^2 + 4*b*s^2*h"),
    ("layer-flops", "gpt", "mask=full,tp=8", "appendix A", "24*b*s*h^2 + 4*b*s^2*h", "24*b*s*h^2 + 4*b*s^2*h"),
    ("parameters", "gpt", "", "section 5.1, equation 2", "12*L*h^2*(1 + 13/(12*h) + (V + s)/(12*L*h))",
     "12*L*h^2*(1 + 13/(12*h) + (V + s)/(12*L*h)) + 2*h"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "model", "text", "place", "quoted", "exact"), HEADLINES)
def test_a_derivation_ends_in_the_form_of_its_source(name, model, text, *, place, quoted, exact):
    derived = built(name, model, text)
    assert derived.headline is not None
    assert derived.headline.claim.place == place
    assert (to_text(derived.steps[-1].expression), to_text(derived.expression)) == (quoted, exact)
    assert derived.steps[-1].relation == ("=" if quoted == exact else "≈")


BARE = [
    ("activations", "gpt", "tp=8", "s*b*(16 + 13*h + 5*a*s/8)"),  # table 2 is for t, not for 8
    ("activations", "gpt", "attention=flash", "2*s*b*(8 + 2*a + 17*h)"),
    ("layer-flops", "gpt", "", "2*s*b*h*(1 + s + 12*h)"),  # causal: the paper counts the full square
    ("matmul-flops", None, "", "2*m*n*p"),
    ("attention-activations", "gpt", "recompute=layer", "0"),
]


@pytest.mark.parametrize(("name", "model", "text", "expression"), BARE)
def test_other_derivations_end_with_what_terms_share_in_front(name, model, text, expression):
    derived = built(name, model, text)
    assert (derived.headline, to_text(derived.expression)) == (None, expression)


def test_the_steps_of_the_34():
    lines = [(step.part, step.relation, to_text(step.expression)) for step in built("activations", "gpt", "").steps]
    assert lines == [
        ("norm", "=", "2*2*s*b*h + 4*4*s*b"),
        ("norm", "=", "16*s*b + 4*s*b*h"),
        ("attention", "=", "2*s*b*h + 2*2*a*s*b*d + 2*2*g*s*b*d + 2*2*a*s^2*b + a*s^2*b + s*b*h"),
        ("attention", "=", "11*s*b*h + 5*a*s^2*b"),
        ("mlp", "=", "2*s*b*h + 2*2*s*b*f + s*b*h"),
        ("mlp", "=", "19*s*b*h"),
        ("", "=", "16*s*b + 4*s*b*h + (11*s*b*h + 5*a*s^2*b) + 19*s*b*h"),
        ("", "=", "s*b*h*(34 + 5*a*s/h) + 16*s*b"),
        ("", "≈", "s*b*h*(34 + 5*a*s/h)"),
    ]


# ---- what is false is not built ----


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("2*a", "3*a", "not shown: 2*a == 3*a: it is false at a = 1"),
        ("f/h", "5", "not shown: f/h == 5: it is false at h = 1, f = 4"),
        ("1/(a - b)", "1/(a - b)",
         "not shown: 1/(a - b) == 1/(a - b): the divisor a - b is not shown to be positive"),
    ],
)  # fmt: skip
def test_a_false_equality_raises(left: str, right: str, text: str):
    with pytest.raises(ClaimError) as error:
        show(parse(left), "==", parse(right), {"f": parse("4*h")}, common)
    assert str(error.value) == text


def test_a_true_equality_says_what_was_proved():
    proof = show(parse("f/h"), "==", parse("4"), {"f": parse("4*h")}, common)
    assert proof == "for every positive integer h: f/h == 4 given f == 4*h"


def test_a_step_under_another_relation_raises(monkeypatch: pytest.MonkeyPatch):
    true = derive.derivation.definitions
    monkeypatch.setattr(
        derive.derivation, "definitions", lambda *given: {**true(*given), common.symbol("f"): 5 * common.symbol("h")}
    )
    with pytest.raises(ClaimError) as error:
        built.__wrapped__("mlp-activations", "gpt", "")
    assert str(error.value) == (
        "not shown: 2*s*b*h + 2*2*s*b*f + s*b*h == 23*s*b*h: it is false at b = 1, h = 1, s = 1, f = 4"
    )


# What of layers of several kinds is never there together is nothing of a model with layers of one.
@pytest.mark.parametrize("name", [name for name in OF_MODELS if name != "never-together"])
def test_a_step_that_loses_a_row_raises(name: str, monkeypatch: pytest.MonkeyPatch):
    # What is run again, and what is gathered, has rows only under a plan that does so.
    text = "" if built(name, "gpt", "").ledger.value != 0 else "recompute=layer,dp=2,zero=3"
    true = derive.derivation.sum_to_tree
    monkeypatch.setattr(
        derive.derivation, "sum_to_tree", lambda amounts, *order, **how: true([*amounts][1:], *order, **how)
    )
    with pytest.raises(ClaimError, match=r"^not shown: "):
        built.__wrapped__(name, "gpt", text)


def test_a_letter_that_is_a_sum_stays_where_it_is_divided_by_or_under_a_root():
    about = model_of_fields(configuration("gemma3_text", 1), "gemma3")  # its L is L_w + L_f
    found = report(CATALOG["residual-scale"], about, Plan())
    assert to_text(found.derivation.expression) == "1/sqrt(2*L)"
    assert found.given["L"].value == configuration("gemma3_text", 1)["num_hidden_layers"]
    assert found.value == amount(found.formula, about, Plan(), {}) is not None


# ---- claims at the end of a derivation ----


@pytest.mark.parametrize("claim", CLAIMS, ids=[f"{each.source.key}, {each.place}, {each.plan_text}" for each in CLAIMS])
def test_a_claim_has_the_verdict_that_we_expect_and_ends_a_derivation_only_if_it_is_proved(claim: Claim):
    judgement = judge(claim)
    assert judgement.verdict == claim.expected != OPEN
    assert (judgement.values_there is not None) == (judgement.verdict == REFUTED)
    assert judgement.values_there is None or judgement.values_there[0] != judgement.values_there[1]
    model = Model(claim.about) if claim.about is not None else None
    ended = derivation(claim.formula, model, plan_of(claim), [replace(claim, form=True)])
    relations = model.relations if model is not None else {}
    in_force = all(relations.get(letter) == tree for letter, tree in claim.relations.items()) and not claim.letters
    assert (ended.headline is not None) == (judgement.verdict in (PROVED, UP_TO) and in_force)


SOURCE = Citation("test", "paper", "Nobody", 2000, "No title", "nowhere")


def mine(formula: Formula, text: str, **options) -> Derivation:
    (claim,) = claims(SOURCE, formula, "here", about=ALL["gpt"], rows={"": text}, form=True, **options)
    assert judge(claim).verdict == claim.expected
    return derivation(formula, Model(ALL["gpt"]), plan_of(claim), [claim])


def test_a_claim_under_other_hypotheses_does_not_end_a_derivation():
    assert mine(CATALOG["mlp-activations"], "11*s*b*h", given={"f": "2*h"}).headline is None
    assert mine(CATALOG["mlp-activations"], "19*s*b*h", given={"f": "4*h"}).headline is not None
    assert mine(CATALOG["mlp-activations"], "18*s*b*h", expected="refuted").headline is None


def test_the_reason_names_the_source_the_rows_and_their_share():
    derived = mine(CATALOG["activations"], "h*(5*a*s^2*b/h + 34*s*b)", neglect={Role.STATISTICS})
    *_, quoted, last = derived.steps
    assert quoted.because == ("in the form of Nobody 2000, here",)
    assert [word if isinstance(word, str | Relation) else to_text(word) for word in last.because] == [
        "neglecting ",
        "16*s*b",
        " (statistics)",
        ", a share of at most ",
        "8/(17*h)",
    ]
