"""Mutants: false ones are refuted and never proved, broken proofs are rejected, and the score says where not."""

import shutil
from typing import Any

import pytest

from checks.mutants import __main__ as command
from checks.mutants import judging
from checks.mutants.certified import certificates
from checks.mutants.corruptions import CHANGES, FORGERIES, Corruption, corruptions
from checks.mutants.judging import LISTED, NO_VALUE, REFUTED, REJECTED, UNSOUND, Outcome, accepted, judged, passes
from checks.mutants.score import Score, drawn, failures, rejected_by_coq, score
from checks.mutants.statements import RELATIONS, Mutant, content, mutants
from derive.proof.checker import check
from derive.proof.refute.counterexample import counterexample
from derive.proof.search.tactics import steps_for
from tests import coq_certificates

# Points of integers of either sign are not searched.
CERTIFICATES = [each for each in coq_certificates.CERTIFICATES if "integer" not in each["symbols"].values()]
SAMPLE = 100  # mutants of statements, and of proofs: 16 seconds on two cores
WHOLE, REAL = "positive integer", "positive real"


def stated(relation: str, left: Any, right: Any, given: Any = (), define: Any = (), **symbols: str) -> dict[str, Any]:
    return {
        "name": "test", "symbols": symbols, "define": [list(each) for each in define], "witness": {},
        "given": [list(each) for each in given], "relation": relation, "left": left, "right": right,
    }  # fmt: skip


def mutant(of: dict[str, Any], **changed: Any) -> Mutant:
    return Mutant(of | {"steps": []}, "some", of | changed)


HALF = stated("<=", ["/", 1, "t"], 1, t=WHOLE)
DOUBLE = stated("==", ["+", "h", "h"], ["*", 2, "h"], h=WHOLE)
HEADS = stated("<=", ["*", 2, "g"], ["*", 2, "a"], given=[["<=", "g", "a"]], g=WHOLE, a=WHOLE)
FAR = {  # false at the point (50, 50) alone
    "symbols": {"t": WHOLE, "u": WHOLE}, "relation": "<", "left": 0,
    "right": ["+", ["^", ["+", "t", -50], 2], ["^", ["+", "u", -50], 2]],
}  # fmt: skip
FEED = stated("==", ["*", 2, "f"], ["*", 8, "h"], define=[["f", ["*", 4, "h"]]], h=WHOLE, f=WHOLE)


# What becomes of mutants and of broken proofs


def test_a_sample_of_all_mutants():
    found = score(certificates(), SAMPLE)
    assert failures(found) == []
    assert len(found.statements) == len(found.proofs) == SAMPLE
    assert sum(each.tried for each in found.statements) > SAMPLE  # so that there was something to find
    assert {each.kind for each in found.proofs} > {f"'{step}' changed" for step in ("of", "square", "whole")}


@pytest.mark.parametrize("seed", [1, 2])
def test_mutants_of_every_rule_of_the_checker(seed):
    assert failures(score(CERTIFICATES, 60, seed)) == []


@pytest.mark.skipif(shutil.which("coqc") is None, reason="no coqc")
def test_coq_rejects_refuted_mutants():
    assert rejected_by_coq(CERTIFICATES, 12) == (12, [])


VERDICTS = [
    (mutant(DOUBLE, right=["*", 3, "h"]), "refuted"),
    (mutant(DOUBLE, left=["*", 2, "h", ["/", "h", "h"]]), "equivalent"),
    (mutant(DOUBLE, left=["/", 1, 0]), "no value"),
    (mutant(DOUBLE, left=["/", ["*", 2, "h", ["+", "h", -9]], ["+", "h", -9]]), "no value"),  # at h = 9 alone
    (mutant(DOUBLE, left=["sqrt", ["+", 8, ["-", "h"]]], right=["sqrt", ["+", 8, ["-", "h"]]]), "no value"),
    (mutant(DOUBLE, relation="<="), "still true"),
    (mutant(DOUBLE, relation="<"), "refuted"),
    (mutant(HALF, right=2), "still true"),
    (mutant(HALF, right=0), "refuted"),
    (mutant(HALF, left=["/", 1, ["^", 2, "t"]]), "listed"),  # true, but beyond the search
    (mutant(HALF, **FAR), "refuted"),  # at a point that a first look does not reach
    (mutant(HEADS, given=[]), "refuted"),
    (mutant(HEADS, given=[["<", "g", "a"]]), "still true"),
    (mutant(HEADS, given=[["<", "g", 1]]), "vacuous"),
    (mutant(FEED, define=[]), "refuted"),
    (mutant(FEED, define=[["f", 0]]), "vacuous"),
    (mutant(DOUBLE, left=["ceil", ["/", "h", 65537]], right=["ceil", ["/", "h", 65536]]), "refuted"),  # at 65537
    (mutant(FEED, left=["*", 2, ["max", "f", "f"]]), "equivalent"),
    (mutant(FEED, define=[["f", ["*", 5, "h"]]]), "refuted"),
]


