"""Every claim of every source: its verdict, its exact value at valid sizes or its counterexample, its citation."""

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.strategies import points
from derive import Ledger, Model, Role, claims
from derive.citation import OPEN, PROVED, REFUTED, UP_TO, Citation, Claim
from derive.errors import ClaimError
from derive.exact import evaluate
from derive.plan import KEYS
from derive.reading import to_tree
from derive.tree import Negative, Node, symbols_of
from derive.verdict import is_neglected, judge, plan_of
from formulas import all_claims, catalog, claims_about
from formulas.activations import activations
from formulas.architectures.gpt import gpt
from formulas.notation import common
from formulas.sources.korthikanti2022 import korthikanti2022
from tests.exactly import agree, close, value_at

CLAIMS = all_claims()
HOLDING = [claim for claim in CLAIMS if claim.expected in (PROVED, UP_TO)]
FALSE = [claim for claim in CLAIMS if claim.expected == REFUTED]
KINDS = ("paper", "article", "tool", "measurement")


def named(claim: Claim) -> str:
    return f"{claim.source.key}-{claim.formula.name}-{claim.plan_text or 'plain'}"


@cache
def rows(claim: Claim, letter: str = "") -> tuple[tuple[Node, Role | None, bool], ...]:
    """The rows of a claim's quantity, or of the one behind a letter: value, role, whether the claim leaves them out."""
    formula = claim.letters[letter] if letter else claim.formula
    kept = set(symbols_of(claim.tree)) - set(claim.letters) if not letter else ()
    ledger: Ledger = formula.ledger(Model(claim.about) if claim.about is not None else None, plan_of(claim), kept)
    return tuple((to_tree(row.value), row.role, is_neglected(row, claim.neglect)) for row in ledger)


def letters_of(claim: Claim) -> set[str]:
    """Every letter that has a size when a claim is valued: of the claim, of the rows, of the quantities it names."""
    trees = [claim.tree, *(tree for letter in ("", *claim.letters) for tree, _, _ in rows(claim, letter))]
    return {name for tree in trees for name in symbols_of(tree)} - set(claim.letters)


def named_at(claim: Claim, point: Mapping[str, int]) -> dict[str, Fraction]:
    """The quantities that a claim names at a point, such as N, counted in full."""
    return {
        letter: sum((value_at(tree, point) for tree, _, _ in rows(claim, letter)), Fraction(0))
        for letter in claim.letters
    }


@pytest.mark.parametrize("claim", CLAIMS, ids=named)
def test_verdict_is_the_expected_one(claim):
    judged = judge(claim)
    assert judged.verdict == claim.expected
    assert judged.verdict != OPEN
    assert bool(judged.proof) == (judged.verdict in (PROVED, UP_TO))
    assert (judged.neglected is not None or judged.included is not None) == (judged.verdict == UP_TO)


@pytest.mark.parametrize("claim", HOLDING, ids=named)
@settings(max_examples=25)
@given(data=st.data())
def test_proved_claim_holds_at_sizes(claim, data):
    point = data.draw(points(letters_of(claim), claim.relations), label="sizes")
    judged = judge(claim)
    neglected, included = ([tree] if tree is not None else [] for tree in (judged.neglected, judged.included))
    everything = {**point, **named_at(claim, point)}
    assert agree([claim.tree, *neglected], [*(tree for tree, _, _ in rows(claim)), *included], everything)
    assert agree(neglected, [tree for tree, _, out in rows(claim) if out], point)
    assert not (neglected or included) or judged.verdict == UP_TO


@pytest.mark.parametrize("claim", FALSE, ids=named)
def test_refuted_claim_differs_at_its_counterexample(claim):
    judged = judge(claim)
    point = judged.counterexample
    assert point is not None
    assert judged.residual is not None
    assert judged.values_there is not None
    claimed, derived = judged.values_there
    counted = [tree for tree, _, out in rows(claim) if not out]
    assert claimed == value_at(claim.tree, point)
    assert close(derived, sum((value_at(tree, point) for tree in counted), Fraction(0)))
    assert agree([claim.tree, Negative(judged.residual)], counted, point)
    assert value_at(judged.residual, point) != 0
    assert all(isinstance(size, int) and size > 0 for size in point.values())
    for letter, tree in judged.hypotheses.items():
        assert value_at(tree, point) == point[letter]
    for letter in claim.letters:
        assert point[letter] == sum((value_at(tree, point) for tree, _, _ in rows(claim, letter)), Fraction(0))


def test_every_verdict_has_its_claims():
    """None of the tests above runs over an empty list."""
    assert {claim.expected for claim in CLAIMS} == {PROVED, UP_TO, REFUTED}
    assert len(set(map(id, CLAIMS))) == len(CLAIMS)


