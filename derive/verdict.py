"""Judging claims: derived quantity beside the quoted one, and the verdict that checker or counterexample gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product

from sympy import Basic, Expr

from derive.citation import OPEN, PROVED, REFUTED, UP_TO, Claim
from derive.errors import ClaimError, GrammarError, unknown
from derive.exact import evaluate
from derive.ledger import Ledger, Row
from derive.model import Model, apply_relations, definitions
from derive.plan import Plan
from derive.proof.search import counterexample, difference
from derive.proof.step import show_equal, statement
from derive.reading import sum_to_tree, to_sympy
from derive.tensor import Role
from derive.tree import Node, sum_of, symbols_of, to_text


@dataclass(frozen=True)
class Judgement:
    """A claim and what became of it.

    `derived` is the quantity without the neglected rows. `neglected` is what the claim leaves out of the quantity,
    `included` what it counts beyond it, both exact and both None where they are nothing; `residual` is the claim minus
    the derived quantity where it is refuted.
    """

    claim: Claim
    verdict: str
    derived: Node
    residual: Node | None = None
    neglected: Node | None = None
    included: Node | None = None
    rows: tuple[Row, ...] = ()  # the neglected ones
    relations: Mapping[str, Node] | None = None
    letters: frozenset[str] = frozenset()  # of the quantity, of the claim and of what the claim's letters stand for
    statement: dict | None = None  # what the checker accepted, as it can be checked again
    proof: str = ""  # the same in the checker's words
    counterexample: Mapping[str, int] | None = None
    values_there: tuple[Fraction, Fraction] | None = None  # claimed and derived at the counterexample

    @property
    def hypotheses(self) -> dict[str, Node]:
        """The relations that the comparison uses: those of letters that the compared quantities have."""
        return {letter: tree for letter, tree in (self.relations or {}).items() if letter in self.letters}


def is_neglected(row: Row, neglect: tuple[Role | str, ...]) -> bool:
    """Whether a claim that neglects these roles and blocks leaves the row out."""
    return row.role in neglect or any(block in neglect for block in row.blocks)


def plan_of(claim: Claim) -> Plan:
    """The plan of a claim with its architecture's own kernels and mask filled in."""
    return claim.plan.filled(claim.about.kernels, claim.about.mask) if claim.about is not None else claim.plan


WITNESS_SIZES = range(1, 13)  # enough for the ratios that architectures have, such as f = 8h/3


@cache
def judge(claim: Claim) -> Judgement:
    """The verdict on a claim: proved and proved up to rest on the checker, refuted on an exact counterexample."""
    notation = claim.formula.notation
    model = Model(claim.about) if claim.about is not None else None
    ledger = claim.formula.ledger(model, plan_of(claim), set(symbols_of(claim.tree)) - set(claim.letters))
    comparison = _Comparison(claim, model)
    letters = _letters(claim, ledger, comparison)
    _check_meaning(claim, model, letters)
    counted = ledger.select(lambda row: not is_neglected(row, claim.neglect))
    neglected = ledger.select(lambda row: is_neglected(row, claim.neglect) and row.value != 0)
    derived = comparison.tree(counted, reduced=False)
    if difference(to_sympy(derived, notation.symbol), counted.value) != 0:
        raise ClaimError(f"{claim.source.key}, {claim.place}: {claim.formula.name} was read as {to_text(derived)}")
    # The letters that stand for other quantities are hypotheses too, and the checker substitutes both.
    bound = {letter: comparison.tree(part) for letter, part in comparison.bound(claim.includes).items()}
    try:
        proof = show_equal(claim.tree, derived, claim.relations | bound, notation)
    except ClaimError:
        return replace(_refuted(claim, comparison, counted, derived, bound), letters=letters)
    exact = Judgement(
        claim,
        PROVED,
        derived,
        relations=claim.relations,
        letters=letters,
        statement=statement(claim.tree, derived, claim.relations | bound, notation),
        proof=proof,
    )
    return _up_to(exact, comparison, ledger, neglected) if neglected.rows or claim.includes else exact


def _up_to(exact: Judgement, comparison: _Comparison, ledger: Ledger, neglected: Ledger) -> Judgement:
    """What a proved claim leaves out and adds, as one equality for the checker: claim + left out = quantity + added."""
    claim, notation = exact.claim, exact.claim.formula.notation
    left_out = comparison.tree(neglected) if neglected.rows else None
    included = comparison.surplus() if claim.includes else None
    if left_out is None and included is None:
        return exact
    claimed = sum_of([claim.tree, *([left_out] if left_out is not None else [])])
    quantity = sum_of([comparison.tree(ledger, reduced=False), *([included] if included is not None else [])])
    given = claim.relations | {letter: comparison.tree(part) for letter, part in comparison.bound(()).items()}
    return replace(
        exact,
        verdict=UP_TO,
        neglected=left_out,
        included=included,
        rows=neglected.rows,
        statement=statement(claimed, quantity, given, notation),
        proof=show_equal(claimed, quantity, given, notation),
    )


