"""Derivations: from the rows of a ledger to the formula, step by step, each step checked before it exists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import cast

from sympy import Expr

from derive.citation import Claim
from derive.errors import ClaimError, GrammarError
from derive.grammar import parse
from derive.ledger import Ledger, Line, Row
from derive.letters import Notation
from derive.model import Model, definitions, resolved
from derive.monomials import Definitions
from derive.plan import Plan
from derive.proof.canonical import difference
from derive.proof.step import show
from derive.quantity import Formula
from derive.quotients import divides_by_a_sum, quotients_to_tree
from derive.reading import as_written, shares, sum_to_tree, to_sympy, to_tree
from derive.shown import briefly, in_notebook
from derive.tree import Node, Product, Relation, Symbol, integer, product_of, substitute, sum_of, symbols_of, to_text
from derive.verdict import Judgement, fits, judge, proved_under

NOT_CLAIMED = ("≈", "under")  # relations that no equality is claimed by: rows are left out, a premise is stated
SIGNS = {"==": "=", "<=": "≤"}  # how a line's relation is written in a step
Words = tuple[str | Node | Relation, ...]  # a reason: words, with formulas among them


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a step: the rows that it stands for, all of one amount."""

    each: Node
    rows: tuple[Row, ...]

    @property
    def tree(self) -> Node:
        """All the rows together: how many there are times what each is."""
        if len(self.rows) == 1:
            return self.each
        factors = self.each.factors if isinstance(self.each, Product) else (self.each,)
        return product_of([integer(len(self.rows)), *factors])


@dataclass(frozen=True, slots=True)
class Step:
    """One line: which quantity (a block's part, or "" for the whole), its relation to the line before, and why.

    `proof` is what the checker accepted for this line; the first line of a quantity is its definition as a sum of rows.
    `left` is the left side where that is not the quantity: a line of an argument; the relation `under` marks a premise.
    """

    part: str
    relation: str
    expression: Node
    because: Words
    terms: tuple[Term, ...] = ()
    parts: tuple[str, ...] = ()
    proof: str = ""
    left: Node | None = None


@dataclass(frozen=True)
class Derivation:
    """A formula's ledger for a model and a plan, the steps from it, and the expression that they arrive at."""

    formula: Formula
    model: Model | None
    plan: Plan
    ledger: Ledger
    steps: tuple[Step, ...]
    expression: Node
    headline: Judgement | None
    linked: bool = True  # whether the argument, where there is one, is seen to arrive at the row

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return f"<derivation {self.formula.name}: {self.formula.symbol} = {briefly(to_text(self.expression))}>"

    @property
    def checked(self) -> int:
        """How many equalities the checker accepted."""
        return sum(bool(step.proof) for step in self.steps)

    @property
    def proved(self) -> bool:
        """Whether the checker accepted every equality but the definitions: rows of a quantity, sum of its parts.

        An argument counts only if one of its lines is seen to arrive at the row.
        """
        empty = all(row.value == 0 for row in self.ledger)  # then 0 is the definition, and has no terms
        return empty or (
            self.linked
            and all(step.proof or step.terms or step.parts or step.relation in NOT_CLAIMED for step in self.steps)
        )


def derivation(
    formula: Formula, model: Model | None, plan: Plan, claims: Iterable[Claim] = (), keep: Collection[str] = ()
) -> Derivation:
    """Derive `formula`: rows by block, like terms, hypotheses, sum; ends in the known form for this very case.

    Letters that stand for other quantities are replaced by what these are, but those to `keep`. Every equality is
    accepted by the proof checker or the derivation is not built: `ClaimError`.
    """
    ledger = formula.rows(model, plan)
    relations = dict(model.relations) if model is not None else {}
    maker = _Maker(formula.notation, relations)
    fitting = (judge(claim) for claim in claims if fits(claim, model, plan, formula))
    headline = next((judgement for judgement in fitting if proved_under(judgement, relations)), None)
    steps: list[Step] = [maker.line(line, ledger.lines[:place]) for place, line in enumerate(ledger.lines)]
    groups = {name: part for name, part in ledger.groups().items() if any(row.value != 0 for row in part)}
    if len(groups) > 1:
        parts = []
        for name, part in groups.items():
            own = maker.part(name, part)
            steps += own
            parts.append(own[-1].expression)
        total = sum_of(parts)
        steps.append(Step("", "=", total, ("the blocks together",), parts=tuple(groups)))
    else:
        steps += maker.part("", ledger, in_front=True)
        total = steps[-1].expression
    standing = {x: each for x, each in formula.standing(model, ledger.letters).items() if x not in keep}
    if standing:
        steps += maker.replacing(total, standing, model, plan, keep)
        total = steps[-1].expression
    else:
        # What a claim leaves out is told apart in the rows as they are, so a form is for these alone.
        steps += maker.ending(total, ledger, headline)
    steps = _merged(steps, formula)
    whole = next(step for step in reversed(steps) if step.relation == "=" and step.left is None)
    linked = maker.linked(ledger)
    return Derivation(formula, model, plan, ledger, tuple(steps), whole.expression, headline, linked)


