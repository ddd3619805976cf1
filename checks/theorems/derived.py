"""Quantities of the catalog as expressions in letters: the terms of theorems, derived and never typed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from derive.errors import DeriveError
from derive.exact import evaluate
from derive.grammar import parse
from derive.letters import Letter, Notation
from derive.model import apply_relations
from derive.plan import parse_plan
from derive.precision import optimizer, recipe
from derive.reading import as_written, sum_to_tree
from derive.situation import situation
from derive.tree import REBUILD, Node, children, rational, substitute, symbols_of
from formulas import formula_of
from formulas.models import model


@dataclass(frozen=True)
class Of:
    """A quantity in letters, for an architecture and a plan.

    `keep` names letters that stay though they stand for other quantities, `within` the block whose rows alone count;
    `free` leaves out the architecture's relations, such as f = 4h. `at` then puts texts in the place of letters, all at
    once: m + 1 for m makes a step of a difference, c*m a scaled size.
    """

    quantity: str
    plan: str = ""
    about: str = ""
    recipe: str = "bf16"
    optimizer: str = "adamw"
    keep: str = ""
    within: str = ""
    free: bool = False
    at: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def tree(self) -> Node:
        """The derived expression, before anything is put in the place of its letters."""
        return _derived(replace(self, at={}))[0]

    @property
    def notation(self) -> Notation:
        """The letters that the quantity has in its topic."""
        return _derived(replace(self, at={}))[1]

    @property
    def letters(self) -> dict[str, Letter]:
        """What the letters mean that stay: one that `at` replaces by what has no such letter is gone."""
        gone = {letter for letter, text in self.at.items() if letter not in symbols_of(parse(text))}
        return {name: self.notation[name] for name in symbols_of(self.tree) if name not in gone}

    def put(self, trees: Mapping[str, Node]) -> Node:
        """The expression with trees in the place of letters; parts that have no letter left are numbers.

        Raises `DeriveError` for a letter that the expression does not have: nothing would be said of it.
        """
        if missing := [letter for letter in trees if letter not in symbols_of(self.tree)]:
            raise DeriveError(f"{self.quantity} has no letter {', '.join(missing)}: it has {symbols_of(self.tree)}")
        return _folded(substitute(self.tree, trees)) if trees else self.tree


@cache
def _derived(term: Of) -> tuple[Node, Notation]:
    formula = formula_of(term.quantity)
    letters = formula.notation
    plan = parse_plan(term.plan, letters.symbol, recipe(term.recipe), optimizer(term.optimizer))
    case = situation(formula, model(term.about) if term.about else None, plan, symbolic=bool(term.about))
    rows = formula.ledger(case.model, case.plan, term.keep.split())
    if term.within:
        rows = rows.within(term.within)
        if not rows.rows:
            raise DeriveError(f"{term.quantity}: no row is in a block {term.within!r}")
    relations = case.model.relations if case.model is not None and not term.free else {}
    read = as_written if rows.written else sum_to_tree
    return read([apply_relations(row.value, relations, letters) for row in rows], letters.order), letters


def _folded(node: Node) -> Node:
    if not symbols_of(node):
        return rational(evaluate(node, {}))
    return REBUILD[type(node)](node, tuple(_folded(part) for part in children(node)))
