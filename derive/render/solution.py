"""A solved equation as text, as an `align*` and as JSON data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from derive.render.expression import relation_latex, to_latex
from derive.render.json import number, plain
from derive.render.table import Table, wrapped
from derive.render.view import plain_formula
from derive.report import plan_items
from derive.solve import Check, Solution
from derive.tree import Relation, Symbol, to_text
from derive.values import System, round_significant, show


def limit(found: Solution) -> str:
    """Which side of the target the quantity must be on."""
    return "must reach" if found.reached else "must not exceed"


def _relations(found: Solution) -> tuple[Relation, Relation | None]:
    """The equation, and the closed form where there is one."""
    made = found.equation
    form = Relation(Symbol(made.question.letter.name), "==", made.closed.tree) if made.closed is not None else None
    return Relation(Symbol(made.symbol), "==", made.tree), form


def parts(found: Solution, system: System = "si") -> Iterator[str | Table]:
    """The solution as paragraphs and tables: what is asked, the equation, its closed form, the number, the check."""
    made, question = found.equation, found.equation.question
    letter, unit = question.letter, str(question.formula.unit)
    target = show(question.target, unit, system)
    yield wrapped(f"{question.formula.name} = {target}, solved for {letter.name}: {letter.meaning}")
    equation, form = _relations(found)
    yield "\n" + wrapped(f"{plain_formula(equation)}   [{unit}]")
    if form is None or made.closed is None:
        yield "no closed form: found by exact bisection"
    else:
        chosen = " and ".join(map(to_text, made.closed.branches))
        yield wrapped(plain_formula(form) + (f"   where {chosen} decides" if chosen else ""))
        yield wrapped("■ accepted by the proof checker: " + "; ".join(made.closed.proofs), 0, 2)
    if found.value is None or found.report is None:
        yield f"\nno number: values are missing for {', '.join(made.free)} (--set, or --model)"
        return
    yield "\n" + wrapped(f"{letter.name} = {answer(found, found.value, system)}")
    if found.checks:
        yield _checks(found, target, system)
    elif isinstance(found.report.value, Fraction):
        yield f"check: there, {question.formula.name} = {show(found.report.value, unit, system)}"
    given = [(x, str(each.value), each.origin) for x, each in found.report.given.items() if x != letter.name]
    if given:
        yield Table("\nGiven", ("", "value", "from"), given)


LONGEST = 40  # characters of an exact value that is still read


def answer(found: Solution, value: Fraction, system: System = "si") -> str:
    """The number, exact where it is short, with its unit, and what it was rounded from."""
    shown, exact = show(value, found.equation.question.letter.unit, system), found.exact or ""
    text = shown if len(exact) > LONGEST or exact == shown.split(" ")[0] else f"{exact} = {shown}"
    if found.root is not None and found.root != value:
        root = str(found.root) if found.root.denominator < 1000 else f"about {round_significant(found.root, 8)}"
        way = "the nearest that fits" if abs(found.root - value) >= 1 else "down" if found.root > value else "up"
        text += f"   ({'' if way[0] == 't' else 'rounded '}{way}: the equation gives {root})"
    return text


def _checks(found: Solution, target: str, system: System) -> Table:
    """The quantity at the answer and at the next value, exact where four digits do not tell them apart."""
    question = found.equation.question
    unit, known = str(question.formula.unit), [each.value for each in found.checks if each.value is not None]
    shown = [target, *(show(value, unit, system) for value in known)]
    alike = len(set(shown)) < len(shown)

    def row(check: Check) -> tuple[str, str, str]:
        value = check.value
        if value is None:
            return str(check.at), "", check.reason
        side = "equal" if value == question.target else "above" if value > question.target else "below"
        exact = str(value) if value.denominator == 1 else round_significant(value, 15)
        text = exact if alike else show(value, unit, system)
        return str(check.at), text, side if found.keeps(value) else f"{side}: no longer"

    name = question.formula.name
    title = f"\nCheck: {name} {limit(found)} {question.target if alike else target}"
    heads = (question.letter.name, f"{name} [{unit}]" if alike else name, "")
    return Table(title, heads, [row(each) for each in found.checks], frozenset({0}))


def latex(found: Solution) -> str:
    """The equation, its closed form and the number, as an `align*` that compiles with amsmath and amssymb."""
    letters = found.equation.question.formula.notation.latex
    equation, form = _relations(found)
    lines = [_aligned(relation_latex(equation, letters))]
    if form is not None:
        lines.append(_aligned(relation_latex(form, letters)) + r" \quad \blacksquare")
    if found.value is not None:
        left = to_latex(Symbol(found.equation.question.letter.name), letters)
        whole = found.value.denominator == 1
        lines.append(rf"{left} &= {found.value}" if whole else rf"{left} &\approx {_digits(found.value)}")
    return "\n".join([r"\begin{align*}", *(line + r" \\" for line in lines[:-1]), lines[-1], r"\end{align*}"])


def _aligned(text: str) -> str:
    return text.replace(" = ", " &= ", 1)


def _digits(value: Fraction) -> str:
    """Four significant digits, a power of ten as LaTeX writes it."""
    figures, _, exponent = show(value, "1").partition("e")
    return rf"{figures} \times 10^{{{exponent}}}" if exponent else figures


def data(found: Solution, system: System = "si") -> dict[str, Any]:
    """The solution as JSON data."""
    made, question = found.equation, found.equation.question
    letter, report, form = question.letter, found.report, made.closed
    model, given = (report.model, report.given) if report is not None else (question.model, {})
    return {
        "name": question.formula.name,
        "unit": str(question.formula.unit),
        "target": number(question.target),
        "for": letter.name,
        "meaning": letter.meaning,
        "for_unit": letter.unit,
        "model": (model.name or model.architecture.name) if model is not None else None,
        "plan": plan_items(report.plan if report is not None else question.plan),
        "given": {
            x: {"value": plain(each.value), "from": each.origin} for x, each in given.items() if x != letter.name
        },
        "equation": plain_formula(_relations(found)[0]),
        "expression": to_text(form.tree) if form is not None else None,
        "latex": to_latex(form.tree, question.formula.notation.latex) if form is not None else None,
        "branches": [to_text(each) for each in form.branches] if form is not None else [],
        "proof": list(form.proofs) if form is not None else [],
        "rule": limit(found),
        "root": number(found.root),
        "value": number(found.value),
        "exact": found.exact,
        "value_text": show(found.value, letter.unit, system) if found.value is not None else None,
        "check": list(_points(found, system)),
        "free_symbols": list(made.free),
    }


def _points(found: Solution, system: System) -> Iterator[dict[str, Any]]:
    """The quantity at the answer and, where that was rounded, at the next value."""
    unit = str(found.equation.question.formula.unit)
    points: list[tuple[Any, Any, str]] = [(each.at, each.value, each.reason) for each in found.checks]
    if not points and found.report is not None:
        points = [(number(found.value), found.report.value, "")]
    for at, value, reason in points:
        shown = show(value, unit, system) if value is not None else None
        exact = _written(value) if value is not None else None
        yield {"at": at, "value": number(value), "exact": exact, "value_text": shown, "reason": reason or None}


def _written(value: Fraction) -> str | None:
    """The exact value as text; None where it has more digits than Python writes."""
    try:
        return str(value)
    except ValueError:
        return None
