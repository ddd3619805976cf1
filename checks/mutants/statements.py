"""Mutants of a statement: of its sides, its relation, its definitions and its hypotheses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from checks.mutants.trees import changes
from derive.proof.checker import frozen, text

Statement = dict[str, Any]
FIELDS = ("symbols", "define", "given", "relation", "left", "right")  # what a statement says
RELATION, STRICTNESS = "relation", "strictness"
RELATIONS = {
    "==": ((RELATION, "<="), (RELATION, "<"), (RELATION, ">")),
    "<=": ((RELATION, ">="), (RELATION, "=="), (STRICTNESS, "<")),
    ">=": ((RELATION, "<="), (RELATION, "=="), (STRICTNESS, ">")),
    "<": ((RELATION, ">"), (RELATION, "=="), (STRICTNESS, "<=")),
    ">": ((RELATION, "<"), (RELATION, "=="), (STRICTNESS, ">=")),
}


@dataclass(frozen=True)
class Mutant:
    """A statement that one mutation made of a certified one."""

    certificate: Mapping[str, Any]  # of the statement as it was
    kind: str
    statement: Statement

    @property
    def is_identity(self) -> bool:
        """Whether it says that two sides are equal, as what it was made of does."""
        return self.certificate["relation"] == self.statement["relation"] == "=="

    @property
    def name(self) -> str:
        """The certificate, the kind of mutation and what it made."""
        return f"{self.certificate['name']}: {self.kind}: {said(self.statement)}"


def said(statement: Mapping[str, Any]) -> str:
    """A statement in the checker's notation, whether it is true or not.

    >>> said({"relation": "<", "left": "g", "right": ["*", 2, "a"], "given": [["<=", "g", "a"]], "define": []})
    'g < 2*a given g <= a'
    """
    facts = [("==", name, tree) for name, tree in statement["define"]] + list(statement["given"])
    goal, *rest = (
        f"{text(frozen(left))} {relation} {text(frozen(right))}"
        for relation, left, right in [(statement["relation"], statement["left"], statement["right"]), *facts]
    )
    return goal + (f" given {' and '.join(rest)}" if rest else "")


def content(statement: Mapping[str, Any]) -> str:
    """What the statement says, as one text: equal if and only if two say the same in the same words."""
    return json.dumps([statement[name] for name in FIELDS])


def mutants(certificate: Mapping[str, Any]) -> list[Mutant]:
    """Every statement that one mutation makes of a certified one, each once.

    >>> made = mutants({"name": "square", "symbols": {"h": "positive integer"}, "define": [], "given": [],
    ...                 "witness": {}, "relation": "==", "left": ["*", "h", "h"], "right": ["^", "h", 2], "steps": []})
    >>> [each.name for each in made]
    ['square: operator: h + h == h^2', 'square: factor dropped: h == h^2', 'square: operator: h*h == h*2',
     'square: literal: h*h == h^3', 'square: literal: h*h == h^1', 'square: relation: h*h <= h^2',
     'square: relation: h*h < h^2', 'square: relation: h*h > h^2']
    """
    statement = {key: value for key, value in certificate.items() if key not in ("steps", "digest", "name")}
    seen = {content(statement)}
    found = []
    for kind, changed in _changed(statement):
        made = statement | changed
        if content(made) not in seen:
            seen.add(content(made))
            found.append(Mutant(certificate, kind, made))
    return found


def _changed(statement: Statement) -> Iterator[tuple[str, Statement]]:
    define, given = statement["define"], statement["given"]
    defined = {name for name, _ in define}
    names, free = list(statement["symbols"]), [name for name in statement["symbols"] if name not in defined]
    for side in ("left", "right"):
        yield from ((kind, {side: made}) for kind, made in changes(statement[side], names))
    yield from ((kind, {RELATION: made}) for kind, made in RELATIONS[statement["relation"]])
    for place, (name, tree) in enumerate(define):
        before, after = define[:place], define[place + 1 :]
        yield "definition dropped", {"define": [*before, *after]}
        for _, made in changes(tree, free):
            # It is an abbreviation, whatever its kind: no need to miss the points where it is no whole number.
            symbols = statement["symbols"] | {name: "positive real"}
            yield "definition changed", {"define": [*before, [name, made], *after], "symbols": symbols}
    for place, (relation, left, right) in enumerate(given):
        before, after = given[:place], given[place + 1 :]
        yield "hypothesis dropped", {"given": [*before, *after]}
        others = [[made, left, right] for _, made in RELATIONS[relation]]
        others += [[relation, made, right] for _, made in changes(left, names)]
        others += [[relation, left, made] for _, made in changes(right, names)]
        yield from (("hypothesis changed", {"given": [*before, each, *after]}) for each in others)
