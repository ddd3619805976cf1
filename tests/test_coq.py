"""Coq: certificates of every rule, kind and function pass the kernel, false ones do not, and the lemma says it all."""

import shutil
from copy import deepcopy
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import ClaimError, DeriveError
from derive.proof import coq
from derive.proof.coq import export, verdicts
from derive.proof.coq.lemma import lemma
from derive.proof.coq.text import RESERVED, lemma_name, symbol_name
from tests.coq_certificates import CERTIFICATES, certificate

needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="no coqc")
BY_NAME = {each["name"]: each for each in CERTIFICATES}
OPPOSITE = {"==": ">", "<=": ">", "<": ">=", ">=": "<", ">": "<="}
NEGATED = {
    each["name"]: each | {"name": f"not/{each['name']}", "relation": OPPOSITE[each["relation"]]}
    for each in CERTIFICATES[::5]
}


def changed(name, *path, to):
    """A certificate of the list with something else at a path in it."""
    copy = deepcopy(BY_NAME[name]) | {"name": f"changed/{name}/{'-'.join(str(place) for place in path)}"}
    part: Any = copy
    for place in path[:-1]:
        part = part[place]
    part[path[-1]] = to
    return copy


TWICE = ["*", 2, ["ceil", ["/", "L", "p"]]]
WRONG = [
    changed("signs/zero-1", "right", to=["*", 15, "N"]),
    changed("signs/kinds", "symbols", "x", to="nonnegative real"),
    changed("signs/kinds", "symbols", "i", to="integer"),
    changed("equal/define", "define", 0, 1, to=["/", "h", ["+", "a", 1]]),
    changed("combine/given", "given", to=[["<=", "a", "g"]]),
    changed("combine/squares", "left", to=["*", 5, "x", "y"]),
    changed("combine/strict-divisor", "given", to=[["<=", "s", "d"]]),
    changed("combine/equality", "steps", 0, 5, to=[[["*", 2, "z"], 0]]),
    changed("root/mean", "steps", 1, 1, to=["+", "k", ["sqrt", "L"]]),
    changed("power/fraction", "right", to=["^", "x", 3]),
    changed("power/is-root", "right", to=["sqrt", ["*", 3, "x"]]),
    changed("ceil/whole", "symbols", "L", to="positive real"),
    changed("ceil/whole", "steps", 1, to=["whole", TWICE, ["+", "L", "p", ["-", 1]], 1]),
    changed("ceil/at-least", "steps", 0, 1, 0, to="floor"),
    changed("whole/integers", "steps", 0, 1, to=["+", "z", 2]),
    changed("max/sum", "steps", 0, 2, 0, 5, to=[[1, 0]]),
    changed("max/three", "steps", 1, 3, 0, 5, to=[["x"], [1, 0], [1, 2]]),
    changed("min/three", "steps", 0, to=["square", "m"]),
    certificate("changed/no-value", {"x": "positive real", "y": "real"}, "==", ["/", "x", "y"], ["/", "x", "y"]),
    certificate("changed/no-root", {"y": "real"}, "==", ["sqrt", "y"], ["sqrt", "y"]),
]


@pytest.fixture(scope="module")
def judged():
    return verdicts([*CERTIFICATES, *NEGATED.values(), *WRONG])


@needs_coqc
@pytest.mark.parametrize("name", BY_NAME)
def test_the_kernel_accepts(judged, name):
    assert judged[name].message == ""
    assert judged[name].accepted


@needs_coqc
@pytest.mark.parametrize("name", [each["name"] for each in chain(NEGATED.values(), WRONG)])
def test_the_kernel_rejects_what_is_wrong(judged, name):
    assert not judged[name].accepted
    assert judged[name].message


def test_it_is_coq_that_rejects():
    assert all(lemma(each).endswith("Qed.\n") for each in chain(NEGATED.values(), WRONG))


def words(tree):
    return {tree[0]}.union(*map(words, tree[1:])) if isinstance(tree, list) else set()


def rules(steps):
    inner = [rules(branch) for step in steps if step[0] == "cases" for branch in step[2:]]
    return {step[0] for step in steps}.union(*inner)


def test_the_list_has_every_rule_kind_and_function():
    assert set().union(*(rules(each["steps"]) for each in CERTIFICATES)) == {
        "of",
        "square",
        "combine",
        "whole",
        "cases",
    }
    assert {kind for each in CERTIFICATES for kind in each["symbols"].values()} == {
        f"{sign}{kind}" for sign in ("positive ", "") for kind in ("integer", "real")
    } | {"natural number", "nonnegative real"}
    sides = set().union(*(words(each[side]) for each in CERTIFICATES for side in ("left", "right")))
    assert sides == {"+", "-", "*", "/", "^", "sqrt", "ceil", "floor", "max", "min"}
    assert {each["relation"] for each in CERTIFICATES} == {"==", "<=", "<", ">=", ">"}


