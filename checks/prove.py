"""Every claim, law and theorem with what became of it: verdict, certificate, and the level that it reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from checks.laws import FEW_HEADS, LAWS
from checks.stated_laws import stated_laws
from checks.stored import RENEW, level_of, record, recorded, renew, stored
from checks.theorems import THEOREMS
from derive.citation import OPEN, PROVED, UP_TO, Claim
from derive.errors import ClaimError, unknown
from derive.proof import coq, smt
from derive.proof.checker import Rejected, check, digest
from derive.proof.statement import Statement, fingerprint, proved
from derive.settled import Settled
from derive.verdict import judge
from formulas import all_claims, claims_about, entries, entry_of, formula_of

CERTIFIED, REFEREED, KERNEL = "certified", "certified + smt", "kernel-checked"
LEVELS = {"certified": CERTIFIED, "smt": REFEREED, "kernel": KERNEL}  # by the word of the command line
RANKS = list(LEVELS.values())


def items(names: Sequence[str] = (), seen: Callable[[int], object] = lambda _: None) -> list[Settled]:
    """All statements, or those about quantities of these names, each checked against its committed certificate.

    `seen` is told after each how many there were. Raises `UnknownName` for a name that is no quantity and no statement.
    """
    found: list[Settled] = []
    for item in chosen(names):
        found.append(checked(item))
        seen(len(found))
    return found


def expected_count() -> int:
    """How many statements there are."""
    return len(all_claims()) + len(THEOREMS) + len(stated_laws())


def checked(item: Settled) -> Settled:
    """The item with what the checker says of its committed certificate; a claim that is refuted or open has none."""
    if item.judgement is not None and item.verdict not in (PROVED, UP_TO):
        return item
    kept = stored().get(fingerprint(item.statement))
    if kept is None:
        return replace(item, verdict=OPEN, why=f"its certificate is missing, or of what it was before: run {RENEW}")
    if kept.get("digest") != digest(kept):
        return replace(item, verdict=OPEN, why=f"the digest of its certificate is that of something else: run {RENEW}")
    # The statement is the one that was derived now: the file has no say in it.
    certificate = {**item.statement, "name": kept["name"], "steps": kept["steps"]}
    try:
        text = check(certificate)
    except Rejected as reason:
        return replace(item, verdict=OPEN, why=f"the checker rejects its certificate: {reason}: run {RENEW}")
    verdict = item.verdict if item.judgement is not None else PROVED
    level = level_of(certificate)
    return replace(item, verdict=verdict, text=text, level=CERTIFIED, recorded=level, statement=certificate)


def update() -> int:
    """Renew the certificates, searching for the proofs that are missing or rejected; how many there are.

    Raises `ClaimError` for a statement of which no proof is found.
    """
    kept: dict[str, dict[str, Statement]] = {}
    seen: set[str] = set()
    for item in chosen(()):
        key = fingerprint(item.statement)
        if key in seen or (item.judgement is not None and item.verdict not in (PROVED, UP_TO)):
            continue
        seen.add(key)  # claims of several sources may be one statement, which counts once
        kept.setdefault(item.topic, {})[key] = {**item.statement, "name": item.name, "steps": _steps(item)}
    renew({topic: each.values() for topic, each in kept.items()})
    known = recorded()
    record({key: known.get(key, CERTIFIED) for key in stored()})
    return len(stored())


def _steps(item: Settled) -> list[Any]:
    """The steps of the stored certificate if the checker accepts them, else new ones."""
    for steps in (stored().get(fingerprint(item.statement), {}).get("steps"), []):
        try:
            check({**item.statement, "steps": steps})
        except Rejected:
            continue
        return steps or []
    try:
        return proved(item.statement)[1]["steps"]
    except Rejected as reason:
        raise ClaimError(f"{item.name} is not proved: {reason}") from None


def raised(found: Iterable[Settled], level: str) -> list[Settled]:
    """The proved items at the level asked for, as far as Z3 and Coq agree; what Z3 refutes is open."""
    found = list(found)
    certificates = {each.statement["name"]: each.statement for each in found if each.level}
    if level in ("smt", "kernel"):
        answers = smt.referee_all(list(certificates.values()))
        found = [_refereed(each, *answers[each.statement["name"]]) if each.level else each for each in found]
    if level == "kernel":
        verdicts = coq.verdicts(list(certificates.values()))
        found = [_in_kernel(each, verdicts[each.statement["name"]]) if each.level else each for each in found]
    return found


def _refereed(item: Settled, answer: str, reason: str) -> Settled:
    if answer == "agrees":
        return replace(item, level=REFEREED)
    why = f"Z3 {answer}: {reason}"
    if answer == "disagrees":
        return replace(item, verdict=OPEN, why=why, level=None, recorded=None)
    return replace(item, why=why)


def _in_kernel(item: Settled, verdict: coq.Verdict) -> Settled:
    if not verdict.accepted:
        return replace(item, why=f"Coq: {verdict.message}")
    return replace(item, level=KERNEL) if item.level == REFEREED else item


def below(found: Iterable[Settled], level: str) -> list[Settled]:
    """The proved items that did not reach a level."""
    return [each for each in found if each.level and RANKS.index(each.level) < RANKS.index(LEVELS[level])]


def keep_levels(found: Iterable[Settled], level: str) -> None:
    """Record the levels that were reached here; a higher one than was asked for stays."""
    known = recorded()
    for each in found:
        if each.level:
            key = fingerprint(each.statement)
            asked_less = RANKS.index(LEVELS[level]) < RANKS.index(known.get(key, CERTIFIED))
            known |= {} if asked_less else {key: each.level}
    record(known)


# ---- where they come from ----


def chosen(names: Sequence[str]) -> Iterator[Settled]:
    """The statements, as they are derived now, before their certificates are looked at; each once.

    Names are of quantities, of topics, or of statements. Raises `UnknownName`.
    """
    if not names:
        yield from (*_claimed(all_claims()), *_theorems(), *_laws())
        return
    found: dict[str, Settled] = {}
    for name in names:
        found |= {each.name: each for each in _named(name)}
    yield from found.values()


def _named(name: str) -> list[Settled]:
    others = [*_theorems(), *_laws()]
    if entry_of(name) is not None:
        about = {
            f"{each.topic}/{each.name}" for each in THEOREMS if name in {of.quantity for of in each.terms.values()}
        }
        return [*_claimed(claims_about(formula_of(name))), *(each for each in others if each.name in about)]
    found = [each for each in others if name in (each.name, each.topic)]
    if not found or any(each.topic == name for each in found):
        found += [each for each in _claimed(all_claims()) if name in (each.name, each.topic)]
    if not found:
        raise unknown("quantity or statement", name, [*(e.name for e in entries()), *(e.name for e in others)])
    return found


def _claimed(claims: Iterable[Claim]) -> Iterator[Settled]:
    taken: dict[str, int] = {}
    for claim in claims:
        judgement = judge(claim)
        name = "/".join(filter(None, (claim.source.key, claim.formula.name, claim.plan_text)))
        taken[name] = taken.get(name, 0) + 1
        statement = judgement.certificate or judgement.statement or {}
        entry = entry_of(claim.formula.name)
        yield Settled(
            name=name if taken[name] == 1 else f"{name}/{taken[name]}",
            kind="claim",
            topic=entry.topic if entry is not None else "",
            words=claim.text,
            source=f"{claim.source.authors} {claim.source.year}, {claim.place}",
            expected=claim.expected,
            statement={key: value for key, value in statement.items() if key != "steps"},
            verdict=judgement.verdict,
            judgement=judgement,
        )


def _theorems() -> Iterator[Settled]:
    for theorem in THEOREMS:
        statement = theorem.statement()
        yield Settled(statement["name"], "law", theorem.topic, theorem.words, "", PROVED, statement)


def _laws() -> Iterator[Settled]:
    words = {law.name: law.statement for law in (*LAWS, FEW_HEADS)}
    for statement in stated_laws():
        yield Settled(statement["name"], "law", "laws", words[statement["name"].split("/")[1]], "", PROVED, statement)