def _letters(claim: Claim, ledger: Ledger, comparison: _Comparison) -> frozenset[str]:
    """The letters of both sides: the quantity's, and the claim's with what those stand for that stand for a quantity.

    These may not be a letter of either side themselves.
    """
    letters = frozenset(ledger.letters).union(*(part.letters for part in comparison.bound(()).values()))
    for letter in claim.letters:
        if letter in letters or letter in claim.relations:
            raise ClaimError(f"{claim.source.key}, {claim.place}: {letter} already is a letter of {claim.formula.name}")
    return letters | set(symbols_of(claim.tree)) - set(claim.letters)


def _check_meaning(claim: Claim, model: Model | None, letters: frozenset[str]) -> None:
    """A claim must be about something: its neglected blocks exist, and whole sizes satisfy its hypotheses.

    The sizes are a witness, so that nothing is proved of no model at all.
    """
    blocks = model.whole.block_names if model is not None else ()
    for name in claim.neglect:
        if isinstance(name, str) and name not in blocks:
            raise unknown("block", name, blocks)
    relations = {letter: tree for letter, tree in claim.relations.items() if letter in letters}
    free = sorted({name for tree in relations.values() for name in symbols_of(tree)})
    divides = claim.about.divides if claim.about is not None else ()
    for sizes in product(WITNESS_SIZES, repeat=len(free)):
        point = {name: Fraction(size) for name, size in zip(free, sizes, strict=True)}
        point |= {letter: evaluate(tree, point) for letter, tree in relations.items()}
        whole = all(value > 0 and value.denominator == 1 for value in point.values())
        known = [(point[one], point[other]) for one, other in divides if one in point and other in point]
        if whole and all(multiple % part == 0 for part, multiple in known):
            return
    said = ", ".join(f"{letter} = {to_text(tree)}" for letter, tree in relations.items())
    raise ClaimError(f"{claim.source.key}, {claim.place}: no model was found with {said}")


def _refuted(
    claim: Claim, comparison: _Comparison, counted: Ledger, derived: Node, bound: dict[str, Node]
) -> Judgement:
    """What the checker does not accept is refuted by a counterexample, or open."""
    gap = difference(comparison.claimed(comparison.bound(claim.includes)), comparison.reduced(counted.value))
    residual = comparison.tree(gap) if gap != 0 else None
    symbol = claim.formula.notation.symbol
    point = counterexample(gap, {letter: to_sympy(tree, symbol) for letter, tree in claim.relations.items()})
    if point is None:
        return Judgement(claim, OPEN, derived, residual, relations=claim.relations)
    there = _everywhere(point, (claim.tree, derived, *bound.values()), claim.relations | bound)
    trees = (claim.tree, derived, *([residual] if residual is not None else []))
    used = {name for tree in trees for name in symbols_of(tree)}
    used |= {name for letter in used & set(claim.relations) for name in symbols_of(claim.relations[letter])}
    shown = {name: int(value) for name, value in there.items() if name in used}
    try:
        values = evaluate(claim.tree, there), evaluate(derived, there)
    except GrammarError:  # the claim divides by what is zero there: it says nothing that could be false
        values = None
    if values is None or values[0] == values[1]:
        return Judgement(claim, OPEN, derived, residual, relations=claim.relations)
    return Judgement(
        claim, REFUTED, derived, residual, relations=claim.relations, counterexample=shown, values_there=values
    )


@dataclass(frozen=True)
class _Comparison:
    """A claim and a ledger brought to the same letters: hypotheses applied, quantities such as N put in."""

    claim: Claim
    model: Model | None

    def reduced(self, expression: Basic) -> Expr:
        return apply_relations(expression, self.claim.relations, self.claim.formula.notation)

    def tree(self, what: Ledger | Basic, *, reduced: bool = True) -> Node:
        parts = [row.value for row in what] if isinstance(what, Ledger) else [what]
        notation = self.claim.formula.notation
        where = definitions(self.claim.relations, notation) if reduced else {}
        return sum_to_tree(parts, notation.order, where=where)

    def bound(self, left_out: tuple[Role, ...]) -> dict[str, Ledger]:
        """What letters such as N stand for, without the rows that do not belong."""
        ledgers = {letter: each.ledger(self.model, plan_of(self.claim)) for letter, each in self.claim.letters.items()}
        return {letter: each.select(lambda row: row.role not in left_out) for letter, each in ledgers.items()}

    def claimed(self, bound: Mapping[str, Ledger]) -> Expr:
        """The claim in the quantity's own letters."""
        symbol = self.claim.formula.notation.symbol
        named = {symbol(letter): part.value for letter, part in bound.items()}
        return self.reduced(to_sympy(self.claim.tree, symbol).xreplace(named))

    def surplus(self) -> Node | None:
        """What the claim counts beyond the quantity through the rows that do not belong to it."""
        more = difference(self.claimed(self.bound(())), self.claimed(self.bound(self.claim.includes)))
        return self.tree(more) if more != 0 else None


def _everywhere(
    point: Mapping[str, int], trees: tuple[Node, ...], definitions: Mapping[str, Node]
) -> dict[str, Fraction]:
    """A counterexample with a value for every letter: 1 for those that the difference does not depend on."""
    values = {name: Fraction(value) for name, value in point.items()}
    for name in dict.fromkeys(name for tree in (*trees, *definitions.values()) for name in symbols_of(tree)):
        if name not in definitions:
            values.setdefault(name, Fraction(1))
    for name, definition in definitions.items():
        values.setdefault(name, evaluate(definition, values))
    return values
