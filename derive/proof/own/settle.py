"""Settling a statement of which there is no proof yet: does it say anything, and is it proved, refuted or open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Any

from derive.errors import ClaimError
from derive.proof.checker import Rejected, check, digest
from derive.proof.own.worth import digits, equations, number, values_at
from derive.proof.refute.counterexample import counterexample, witness
from derive.proof.refute.pointwise import symbols_of
from derive.proof.search.tactics import steps_for
from derive.tree import (
    Call,
    Negative,
    Node,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    integer,
    rational,
    to_lists,
    to_text,
)

QUICK = 2_000, 1.0  # points and seconds, where the search for a proof waits
POLE = 500, 0.5  # the same, for each part that may have no value
WITNESS_SECONDS, POINT_SECONDS = 2.0, 3.0
TOO_LARGE = ("a polynomial is too large", "the statement takes too much work")  # the checker's words
SHOWN = {"<": "positive", "<=": "at least 0"}
OPPOSITES = {"==": ("<", ">"), "<=": (">",), "<": (">=",), ">=": ("<",), ">": ("<=",)}
UNWITNESSED = "a given does not hold at the witness"  # the checker's words, which evaluates no call
NODES: dict[str, Callable[..., Node]] = {
    "+": lambda *parts: Sum(parts), "-": Negative, "*": lambda *parts: Product(parts), "/": Quotient, "^": Power,
}  # fmt: skip

Statement = dict[str, Any]  # see `derive.proof.checker`
Point = Mapping[str, Fraction]


@dataclass(frozen=True)
class Answer:
    """What became of a statement: proved at a level with a certificate, refuted at a point, or open for a reason."""

    verdict: str
    level: str | None = None
    certificate: Statement | None = None
    counterexample: Point | None = None
    reason: str = ""


def settled(statement: Statement) -> Answer:
    """Proved, refuted or open; it may take any time.

    Raises `ClaimError`, one line, where nothing is said (no point satisfies the hypotheses, or a part is not shown
    to have a value at all of those that do), and for what is too large for the checker.

    >>> from derive.proof.own import read
    >>> settled(read("a/(a - b) > 1", ["a > b"]).statement).verdict
    'proved'
    """
    ways = [way for way in (with_definitions(statement), statement) if way is not None]
    try:
        problems = [_valueless(way) for way in ways]
    except Rejected as reason:
        return _too_large(statement, reason)
    ways = [way for way, problem in zip(ways, problems, strict=True) if problem is None]
    if not ways:
        raise ClaimError(problems[0])
    if statement["given"]:
        point = witness(ways[0], seconds=WITNESS_SECONDS)
        if point is None:
            return _unwitnessed(statement)
        ways = [way | {"witness": _as_trees(way, point)} for way in ways]
    return _decided(ways)


def refuted(statement: Statement) -> Answer:
    """Refuted at the smallest point that a long search finds, or open.

    >>> refuted({"symbols": {"t": "positive integer"}, "relation": "<", "left": "t", "right": 3}).counterexample
    {'t': Fraction(3, 1)}
    """
    point = counterexample(statement, seconds=POINT_SECONDS)
    if point is None:
        return Answer("open", reason="neither a proof nor a counterexample was found")
    return found_at(point)


def found_at(point: Point) -> Answer:
    """Refuted at a point."""
    # Python prints no whole number of more than 4,300 digits; only what a hypothesis computes can be so long.
    return Answer("refuted", counterexample={name: value for name, value in point.items() if digits(value) < 4_000})


def _decided(ways: Sequence[Statement]) -> Answer:
    """What becomes of a statement all of whose parts have values, written in one or more ways."""
    for way in ways:
        try:
            return _proved(way, [])
        except Rejected as reason:
            if str(reason) in TOO_LARGE:
                return _too_large(way, reason)
    point = counterexample(ways[0], *QUICK)
    if point is not None:
        return found_at(point)
    reasons = []
    for way in ways:
        try:
            steps = steps_for(way)
            if steps is not None:
                return _proved(way, steps)
        except Rejected as reason:
            reasons.append(str(reason))
    found = refuted(ways[0])
    if found.verdict == "open" and UNWITNESSED in reasons:
        return Answer("open", reason="a call in a hypothesis is accepted in a definition alone, such as f == ceil(a/2)")
    return found


def _proved(statement: Statement, steps: list[Any]) -> Answer:
    certificate = statement | {"steps": steps}
    check(certificate)
    return Answer("proved", "certified", certificate | {"digest": digest(certificate)})


def _too_large(statement: Statement, reason: Rejected) -> Answer:
    point = counterexample(statement, *QUICK)
    if point is None:
        raise ClaimError(f"it is too large to be checked ({reason}); state less at once")
    return found_at(point)


def _unwitnessed(statement: Statement) -> Answer:
    """Where no point satisfies the hypotheses, as far as was looked: shown to be so, or not."""
    given = statement["given"]
    tries = [(given, ["<=", 1, 0])]
    for place, (relation, *sides) in enumerate(given):  # the opposite of one, by the others
        tries += [([*given[:place], *given[place + 1 :]], [each, *sides]) for each in OPPOSITES[relation]]
    for others, opposite in tries:
        goal = dict(zip(("relation", "left", "right"), opposite, strict=True))
        try:
            steps = steps_for(statement | {"given": others} | goal)
        except Rejected:
            continue
        if steps is not None:
            raise ClaimError("no point satisfies its hypotheses, so that it says nothing; leave one of them out")
    return Answer("open", reason="no point was found that satisfies the hypotheses")


# Values


def values_needed(tree: Any) -> list[tuple[str, str, Any]]:
    """The parts without which a tree has no value: what each is, its relation to 0, and itself; the inner ones first.

    >>> values_needed(["/", 1, ["sqrt", "x"]])
    [('operand of a root', '<=', 'x'), ('divisor', '<', ['sqrt', 'x'])]
    """
    match tree:
        case ["/", _, below]:
            own = [("divisor", "<", below)]
        case ["sqrt", inside]:
            own = [("operand of a root", "<=", inside)]
        case ["^", base, int(exponent)] if exponent <= 0:
            own = [(f"base of the exponent {exponent}", "<", base)]
        case _:
            own = []
    return [*(need for part in tree[1:] for need in values_needed(part)), *own] if isinstance(tree, list) else []


def _valueless(statement: Statement) -> str | None:
    """Why a part of the statement may have no value where its hypotheses hold; None if it is shown to have one.

    Raises `Rejected` for what is too large.
    """
    try:
        steps_for(statement | {"relation": "==", "left": 0, "right": 0})
    except Rejected as reason:
        if str(reason) in TOO_LARGE:
            raise
        return f"in its hypotheses {reason}"
    needs = [*values_needed(statement["left"]), *values_needed(statement["right"])]
    for what, relation, part in {str(need): need for need in needs}.values():
        goal = statement | {"relation": relation, "left": 0, "right": part}
        point = counterexample(goal, *POLE)
        if point is None and _is_shown(goal):
            continue
        text = to_text(_node(part))[:80]
        found = f" (it is {number(values_at(statement, point, [part])[0])}{_where(point)})" if point is not None else ""
        symbol = ">" if relation == "<" else ">="
        way_out = f"; add --given {f'{text} {symbol} 0'!r} if it is" if symbols_of(part) else ""
        return f"the {what}, {text}, is not shown to be {SHOWN[relation]}{found}{way_out}"
    return None


def _is_shown(statement: Statement) -> bool:
    try:
        return steps_for(statement) is not None
    except Rejected as reason:
        if str(reason) in TOO_LARGE:
            raise
        return False


def _node(tree: Any) -> Node:
    if not isinstance(tree, list):
        return Symbol(tree) if isinstance(tree, str) else integer(tree)
    head, *parts = tree[0], *map(_node, tree[1:])
    return NODES[head](*parts) if head in NODES else Call(head, tuple(parts))


def _where(point: Point) -> str:
    return " at " + ", ".join(f"{name} = {number(value)}" for name, value in point.items()) if point else ""


def _as_trees(statement: Statement, point: Point) -> dict[str, Any]:
    """The point as trees: an irrational value, which it leaves out, by the equation that it comes from."""
    defined = {name for name, _ in statement["define"]}
    exact = {name: to_lists(rational(value)) for name, value in point.items()}
    others = {name: _at(tree, exact) for name, tree in equations(statement) if symbols_of(tree) <= exact.keys()}
    return {name: tree for name, tree in (others | exact).items() if name not in defined}


def _at(tree: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(tree, list):
        return [tree[0], *[_at(part, values) for part in tree[1:]]]
    return values[tree] if isinstance(tree, str) else tree


# Definitions


def with_definitions(statement: Statement) -> Statement | None:
    """The statement with equations of a symbol and a positive tree of others as definitions; None if there are none.

    >>> from derive.proof.own import read
    >>> with_definitions(read("f >= 4", ["f == 4*h"]).statement)["define"]
    [['f', ['*', 4, 'h']]]
    """
    define, kept = dict[str, Any](), []
    for relation, left, right in statement["given"]:
        made = _extended(statement, define, left, right) if relation == "==" and isinstance(left, str) else None
        define, kept = (made, kept) if made else (define, [*kept, [relation, left, right]])
    return statement | {"define": [[*each] for each in define.items()], "given": kept} if define else None


def _extended(statement: Statement, define: Mapping[str, Any], name: str, tree: Any) -> dict[str, Any] | None:
    """The definitions with one more, each after those that it needs; None if the checker does not accept them."""
    made = {**define, name: tree}
    sorter = TopologicalSorter({each: symbols_of(made[each]) for each in made})
    try:
        ordered = {each: made[each] for each in sorter.static_order() if each in made}
        trivial = {
            "define": [[*each] for each in ordered.items()],
            "given": [],
            "relation": "==",
            "left": 1,
            "right": 1,
        }
        check(statement | trivial | {"steps": []})
    except (CycleError, Rejected):
        return None
    return ordered if name not in define else None