def test_table_2_is_whole():
    """Korthikanti's six rows, each proved, five of them up to the statistics of the norms."""
    table = [claim for claim in CLAIMS if claim.source is korthikanti2022 and claim.place == "table 2"]
    assert [(claim.plan_text, judge(claim).verdict) for claim in table] == [
        ("", UP_TO),
        ("tp=t", UP_TO),
        ("tp=t,sp", UP_TO),
        ("tp=t,recompute=core", UP_TO),
        ("tp=t,sp,recompute=core", UP_TO),
        ("tp=t,recompute=layer", PROVED),
    ]
    point = {"s": 2048, "b": 1, "h": 12288, "a": 96, "f": 49152, "g": 96, "d": 128, "t": 8}
    neglected = [judge(claim).neglected for claim in table]
    residuals = [evaluate(tree, point) for tree in neglected if tree is not None]
    assert residuals == [16 * 2048, 16 * 2048, 2 * 2048, 16 * 2048, 2 * 2048]


# Sources


@pytest.mark.parametrize("source", dict.fromkeys(claim.source for claim in CLAIMS), ids=lambda source: source.key)
def test_citation_is_complete(source):
    assert all(getattr(source, part.name) for part in fields(Citation))
    assert source.kind in KINDS
    assert 1900 < source.year < 2100


def test_every_source_file_has_its_claims():
    from pathlib import Path

    import formulas.sources

    files = {path.stem for path in Path(formulas.sources.__path__[0]).glob("*.py")} - {"__init__"}
    assert {claim.source.key.replace("-", "_") for claim in CLAIMS} == files


def test_every_hypothesis_of_a_claim_is_about_a_letter_that_it_or_the_quantity_has():
    # The shapes that the scaling book states once are for its products of weights, too.
    for claim in (claim for claim in CLAIMS if claim.source.key != "scaling-book"):
        used = judge(claim).letters.union(*(symbols_of(tree) for tree in claim.given.values()))
        assert set(claim.given) <= used, (claim.source.key, claim.place)


def test_every_formula_of_a_claim_is_in_the_catalog():
    known = catalog().values()
    assert all(each in known for claim in CLAIMS for each in (claim.formula, *claim.letters.values()))
    assert all(claim.place and claim.text for claim in CLAIMS)


# Slips

source = Citation("someone2020", "paper", "Someone", 2020, "A title", "arXiv:0000.00000")


LETTERS = "known letters are " + ", ".join(common.order)


@pytest.mark.parametrize(("rows", "given", "message"), [
    ({"": "34*s*b*x"}, {}, f"formula '34*s*b*x': unknown letter 'x' at position 8; {LETTERS}"),
    ({"": "34*s*b*"}, {}, "formula '34*s*b*': it ends too early at position 8; an operand or a ')' is missing"),
    ({"": "34 s b h"}, {},
     "formula '34 s b h': a `*` is missing between '34' and 's' at position 4; write the product out"),
    ({"": "34sbh"}, {},
     "formula '34sbh': a `*` is missing between '34' and 'sbh' at position 3; write the product out"),
    ({"": "s*b*h*(34 + 5*a*s/h"}, {},
     "formula 's*b*h*(34 + 5*a*s/h': it ends too early at position 20; an operand or a ')' is missing"),
    ({"": "16·s"}, {}, "formula '16·s': unexpected '·' at position 3; write *"),
    ({"tp=8,zz": "34*s*b*h"}, {},
     f"unknown plan key 'zz': known are {', '.join(KEYS)}"),
    ({"tp=0": "34*s*b*h"}, {}, "plan tp=0: tp must be a positive integer: got '0'"),
    ({"recompute": "34*s*b*h"}, {}, "plan 'recompute': write recompute=core"),
    ({"": "34*s*b*h"}, {"d": "h/x"}, f"formula 'h/x': unknown letter 'x' at position 3; {LETTERS}"),
    ({"": "34*s*b*h", "tp=8": "34*s*b*h/x"}, {},
     f"formula '34*s*b*h/x': unknown letter 'x' at position 10; {LETTERS}"),
])  # fmt: skip
def test_a_slip_in_a_quotation_stops_the_import(rows, given, message):
    with pytest.raises(ClaimError) as caught:
        claims(source, activations, "table 9", about=gpt, rows=rows, given=given)
    assert str(caught.value) == f"someone2020, table 9: {message}"


@pytest.mark.parametrize("name", catalog())
@pytest.mark.parametrize("forms", [False, True])
def test_claims_are_found_by_the_text_of_their_sources(name: str, forms: bool):
    """So that a command imports few sources: a table names its formula as that is called, not by another name."""
    about = catalog()[name]
    found = tuple(claim for claim in CLAIMS if claim.formula is about and (claim.form or not forms))
    assert claims_about(about, forms=forms) == found