def _merged(steps: list[Step], formula: Formula) -> list[Step]:
    """The steps with an argument's last line and the row that it arrives at as one."""
    for place, (line, row) in enumerate(pairwise(steps)):
        arrived = line.left == Symbol(formula.symbol) and line.relation != "≤" and row.left is None
        if arrived and row.expression == line.expression:
            return [*steps[:place], replace(row, proof=line.proof), *steps[place + 2 :]]
    return steps


@dataclass(frozen=True)
class _Maker:
    """Builds steps of one derivation: the notation and the hypotheses are the same for all of them."""

    notation: Notation
    relations: Mapping[str, Node]

    def part(self, name: str, ledger: Ledger, *, in_front: bool = False) -> list[Step]:
        """The steps of one block: its rows as terms, then like terms together under the hypotheses."""
        terms = self._terms(ledger)
        first = sum_of([term.tree for term in terms])
        steps = [Step(name, "=", first, ("one term for each row of the ledger",), terms=terms)]
        simple = self.total(ledger, in_front=in_front)
        if simple != first:
            steps.append(self.equal(name, first, simple, "like terms"))
        return steps

    def line(self, line: Line, before: Sequence[Line] = ()) -> Step:
        """One line of the author's argument: a premise, or what the checker accepts under definitions that are said."""
        letters = self.notation.letters
        left, right = parse(line.left, letters), parse(line.right, letters)
        if line.is_premise:
            return Step("", "under", right, (line.because,), left=left)
        given = resolved({letter: parse(text, letters) for letter, text in line.given.items()})
        said = {pair for each in before for pair in ((each.left, each.right), *each.given.items())}
        because = line.because, *_under({x: given[x] for x, text in line.given.items() if (x, text) not in said})
        proof = show(left, line.relation, right, given, self.notation)
        return Step("", SIGNS[line.relation], right, because, proof=proof, left=left)

    def linked(self, ledger: Ledger) -> bool:
        """Whether an argument arrives at the row, in the checker's eyes; one that ends in a bound is about the row."""
        lines = ledger.lines
        if not lines or lines[-1].relation == "<=":
            return True
        row = self.total(ledger)
        return any(self._arrives(line, row) for line in reversed(lines) if not line.is_premise)

    def _arrives(self, line: Line, row: Node) -> bool:
        right = parse(line.right, self.notation.letters)
        try:
            return right == row or bool(show(right, "==", row, self.relations, self.notation))
        except ClaimError:
            return False

    def equal(self, name: str, before: Node, after: Node, because: str) -> Step:
        """A step that is an equality, checked; the reason names the hypotheses that it uses."""
        proof = show(before, "==", after, self.relations, self.notation)
        used = {letter: tree for letter, tree in self.relations.items() if letter in symbols_of(before)}
        return Step(name, "=", after, (because, *_under(used)), proof=proof)

    def total(self, ledger: Ledger, *, in_front: bool = True) -> Node:
        """The sum of the rows under the hypotheses, in reading order."""
        amounts = [row.value for row in ledger]
        if ledger.written and not ledger.letters & set(self.relations):
            return as_written(amounts, self.notation.order)
        try:
            return sum_to_tree(amounts, self.notation.order, in_front=in_front, where=self.definitions)
        except GrammarError:  # a definition is a sum that is divided by, or under a root: its letter stays
            return sum_to_tree(amounts, self.notation.order, in_front=in_front)

    def replacing(
        self, total: Node, standing: Mapping[str, Formula], model: Model | None, plan: Plan, keep: Collection[str]
    ) -> list[Step]:
        """The step that puts in what letters such as N or C stand for; none if that changes nothing."""
        notation = self.notation
        found = {x: each.ledger(model, plan, keep).value for x, each in standing.items()}
        # Everywhere, below fraction bars too: what is defined may not stand in another definition.
        found = {x: cast(Expr, value.xreplace(self.definitions)) for x, value in found.items()}
        trees = {x: quotients_to_tree(value, notation.order) if divides_by_a_sum(value) else
                 sum_to_tree([value], notation.order) for x, value in found.items()}  # fmt: skip
        values = {notation.symbol(x): to_sympy(tree, notation.symbol) for x, tree in trees.items()}
        replaced = cast(Expr, to_sympy(total, notation.symbol).xreplace(values))
        if divides_by_a_sum(replaced):
            after = quotients_to_tree(replaced, notation.order)
        else:
            after = sum_to_tree([replaced], notation.order, where=self.definitions)
        if after == total:
            return []
        # The checker takes no letter that is 0 for a definition, so these go first.
        zero = {x: tree for x, tree in trees.items() if values[notation.symbol(x)] == 0}
        proof = show(substitute(total, zero), "==", after, {**self.relations, **trees}, notation)
        words: list[str | Node | Relation] = ["with "]
        for x, tree in trees.items():
            words += [", " if len(words) > 1 else "", Relation(Symbol(x), "==", tree), f" ({standing[x].name})"]
        return [Step("", "=", after, tuple(words), proof=proof)]

    @cached_property
    def definitions(self) -> Definitions:
        """The hypotheses as substitutions."""
        return definitions(self.relations, self.notation)

    def ending(self, total: Node, ledger: Ledger, headline: Judgement | None) -> list[Step]:
        """The last steps: the sum with its common factor in front, or as the source of a proved claim writes it."""
        if headline is None:
            simple = self.total(ledger)
            return [self.equal("", total, simple, "summed")] if simple != total else []
        claim = headline.claim
        quoted = f"in the form of {claim.source.authors} {claim.source.year}, {claim.place}"
        if headline.neglected is None:
            return [self.equal("", total, claim.tree, quoted)] if total != claim.tree else []
        exact = sum_of([claim.tree, headline.neglected])
        names = (row.role.value if row.role is not None else row.tensor for row in headline.rows)
        left_out = ", ".join(dict.fromkeys(names))
        because = "neglecting ", headline.neglected, f" ({left_out})", *self._bound(ledger, headline)
        return [self.equal("", total, exact, quoted), Step("", "≈", claim.tree, because)]

    def _terms(self, ledger: Ledger) -> tuple[Term, ...]:
        """Rows of equal value as one term: `3*2*s*b*h` for three tensors of 2sbh bytes."""
        by_value: dict[object, list[Row]] = {}
        for row in ledger:
            if row.value != 0:
                by_value.setdefault(row.value, []).append(row)
        return tuple(Term(self._read(rows[0]), tuple(rows)) for rows in by_value.values())

    def _read(self, row: Row) -> Node:
        """A row's amount as a tree, which SymPy must find to be the same amount: proofs start from it."""
        order = self.notation.order
        tree = as_written([row.value], order) if row.written else to_tree(row.value, order)
        read = to_sympy(tree, self.notation.symbol)
        if read != row.value and difference(read, row.value) != 0:
            raise ClaimError(f"{row.tensor}: its amount {row.value} was read as {to_text(tree)}")
        return tree

    def _bound(self, ledger: Ledger, headline: Judgement) -> Words:
        """How large the neglected part is at most: its share of one term of the formula, all terms being positive."""
        counted = [row.value for row in ledger if row not in headline.rows]
        rest = [row.value for row in headline.rows]
        each = shares(rest, counted, self.notation.order, self.definitions)
        found = [tree for tree in each if "+" not in to_text(tree)]
        return (", a share of at most ", min(found, key=lambda tree: len(to_text(tree)))) if found else ()


def _under(given: Mapping[str, Node]) -> Words:
    """The hypotheses of a step, for its reason."""
    equalities = [Relation(Symbol(letter), "==", tree) for letter, tree in given.items()]
    return tuple(word for place, each in enumerate(equalities) for word in (", " if place else ", under ", each))
