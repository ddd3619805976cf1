"""Questions to Z3 about one statement, in this process: `derive.proof.smt` asks them in one that it can end."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import Any

from derive.proof.refute.counterexample import holds_at
from derive.proof.refute.pointwise import KINDS
from derive.proof.smt.translation import MOST_EXPONENT, Quotient, Translation, constant

AGREES, DISAGREES, UNKNOWN = "agrees", "disagrees", "unknown"
MOST_MEGABYTES = 2_000  # that Z3 may take
BOUNDS = (8, 64, 4096, None)  # of the integers that a counterexample is sought among
UNWRITTEN = {"sqrt", "max", "min"}  # whose values need not be whole where all symbols are

Answer = tuple[str, str]  # what Z3 says, and why where it does not agree


def answer(statement: Mapping[str, Any], seconds: float) -> Answer:
    """See `derive.proof.smt.explained`.

    Raises `Z3Exception` where Z3 gives up in the middle of something.
    """
    end = time.monotonic() + seconds
    reason = ""
    for whole, share in ((False, 0.5), (True, 0.6)):
        reason, point = _unsettled(statement, whole, time.monotonic() + share * (end - time.monotonic()))
        if not reason:
            return AGREES, ""
        if point is not None and holds_at(statement, point) is False:
            return DISAGREES, f"it fails at {_shown(point)}"
    point = failure(statement, end - time.monotonic())
    return (UNKNOWN, reason) if point is None else (DISAGREES, f"it fails at {_shown(point)}")


def failure(statement: Mapping[str, Any], seconds: float) -> dict[str, Fraction] | None:
    """See `derive.proof.smt.refute`."""
    end = time.monotonic() + seconds
    for bound in BOUNDS:
        left = end - time.monotonic()
        if left <= 0:
            return None
        point = _failing(statement, bound, time.monotonic() + left / 2)
        if point is not None and holds_at(statement, point) is False:
            return point
    return None


def serve() -> None:
    """Answer questions until there are none: each a line of JSON on standard input, as is each answer on the output."""
    import_module("z3").set_param("memory_max_size", MOST_MEGABYTES)
    for line in sys.stdin:
        task, statement, seconds = json.loads(line)
        try:
            found = answer(statement, seconds) if task == "answer" else failure(statement, seconds)
        except import_module("z3").Z3Exception as problem:
            found = (UNKNOWN, f"Z3 gave up: {_text(problem)}") if task == "answer" else None
        print(json.dumps(found, default=Fraction.as_integer_ratio), flush=True)


def _shown(point: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items()) or "every point"


def _is_integral(statement: Mapping[str, Any]) -> bool:
    """Whether a statement can be told in integers alone: whole symbols, whole powers, and quotients multiplied out."""
    givens = [side for _, *sides in statement.get("given", ()) for side in sides]
    trees = [statement["left"], statement["right"], *givens, *[tree for _, tree in statement.get("define", ())]]
    define = {name for name, _ in statement.get("define", ())}
    kinds = [kind for name, kind in statement["symbols"].items() if name not in define]
    return all(KINDS[kind].whole for kind in kinds) and all(map(_is_written_out, trees))


def _is_written_out(tree: Any) -> bool:
    if not isinstance(tree, list | tuple):
        return True
    if tree[0] == "^":
        exponent = constant(tree[2])
        if exponent is None or exponent.denominator > 1 or abs(exponent) > MOST_EXPONENT:
            return False
    return tree[0] not in UNWRITTEN and all(map(_is_written_out, tree[1:]))


def _unsettled(statement: Mapping[str, Any], whole: bool, end: float) -> tuple[str, dict[str, Fraction] | None]:
    """Why Z3 does not agree (nothing if it does), and the point that it found."""
    made = _translated(statement, whole, end)
    assumed = []
    for formula, needed in made.steps:
        if needed:
            reason, point = _checked(made, [*assumed, made.z3.Not(formula)], end)
            if reason:
                return f"{needed} ({reason})", point
        assumed.append(formula)
    return _checked(made, [*assumed, made.z3.Not(made.goal)], end)


def _failing(statement: Mapping[str, Any], bound: int | None, end: float) -> dict[str, Fraction] | None:
    """A point where Z3 says that all parts have values of their kinds and the relation fails."""
    made = _translated(statement, True, end)
    formulas = [formula for formula, _ in made.steps]
    for name, _ in statement.get("define", ()):
        if KINDS[statement["symbols"][name]].whole:
            formulas.append(made.related(Quotient(made.fresh(whole=True), {}), "==", made.values[name]))
    if bound is not None:
        formulas += [made.z3.And(x <= bound, x >= -bound) for x in made.free.values()]
    return _checked(made, [*formulas, made.z3.Not(made.goal)], end)[1]


def _translated(statement: Mapping[str, Any], whole: bool, end: float) -> Translation:
    return Translation(statement, whole, whole and _is_integral(statement), partial(_is_positive, end=end)).run()


def _is_positive(made: Translation, expression: Any, end: float) -> bool:
    return not _checked(made, [*[formula for formula, _ in made.steps], expression <= 0], end)[0]


def _checked(made: Translation, formulas: Sequence[Any], end: float) -> tuple[str, dict[str, Fraction] | None]:
    """Nothing if no point satisfies the formulas; else in words what Z3 says, and the point if it has one."""
    left = end - time.monotonic()
    if left <= 0:
        return "there was no time left", None
    solver = made.z3.Solver(ctx=made.context)
    solver.set("timeout", 1 + int(1000 * left))
    solver.add(*formulas)
    answer = solver.check()
    if answer == made.z3.unsat:
        return "", None
    if answer != made.z3.sat:
        return f"Z3 does not know: {_text(solver.reason_unknown())}", None
    point = _point(made, solver.model())
    return f"Z3 has a point: {_shown(point)}", point


def _point(made: Translation, model: Any) -> dict[str, Fraction]:
    """The values of the free symbols; an irrational one by a number close to it."""
    found = {}
    for name, symbol in made.free.items():
        value = model.evaluate(symbol, model_completion=True)
        if made.z3.is_algebraic_value(value):
            value = value.approx(20)
        found[name] = Fraction(value.as_long()) if made.z3.is_int_value(value) else value.as_fraction()
    return found


def _text(problem: object) -> str:
    return " ".join(str(problem).split())[:100]


if __name__ == "__main__":
    serve()
