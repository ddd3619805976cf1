"""Every statement has a certificate of what it says now; `derive prove` lists them, and its exit code says so."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import checks.prove as proving
from checks.prove import CERTIFIED, KERNEL, REFEREED, below, checked, chosen, items, keep_levels, raised
from checks.stored import FOLDER, RENEW, recorded, stored
from derive.citation import OPEN, PROVED, REFUTED, UP_TO
from derive.cli import main
from derive.errors import UnknownName
from derive.proof import coq, smt
from derive.proof.checker import MAX_FILE_BYTES, digest
from derive.proof.refute.counterexample import holds_at
from derive.proof.statement import fingerprint
from derive.settled import Settled
from formulas import all_claims

CHECKER = Path(__file__).parents[1] / "derive" / "proof" / "checker.py"


@cache
def everything() -> tuple[Settled, ...]:
    return tuple(items())


def proved() -> list[Settled]:
    return [item for item in everything() if item.verdict in (PROVED, UP_TO)]


def test_every_verdict_is_the_expected_one_and_none_is_open():
    assert not [f"{item.name}: {item.verdict}, {item.why}" for item in everything() if not item.is_expected]


def test_there_is_much_to_prove_and_to_refute():
    assert len({fingerprint(item.statement) for item in proved()}) >= 150
    assert sum(item.verdict == REFUTED for item in everything()) >= 25
    assert len({item.name for item in everything()}) == len(everything()) == proving.expected_count()


def test_no_certificate_is_left_over():
    assert set(stored()) == {fingerprint(item.statement) for item in proved()}, f"run {RENEW}"


def test_certificates_have_names_and_digests_of_their_own():
    assert len({each["name"] for each in stored().values()}) == len(stored())
    assert all(each["digest"] == digest(each) for each in stored().values())
    assert all(path.stat().st_size < MAX_FILE_BYTES for path in FOLDER.glob("*.json"))


def test_the_checker_alone_accepts_the_files_and_imports_nothing_else():
    files = [str(path) for path in sorted(FOLDER.glob("*.json"))]
    code = (
        "import runpy, sys; sys.argv = sys.argv[1:]\n"
        "try: runpy.run_path(sys.argv[0], run_name='__main__')\n"
        "finally: print({name.partition('.')[0] for name in sys.modules} & {'sympy', 'derive', 'formulas', 'checks'})"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(CHECKER), *files],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
    *lines, imported = done.stdout.splitlines()
    assert imported == "set()"
    assert len(lines) == len(stored())
    assert all(": accepted: " in line for line in lines)


@pytest.mark.parametrize("claim", [claim for claim in all_claims() if claim.expected == REFUTED], ids=lambda x: x.text)
def test_a_refuted_claim_is_false_at_its_counterexample(claim):
    (item,) = [each for each in everything() if each.judgement is not None and each.judgement.claim is claim]
    assert item.judgement is not None
    assert item.judgement.counterexample is not None
    assert item.judgement.residual is not None
    defined = {name for name, _ in item.statement["define"]}
    point = {name: value for name, value in item.judgement.counterexample.items() if name not in defined}
    assert holds_at(item.statement | {"steps": []}, point) is False


def test_a_statement_that_changed_is_open_until_its_certificate_is_renewed():
    item = next(each for each in chosen(["states/zero-1-at-most-plain"]))
    changed = item.statement | {"left": ["+", item.statement["left"], 1]}
    found = checked(Settled(item.name, "law", "states", "", "", PROVED, changed))
    assert found.verdict == OPEN
    assert not found.is_expected
    assert found.why == f"its certificate is missing, or of what it was before: run {RENEW}"


def test_a_certificate_that_is_rejected_leaves_it_open(monkeypatch):
    item = next(each for each in chosen(["recompute/least-is-twice-the-root"]))
    key = fingerprint(item.statement)
    broken = stored()[key] | {"steps": []}
    monkeypatch.setattr(proving, "stored", lambda: {key: broken})
    assert checked(item).why == f"the digest of its certificate is that of something else: run {RENEW}"
    broken["digest"] = digest(broken)
    monkeypatch.setattr(proving, "stored", lambda: {key: broken})
    found = checked(item)
    assert found.verdict == OPEN
    assert found.why == f"the checker rejects its certificate: the steps do not show the relation: run {RENEW}"


def test_levels_are_recorded_for_what_is_proved_now():
    assert set(recorded()) == set(stored())
    assert set(recorded().values()) == {KERNEL}


@pytest.mark.skipif(not smt.available(), reason="z3-solver is not installed: pip install 'shapeproof[smt]'")
def test_z3_agrees_with_every_statement():
    found = raised(proved(), "smt")
    assert not [f"{item.name}: {item.why}" for item in found if item.level == CERTIFIED]


def test_a_verdict_that_is_not_the_expected_one_shows():
    true = next(item for item in everything() if item.judgement is not None and item.verdict == PROVED)
    found = checked(replace(true, expected=REFUTED))
    assert found.verdict == PROVED
    assert not found.is_expected


def test_a_claim_that_nothing_settles_is_open():
    false = next(item for item in everything() if item.verdict == REFUTED)
    found = checked(replace(false, verdict=OPEN))
    assert (found.verdict, found.level, found.is_expected) == (OPEN, None, False)


def test_what_z3_refutes_is_open_and_what_coq_rejects_stays_below(monkeypatch):
    item = items(["states/zero-1-at-most-plain"])[0]
    name = item.statement["name"]
    monkeypatch.setattr(smt, "referee_all", lambda _: {name: ("disagrees", "at n = 1")})
    (found,) = raised([item], "smt")
    assert (found.verdict, found.level, found.why) == (OPEN, None, "Z3 disagrees: at n = 1")
    monkeypatch.setattr(smt, "referee_all", lambda _: {name: ("agrees", "")})
    monkeypatch.setattr(coq, "verdicts", lambda _: {name: coq.Verdict(False, "no")})
    (found,) = raised([item], "kernel")
    assert (found.verdict, found.level, found.why) == (PROVED, REFEREED, "Coq: no")
    assert below([found], "kernel") == [found]
    assert below([found], "smt") == []


def test_levels_are_lowered_only_by_a_run_that_asked_for_them(monkeypatch):
    item = items(["states/zero-1-at-most-plain"])[0]
    key = fingerprint(item.statement)
    written: dict[str, str] = {}
    monkeypatch.setattr(proving, "record", written.update)
    for level, kept in (("certified", KERNEL), ("smt", KERNEL), ("kernel", CERTIFIED)):
        monkeypatch.setattr(proving, "recorded", lambda: {key: KERNEL})
        keep_levels([item], level)
        assert written[key] == kept


# ---- the command line ----


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(["prove", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_one_quantity_in_full(capsys):
    code, out, _ = run(capsys, "recompute-factor")
    assert code == 0
    assert "✗  korthikanti2022/recompute-factor" in out
    assert "claimed minus derived:" in out
    assert "false at " in out
    assert "for every positive integer" in out


def test_a_theorem_by_its_name(capsys):
    code, out, _ = run(capsys, "states/zero-1-at-most-plain")
    assert code == 0
    assert out.startswith("■  states/zero-1-at-most-plain: proved (here certified, recorded ")
    assert "equal where" in out
    assert "1 statement: 1 proved" in out


def test_each_statement_is_listed_once_and_by_any_name_that_is_printed(capsys):
    twice = [each.name for each in items(["zero-1", "states/zero-1-at-most-plain", "zero-2"])]
    assert len(twice) == len(set(twice))
    claim = next(item for item in everything() if item.kind == "claim")
    assert [each.name for each in chosen([claim.name])] == [claim.name]
    assert {each.topic for each in chosen(["views"])} == {"views"}
    code, out, _ = run(capsys, claim.name)
    assert code == 0
    assert claim.name in out


def test_json_of_one_quantity(capsys):
    code, out, _ = run(capsys, "zero-3", "--json")
    found = json.loads(out)
    assert code == 0
    assert set(found) == {"theorems", "reached"}
    assert found["reached"] == {"smt": False, "kernel": False}
    assert {each["kind"] for each in found["theorems"]} <= {"claim", "law"}
    assert all(each["level"]["here"] == CERTIFIED for each in found["theorems"] if each["verdict"] in (PROVED, UP_TO))


def test_an_open_statement_fails_the_command(capsys, monkeypatch):
    monkeypatch.setattr(proving, "stored", dict)
    code, out, _ = run(capsys, "states/zero-1-at-most-plain")
    assert code == 1
    assert "not as expected: states/zero-1-at-most-plain: open, not proved" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["stats"], "unknown quantity or statement 'stats'"),
        (["states", "--update"], "--update renews all certificates: leave out names"),
        (["--given", "t >= 1"], "--given and --real go with --statement"),
        (["--statement", "1 == 1", "states"], "--statement is about a formula of your own"),
        (["--level", "tested"], "argument --level: invalid choice: 'tested'"),
    ],
)
def test_misuse_is_one_line(capsys, arguments, error):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert not out
    assert len(err.splitlines()) == 1
    assert error in err


@pytest.mark.parametrize(("level", "missing"), [("smt", "Z3 is not installed"), ("kernel", "Z3 is not installed")])
def test_a_level_that_cannot_be_reached_is_refused(capsys, monkeypatch, level, missing):
    monkeypatch.setattr(smt, "available", lambda: False)
    code, _, err = run(capsys, "states", "--level", level)
    assert code == 2
    assert missing in err


def test_coq_that_is_missing_is_said(capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(smt, "available", lambda: True)
    code, _, err = run(capsys, "states", "--level", "kernel")
    assert code == 2
    assert "coqc was not found" in err
    code, out, _ = run(capsys, "zero-3")
    assert code == 0
    assert "coqc was not found" in out


def test_an_unknown_name_is_an_error():
    with pytest.raises(UnknownName, match="did you mean 'states'"):
        items(["state"])
