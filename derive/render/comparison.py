"""A comparison as text and as JSON data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from derive.comparison import Entry, Side, left_out
from derive.plan import Plan
from derive.render import json as as_json
from derive.render import view
from derive.render.marks import MARKS
from derive.render.table import Table, without_empty, wrapped
from derive.report import Report, plan_items
from derive.tree import to_text
from derive.values import round_significant, show


def parts(sides: tuple[Side, ...]) -> Iterator[str | Table]:
    """The sides one after another: a table of numbers or differences, then each statement in full."""
    made = next((side.report for side in sides if side.report is not None), None)
    if made is not None:
        about = view.subject(made)
        yield wrapped(f"{made.formula.name}: {made.formula.title}")
        if about:
            yield wrapped(f"model  {about}", 0, 7)
    place = 1
    for side in sides:
        yield from _side(side, place)
        place += len(side.entries)


def plan_text(side: Side) -> str:
    """The plan of a side as a person writes it."""
    items = plan_items(side.plan)
    keys = [key if value is True else f"{key}={_joined(value)}" for key, value in items.items()]
    return "; ".join([",".join(keys) or "one device, nothing recomputed", *(f"{x} {y}" for x, y in formats(side))])


def formats(side: Side) -> list[tuple[str, str]]:
    """The recipe and the optimizer of a side, where they are not the default ones."""
    usual, plan = Plan(), side.plan
    found = [("recipe", plan.recipe.name)] if plan.recipe != usual.recipe else []
    return [*found, *([("optimizer", plan.optimizer.name)] if plan.optimizer != usual.optimizer else [])]


def _joined(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


def _side(side: Side, place: int) -> Iterator[str | Table]:
    head = f"\nplan   {plan_text(side)}"
    if side.report is None:
        yield f"{head}\nnot compared: {side.reason}"
        return
    made = side.report
    symbol = made.formula.symbol
    yield head
    yield wrapped(f"{symbol} = {to_text(made.derivation.expression)}   [{made.formula.unit}]", 0, 6)
    unit = view.unit_text(made).strip() if made.value is not None else ""
    if not side.entries:
        yield f"{symbol} = {made.value_text}" if made.value_text is not None else ""
        yield "no source states it for this plan"
        return
    yield "differences are claim - derived" + (f", in {unit}" if unit else "")
    rows = [("", "derived", "", _short(made, made.value), "", "")] if made.value is not None else []
    rows += [
        (
            f"[{place + index}]",
            entry.valued.claim.source.key,
            MARKS[entry.valued.judgement.verdict],
            _short(made, entry.valued.value)
            + (" !" if entry.valued.value is not None and entry.valued.failing else ""),
            _signed(entry, made),
            _percent(entry.relative),
        )
        for index, entry in enumerate(side.entries)
    ]
    numeric = frozenset({3, 4, 5}) if made.value is not None else frozenset[int]()
    yield without_empty(Table("", ("", "source", "", "value", "difference", "%"), rows, numeric))
    for index, entry in enumerate(side.entries):
        yield "\n".join(_in_full(entry, place + index))


def _short(made: Report, value: Any) -> str:
    return show(value, str(made.formula.unit), made.system).partition(" (")[0] if value is not None else ""


def _signed(entry: Entry, made: Report) -> str:
    """Claim minus derived: a number with its sign, or the expression where there is no number."""
    if entry.difference is None and made.value is not None:
        return "no value here"
    if entry.difference is None and entry.valued.failing:
        about = entry.valued.claim.about
        return f"! about {about.name}" if about is not None else "!"
    if entry.difference is None:
        return to_text(entry.gap) if entry.gap is not None else "0" if entry.valued.judgement.proof else "?"
    value = entry.difference
    text = str(value) if value.denominator == 1 else round_significant(value, 6)
    return text if value <= 0 else f"+{text}"


def _percent(share: Fraction | None) -> str:
    if share is None:
        return ""
    text = round_significant(share * 100, 3)
    return f"{'+' * (share > 0)}{text}"


def _in_full(entry: Entry, place: int) -> Iterator[str]:
    yield ""
    yield wrapped(f"[{place}] {view.heading(entry.valued.claim)}", 2, 6)
    yield wrapped(view.claim_text(entry.valued), 6, 8)
    if about := view.about([entry.valued]).strip(" ()"):
        yield wrapped(about, 6, 8)
    if entry.valued.assumed:
        yield wrapped("with " + ", ".join(f"{x} = {size}" for x, size in entry.valued.assumed.items()), 6, 8)
    verdict = entry.valued.judgement.verdict
    yield wrapped(f"{MARKS[verdict]} {verdict}: {separation(entry)}", 6, 8)
    for note in view.notes(entry.valued):
        yield wrapped(note, 6, 8)
    if entry.explained is False and not entry.valued.failing:
        yield wrapped("! " + UNEXPLAINED, 6, 8)


UNEXPLAINED = "the difference here is another one: what it is meant for is not all in force at these sizes"


def separation(entry: Entry) -> str:
    """What separates a statement from the derived quantity, in letters, under the statement's own hypotheses."""
    judgement = entry.valued.judgement
    said = []
    if judgement.residual is not None:
        said.append(f"claim - derived = {to_text(judgement.residual)}")
    if (less := left_out(judgement)) is not None:
        rows = dict.fromkeys(row.role.value if row.role is not None else row.tensor for row in judgement.rows)
        said.append(f"it leaves out {to_text(less)}" + (f" ({', '.join(rows)})" if rows else " besides"))
    if judgement.included is not None:
        said.append(f"it counts {to_text(judgement.included)} too much")
    if not said:
        said.append("what is derived, under its hypotheses" if judgement.proof else "not decided")
    return ", ".join(said)


def data(sides: tuple[Side, ...]) -> list[dict[str, Any]]:
    """The comparison as JSON data: one object a plan, its claims as in the JSON of a quantity, with the differences."""
    return [_data(side) for side in sides]


def _data(side: Side) -> dict[str, Any]:
    if side.report is None:
        return {"plan": plan_items(side.plan), "not_compared": side.reason, "claims": []}
    whole = as_json.data(side.report)
    kept = ("name", "title", "symbol", "unit", "model", "plan", "given", "expression", "latex")
    kept += ("value", "exact", "value_text")
    claims = [
        claim
        | {
            "difference": as_json.number(entry.difference),
            "difference_exact": str(entry.difference) if entry.difference is not None else None,
            "relative": float(entry.relative) if entry.relative is not None else None,
            "gap": to_text(entry.gap) if entry.gap is not None else None,
            "separated_by": separation(entry),
            "explained": entry.explained,
        }
        for claim, entry in zip(whole["claims"], side.entries, strict=True)
    ]
    held = {"recipe": side.plan.recipe.name, "optimizer": side.plan.optimizer.name}
    return {key: whole[key] for key in kept} | held | {"claims": claims}