def test_a_lemma_says_what_the_certificate_says_and_that_all_has_a_value():
    stated = certificate(
        "states/zero-1",
        {"at": "positive integer", "y": "nonnegative real", "f": "positive integer", "x": "positive real", "z": "real"},
        "<",
        ["/", ["max", "y", "x", 1], ["+", "at", ["-", "z"]]],
        ["*", ["ceil", ["sqrt", "y"]], ["^", "x", ["/", 2, 3]], ["^", "f", -2]],
        define=[["f", ["*", 4, "at"]]],
        given=[[">=", "at", ["+", 1, "z"]]],
    )  # fmt: skip
    statement = lemma(stated).split("Proof.")[0]
    assert statement.splitlines() == [
        "(* states/zero-1 *)",
        "Lemma c''states''zero_1 :",
        "  forall v_at y f x z : R,",
        "  whole v_at ->",
        "  1 <= v_at ->",
        "  0 <= y ->",
        "  0 < x ->",
        "  f = (4 * v_at) ->",
        "  v_at >= (1 + z) ->",
        "  (v_at - z) <> 0 /\\",
        "  0 <= y /\\",
        "  0 < x /\\",
        "  f <> 0 /\\",
        "  ((Rmax y (Rmax x 1)) / (v_at - z)) < ((ceil (sqrt y)) * (Rpower x (2 / 3)) * (/ (f ^ 2))).",
    ]


def test_the_file_is_preamble_lemmas_and_assumptions():
    text = export(CERTIFICATES[:2])
    assert text.startswith("(* What every exported proof starts from")
    assert text.endswith(
        "\nDefinition together' := (more' c''signs''zero_1 (more' c''signs''strict none'))."
        "\nPrint Assumptions together'.\n"
    )
    assert text.count("Lemma c''") == 2


@given(st.text(), st.text())
def test_names_of_lemmas_are_identifiers_and_differ(one, other):
    assert (lemma_name(one) == lemma_name(other)) == (one == other)
    assert lemma_name(one).replace("'", "").replace("_", "").isalnum()
    assert lemma_name(one).isascii()


@given(*[st.sampled_from(sorted({*RESERVED, "h", "v_h", "v_v_h", *(f"v_{word}" for word in RESERVED)}))] * 2)
def test_symbols_keep_apart_and_off_the_words_of_coq(one, other):
    assert (symbol_name(one) == symbol_name(other)) == (one == other)
    assert symbol_name(one) not in RESERVED


@needs_coqc
def test_an_axiom_that_is_not_of_the_reals_is_named(monkeypatch):
    monkeypatch.setattr(coq, "lemma", lambda each: f"Axiom {lemma_name(each['name'])} : 0 = 1.\n")
    verdict = verdicts(CERTIFICATES[:1])["signs/zero-1"]
    assert (verdict.accepted, verdict.message) == (False, "assumes c''signs''zero_1")


@needs_coqc
def test_a_proof_that_is_left_out_is_an_assumption(monkeypatch):
    true = lemma
    monkeypatch.setattr(coq, "lemma", lambda each: true(each).split("Proof.")[0] + "Proof. Admitted.\n")
    assert verdicts(CERTIFICATES[:1])["signs/zero-1"].message == "assumes c''signs''zero_1"


def test_without_coqc_there_is_no_verdict(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        DeriveError, match=r"^no coqc: install Coq, such as Debian's package coq, and have coqc on the PATH$"
    ):
        verdicts(CERTIFICATES)


@needs_coqc
def test_names_are_unique():
    with pytest.raises(DeriveError, match=r"^two certificates are called 'signs/zero-1'$"):
        verdicts([CERTIFICATES[0]] * 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": ["log", "N"]}, r"^\"\['log', 'N'\]\" is not an expression$"),
        ({"left": "h"}, r"^'h' is not an expression$"),
        ({"left": ["/", "N"]}, r"^'/' with 1 operands$"),
        ({"symbols": {"N : R. Axiom": "real"}}, r"^'N : R. Axiom' cannot be the name of a symbol$"),
        ({"symbols": {"N": "complex", "n": "real"}}, r"^'signs/zero-1' is not a certificate: KeyError\('complex'\)$"),
        ({"steps": [["guess", "N"]]}, r"^'signs/zero-1' is not a certificate: KeyError\('guess'\)$"),
        ({"steps": [["of", "N"]]}, r"^'N' is not a call$"),
        ({"steps": [["of", ["^", "N", "n"]]]}, r"^nothing but its sign is known of \(Rpower N n\)$"),
        ({"steps": [["cases", ["max", "N", "n"], []]]}, r"^1 branches for 2 operands of 'max'$"),
        ({"right": ["/", "N", ["+", "n", ["-", "n"]]]}, r"^a divisor is 0$"),
    ],
)  # fmt: skip
def test_what_is_no_certificate_says_why(change, message):
    with pytest.raises(ClaimError, match=message):
        lemma(BY_NAME["signs/zero-1"] | change)


@needs_coqc
def test_what_is_no_certificate_is_not_accepted():
    verdict = verdicts([BY_NAME["signs/zero-1"] | {"left": "h"}])["signs/zero-1"]
    assert (verdict.accepted, verdict.message) == (False, "'h' is not an expression")
