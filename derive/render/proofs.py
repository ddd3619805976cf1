"""Statements with their verdicts and levels: a table of all of them, or each one in full; as data, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derive.citation import UP_TO
from derive.proof.checker import frozen, text
from derive.render.json import exact
from derive.render.marks import MARKS
from derive.render.table import Table, wrapped
from derive.render.view import briefly
from derive.settled import Settled
from derive.tree import to_text
from derive.verdict import Judgement

LEGEND = (
    "■ proved, ■ ≈ proved but for what is said, ✗ refuted, ? open; recorded is the level that the very same statement "
    "had when the certificates were renewed"
)


def table(found: Sequence[Settled]) -> list[str | Table]:
    """All statements by topic: sign, name, the level recorded, and what a proof leaves out."""
    parts: list[str | Table] = []
    for topic in dict.fromkeys(each.topic for each in found):
        rows = [
            (MARKS[each.verdict], each.name, each.recorded or "", _left_out(each.judgement))
            for each in found
            if each.topic == topic
        ]
        parts += [Table(topic, ("", "statement", "recorded", ""), rows, whole=frozenset({0, 1})), ""]
    return parts


def _left_out(judgement: Judgement | None) -> str:
    if judgement is None or judgement.verdict != UP_TO:
        return ""
    left = f"leaves out {to_text(judgement.neglected)}" if judgement.neglected is not None else ""
    more = f"counts {to_text(judgement.included)} beyond it" if judgement.included is not None else ""
    return ", ".join(filter(None, (left, more)))


def in_full(found: Sequence[Settled]) -> list[str]:
    """Each statement with its source, what exactly was proved, and the counterexample and residual of a false one."""
    lines: list[str] = []
    for each in found:
        lines += [f"{MARKS[each.verdict]}  {each.name}: {each.verdict}{_levels(each)}", wrapped(each.words, 4, 8)]
        if each.source:
            lines.append(wrapped(each.source, 4, 8))
        if each.text:
            lines.append(wrapped(each.text, 4, 8))
        lines += [wrapped(line, 4, 8) for line in (*_residues(each.judgement), *_marks(each), each.why) if line]
        lines.append("")
    return lines


def _claimed(each: Settled) -> str:
    """The relation that a refuted or open statement claims."""
    left, right = (text(frozen(each.statement[side])) for side in ("left", "right"))
    return f"{left} {each.statement['relation']} {right}"


def _levels(each: Settled) -> str:
    said = [f"here {each.level}"] if each.level else []
    said += [f"recorded {each.recorded}"] if each.recorded else []
    return f" ({', '.join(said)})" if said else ""


def _marks(each: Settled) -> list[str]:
    """The point of equality of a bound, or why there is none."""
    equality = each.statement.get("equality")
    if isinstance(equality, dict):
        named = ", ".join(f"{name} = {_number(value)}" for name, value in equality.items())
        return [f"equal where {named}, all else 1" if named else "equal where all letters are 1"]
    return [f"never equal: {equality}"] if equality else []


def _number(value: Any) -> str:
    return text(frozen(value))


def _residues(judgement: Judgement | None) -> list[str]:
    if judgement is None:
        return []
    lines = []
    if judgement.neglected is not None:
        lines.append(f"leaves out {to_text(judgement.neglected)}")
    if judgement.included is not None:
        lines.append(f"counts {to_text(judgement.included)} beyond the quantity")
    if judgement.counterexample is not None and judgement.values_there is not None:
        sizes = ", ".join(f"{name} = {value}" for name, value in judgement.counterexample.items())
        claimed, derived = map(briefly, judgement.values_there)
        lines.append(f"false at {sizes or 'any size'}: claimed {claimed}, derived {derived}")
    if judgement.residual is not None:
        lines.append(f"claimed minus derived: {to_text(judgement.residual)}")
    return lines


def summary(found: Sequence[Settled], short: Sequence[Settled], missing: Sequence[str]) -> list[str]:
    """How many there are of each verdict, what level was reached here, and what is missing for a higher one.

    `short` are those that did not reach the level that was asked for.
    """
    count = {verdict: sum(each.verdict == verdict for each in found) for verdict in MARKS}
    levels = [each.level for each in found if each.level]
    reached = ", ".join(f"{levels.count(level)} {level}" for level in dict.fromkeys(levels))
    lines = [
        f"{len(found)} statement{'s' * (len(found) != 1)}: "
        + ", ".join(f"{number} {verdict}" for verdict, number in count.items() if number),
        f"reached here: {reached or 'nothing'}",
        LEGEND,
        *missing,
    ]
    unexpected = [each for each in found if not each.is_expected]
    lines += [f"not as expected: {each.name}: {each.verdict}, not {each.expected}; {each.why}" for each in unexpected]
    lines += [f"stayed at {each.level}: {each.name}: {each.why}" for each in short]
    return [wrapped(line, 0, 4) for line in lines]


def data(found: Sequence[Settled], reached: Mapping[str, bool]) -> dict[str, Any]:
    """The JSON of `prove`."""
    return {"theorems": [_data(each) for each in found], "reached": dict(reached)}


def _data(each: Settled) -> dict[str, Any]:
    judged = each.judgement
    point = judged.counterexample if judged is not None else None
    residual = judged.residual if judged is not None else None
    return {
        "name": each.name,
        "kind": each.kind,
        "topic": each.topic,
        "words": each.words,
        "statement": each.text or _claimed(each),
        "source": each.source or None,
        "verdict": each.verdict,
        "expected": each.expected,
        "level": {"recorded": each.recorded, "here": each.level},
        "counterexample": {name: exact(value) for name, value in point.items()} if point is not None else None,
        "residual": to_text(residual) if residual is not None else None,
        "leaves_out": _left_out(judged) or None,
        "why": each.why or None,
    }
