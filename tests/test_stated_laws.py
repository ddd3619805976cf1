"""The statements of the laws: one for each, about what the law is about, and proved."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, Symbol, evaluate
from sympy.core.parameters import global_parameters

from checks.laws import FEW_HEADS, LAWS, Law, case
from checks.stated_laws import INSTANCES, Instance, stated_law, stated_laws
from checks.strategies import counts, sizes_of
from checks.theorems.evaluation import amount
from derive.exact import exact_power
from derive.plan import parse_plan
from derive.proof.checker import Rejected
from derive.proof.refute.counterexample import holds_at
from derive.proof.statement import proved
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama

STATEMENTS = {statement["name"]: statement for statement in stated_laws()}
NAMED = {f"laws/{law.name}": law for law in (*LAWS, FEW_HEADS)}
EVERY = pytest.mark.parametrize("name", STATEMENTS)
BOUNDS = [name for name, statement in STATEMENTS.items() if statement["relation"] == "<="]
STRICT = [name for name in BOUNDS if isinstance(STATEMENTS[name]["equality"], str)]


def law_of(name: str) -> Law:
    """The law behind a statement: what follows its name is where it is stated once more."""
    return NAMED["/".join(name.split("/")[:2])]


def instance_of(name: str) -> Instance:
    return INSTANCES.get(name.removeprefix("laws/"), Instance())


def law_at(law: Law, instance: Instance, degree: int, sizes: Mapping[str, int]) -> list[Fraction]:
    """The sides of the law itself, traced at numbers."""
    symbol = instance.architecture.notation.symbol
    plan = parse_plan(instance.plan.replace("tp=t", f"tp={degree}"), symbol)
    found = []
    for side in law.sides(case(instance.architecture, plan, sizes)):
        assert isinstance(side, Rational)
        found.append(Fraction(int(side.p), int(side.q)))
    return found


def test_every_law_is_stated():
    assert NAMED.keys() <= STATEMENTS.keys()
    assert len(STATEMENTS) == len(stated_laws())
    assert {f"laws/{name}" for name in INSTANCES} <= STATEMENTS.keys()
    assert all(STATEMENTS[name]["relation"] == law.relation for name, law in NAMED.items())


@EVERY
@settings(max_examples=15)
@given(data=st.data())
def test_its_sides_are_those_of_the_law(name: str, data: st.DataObject):
    law, instance, statement = law_of(name), instance_of(name), STATEMENTS[name]
    degree = data.draw(counts(6))
    sizes = data.draw(sizes_of(instance.architecture, degree, few_heads=law is FEW_HEADS))
    sizes |= {letter: degree * max(least, sizes[letter]) for letter, least in law.least.items()}
    point = {letter: Fraction(size) for letter, size in sizes.items()} | {"t": Fraction(degree)}
    for letter, tree in statement["define"]:  # what the law sets to something itself
        point[letter] = amount(tree, point, exact_power)
    assert [amount(statement[side], point, exact_power) for side in ("left", "right")] == law_at(
        law, instance, degree, sizes
    )


@EVERY
def test_it_is_proved(name: str):
    text, certificate = proved(STATEMENTS[name])
    assert text.startswith("for every positive integer ")
    assert certificate.items() >= STATEMENTS[name].items()


@EVERY
def test_it_says_something(name: str):
    statement = STATEMENTS[name]
    assert statement["left"] != statement["right"]
    assert "t" in statement["symbols"] or name.startswith("laws/tied-embeddings")
    assert holds_at(statement, statement["witness"]) is True


@pytest.mark.parametrize("name", sorted(set(BOUNDS) - set(STRICT)))
def test_a_bound_is_reached_where_it_says(name: str):
    statement = STATEMENTS[name]
    assert holds_at(statement | {"relation": "=="}, statement["equality"]) is True


@pytest.mark.parametrize("name", STRICT)
def test_a_bound_that_is_never_reached_is_strict(name: str):
    statement = STATEMENTS[name]
    assert isinstance(statement["equality"], str)
    assert proved(statement | {"relation": "<"})[0]


def test_only_the_bound_with_a_least_size_has_hypotheses():
    given = {name: statement["given"] for name, statement in STATEMENTS.items() if statement["given"]}
    assert given == {"laws/flash-or-not": [[">=", "s", 2]]}
    assert STATEMENTS["laws/flash-or-not"]["witness"] == {"s": 2}
    with pytest.raises(Rejected):
        proved(STATEMENTS["laws/flash-or-not"] | {"given": [], "witness": {}})


def test_what_a_law_sets_to_something_is_given():
    define = {name: statement["define"] for name, statement in STATEMENTS.items() if statement["define"]}
    heads = {f"laws/multi-head-{what}": [["g", "a"]] for what in ("bytes", "parameters", "flops")}
    assert define == heads | {"laws/one-device": [["t", 1]], "laws/few-heads": [["g", "t"]]}
    for name in define:
        with pytest.raises(Rejected):
            proved(STATEMENTS[name] | {"define": []})


def stating(sides: Any) -> dict[str, Any]:
    s, b, t = (Symbol(letter, integer=True, positive=True) for letter in "sbt")
    return stated_law(Law("made", "", lambda _: sides(s, b, t)), "made", Instance(gpt))


def test_sides_are_written_as_they_stand():
    statement = stating(lambda s, b, t: (2 * s**1 * (b / t) + 0 * t - 3 * s * 1, s**2 / 2 + (s - 1) * (b + b) / t))
    assert statement["left"] == ["+", ["*", 2, "s", ["/", "b", "t"]], ["-", ["*", 3, "s"]]]
    right = ["/", ["*", ["+", "s", ["-", 1]], ["+", "b", "b"]], "t"]
    assert statement["right"] == ["+", ["/", ["^", "s", 2], 2], right]


def test_a_side_that_is_the_other_is_read_out():
    statement = stating(lambda s, b, _: (s * b + s * b, s * b + s * b))
    assert (statement["left"], statement["right"]) == (["*", 2, "s", "b"], ["+", ["*", "s", "b"], ["*", "s", "b"]])


def test_sympy_evaluates_again_afterwards():
    stated_law(LAWS[0], "again", Instance(llama))
    assert global_parameters.evaluate
    with evaluate(False):
        assert Symbol("x") + Symbol("x") != 2 * Symbol("x")
    assert Symbol("x") + Symbol("x") == 2 * Symbol("x")
