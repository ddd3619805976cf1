"""`derive prove --statement TEXT`: a person's own statement is proved, refuted at a point, or open."""

from __future__ import annotations

import json
import textwrap
from argparse import Namespace
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from derive.cli import say
from derive.cli.show import emit
from derive.proof.own import Own, answer, read
from derive.proof.own.settle import Answer
from derive.proof.own.worth import number, values_at
from derive.tree import relation_text

WIDTH = 80


def run(options: Namespace) -> int:
    """Print what becomes of the statement; 0 if it is proved, else 1."""
    own = read(options.statement, options.given, [name for each in options.real for name in each.split(",")])
    found = answer(own)
    if options.json:
        emit(json.dumps(data(own, found), indent=2, ensure_ascii=False), data=True)
        if found.reason:
            say(f"derive: note: {found.reason}")
    else:
        emit("\n".join(line for paragraph in lines(own, found) for line in _wrapped(paragraph)))
    return 0 if found.verdict == "proved" else 1


def data(own: Own, found: Answer) -> dict[str, Any]:
    """The answer as JSON has it: exact values are integers, or texts such as "1/2"."""
    point = found.counterexample
    return {
        "statement": relation_text(own.relation),
        "given": [relation_text(each) for each in own.given],
        "verdict": found.verdict,
        "level": found.level,
        "certificate": found.certificate,
        "counterexample": None if point is None else {name: _exact(value) for name, value in point.items()},
    }


def _exact(value: Fraction) -> int | str:
    return int(value) if value.denominator == 1 else str(value)


def lines(own: Own, found: Answer) -> Iterator[str]:
    """The answer in words, a line each: what, of what, and why."""
    yield f"{found.verdict}: {relation_text(own.relation)}"
    scope = ", ".join(filter(None, [_scope(own, found), _hypotheses(own)]))
    yield from [f"  {scope}"] if scope else []
    if found.certificate is not None:
        count = _count(found.certificate["steps"])
        yield f"  certificate: {count} step{'s' * (count != 1)}; level {found.level}"
    if found.counterexample is not None:
        yield from _at_the_point(own, found)
    if found.reason:
        yield f"  {found.reason}"


def _scope(own: Own, found: Answer) -> str:
    """The free symbols by their kinds: those that the certificate does not define, where there is one."""
    defined = {name for name, _ in (found.certificate or own.statement)["define"]}
    kinds: dict[str, list[str]] = {}
    for name, kind in own.statement["symbols"].items():
        if name not in defined:
            kinds.setdefault(kind, []).append(name)
    *before, last = [f"{kind} {', '.join(names)}" for kind, names in kinds.items()] or [""]
    return "for every " + " and ".join(filter(None, [", ".join(before), last])) if kinds else ""


def _hypotheses(own: Own) -> str:
    return "given " + " and ".join(map(relation_text, own.given)) if own.given else ""


def _at_the_point(own: Own, found: Answer) -> Iterator[str]:
    names = list(own.statement["symbols"])
    trees = [*names, own.statement["left"], own.statement["right"]]
    *values, left, right = map(number, values_at(own.statement, found.counterexample or {}, trees))
    where = ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))
    yield from [f"  counterexample: {where}"] if names else []
    yield f"  left side: {left}"
    yield f"  right side: {right}"


def _count(steps: list[Any]) -> int:
    """Steps with those in the branches of cases."""
    return sum(1 + sum(map(_count, step[2:])) if step[0] == "cases" else 1 for step in steps)


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent + "  ", break_on_hyphens=False)
