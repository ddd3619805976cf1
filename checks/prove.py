"""Every claim, law and theorem with what became of it: verdict, certificate, and the level that it reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from checks.laws import FEW_HEADS, LAWS
from checks.stated_laws import stated_laws
from checks.stored import RENEW, level_of, record, recorded, renew, stored
from checks.theorems import THEOREMS
from derive.citation import OPEN, PROVED, REFUTED, Claim
from derive.errors import unknown
from derive.proof import coq, smt
from derive.proof.checker import Rejected, check
from derive.proof.statement import Statement, fingerprint, proved
from derive.settled import Settled
from derive.verdict import judge
from formulas import all_claims, claims_about, entries, entry_of, formula_of

CERTIFIED, REFEREED, KERNEL = "certified", "certified + smt", "kernel-checked"
LEVELS = {"certified": CERTIFIED, "smt": REFEREED, "kernel": KERNEL}  # by the word of the command line


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
    """The item with what the checker says of its committed certificate; a refuted claim needs none."""
    if item.verdict == REFUTED:
        return item
    certificate = stored().get(fingerprint(item.statement))
    if certificate is None:
        return replace(item, verdict=OPEN, why=f"its certificate is missing, or of what it was before: run {RENEW}")
    try:
        text = check(certificate)
    except Rejected as reason:
        return replace(item, verdict=OPEN, why=f"the checker rejects its certificate: {reason}")
    level = level_of(certificate)
    return replace(item, verdict=item.expected, text=text, level=CERTIFIED, recorded=level, statement=certificate)


def update() -> int:
    """Search for the proofs of all statements, and write them; how many there are."""
    kept: dict[str, dict[str, Statement]] = {}
    seen: set[str] = set()
    for item in chosen(()):
        if item.verdict == REFUTED:
            continue
        certificate = stored().get(fingerprint(item.statement)) or proved(item.statement)[1]
        named = {"name": item.name} | {
            key: value for key, value in certificate.items() if key not in ("name", "digest")
        }
        if "equality" in item.statement:
            named["equality"] = item.statement["equality"]
        key = fingerprint(item.statement)
        if key not in seen:  # claims of several sources may be one statement, which counts once
            kept.setdefault(item.topic, {})[key] = named
        seen.add(key)
    renew({topic: each.values() for topic, each in kept.items()})
    found = {key: level for key, level in recorded().items() if key in stored()}
    record(found | {key: CERTIFIED for key in stored() if key not in found})
    return len(stored())


def raised(found: Iterable[Settled], level: str) -> list[Settled]:
    """The proved items at the level asked for, as far as Z3 and Coq agree; why not, where they do not."""
    found = list(found)
    certificates = {each.statement["name"]: each.statement for each in found if each.level}
    if level in ("smt", "kernel"):
        answers = smt.referee_all(list(certificates.values()))
        found = [_up(each, REFEREED, *_agreement(answers, each)) for each in found]
    if level == "kernel":
        verdicts = coq.verdicts(list(certificates.values()))
        accepted = {name: (each.accepted, each.message) for name, each in verdicts.items()}
        found = [_up(each, KERNEL, *accepted.get(each.statement.get("name", ""), (False, ""))) for each in found]
    return found


def _agreement(answers: dict[str, tuple[str, str]], item: Settled) -> tuple[bool, str]:
    answer, reason = answers.get(item.statement.get("name", ""), ("", ""))
    return answer == "agrees", f"Z3: {answer} {reason}".strip()


def _up(item: Settled, level: str, agreed: bool, why: str) -> Settled:
    if not item.level:
        return item
    return replace(item, level=level) if agreed else replace(item, why=why)


def keep_levels(found: Iterable[Settled]) -> None:
    """Record the levels that were reached here; a higher one that was recorded for the same statement stays."""
    ranks = list(LEVELS.values())
    best = recorded()
    for each in found:
        if each.level:
            key = fingerprint(each.statement)
            best |= {key: max(best.get(key, CERTIFIED), each.level, key=ranks.index)}
    record(best)


# ---- where they come from ----


def chosen(names: Sequence[str]) -> Iterator[Settled]:
    """The statements, as they are derived now, before their certificates are looked at."""
    if not names:
        yield from _claimed(all_claims())
        yield from _theorems()
        yield from _laws()
        return
    others = [*_theorems(), *_laws()]
    for name in names:
        named = [each for each in others if each.name == name]
        if named:
            yield from named
            continue
        if entry_of(name) is None:
            raise unknown("quantity or theorem", name, [*(e.name for e in entries()), *(e.name for e in others)])
        yield from _claimed(claims_about(formula_of(name)))
        about = {
            f"{each.topic}/{each.name}" for each in THEOREMS if name in {of.quantity for of in each.terms.values()}
        }
        yield from (each for each in others if each.name in about)


def _claimed(claims: Iterable[Claim]) -> Iterator[Settled]:
    taken: dict[str, int] = {}
    for claim in claims:
        judgement = judge(claim)
        name = "/".join(filter(None, (claim.source.key, claim.formula.name, claim.plan_text)))
        taken[name] = taken.get(name, 0) + 1
        statement = judgement.certificate or judgement.refuted or {}
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
