"""Judging claims: derived quantity beside the quoted one, and the verdict that checker or counterexample gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product

from sympy import Add, Basic, Expr

from derive.citation import OPEN, PROVED, REFUTED, UP_TO, Claim
from derive.errors import ClaimError, unknown
from derive.exact import approximate, evaluate
from derive.ledger import Ledger, Row
from derive.model import Model, apply_relations, definitions
from derive.plan import Plan
from derive.proof.canonical import difference
from derive.proof.checker import Rejected, check
from derive.proof.refute.counterexample import counterexample
from derive.proof.statement import Statement, proved, stated
from derive.quantity import Formula
from derive.reading import sum_to_tree, to_sympy
from derive.shown import in_notebook
from derive.tensor import Role
from derive.tree import Node, Relation, sum_of, symbols_of, to_text


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
    certificate: dict | None = None  # what the checker accepted, as it can be checked again
    proof: str = ""  # its statement in the checker's words
    counterexample: Mapping[str, int | Fraction] | None = None
    values_there: tuple[Fraction, ...] | None = None  # claimed and derived at the counterexample
    statement: dict | None = None  # what was to be proved, where it is refuted or open

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return f"<{self.verdict}: {self.claim!r}>"

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


FEW_POINTS = 2_000  # where a counterexample is looked for before a proof is
WITNESS_SIZES = range(1, 13)  # enough for the ratios that architectures have, such as f = 8h/3


@cache
def judge(claim: Claim) -> Judgement:
    """The verdict on a claim: proved and proved up to rest on the checker, refuted on an exact counterexample."""
    notation = claim.formula.notation
    model = Model(claim.about) if claim.about is not None else None
    ledger = claim.formula.ledger(model, plan_of(claim), set(symbols_of(claim.tree)) - set(claim.letters))
    comparison = _Comparison(claim, model)
    letters = _letters(claim, ledger, comparison)
    witness = _check_meaning(claim, model, letters)
    counted = ledger.select(lambda row: not is_neglected(row, claim.neglect))
    neglected = ledger.select(lambda row: is_neglected(row, claim.neglect) and row.value != 0)
    derived = read_back(tuple(row.value for row in counted), claim.formula)
    if isinstance(derived, str):
        raise ClaimError(f"{claim.source.key}, {claim.place}: {claim.formula.name} was read as {derived}")
    # The letters that stand for other quantities are hypotheses too, and the checker substitutes both.
    bound = {letter: comparison.tree(part) for letter, part in comparison.bound(claim.includes).items()}
    statement = stated(Relation(claim.tree, "==", derived), claim.relations | bound, notation, witness=witness)
    if (found := _accepted(statement)) is None:
        return replace(_refuted(claim, comparison, counted, derived, statement), letters=letters)
    proof, certificate = found
    exact = Judgement(
        claim, PROVED, derived, relations=claim.relations, letters=letters, certificate=certificate, proof=proof
    )
    return _up_to(exact, comparison, ledger, neglected, witness) if neglected.rows or claim.includes else exact


def fits(claim: Claim, model: Model | None, plan: Plan, formula: Formula) -> bool:
    """Whether a claim is about exactly these rows, whatever settings lead to them, in the quantity's own letters."""
    if not claim.form or claim.letters or (claim.about is None) != (model is None):
        return False
    if model is not None and claim.about is not model.architecture:
        return False
    return claim.formula.rows(model, plan_of(claim)) == formula.rows(model, plan)


def proved_under(judgement: Judgement, relations: Mapping[str, Node]) -> bool:
    """Whether the claim is proved under hypotheses that are in force here."""
    in_force = all(relations.get(letter) == tree for letter, tree in judgement.hypotheses.items())
    return judgement.verdict in (PROVED, UP_TO) and in_force


@cache
def read_back(amounts: tuple[Expr, ...], formula: Formula) -> Node | str:
    """The tree of a sum, read back and compared; the text of the tree where that differs. Many claims are about it."""
    tree = sum_to_tree(amounts, formula.notation.order)
    return tree if difference(to_sympy(tree, formula.notation.symbol), Add(*amounts)) == 0 else to_text(tree)


