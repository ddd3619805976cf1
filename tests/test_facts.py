"""Every fact of checks/facts, decided through the catalog; the data well formed; nothing of the seeds left out."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from checks.deciding import amount, decide
from checks.facts import Check, Fact, Term, facts, number, prints, read_fact
from derive.cli import main
from derive.errors import ClaimError, DeriveError
from derive.interval import Interval
from formulas import all_claims

FACTS = facts()
SEEDS = Path(__file__).parent.parent.parent / "shared" / "facts" / "seeds.toml"
SOURCES = {"000": "train-ledger", "002": "lecture", "003": "pocket-calculator"}
NUMBER = re.compile(r"(?:(?<![0-9])-)?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.id)
def test_fact(fact: Fact):
    assert [wrong for check in fact.checks for wrong in decide(check)] == []


def test_every_fact_is_told_apart():
    assert [name for name, count in Counter(fact.id for fact in FACTS).items() if count > 1] == []
    assert [says for says, count in Counter(fact.says for fact in FACTS).items() if count > 1] == []


def test_every_source_is_cited():
    assert {fact.source for fact in FACTS} == set(SOURCES.values()) <= {claim.source.key for claim in all_claims()}


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.id)
def test_a_fact_is_one_sentence(fact: Fact):
    assert fact.says.endswith(".")
    assert not re.search(r"[.!?] [A-Z]", fact.says.removesuffix("."))


def names(texts: Iterable[str]) -> set[str]:
    return set(re.findall("[A-Za-z_][A-Za-z0-9_]*", " ".join(texts)))


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.id)
def test_no_term_is_idle(fact: Fact):
    used = names(text for part in ("values", "holds", "identities") for text in fact.all(part))
    assert {name for check in fact.checks for case in check.cases for name in case.terms} <= used


# ---- the command line says the same ----


def written(value: Fraction) -> str:
    """A value as a person would set it: decimals, which every value of the facts but one has."""
    shift = next(digits for digits in range(40) if (value * 10**digits).denominator == 1)
    return f"{int(value * 10**shift)}e-{shift}"


ASKED = {
    case.terms[name]: fact.id
    for fact in FACTS
    for check in fact.checks
    for case in check.cases
    for name in sorted(names((*check.values, *check.holds)) & set(case.terms))
    if case.terms[name].quantity and fact.id != "meeting-inverse"  # 21875/854496 has no decimals
}


@pytest.mark.parametrize("term", ASKED, ids=lambda term: f"{ASKED[term]}-{term.quantity}")
def test_the_command_line_says_the_same(term: Term, capsys: pytest.CaptureFixture[str]):
    options = {key: getattr(term, key) for key in ("model", "plan", "recipe", "optimizer", "dtype", "gpu")}
    arguments = [word for key, value in options.items() if value for word in (f"--{key}", value)]
    arguments += [word for letter, text in term.letters for word in ("--set", f"{letter}={written(number(text))}")]
    assert main([term.quantity, "--json", *arguments]) == 0
    answer = json.loads(capsys.readouterr().out)
    if term.rows or term.blocks or term.without:
        assert set(term.rows) <= {row["tensor"] for row in answer["ledger"]}
        return
    value = amount(term)
    ends = answer["value"].values() if isinstance(value, Interval) else [answer["value"]]
    wanted = (value.low, value.high) if isinstance(value, Interval) else (value,)
    assert [float(end) for end in wanted] == pytest.approx(list(ends), rel=1e-12)
    if re.fullmatch("[0-9/.-]+", answer["exact"]):
        assert answer["exact"] == str(value)


# ---- a fact that is not so is seen ----


def only(check: Check, **parts: Any) -> Check:
    """The check without all that decides it but some parts."""
    empty = dict.fromkeys(("values", "exact", "expect", "said", "off_by", "holds", "identities", "claims", "laws"), ())
    return replace(check, **empty | parts)


CHECKS = [(fact.id, check) for fact in FACTS for check in fact.checks]
EXACT = [(name, check) for name, check in CHECKS if check.exact and ".." not in check.exact[0]]
PRINTED = [(name, check) for name, check in CHECKS if check.expect]
EQUAL = [(name, check) for name, check in CHECKS if check.identities]
QUOTED = [(name, check) for name, check in CHECKS if check.claims]


@pytest.mark.parametrize(("name", "check"), EXACT)
def test_another_value_is_seen(name: str, check: Check):
    changed = tuple(str(number(text) + 1) for text in check.exact)
    assert len(decide(only(check, values=check.values, exact=changed))) == len(changed), name


@pytest.mark.parametrize(("name", "check"), PRINTED)
def test_another_print_is_seen(name: str, check: Check):
    changed = tuple(re.sub(r"[1-9]", lambda digit: str(int(digit[0]) % 9 + 1), text, count=1) for text in check.expect)
    assert len(decide(only(check, values=check.values, expect=changed))) == len(changed), name


@pytest.mark.parametrize(("name", "check"), EQUAL)
def test_another_identity_is_refused(name: str, check: Check):
    for text in check.identities:
        with pytest.raises(ClaimError):
            decide(only(check, identities=(text + " + 1",)))
        assert name


@pytest.mark.parametrize(("name", "check"), QUOTED)
def test_another_quotation_is_not_found(name: str, check: Check):
    for quoted in check.claims:
        assert decide(only(check, claims=(replace(quoted, text=f"1 + {quoted.text}"),))), name
        assert decide(only(check, claims=(replace(quoted, verdict="open"),))), name


def test_what_is_said_must_be_wrong_by_that_much():
    (check, *_) = next(fact for fact in FACTS if fact.id == "cards-for-state-usable").checks
    assert decide(check) == []
    assert decide(replace(check, off_by=("0", "2", "6"))) == ["said 17, off by 2: it is 16"]
    assert decide(replace(check, said=check.exact, off_by=("0", "0", "0"))) == ["what is said is right"]


def test_a_relation_that_fails_is_seen():
    (check, *_) = next(fact for fact in FACTS if fact.id == "embedding-params").checks
    assert decide(only(check, holds=("T == V*h + 1",))) == ["T == V*h + 1"] * 3


def test_an_interval_prints_only_what_both_ends_do():
    check = next(fact for fact in FACTS if fact.id == "usable-interval").checks[0]
    assert decide(only(check, values=("U/2^30",), expect=("69",))) != []
    assert decide(check) == []


@pytest.mark.parametrize(("value", "text", "same"), [
    ("8030261248", "8.03e9", True),
    ("8030261248", "8.04e9", False),
    ("413/1000", "41.3%", True),
    ("413/1000", "41.4%", False),
    ("4/3", "1.3e2%", True),
    ("1181", "1.18e3", True),
    ("2/3", "0.67", True),
    ("-2/3", "-0.67", True),
    ("5/2", "3", True),
    ("249/100", "3", False),
])  # fmt: skip
def test_prints(value: str, text: str, same: bool):
    assert prints(number(value), text) is same


# ---- reading ----

GOOD: dict[str, Any] = {"id": "a", "source": "lecture", "place": "b", "says": "C.", "values": "1 + 1", "exact": "2"}


@pytest.mark.parametrize(("change", "message"), [
    ({"source": ""}, "x: it needs source, a text"),
    ({"exat": "2"}, "x: unknown key 'exat': did you mean 'exact'?"),
    ({"exact": 2}, "x: exact has 2; write numbers as text, so that they stay exact"),
    ({"exact": ["2", "3"]}, "x: exact has 2 entries, its values at its cases are 1"),
    ({"exact": []}, "x: values go with exact or expect, said with off_by"),
    ({"said": "3"}, "x: values go with exact or expect, said with off_by"),
    ({"values": [], "exact": []}, "x: nothing decides it; give values, holds, identities, claims or laws"),
    ({"cases": ["7b"]}, "x: unknown case '7b': did you mean '8b'? known are 8b"),
    ({"cases": [{"batch": "4"}]}, "x: unknown key 'batch': known are dtype, given, gpu, letters, like, model, "
     "optimizer, plan, recipe"),
    ({"terms": {"N": {"model": "gpt2"}}}, "x: term N is either a quantity or computed"),
    ({"terms": {"N": {"quantity": "parameters", "row": ["a"]}}}, "x: unknown key 'row': did you mean 'rows'?"),
    ({"cases": ["8b", "8b"], "exact": ["2", "2"], "identities": "1 == 1"},
     "x: identities are in letters: they have one case"),
    ({"claims": [{"source": "lecture", "quantity": "a", "txt": "b"}]}, "x: unknown key 'txt': did you mean 'text'?"),
])  # fmt: skip
def test_a_slip_in_the_data_is_an_error(change: dict[str, Any], message: str):
    named = {"8b": {"model": "llama3-8b"}}
    assert decide(read_fact("x", GOOD, named).checks[0]) == []
    with pytest.raises(DeriveError) as caught:
        read_fact("x", GOOD | change, named)
    assert str(caught.value) == message


@pytest.mark.parametrize(("terms", "message"), [
    ({"N": "parametrs"}, "unknown quantity 'parametrs': did you mean 'parameters'?"),
    ({"N": {"quantity": "states", "model": "llama3-8b", "rows": ["wheels"]}}, "states: no row is of 'wheels'"),
    ({"N": {"quantity": "states"}}, "states has no value: N is not given"),
])  # fmt: skip
def test_a_term_that_cannot_be_evaluated_is_an_error(terms: dict[str, Any], message: str):
    check = read_fact("x", GOOD | {"terms": terms, "values": "N"}, {}).checks[0]
    with pytest.raises(DeriveError) as caught:
        decide(check)
    assert str(caught.value).startswith(message)


# ---- the seeds themselves, where they are at hand ----

beside = pytest.mark.skipif(not SEEDS.exists(), reason="the seeds' facts are not part of the distribution")


def seeds() -> dict[str, dict[str, Any]]:
    return {each["id"]: each for each in tomllib.loads(SEEDS.read_text(encoding="utf-8"))["fact"]}


@beside
def test_every_fact_of_the_seeds_is_here():
    assert {(name, SOURCES[each["seed"]]) for name, each in seeds().items()} == {(x.id, x.source) for x in FACTS}


@beside
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.id)
def test_exact_values_are_those_of_the_seeds(fact: Fact):
    stated = seeds()[fact.id].get("exact", [])
    theirs = Counter(Fraction(each) for each in (stated if isinstance(stated, list) else [stated]))
    ours = Counter(Fraction(end) for text in fact.all("exact") for end in text.split(".."))
    assert not theirs - ours


@beside
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.id)
def test_prints_are_those_of_the_seeds(fact: Fact):
    """Every number that the seeds print is one of ours: printed, exact, or wrong and refuted."""
    printed = str(seeds()[fact.id].get("expect", ""))
    words = " ".join([*fact.all("expect"), *fact.all("exact"), *fact.all("said"), *fact.all("holds"), fact.says])
    ours = {Fraction(each) for each in NUMBER.findall(words)}
    theirs = {Fraction(each) for each in NUMBER.findall(re.sub(r"\b[0-9]+b\b|s=h=8192|128K|at 40% MFU", "", printed))}
    assert theirs <= ours
