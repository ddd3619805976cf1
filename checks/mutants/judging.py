"""Verdicts on mutants: an exact counterexample, a certificate, or neither; and whether a broken proof is accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from checks.mutants.corruptions import Corruption, forged
from checks.mutants.statements import Mutant, Statement, content, said
from checks.mutants.trees import Tree, parts
from derive.proof.checker import Rejected, check, digest
from derive.proof.refute.counterexample import counterexample, equality_point, holds_at, witness
from derive.proof.statement import proved
from derive.tree import rational, to_lists

FEW, MANY = 2_000, 20_000  # points that a search tries: before the proof is looked for, and where none was found
SECONDS = 5.0  # that another search takes for what is proved
REFUTED, NO_VALUE, NOWHERE = "refuted", "no value", "vacuous"
EQUIVALENT, TRUE, LISTED = "equivalent", "still true", "listed"
REJECTED, PROOF, UNSOUND = "rejected", "still a proof", "unsound"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant or of a corrupted certificate; `wrong` says what must not be, if anything."""

    kind: str
    verdict: str
    name: str
    identity: bool = False
    tried: int = 0  # false proofs of it that were offered to the checker
    wrong: tuple[str, ...] = ()


def judged(mutant: Mutant, deep: bool = True) -> Outcome:
    """What becomes of a mutant: refuted, without a value at a point, proved, without a point, or listed.

    A refuted one is offered to the checker with the steps of what it was made of. With `deep` also with a forged proof,
    and another one is looked for; one that is proved is then tried at more points.
    """
    statement = _witnessed(mutant.statement)
    if statement is None:
        return Outcome(mutant.kind, NOWHERE, mutant.name, mutant.is_identity)
    verdict, tried, wrong = _verdict(statement, mutant.is_identity), 0, []
    if verdict in (REFUTED, NO_VALUE):
        offers = [mutant.certificate["steps"], *([forged(statement, len(mutant.name))] if deep else [])]
        tried = len(offers) + deep
        wrong = [f"{verdict}, yet accepted: {mutant.name}" for steps in offers if passes(statement | {"steps": steps})]
        if deep and is_proved(statement):
            wrong.append(f"{verdict}, yet proved: {mutant.name}")
    elif verdict in (EQUIVALENT, TRUE) and deep and is_false(statement, MANY):
        wrong.append(f"proved, yet refuted: {mutant.name}")
    return Outcome(mutant.kind, verdict, mutant.name, mutant.is_identity, tried, tuple(wrong))


def _verdict(statement: Statement, identity: bool) -> str:
    if counterexample(statement, FEW) is not None:
        return REFUTED
    if is_proved(statement) or is_proved(_collapsed(statement)):
        return EQUIVALENT if identity else TRUE
    if valueless(statement, FEW):
        return NO_VALUE
    if any(holds_at(statement, point) is False for point in _near_literals(statement)):
        return REFUTED
    if witness(statement, FEW) is None:
        return NOWHERE
    if any(counterexample(each, MANY) is not None for each in (statement, _at_the_edge(statement))):
        return REFUTED
    return LISTED


def _near_literals(statement: Statement) -> Iterator[dict[str, int]]:
    """Points where one letter is a literal of the statement, or one more or less, and all others are 1."""
    trees = [tree for _, tree in statement["define"]] + [statement["left"], statement["right"]]
    literals = {part for tree in trees for part in parts(tree) if isinstance(part, int)}
    for number in sorted({n + step for n in literals for step in (-1, 0, 1)}):
        yield from ({name: number} for name in statement["symbols"])


def _collapsed(statement: Statement) -> Statement:
    """The statement without letters that are defined as another one, and without maxima and minima of one thing."""
    names = {name: tree for name, tree in statement["define"] if isinstance(tree, str)}

    def collapsed(tree: Tree) -> Tree:
        if not isinstance(tree, list):
            return collapsed(names[tree]) if tree in names else tree
        head, *operands = tree[0], *map(collapsed, tree[1:])
        return operands[0] if head in ("max", "min") and operands == operands[:1] * len(operands) else [head, *operands]

    return statement | {side: collapsed(statement[side]) for side in ("left", "right")}


