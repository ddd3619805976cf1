"""A person's own statement: read strictly, then proved, refuted or left open, in bounded time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from derive.errors import ClaimError, DeriveError, GrammarError
from derive.grammar import MOST_EXPONENT, parse_relation
from derive.proof.checker import NAME
from derive.proof.own.settle import Answer, Statement, found_at, refuted, settled, values_needed
from derive.tree import (
    Negative,
    Node,
    Number,
    Power,
    Relation,
    children,
    relation_text,
    shown,
    symbols_of,
    to_lists,
    to_text,
)

MOST_CHARACTERS, MOST_SYMBOLS, MOST_GIVEN = 2_000, 12, 12
MOST_SECONDS = 20  # from question to answer: the shares of those who look for one, and a second to start them
PROOF_SECONDS, POINT_SECONDS, Z3_SECONDS = 12.0, 4.0, 2.0
MIRRORED = {"<=": ">=", "<": ">"}
CHILD = "import sys; sys.path[:] = sys.argv[1:]; from derive.proof.own import serve; serve()"


@dataclass(frozen=True)
class Own:
    """What was read: the relation and the hypotheses as written, and the statement in the checker's form."""

    relation: Relation
    given: tuple[Relation, ...]
    statement: Statement


# Reading


def read(statement: str, given: Sequence[str] = (), real: Sequence[str] = ()) -> Own:
    """A statement as a person writes it: one relation, hypotheses, and which symbols are real, not positive integers.

    A hypothesis that says of a real symbol that it is positive, or not negative, becomes its kind.
    Raises `GrammarError`, one line, for what cannot be read and for what is too large.

    >>> own = read("x/t <= x", ["x >= 0"], real=["x"])
    >>> own.statement["symbols"], own.statement["given"]
    ({'x': 'nonnegative real', 't': 'positive integer'}, [])
    """
    if len(given) > MOST_GIVEN:
        raise GrammarError(f"{len(given)} hypotheses; at most {MOST_GIVEN} are read")
    relation = _read("statement", statement)
    givens = tuple([_read("given", text) for text in given])
    names = dict.fromkeys(name for each in (relation, *givens) for side in _sides(each) for name in symbols_of(side))
    if len(names) > MOST_SYMBOLS:
        raise GrammarError(f"{len(names)} symbols; at most {MOST_SYMBOLS} are read")
    for name in real:
        if name not in names:
            known = f"its symbols are {', '.join(names)}" if names else "it has none"
            raise GrammarError(f"--real {shown(name)}: the statement has no such symbol; {known}")
    symbols = {name: "real" if name in real else "positive integer" for name in names}
    kept = []
    for each in givens:
        bound = _lower_bound(each)
        if bound is None or symbols[bound[0]] == "positive integer":
            kept.append(each)
            continue
        name, operator, value = bound
        if value > 0 or operator == ">":
            symbols[name] = "positive real"
        elif symbols[name] == "real":
            symbols[name] = "nonnegative real"
        kept += [each] if value else []
    data = {
        "symbols": symbols,
        "define": [],
        # The checker reads a divisor after the facts that show it to be positive.
        "given": sorted(map(_listed, kept), key=lambda each: any(map(values_needed, each[1:]))),
        "witness": {},
    }
    return Own(relation, givens, data | dict(zip(("relation", "left", "right"), _listed(relation), strict=True)))


def _sides(relation: Relation) -> tuple[Node, Node]:
    return relation.left, relation.right


def _listed(relation: Relation) -> list[Any]:
    return [relation.operator, *map(to_lists, _sides(relation))]


def _read(what: str, text: str) -> Relation:
    if len(text) > MOST_CHARACTERS:
        raise GrammarError(f"{what} {shown(text)}: {len(text)} characters; at most {MOST_CHARACTERS} are read")
    if not text.strip():
        raise GrammarError(f"{what} {shown(text)}: it is empty; write a relation such as 'a/(a + b) <= 1'")
    relation = parse_relation(text)
    for part in (part for side in _sides(relation) for part in _parts(side)):
        if isinstance(part, Power):
            _require_literal(what, text, part)
    for name in (name for side in _sides(relation) for name in symbols_of(side)):
        if not NAME.fullmatch(name):
            problem = "is a word of proofs" if len(name) <= 40 else f"has {len(name)} characters; at most 40 are read"
            raise GrammarError(f"{what} {shown(text)}: the name {name[:40]!r} {problem}; choose another name")
    return relation


