"""Statements: relations with kinds of letters, definitions and hypotheses, as the data that the checker reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from derive.letters import Letter, Notation
from derive.proof.checker import Rejected, check
from derive.proof.search.tactics import steps_for
from derive.tree import Node, Relation, rational, relation_text, symbols_of, to_lists

Statement = dict[str, Any]  # see `derive.proof.checker`
CORE = ("symbols", "define", "given", "witness", "relation", "left", "right")


def kind_of(letter: Letter) -> str:
    """The kind of a letter's values, in the checker's words.

    >>> kind_of(Letter("i", "row", least=0)), kind_of(Letter("T", "time", kind="positive real"))
    ('natural number', 'positive real')
    """
    if letter.least:
        return letter.kind
    return {"positive integer": "natural number", "positive real": "nonnegative real"}[letter.kind]


def stated(
    relation: Relation,
    definitions: Mapping[str, Node],
    notation: Notation,
    given: Iterable[Relation] = (),
    witness: Mapping[str, Fraction] | None = None,
) -> Statement:
    """The statement of a relation, under the definitions of those letters that it uses, and hypotheses.

    `witness` is a point at which the hypotheses hold; letters that it does not name are 1 there.

    >>> from derive.grammar import parse, parse_relation
    >>> from derive.letters import notation
    >>> letters = notation((Letter("h", "hidden size"), Letter("f", "width")))
    >>> made = stated(parse_relation("2*h*f == 8*h^2"), {"f": parse("4*h")}, letters)
    >>> made["symbols"], made["define"]
    ({'h': 'positive integer', 'f': 'positive integer'}, [['f', ['*', 4, 'h']]])
    """
    given = tuple(given)
    sides = [side for each in (relation, *given) for side in (each.left, each.right)]
    used = dict.fromkeys(name for side in sides for name in symbols_of(side))
    define = {name: tree for name, tree in definitions.items() if name in used}
    names = dict.fromkeys([*used, *(name for tree in define.values() for name in symbols_of(tree))])
    return {
        "symbols": {name: kind_of(notation[name]) for name in names},
        "define": [[name, to_lists(tree)] for name, tree in define.items()],
        "given": [[each.operator, to_lists(each.left), to_lists(each.right)] for each in given],
        "witness": {name: to_lists(rational(value)) for name, value in (witness or {}).items() if name in names},
        "relation": relation.operator,
        "left": to_lists(relation.left),
        "right": to_lists(relation.right),
    }


def fingerprint(statement: Statement) -> str:
    """What tells statements apart, whatever they are called and however they are proved."""
    core = {name: statement[name] for name in CORE}
    return hashlib.sha256(json.dumps(core, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def proved(statement: Statement) -> tuple[str, Statement]:
    """What the checker proved, in its own words, and the statement with the steps of the proof.

    Raises `Rejected` if the checker does not accept the statement and no steps were found with which it does.

    >>> at_most = {"symbols": {"t": "positive integer"}, "define": [], "given": [], "witness": {},
    ...            "relation": "<=", "left": ["/", 34, "t"], "right": ["+", 10, ["/", 24, "t"]]}
    >>> proved(at_most)[0]
    'for every positive integer t: 34/t <= 10 + 24/t'
    """
    direct = statement | {"steps": []}
    try:
        return check(direct), direct
    except Rejected as reason:
        steps = steps_for(statement)
        if not steps:
            raise reason from None
    certificate = statement | {"steps": steps}
    return check(certificate), certificate


def said(relation: Relation) -> str:
    """The relation in an error, cut where it is long."""
    text = relation_text(relation)
    return text if len(text) <= 200 else text[:197] + "..."