def _at_the_edge(statement: Statement) -> Statement:
    """The statement where both sides of every given are equal that may be: fewer points, and those that matter most."""
    return statement | {"given": [["==" if "=" in each else each, *sides] for each, *sides in statement["given"]]}


def _witnessed(statement: Statement) -> Statement | None:
    """The statement with a point where its givens hold, if it has givens; None where none was found."""
    if not statement["given"]:
        return statement | {"witness": {}}
    point = witness(statement, MANY)
    if point is None:
        return None
    free = statement["symbols"].keys() - {name for name, _ in statement["define"]}
    return statement | {"witness": {name: to_lists(rational(point[name])) for name in sorted(free) if point[name] != 1}}


def is_proved(statement: Statement) -> bool:
    """Whether a proof is found that the checker accepts."""
    try:
        return bool(proved(statement))
    except Rejected:
        return False


def passes(certificate: Mapping[str, Any]) -> bool:
    """Whether the checker accepts a certificate, with the digest that it then has."""
    try:
        return bool(check(dict(certificate) | {"digest": digest(dict(certificate))}))
    except Rejected:
        return False


def is_false(statement: Statement, most: int) -> bool:
    """Whether there is a point, among those tried, where the statement fails or a part of it has no value."""
    return counterexample(statement, most, SECONDS) is not None or valueless(statement, most)


def valueless(statement: Statement, most: int) -> bool:
    """Whether there is a point, among those tried, where a divisor is 0 or a square root is of a negative number."""
    trees = [tree for _, tree in statement["define"]] + [statement["left"], statement["right"]]
    trees += [side for _, *sides in statement["given"] for side in sides]
    searches = {"==": equality_point, "<=": counterexample}
    return any(
        searches[relation](statement | {"relation": relation, "left": left, "right": right}, most, SECONDS) is not None
        for tree in trees
        for relation, left, right in _needs(tree)
    )


def _needs(tree: Tree) -> Iterator[tuple[str, Tree, Tree]]:
    """Equations that give a tree no value where they hold, and inequalities that do where they fail."""
    for part in parts(tree):
        match part:
            case ["/", _, divisor]:
                yield "==", divisor, 0
            case ["^", base, int(exponent)] if exponent <= 0:
                yield "==", base, 0
            case ["sqrt", operand]:
                yield "<=", 0, operand


def accepted(corruption: Corruption) -> Outcome:
    """What becomes of a corrupted certificate: rejected, or accepted with all that it says true as far as is seen.

    What it says is its statement, which may have weaker kinds, and every fact that its steps claim.
    """
    name = f"{corruption.certificate['name']}: {corruption.kind}"
    if not passes(corruption.made):
        return Outcome(corruption.kind, REJECTED, name)
    wrong = [
        f"accepted, yet refuted: {name}: {said(fact)}"
        for fact in (corruption.made, *facts(corruption.made))
        if is_false(fact, FEW)
    ]
    same = content(corruption.made) == content(corruption.certificate)
    return Outcome(corruption.kind, UNSOUND if wrong else PROOF if same else TRUE, name, wrong=tuple(wrong))


def facts(certificate: Mapping[str, Any]) -> Iterator[Statement]:
    """What each step of a proof claims, as a statement: in a branch of cases, of the points of that branch.

    >>> [said(fact) for fact in facts({"symbols": {}, "define": [], "given": [], "steps": [
    ...     ["square", "a"], ["cases", ["max", "a", "b"], [["combine", "<=", "b", "a", 1, [[1, 0]]]], []]]})]
    ['0 <= a^2', 'b <= a given max(a, b) == a']
    """
    for step in certificate["steps"]:
        relation, left, right = {"combine": step[1:4], "whole": ["<=", *step[1:3]]}.get(step[0], (None, None, None))
        if step[0] == "square":
            relation, left, right = "<=", 0, ["^", step[1], 2]
        if relation:
            yield {**certificate, "relation": relation, "left": left, "right": right}
        if step[0] == "cases":
            for operand, inner in zip(step[1][1:], step[2:], strict=False):
                given = [*certificate["given"], ["==", step[1], operand]]
                yield from facts({**certificate, "given": given, "steps": inner})
