"""Corrupted certificates: proofs with one thing in them changed, and proofs forged for what is false."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from checks.mutants.trees import Tree, changes

Step = list[Any]
Changed = Iterator[tuple[str, Step]]

WEAKER = {
    "positive integer": ("natural number", "positive real", "nonnegative real", "real"),
    "natural number": ("nonnegative real", "real"),
    "positive real": ("nonnegative real", "real"),
    "nonnegative real": ("real",),
    "integer": ("real",),
    "real": (),
}


@dataclass(frozen=True)
class Corruption:
    """A certificate that one change made of an accepted one."""

    certificate: Mapping[str, Any]  # as it was
    kind: str
    made: dict[str, Any]


def corruptions(certificate: Mapping[str, Any]) -> list[Corruption]:
    """Every certificate that one change of its steps, of a kind or of the witness makes, each once.

    >>> made = corruptions({"name": "square", "symbols": {"y": "nonnegative real"}, "define": [], "given": [],
    ...                     "witness": {}, "relation": "<=", "left": 0, "right": ["^", "y", 2],
    ...                     "steps": [["square", "y"]]})
    >>> [(each.kind, each.made["steps"], each.made["symbols"]) for each in made]
    [('step dropped', [], {'y': 'nonnegative real'}), ('kind weakened', [['square', 'y']], {'y': 'real'})]
    """
    original = dict(certificate)
    seen, found = {json.dumps(original)}, []
    for kind, changed in _changed(original):
        made = original | changed
        if (key := json.dumps(made)) not in seen:
            seen.add(key)
            found.append(Corruption(certificate, kind, made))
    return found


def _changed(certificate: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    symbols, given, witness = certificate["symbols"], certificate["given"], certificate["witness"]
    free = [name for name in symbols if name not in dict(certificate["define"])]
    yield from ((kind, {"steps": made}) for kind, made in _of_steps(certificate["steps"], free))
    for name in free:
        yield from (("kind weakened", {"symbols": symbols | {name: kind}}) for kind in WEAKER[symbols[name]])
    if given:
        for name in free:
            more = ["+", witness.get(name, 1), 1]
            yield from (("witness", {"witness": witness | {name: value}}) for value in (more, ["-", more], 0, "oo"))
        yield "witness", {"witness": {}}
    if len(given) > 1:
        yield "hypotheses swapped", {"given": given[::-1]}


def _of_steps(steps: Sequence[Step], names: Sequence[str]) -> Iterator[tuple[str, list[Step]]]:
    for place, step in enumerate(steps):
        before, after = list(steps[:place]), list(steps[place + 1 :])
        yield "step dropped", [*before, *after]
        if after:
            yield "steps swapped", [*before, after[0], step, *after[1:]]
        for kind, made in CHANGES[step[0]](step, names):
            yield kind, [*before, made, *after]


def _of_call(step: Step, names: Sequence[str]) -> Changed:
    yield from ((f"'{step[0]}' changed", [step[0], made]) for _, made in changes(step[1], names))


def _of_combine(step: Step, names: Sequence[str]) -> Changed:
    head, relation, left, right, factor, terms = step
    for other in (each for each in ("==", "<=", "<") if each != relation):
        yield "relation of 'combine'", [head, other, left, right, factor, terms]
    for _, made in changes(left, names):
        yield "claim of 'combine'", [head, relation, made, right, factor, terms]
    for _, made in changes(right, names):
        yield "claim of 'combine'", [head, relation, left, made, factor, terms]
    yield "claim of 'combine'", [head, relation, right, left, factor, terms]
    for made in (0, ["-", factor], ["*", 2, factor], *(made for _, made in changes(factor, names))):
        yield "factor of 'combine'", [head, relation, left, right, made, terms]
    for place in range(len(terms)):
        for kind, made in _of_term(terms[place], names):
            yield kind, [head, relation, left, right, factor, [*terms[:place], *made, *terms[place + 1 :]]]


def _of_term(term: Step, names: Sequence[str]) -> Iterator[tuple[str, list[Step]]]:
    """What is put in the place of a term: none, two or one with a change."""
    multiplier, *indices = term
    yield "term dropped", []
    yield "term doubled", [term, term]
    for made in (["-", multiplier], ["*", 2, multiplier], *(made for _, made in changes(multiplier, names))):
        yield "multiplier", [[made, *indices]]
    for place, index in enumerate(indices):
        before, after = indices[:place], indices[place + 1 :]
        for others in ((), (index + 1,), (index - 1,), (index, index), (-1,)):
            yield "index of a fact", [[multiplier, *before, *others, *after]]


def _of_whole(step: Step, names: Sequence[str]) -> Changed:
    head, left, right, index = step
    yield from (("'whole' changed", [head, made, right, index]) for _, made in changes(left, names))
    yield from (("'whole' changed", [head, left, made, index]) for _, made in changes(right, names))
    yield from (("index of a fact", [head, left, right, other]) for other in (index + 1, index - 1, -1))


def _of_cases(step: Step, names: Sequence[str]) -> Changed:
    head, call, *branches = step
    yield from (("call of 'cases'", [head, made, *branches]) for _, made in changes(call, names))
    for place, branch in enumerate(branches):
        before, after = branches[:place], branches[place + 1 :]
        yield "branch dropped", [head, call, *before, *after]
        yield "branch emptied", [head, call, *before, [], *after]
        if after:
            yield "branches swapped", [head, call, *before, after[0], branch, *after[1:]]
        for kind, made in _of_steps(branch, names):
            yield kind, [head, call, *before, made, *after]


CHANGES: Mapping[str, Callable[[Step, Sequence[str]], Changed]] = {
    "of": _of_call, "square": _of_call, "combine": _of_combine, "whole": _of_whole, "cases": _of_cases,
}  # fmt: skip


def forged(statement: Mapping[str, Any], number: int) -> list[Step]:
    """Steps that would show anything if the checker left something out; `number` chooses among them, in rotation."""
    relation, left, right = (statement[name] for name in ("relation", "left", "right"))
    if ">" in relation:
        relation, left, right = relation.replace(">", "<"), right, left
    return FORGERIES[number % len(FORGERIES)](relation, left, right, len(statement["given"]))


def _combined(relation: str, left: Tree, right: Tree, factor: Tree, *terms: Step) -> Step:
    return ["combine", relation, left, right, factor, list(terms)]


def _gap(left: Tree, right: Tree) -> Tree:
    return ["+", right, ["-", left]]


# By relation, sides and how many facts there are.
FORGERIES: tuple[Callable[[str, Tree, Tree, int], list[Step]], ...] = (
    lambda *_: [],
    lambda r, x, y, _: [_combined(r, x, y, 0)],  # a factor of nothing
    lambda r, x, y, _: [_combined(r, x, y, -1, [_gap(y, x)])],  # a negative one
    lambda r, x, y, _: [_combined(r, x, y, 1, [_gap(x, y)])],  # a multiplier whose sign is what is to be shown
    lambda r, x, y, n: [_combined(r, x, y, 1, [1, n])],  # the fact that the step itself adds
    lambda r, x, y, _: [_combined(r, x, y, 1, [1, -1])],  # the last one, whatever it is
    lambda r, x, y, n: [["square", _gap(x, y)], _combined(r, x, y, 1, [1, n])],  # without dividing it out
    lambda r, x, y, n: [["square", _gap(x, y)], _combined(r, x, y, _gap(x, y), [1, n])],  # dividing by its sign
    lambda r, x, y, n: [["square", 0], _combined(r, x, y, 1, [_gap(x, y), n])],  # a multiplier of 0
    lambda _, x, y, n: [["whole", x, y, max(0, n - 1)]],
    lambda *_: [["cases", ["max", 0, 1]]],
    lambda *_: [["cases", ["max", 0], []]],
    lambda r, x, y, n: [["cases", ["max", x, y], [_combined(r, x, y, 1, [1, n])], [_combined(r, x, y, 1, [1, n])]]],
    lambda r, x, y, n: [["cases", ["min", y, x], [], []], _combined(r, x, y, 1, [1, n])],
    lambda r, x, y, n: [["of", ["ceil", _gap(x, y)]], _combined(r, x, y, 1, [1, n], [1, n + 1])],
)