def _accepted(statement: Statement) -> tuple[str, Statement] | None:
    """What was proved of a statement, and how; None where it is false, which is looked for before a proof is."""
    try:
        return check(statement | {"steps": []}), statement | {"steps": []}
    except Rejected:
        pass
    try:
        return None if counterexample(statement, FEW_POINTS) is not None else proved(statement)
    except Rejected:
        return None


def _up_to(
    exact: Judgement, comparison: _Comparison, ledger: Ledger, neglected: Ledger, witness: Mapping[str, Fraction]
) -> Judgement:
    """What a proved claim leaves out and adds, as one equality for the checker: claim + left out = quantity + added."""
    claim, notation = exact.claim, exact.claim.formula.notation
    left_out = comparison.tree(neglected) if neglected.rows else None
    included = comparison.surplus() if claim.includes else None
    if left_out is None and included is None:
        return exact
    claimed = sum_of([claim.tree, *([left_out] if left_out is not None else [])])
    quantity = sum_of([comparison.tree(ledger, reduced=False), *([included] if included is not None else [])])
    given = claim.relations | {letter: comparison.tree(part) for letter, part in comparison.bound(()).items()}
    proof, certificate = proved(stated(Relation(claimed, "==", quantity), given, notation, witness=witness))
    return replace(
        exact,
        verdict=UP_TO,
        neglected=left_out,
        included=included,
        rows=neglected.rows,
        certificate=certificate,
        proof=proof,
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


def _check_meaning(claim: Claim, model: Model | None, letters: frozenset[str]) -> dict[str, Fraction]:
    """A claim must be about something: its neglected blocks exist, and whole sizes satisfy its hypotheses.

    The sizes are a witness, so that nothing is proved of no model at all: those of the letters that nothing defines.
    """
    blocks = model.whole.block_names if model is not None else ()
    for name in claim.neglect:
        if isinstance(name, str) and name not in blocks:
            raise unknown("block", name, blocks)
    relations = {letter: tree for letter, tree in claim.relations.items() if letter in letters}
    free = sorted({name for tree in relations.values() for name in symbols_of(tree)})
    divides = claim.about.divides if claim.about is not None else ()
    for sizes in product(WITNESS_SIZES, repeat=len(free)):
        chosen = {name: Fraction(size) for name, size in zip(free, sizes, strict=True)}
        point = chosen | {letter: evaluate(tree, chosen) for letter, tree in relations.items()}
        whole = all(value > 0 and value.denominator == 1 for value in point.values())
        known = [(point[one], point[other]) for one, other in divides if one in point and other in point]
        if whole and all(multiple % part == 0 for part, multiple in known):
            return {name: value for name, value in chosen.items() if value != 1}
    said = ", ".join(f"{letter} = {to_text(tree)}" for letter, tree in relations.items())
    raise ClaimError(f"{claim.source.key}, {claim.place}: no model was found with {said}")


def _refuted(claim: Claim, comparison: _Comparison, counted: Ledger, derived: Node, statement: Statement) -> Judgement:
    """What the checker does not accept is refuted by a counterexample, or open."""
    gap = difference(comparison.claimed(comparison.bound(claim.includes)), comparison.reduced(counted.value))
    residual = comparison.tree(gap) if gap != 0 else None
    judgement = Judgement(claim, OPEN, derived, residual, relations=claim.relations, statement=statement)
    point = counterexample(statement, divides=claim.about.divides if claim.about is not None else ())
    if point is None:
        return judgement
    values = _values(point, claim.tree, derived)
    if values[0] == values[1]:  # which the search would have to be wrong for
        return judgement
    trees = (claim.tree, derived, *([residual] if residual is not None else []))
    used = {name for tree in trees for name in symbols_of(tree)}
    used |= {name for letter in used & set(claim.relations) for name in symbols_of(claim.relations[letter])}
    shown = {name: int(value) if value.denominator == 1 else value for name, value in point.items() if name in used}
    return replace(
        judgement,
        verdict=REFUTED,
        counterexample=shown,
        values_there=values,
    )


def _values(point: Mapping[str, Fraction], *trees: Node) -> tuple[Fraction, ...]:
    """Values at a point, exact but for irrational ones, which are to fifty digits."""
    return tuple(approximate(tree, point) for tree in trees)


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
