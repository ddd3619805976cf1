"""Steps of a proof as data: how many facts each adds, the same with facts renumbered, and those that are not needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derive.proof.checker import LAWS, Rejected, check

Step = Any  # nested tuples, or lists, as the checker reads them


def facts_of(step: Step) -> int:
    """How many facts a step adds.

    >>> facts_of(("of", ("ceil", "x"))), facts_of(("square", "x"))
    (2, 1)
    """
    return len(LAWS[step[1][0]](step[1], *step[1][1:])) if step[0] == "of" else 1


def renumbered(steps: Sequence[Step], first: int, by: int) -> tuple[Step, ...]:
    """The steps with every fact from `first` on named by a number that is `by` higher.

    >>> renumbered([("whole", 0, "x", 3), ("combine", "<=", 0, "x", 1, ((1, 0, 4),))], 2, -1)
    (('whole', 0, 'x', 2), ('combine', '<=', 0, 'x', 1, ((1, 0, 3),)))
    """
    return tuple(_renumbered(step, first, by) for step in steps)


def _renumbered(step: Step, first: int, by: int) -> Step:
    def moved(place: int) -> int:
        return place + by if place >= first else place

    match step:
        case ("combine", relation, left, right, factor, terms):
            renamed = tuple((tree, *map(moved, places)) for tree, *places in terms)
            return ("combine", relation, left, right, factor, renamed)
        case ("whole", left, right, place):
            return ("whole", left, right, moved(place))
        case ("cases", call, *proofs):
            return ("cases", call, *(renumbered(proof, first, by) for proof in proofs))
    return step


def pruned(statement: Mapping[str, Any], steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps without those that the checker does not miss."""
    kept = tuple(steps)
    for path in sorted(_paths(kept), reverse=True):
        shorter = _without(kept, path, len(statement["given"]))
        if shorter is not None and _holds(statement, shorter):
            kept = shorter
    return kept


def _holds(statement: Mapping[str, Any], steps: Sequence[Step]) -> bool:
    try:
        check({**statement, "steps": as_lists(steps)})
    except Rejected:
        return False
    return True


def _paths(steps: Sequence[Step], before: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Where every step stands: its place, or those of the cases around it, the branches and its own."""
    found = []
    for place, step in enumerate(steps):
        if step[0] == "cases":
            for branch, proof in enumerate(step[2:], 2):
                found += _paths(proof, (*before, place, branch))
        else:
            found.append((*before, place))
    return found


def _without(steps: tuple[Step, ...], path: tuple[int, ...], facts: int) -> tuple[Step, ...] | None:
    """The steps without one of them, the facts after it renumbered; None if another step names one of its facts."""
    place, *inner = path
    first = facts + sum(map(facts_of, steps[:place]))
    step = steps[place]
    if inner:
        branch, *rest = inner
        proof = _without(step[branch], tuple(rest), first + 1)
        return None if proof is None else (*steps[:place], (*step[:branch], proof, *step[branch + 1 :]))
    count, later = facts_of(step), steps[place + 1 :]
    if any(first <= used < first + count for used in _used(later)):
        return None
    return (*steps[:place], *renumbered(later, first + count, -count))


def _used(steps: Sequence[Step]) -> list[int]:
    found: list[int] = []
    for step in steps:
        if step[0] == "combine":
            found += [place for _, *places in step[5] for place in places]
        elif step[0] == "whole":
            found.append(step[3])
        elif step[0] == "cases":
            for proof in step[2:]:
                found += _used(proof)
    return found


def as_lists(data: Any) -> Any:
    """Nested lists for nested tuples, as JSON has them."""
    return [as_lists(each) for each in data] if isinstance(data, tuple | list) else data
