"""What the seed documents state, read strictly from checks/facts/*.toml: facts in words, and how code decides them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, unknown
from derive.exact import evaluate
from derive.grammar import parse

FOLDER = Path(__file__).with_name("facts")


@dataclass(frozen=True)
class Term:
    """A number that a fact is about: a quantity of the catalog for a model and a plan, or a computation of ours.

    `blocks`, `rows` and `without` choose rows of its ledger: by block, by name, all but those of a role. `letters` are
    what a person would `--set`, or the arguments of a computation.
    """

    quantity: str = ""
    computed: str = ""
    model: str = ""
    plan: str = ""
    recipe: str = "bf16"
    optimizer: str = "adamw"
    dtype: str = ""
    gpu: str = ""
    letters: tuple[tuple[str, str], ...] = ()
    blocks: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quoted:
    """A claim of a source that carries a fact, and the verdict on it."""

    source: str
    quantity: str
    text: str
    plan: str = ""
    verdict: str = "proved"


@dataclass(frozen=True)
class Case:
    """One instance of a check: its terms completed, and the values of letters that its expressions use."""

    terms: Mapping[str, Term]
    model: str
    given: Mapping[str, Fraction]


@dataclass(frozen=True)
class Check:
    """One way in which a fact is decided; whatever it lists must all hold.

    `values` are expressions over terms and letters, all of them at the first case, then at the next. `exact` are their
    values, `expect` what the source prints for them, `said` what it says wrongly and `off_by` by how much. `holds` are
    relations at every case; `identities` are equations in letters, under definitions, which the proof checker decides.
    """

    cases: tuple[Case, ...]
    values: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    off_by: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()
    under: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[Quoted, ...] = ()
    laws: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """One statement of a source, in our words, and what decides it.

    In the data the first check stands in the fact itself; those under `also` start from its terms and nothing else.
    """

    id: str
    source: str
    place: str
    says: str
    checks: tuple[Check, ...]
    note: str = ""

    def all(self, part: str) -> list[Any]:
        """One part of all its checks together."""
        return [each for check in self.checks for each in getattr(check, part)]


# ---- reading ----

ABOUT = {"id", "source", "place", "says", "note", "also"}
LISTS = {"values", "exact", "expect", "said", "off_by", "holds", "identities", "laws"}
CHECK = LISTS | {"terms", "cases", "under", "claims"}
QUOTED = {part.name for part in fields(Quoted)}
TERM = {part.name for part in fields(Term)} | {"like"}
CASE = {"model", "plan", "recipe", "optimizer", "dtype", "gpu", "letters", "given", "like"}


@cache
def facts() -> tuple[Fact, ...]:
    """Every fact, in the order of the files; `DeriveError` names the file, the fact and what is wrong with it."""
    named = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        if path.name != "cases.toml":
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            _known(path.name, content, {"fact"})
            found += [read_fact(f"{path.name}, fact {each.get('id')!r}", each, named) for each in content["fact"]]
    return tuple(found)


def _known(where: str, table: Mapping[str, Any], allowed: set[str]) -> None:
    for key in table:
        if key not in allowed:
            raise DeriveError(f"{where}: {unknown('key', key, sorted(allowed))}")


def read_fact(where: str, table: Mapping[str, Any], named: Mapping[str, Any]) -> Fact:
    """One fact from its table; `named` are the cases that it may name, `where` starts every error."""
    _known(where, table, ABOUT | CHECK)
    for key in ("id", "source", "place", "says"):
        if not isinstance(table.get(key), str) or not table[key]:
            raise DeriveError(f"{where}: it needs {key}, a text")
    own = {key: value for key, value in table.items() if key in CHECK}
    tables = [own, *({"terms": own.get("terms", {})} | each for each in table.get("also", []))]
    checks = tuple(_check(where, each, named) for each in tables)
    return Fact(table["id"], table["source"], table["place"], table["says"], checks, table.get("note", ""))


def _check(where: str, table: dict[str, Any], named: Mapping[str, Any]) -> Check:
    _known(where, table, CHECK)
    terms = {x: {"quantity": each} if isinstance(each, str) else each for x, each in table.get("terms", {}).items()}
    cases = tuple(_case(where, terms, each, named) for each in table.get("cases", [{}]))
    for each in table.get("claims", []):
        _known(where, each, QUOTED)
    quoted = tuple(Quoted(**each) for each in table.get("claims", []))
    lists = {key: tuple(_listed(where, key, table[key])) for key in LISTS if key in table}
    check = Check(cases, under=table.get("under", {}), claims=quoted, **lists)
    expected = len(check.values) * len(cases)
    for key in ("exact", "expect", "said", "off_by"):
        if (count := len(getattr(check, key))) not in (0, expected):
            raise DeriveError(f"{where}: {key} has {count} entries, its values at its cases are {expected}")
    if bool(check.values) != bool(check.exact or check.expect) or bool(check.said) != bool(check.off_by):
        raise DeriveError(f"{where}: values go with exact or expect, said with off_by")
    if check.identities and len(cases) > 1:
        raise DeriveError(f"{where}: identities are in letters: they have one case")
    if not (check.values or check.holds or check.identities or check.claims or check.laws):
        raise DeriveError(f"{where}: nothing decides it; give values, holds, identities, claims or laws")
    return check


def _listed(where: str, key: str, entry: Any) -> list[str]:
    entries = entry if isinstance(entry, list) else [entry]
    for each in entries:
        if not isinstance(each, str):
            raise DeriveError(f"{where}: {key} has {each!r}; write numbers as text, so that they stay exact")
    return entries


def _case(where: str, terms: Mapping[str, Any], case: Any, named: Mapping[str, Any]) -> Case:
    settings = _like(where, {"like": case} if isinstance(case, str) else case, named)
    _known(where, settings, CASE)
    given = {letter: number(text) for letter, text in settings.pop("given", {}).items()}
    completed = {}
    for name, own in terms.items():
        table = _like(where, own, named)
        letters = settings.get("letters", {}) | table.pop("letters", {})
        _known(where, table, TERM)
        merged: dict[str, Any] = settings | table | {"letters": tuple(sorted(letters.items()))}
        merged |= {key: tuple(merged.get(key, ())) for key in ("blocks", "rows", "without")}
        term = Term(**merged)
        if bool(term.quantity) == bool(term.computed):
            raise DeriveError(f"{where}: term {name} is either a quantity or computed")
        completed[name] = term
    return Case(completed, settings.get("model", ""), given)


def _like(where: str, table: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """A table with what it says it is like filled in."""
    found = dict(table)
    like = found.pop("like", None)
    if like is None:
        return found
    if like not in named:
        raise DeriveError(f"{where}: {unknown('case', like, named)}")
    base = named[like]
    return base | found | {"letters": base.get("letters", {}) | found.get("letters", {})}


def number(text: str) -> Fraction:
    """An exact number as the grammar writes it: `8192`, `989*10^12`, `2^22`, `9/2`.

    >>> number("79.6*2^30")
    Fraction(427349245952, 5)
    """
    return evaluate(parse(text), {})


# ---- what a source prints ----

PRINTED = re.compile(r"(?P<whole>-?[0-9]+)(?:\.(?P<part>[0-9]+))?(?:e(?P<exponent>-?[0-9]+))?(?P<percent>%?)")


def prints(value: Fraction, text: str) -> bool:
    """Whether `value`, rounded to as many digits, is what `text` prints.

    >>> prints(Fraction(8030261248), "8.03e9"), prints(Fraction(413, 1000), "41.3%"), prints(Fraction(2, 3), "0.66")
    (True, True, False)
    """
    match = PRINTED.fullmatch(text)
    if match is None:
        raise DeriveError(f"printed number {text!r}: write it like 8.03e9, 3.72 or 41.3%")
    part = match["part"] or ""
    last = Fraction(10) ** (int(match["exponent"] or 0) - len(part)) / (100 if match["percent"] else 1)
    return abs(value - int(match["whole"] + part) * last) <= last / 2
