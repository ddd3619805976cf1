"""Theorems: relations in letters and derived quantities, as data that an independent checker reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from checks.theorems.derived import Of
from derive.errors import DeriveError, unknown
from derive.exact import evaluate
from derive.grammar import parse, parse_relation
from derive.letters import Letter, Notation, notation
from derive.model import resolved
from derive.proof.statement import kind_of
from derive.tree import Node, Relation, Symbol, rational, relation_text, substitute, symbols_of, to_lists
from formulas.notation import COMMON, TOPICS

Point = Mapping[str, int | str]  # values of letters: whole numbers, or texts such as "1/2"


@dataclass(frozen=True, eq=False)
class Theorem:
    """A relation that holds for all values of its letters, in words and in text, where what is given holds.

    Names in it are `terms`, derived quantities, or letters: its own, its terms', those of its topic, or common ones.
    What is `given` as a letter == an expression in others defines that letter; all else is a hypothesis, with a letter
    on its left. The `witness` is a point where all that is given holds, letters that it does not name being 1, so that
    the theorem is about something. One with <= has a point of `equality`, or a reason why there is none. `needed` has
    for every hypothesis a point where all but this one holds and the relation does not.
    """

    name: str
    words: str
    relation: str
    terms: Mapping[str, Of] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    witness: Point = field(default_factory=dict)
    equality: Point | str = ""
    needed: Mapping[str, Point] = field(default_factory=dict)
    letters: tuple[Letter, ...] = ()
    topic: str = ""

    @cached_property
    def trees(self) -> dict[str, Node]:
        """The terms as trees, each able to use the ones before it in `at`."""
        trees: dict[str, Node] = {}
        for name, term in self.terms.items():
            trees[name] = term.put({letter: substitute(parse(text), trees) for letter, text in term.at.items()})
        return trees

    def _read(self, text: str) -> Relation:
        relation = parse_relation(text)
        return Relation(
            substitute(relation.left, self.trees), relation.operator, substitute(relation.right, self.trees)
        )

    @cached_property
    def claim(self) -> Relation:
        """The relation with the derived expressions in the place of its terms."""
        return self._read(self.relation)

    @cached_property
    def definitions(self) -> dict[str, Node]:
        """What is given as a letter and its definition, in free letters."""
        found = map(self._read, filter(self._defines, self.given))
        return resolved({each.left.name: each.right for each in found if isinstance(each.left, Symbol)})

    @cached_property
    def hypotheses(self) -> dict[str, Relation]:
        """All else that is given, by its text."""
        return {text: self._read(text) for text in self.given if not self._defines(text)}

    def _defines(self, text: str) -> bool:
        relation = parse_relation(text)
        return (
            relation.operator == "=="
            and isinstance(relation.left, Symbol)
            and relation.left.name not in self.terms
            and relation.left.name not in symbols_of(relation.right)
        )

    @cached_property
    def notation(self) -> Notation:
        """The letters that the theorem uses, in reading order.

        Raises `UnknownName` for a letter that is nowhere, `DeriveError` for one that means two things in its terms.
        """
        sides = [side for each in (self.claim, *self.hypotheses.values()) for side in (each.left, each.right)]
        used = {*self.definitions, *(x for tree in (*sides, *self.definitions.values()) for x in symbols_of(tree))}
        own = {letter.name for letter in self.letters}
        of_terms: dict[str, Letter] = {}
        for term in self.terms.values():
            for name, letter in term.letters.items():
                if name in used - own and of_terms.setdefault(name, letter) != letter:
                    raise DeriveError(
                        f"theorem {self.name}: the letter {name} is both {of_terms[name].meaning} and {letter.meaning}"
                    )
        known = notation(self.letters, tuple(of_terms.values()), TOPICS.get(self.topic, ()), COMMON)
        for name in sorted(used):
            if name not in known.letters:
                raise unknown("symbol", name, known.letters)
        return Notation({name: letter for name, letter in known.letters.items() if name in used})

    @property
    def free(self) -> tuple[str, ...]:
        """The letters that are not defined."""
        return tuple(name for name in self.notation.order if name not in self.definitions)

    def kind(self, name: str) -> str:
        """What a letter may be, as statements say it."""
        return kind_of(self.notation[name])

    def point(self, *points: Point) -> dict[str, Fraction]:
        """A value for every letter: of the last point that names it, else of the witness, else 1; or its definition."""
        named = {name: Fraction(value) for point in (self.witness, *points) for name, value in point.items()}
        if strange := named.keys() - set(self.free):
            raise DeriveError(f"theorem {self.name}: a point names {', '.join(sorted(strange))}, no free letter of it")
        values = {name: named.get(name, Fraction(1)) for name in self.free}
        return values | {name: evaluate(tree, values) for name, tree in self.definitions.items()}

    def statement(self) -> dict[str, Any]:
        """The theorem as data, version 1 of what certificates are made of; a new one at every call."""
        claim = self.claim
        data: dict[str, Any] = {
            "name": f"{self.topic}/{self.name}",
            "symbols": {name: self.kind(name) for name in self.notation.order},
            "define": [[name, to_lists(tree)] for name, tree in self.definitions.items()],
            "given": [_listed(relation) for relation in self.hypotheses.values()],
            "witness": self._data(),
            "relation": claim.operator,
            "left": to_lists(claim.left),
            "right": to_lists(claim.right),
        }
        if claim.operator in ("<=", ">="):
            data["equality"] = self.equality if isinstance(self.equality, str) else self._data(self.equality)
        return data

    def _data(self, *points: Point) -> dict[str, Any]:
        values = self.point(*points)
        return {name: to_lists(rational(values[name])) for name in self.free if values[name] != 1}

    def text(self) -> str:
        """The relation written out, and what it holds under."""
        given = [relation_text(each) for each in self.hypotheses.values()]
        given += [relation_text(Relation(Symbol(name), "==", tree)) for name, tree in self.definitions.items()]
        return relation_text(self.claim) + (f" given {', '.join(given)}" if given else "")


def _listed(relation: Relation) -> list[Any]:
    return [relation.operator, to_lists(relation.left), to_lists(relation.right)]


def collected(*tables: Iterable[Theorem]) -> tuple[Theorem, ...]:
    """All theorems of these tables; `DeriveError` if two have one name."""
    found: dict[tuple[str, str], Theorem] = {}
    for theorem in (each for table in tables for each in table):
        if (theorem.topic, theorem.name) in found:
            raise DeriveError(f"two theorems are called {theorem.topic}/{theorem.name}")
        found[theorem.topic, theorem.name] = theorem
    return tuple(found.values())