@pytest.mark.parametrize(("made", "verdict"), VERDICTS, ids=lambda each: getattr(each, "name", each))
def test_verdicts(made, verdict):
    found = judged(made)
    assert (found.verdict, found.wrong) == (verdict, ())
    assert found.tried == (3 if verdict in (REFUTED, NO_VALUE) else 0)


@pytest.mark.parametrize("number", range(len(FORGERIES)))
@pytest.mark.parametrize("relation", RELATIONS)
def test_no_forgery_shows_what_is_false(relation, number):
    right = ["+", "h", {"<=": -1, "==": 1, ">=": 1}.get(relation, 0)]
    false = stated(relation, "h", right, h=WHOLE)
    assert counterexample(false) is not None
    assert not passes(false | {"steps": judging.forged(false, number)})


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda each: each["name"])
def test_every_mutant_and_corruption_is_another_one(certificate):
    assert passes(certificate)
    broken = [content(certificate), *(content(each.statement) for each in mutants(certificate))]
    assert len(set(broken)) == len(broken) > len(RELATIONS[certificate["relation"]])
    made = [repr(certificate), *(repr(each.made) for each in corruptions(certificate))]
    assert len(set(made)) == len(made)
    assert corruptions(certificate) == corruptions(certificate)


def test_a_changed_definition_need_not_be_whole():
    changed = [each for each in mutants(FEED | {"steps": []}) if each.kind == "definition changed"]
    assert [each.statement["define"] for each in changed] == [
        [["f", tree]] for tree in (["+", 4, "h"], "h", 4, ["*", 5, "h"], ["*", 3, "h"])
    ]
    assert {each.statement["symbols"]["f"] for each in changed} == {"positive real"}
    assert {judged(each).verdict for each in changed} == {"refuted"}


def test_every_rule_has_corruptions():
    steps = {step[0] for certificate in CERTIFICATES for step in certificate["steps"]}
    assert steps == set(CHANGES)


def test_a_sample_has_every_kind_and_is_the_same_again():
    made = [each for certificate in CERTIFICATES for each in mutants(certificate)]
    kinds = {each.kind for each in made}
    assert {each.kind for each in drawn(made, len(kinds), 0)} == kinds
    assert drawn(made, 50, 1) == drawn(made, 50, 1) != drawn(made, 50, 2)


# That failures are seen


def test_a_checker_that_accepts_all_is_found_out(monkeypatch):
    monkeypatch.setattr(judging, "check", lambda _: "whatever")
    false = judged(mutant(DOUBLE, right=["*", 3, "h"]))
    assert failures(Score((false,), ())) == ["refuted, yet accepted: test: some: h + h == 3*h"] * 2
    weaker = HALF | {"steps": []}
    zero = accepted(Corruption(weaker, "kind", weaker | {"symbols": {"t": "natural number"}}))
    assert (zero.verdict, zero.wrong) == (UNSOUND, ("accepted, yet refuted: test: kind: 1/t <= 1",))
    wrong = weaker | {"steps": [["combine", "<", "t", 1, 1, [[1]]]]}  # its statement is true, a fact in it is not
    assert failures(Score((), (accepted(Corruption(weaker, "step", wrong)),))) == [
        "accepted, yet refuted: test: step: t < 1"
    ]


def test_a_search_that_proves_all_is_found_out(monkeypatch):
    monkeypatch.setattr(judging, "proved", lambda _: ("whatever", {}))
    found = judged(mutant(DOUBLE, right=["*", 3, "h"]))
    assert found.wrong == ("refuted, yet proved: test: some: h + h == 3*h",)
    late = judged(mutant(HALF, **FAR))
    assert late.verdict == "still true"
    assert [text.partition(":")[0] for text in late.wrong] == ["proved, yet refuted"]


def test_an_undecided_identity_is_a_failure_and_an_inequality_is_not():
    outcomes = (Outcome("literal", LISTED, "one", identity=True), Outcome("literal", LISTED, "other"))
    assert failures(Score(outcomes, ())) == ["undecided: one"]


def test_what_a_step_is_missing_is_rejected():
    at_most = stated("<=", ["/", 34, "t"], 17, given=[["<=", 2, "t"]], t=WHOLE) | {"witness": {"t": 2}}
    certificate = at_most | {"steps": steps_for(at_most)}
    assert check(certificate) == "for every positive integer t: 34/t <= 17 given 2 <= t"
    dropped = next(each for each in corruptions(certificate) if each.kind == "step dropped")
    assert accepted(dropped).verdict == REJECTED


@pytest.mark.parametrize(("check_all", "status"), [(False, 0), (True, 1)])
def test_the_command_prints_a_score(monkeypatch, capsys, check_all, status):
    monkeypatch.setattr(command, "certificates", lambda: CERTIFICATES[:1])
    monkeypatch.setattr(shutil, "which", lambda _: None)
    if check_all:
        monkeypatch.setattr(judging, "check", lambda _: "whatever")
    assert command.main(["--sample", "12", "--seed", "3"]) == status
    printed = capsys.readouterr().out
    assert printed.startswith("1 certificates\n\nmutants of identities  made\nall kinds")
    assert "Coq was not asked: no coqc" in printed
    assert printed.count("FAILS: ") >= status
    assert ("FAILS: " in printed) == check_all
