"""A solved equation as text, as an `align*` and as JSON data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from derive.render.expression import relation_latex, symbol_latex, to_latex
from derive.render.json import number, plain
from derive.render.table import Table, wrapped
from derive.render.view import plain_formula
from derive.report import plan_items
from derive.solve import Check, Solution
from derive.tree import Relation, Symbol, to_text
from derive.values import System, round_significant, show

NOT_CLOSED = "no closed form: found by exact bisection"


def _units(found: Solution) -> str:
    return str(found.formula.unit)


def _relations(found: Solution) -> tuple[Relation, Relation | None]:
    """The equation, and the closed form where there is one."""
    solved = Relation(Symbol(found.letter.name), "==", found.closed.tree) if found.closed is not None else None
    return Relation(Symbol(found.symbol), "==", found.equation), solved


def limit(found: Solution) -> str:
    """Which side of the target the quantity must be on."""
    return "must reach" if found.reached else "must not exceed"


def parts(found: Solution, system: System = "si") -> Iterator[str | Table]:
    """The solution as paragraphs and tables."""
    letter, target = found.letter, show(found.target, _units(found), system)
    yield wrapped(f"{found.formula.name} = {target}, solved for {letter.name}: {letter.meaning}")
    equation, solved = _relations(found)
    yield "\n" + wrapped(f"{plain_formula(equation)}   [{found.formula.unit}]")
    if solved is not None and found.closed is not None:
        where = f"   where {' and '.join(map(to_text, found.closed.branches))} decides" if found.closed.branches else ""
        yield wrapped(plain_formula(solved) + where)
        yield wrapped("■ accepted by the proof checker: " + "; ".join(found.closed.proofs), 0, 2)
    else:
        yield NOT_CLOSED
    if found.value is None:
        yield f"\nno number: values are missing for {', '.join(found.free)} (--set, or --model)"
        return
    yield "\n" + wrapped(f"{letter.name} = {answer(found, system)}")
    if found.check:
        yield _check(found, target, system)
    elif found.report is not None and found.report.value_text is not None:
        yield f"check: {found.formula.name} = {show(found.report.value or 0, _units(found), system)} there"
    if found.report is not None and found.report.given:
        given = [
            (name, str(each.value), each.origin)
            for name, each in found.report.given.items()
            if name != found.letter.name
        ]
        yield Table("\nGiven", ("", "value", "from"), given)


def answer(found: Solution, system: System = "si") -> str:
    """The number with its unit, and what was rounded."""
    value, letter = found.value or Fraction(0), found.letter
    shown = show(value, letter.unit, system)
    exact = found.exact or ""
    texts = list(dict.fromkeys([exact, shown])) if len(exact) <= 60 else [shown]
    if texts[0] == texts[-1].split(" ")[0]:
        texts = texts[-1:]
    text = " = ".join(texts)
    if found.check and found.root is not None and found.root != value:
        text += f"   (rounded {'down' if found.root > value else 'up'}: the equation gives {_exactly(found.root)})"
    return text


def _exactly(root: Fraction) -> str:
    """An unrounded root, in enough digits to see which way it is rounded."""
    return str(root) if root.denominator < 1000 else f"about {round_significant(root, 8)}"


def _check(found: Solution, target: str, system: System) -> Table:
    shown = [target, *(show(each.value, _units(found), system) for each in found.check if each.value is not None)]
    alike = len(set(shown)) < len(shown)  # four digits do not tell them apart

    def row(check: Check) -> tuple[str, str, str]:
        if check.value is None:
            return str(check.at), "", check.reason
        keeps = check.value >= found.target if found.reached else check.value <= found.target
        side = "equal" if check.value == found.target else "above" if check.value > found.target else "below"
        exact = check.value.denominator == 1
        text = (str(check.value) if exact else round_significant(check.value, 15)) if alike else ""
        value = text or show(check.value, _units(found), system)
        return str(check.at), value, side if keeps else f"{side}: no longer"

    unit = f" [{found.formula.unit}]" if alike else ""
    exactly = str(found.target) if alike else target
    title = f"\nCheck: {found.formula.name} {limit(found)} {exactly}"
    heads = (found.letter.name, f"{found.formula.name}{unit}", "")
    return Table(title, heads, [row(each) for each in found.check], frozenset({0}))


def latex(found: Solution) -> str:
    """The equation, its closed form and the number, as an `align*` that compiles with amsmath and amssymb."""
    letters = {**found.formula.notation.latex}
    letters.setdefault(found.symbol, symbol_latex(found.symbol))
    equation, solved = _relations(found)
    lines = [_aligned(relation_latex(equation, letters))]
    if solved is not None:
        lines.append(_aligned(relation_latex(solved, letters)) + r" \quad \blacksquare")
    if found.value is not None:
        left = to_latex(Symbol(found.letter.name), letters)
        whole = found.value.denominator == 1
        lines.append(rf"{left} &= {found.value}" if whole else rf"{left} &\approx {float(found.value):.6g}")
    return "\n".join([r"\begin{align*}", *(line + r" \\" for line in lines[:-1]), lines[-1], r"\end{align*}"])


def _aligned(text: str) -> str:
    return text.replace(" = ", " &= ", 1)


def data(found: Solution, system: System = "si") -> dict[str, Any]:
    """The solution as JSON data."""
    letters = dict(found.formula.notation.latex)
    made = found.report
    closed = found.closed.tree if found.closed is not None else None
    return {
        "name": found.formula.name,
        "unit": str(found.formula.unit),
        "target": number(found.target),
        "for": found.letter.name,
        "meaning": found.letter.meaning,
        "for_unit": found.letter.unit,
        "equation": plain_formula(_relations(found)[0]),
        "expression": to_text(closed) if closed is not None else None,
        "latex": to_latex(closed, letters) if closed is not None else None,
        "branches": [to_text(each) for each in found.closed.branches] if found.closed is not None else [],
        "proof": list(found.closed.proofs) if found.closed is not None else [],
        "rule": limit(found),
        "value": number(found.value),
        "exact": found.exact,
        "value_text": show(found.value, found.letter.unit, system) if found.value is not None else None,
        "root": number(found.root),
        "check": [_point(found, each, system) for each in found.check] or _exact_check(found, system),
        "model": (made.model.name or made.model.architecture.name) if made is not None and made.model else None,
        "plan": plan_items(made.plan) if made is not None else {},
        "given": {name: {"value": plain(each.value), "from": each.origin} for name, each in made.given.items()}
        if made is not None
        else {},
        "free_symbols": list(found.free),
    }


def _point(found: Solution, check: Check, system: System) -> dict[str, Any]:
    return {
        "at": check.at,
        "value": number(check.value),
        "value_text": show(check.value, _units(found), system) if check.value is not None else None,
        "reason": check.reason or None,
    }


def _exact_check(found: Solution, system: System) -> list[dict[str, Any]]:
    """The quantity at an answer that was not rounded."""
    if found.report is None or found.value is None:
        return []
    return [
        {
            "at": number(found.value),
            "value": number(found.report.value),
            "value_text": found.report.value_text,
            "reason": None,
        }
    ]