def _parts(node: Node) -> Iterator[Node]:
    yield node
    for part in children(node):
        yield from _parts(part)


def _require_literal(what: str, text: str, power: Power) -> None:
    exponent = power.exponent.operand if isinstance(power.exponent, Negative) else power.exponent
    if not isinstance(exponent, Number) or not exponent.text.isdigit():
        half = to_lists(power.exponent) == ["/", 1, 2]
        way_out = "write sqrt(...)" if half else f"write one whole number, at most {MOST_EXPONENT}"
        raise GrammarError(
            f"{what} {shown(text)}: the exponent of {shown(to_text(power))} is no whole number; {way_out}"
        )


def _lower_bound(relation: Relation) -> tuple[str, str, Fraction] | None:
    """The symbol of which this says no more than that it is above a number that is not negative, and how."""
    operator, left, right = _listed(relation)
    if operator in MIRRORED:
        operator, left, right = MIRRORED[operator], right, left
    match operator, left, right:
        case ">" | ">=", str(), int() | ["/", int(), int()]:
            above, below = (right, 1) if isinstance(right, int) else right[1:]
            return (left, operator, Fraction(above, below)) if below else None
    return None


# Deciding, in a process of its own, which can be ended


def answer(own: Own) -> Answer:
    """Whether a statement holds, in bounded time, by a process that is ended where it takes too long.

    Raises `ClaimError`, one line, where `derive.proof.own.settle.settled` does.

    >>> answer(read("34/t <= 10 + 24/t")).verdict, dict(answer(read("34/t <= 10")).counterexample)
    ('proved', {'t': Fraction(1, 1)})
    """
    from derive.proof import smt  # it is asked last, and needs no time until then

    found = _asked("settle", own, PROOF_SECONDS)
    reason = f"no answer within {MOST_SECONDS} s" if found is None else found.reason
    if found is None:
        found = _asked("refute", own, POINT_SECONDS)
    if found is not None and found.verdict == "proved" and found.certificate is not None and smt.available():
        opinion, why = smt.explained(found.certificate, Z3_SECONDS)
        if opinion == "disagrees":  # at a point that exact arithmetic confirms
            raise RuntimeError(f"Z3 refutes a certified statement: {why}")
        return replace(found, level="certified + smt") if opinion == "agrees" else found
    if found is not None and found.verdict != "open":
        return found
    point = smt.refute(own.statement, Z3_SECONDS) if smt.available() else None
    return Answer("open", reason=reason) if point is None else found_at(point)


def _asked(task: str, own: Own, seconds: float) -> Answer | None:
    """The answer of a process to a task; None if it had to be ended, or was."""
    command = [sys.executable, "-P", "-c", CHILD, *sys.path]
    try:
        done = subprocess.run(
            command,
            input=json.dumps([task, own.statement]),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode < 0:  # by the system, for want of memory
        return None
    if done.returncode:
        raise RuntimeError(f"the search failed: {done.stderr.strip().splitlines()[-1:]}")
    data = json.loads(done.stdout)
    if "error" in data:
        raise ClaimError(f"statement {shown(relation_text(own.relation))}: {data['error']}")
    point = data["counterexample"]
    exact = None if point is None else {name: Fraction(*value) for name, value in point.items()}
    return Answer(**data | {"counterexample": exact})


def serve() -> None:
    """Do the task that stands on standard input, as JSON, and write the answer to standard output."""
    task, statement = json.load(sys.stdin)
    try:
        found = {"settle": settled, "refute": refuted}[task](statement)
        data = {name: getattr(found, name) for name in Answer.__dataclass_fields__}
    except DeriveError as error:
        data = {"error": str(error)}
    json.dump(data, sys.stdout, default=Fraction.as_integer_ratio)
