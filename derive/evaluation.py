"""Substitution: the sizes that are known, what they imply, whether the plan divides them, and what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from sympy import Symbol as SympySymbol

from derive.citation import PROVED, UP_TO, Claim
from derive.errors import GrammarError, ModelError, PlanError
from derive.exact import approximate, evaluate
from derive.grammar import parse
from derive.interval import Interval, bounds
from derive.letters import Notation
from derive.model import Given, Model
from derive.plan import Plan
from derive.reading import to_tree
from derive.shown import in_notebook
from derive.tensor import Axis, Mesh, Remainder, Tensor
from derive.tracing import Trace
from derive.tree import Node, rational, substitute, symbols_of, to_text
from derive.verdict import Judgement

Sizes = Mapping[str, Given]
PADDING = 128  # Megatron-LM's --make-vocab-size-divisible-by, times the tensor parallel degree


def with_options(model: Model, options: Mapping[str, Given]) -> Model:
    """The model with the sizes that a person sets; a letter that is no size of it raises `ModelError`."""
    own = model.architecture.letters.split()
    for letter in options:
        if letter not in own:
            raise ModelError(
                f"{letter} is no size of {model.name or model.architecture.name}: its sizes are {', '.join(own)}"
            )
    if all(model.sizes.get(letter) == given for letter, given in options.items()):
        return model  # the same one, so that what is known of it is found again
    return replace(model, sizes={**model.sizes, **options})


def implied(model: Model) -> dict[str, Given]:
    """The model's sizes and those that its relations give; `ModelError` where one is not whole or exceeds its bound."""
    known = dict(model.sizes)
    for letter, tree in model.relations.items():
        if all(name in known for name in symbols_of(tree)):
            value = evaluate(tree, {name: given.value for name, given in known.items()})
            if value.denominator != 1 or value < 1:
                parts = ", ".join(f"{name} = {known[name].value}" for name in symbols_of(tree))
                raise ModelError(f"{letter} = {to_text(tree)} is not a whole number for {parts}: set {letter} itself")
            known[letter] = Given(int(value), f"{letter} = {to_text(tree)}")
    for letter, limit, most in limits(model, known):
        if letter in known and known[letter].value > most:
            set_too = ", ".join(symbols_of(limit))
            raise ModelError(f"{letter} = {known[letter].value} exceeds {to_text(limit)} = {most}: set {set_too} too")
    for letter, multiple in model.architecture.divides:
        if letter in known and multiple in known and known[multiple].value % known[letter].value:
            raise ModelError(f"{letter} = {known[letter].value} does not divide {multiple} = {known[multiple].value}")
    return known


def limits(model: Model, known: Sizes) -> Iterator[tuple[str, Node, Fraction]]:
    """Every letter that has a bound whose letters are known, the bound, and its value."""
    for letter, text in model.architecture.bounds:
        limit = parse(text, model.architecture.notation.letters)
        if all(name in known for name in symbols_of(limit)):
            yield letter, limit, evaluate(limit, {name: known[name].value for name in symbols_of(limit)})


def divided_axes(tensors: Iterable[Tensor]) -> set[Axis]:
    """The axes that the tensor parallel degree must divide; experts are divided by another degree."""
    return {axis for tensor in tensors for axis in tensor.axes if axis.split in (Mesh.TP, Mesh.SP)}


def fitted(plan: Plan, tensors: Iterable[Tensor], known: Sizes, notation: Notation) -> Plan:
    """The plan for these sizes: axes that it replicates are marked; `PlanError` where it does not divide one."""
    degree = known["t"].value if plan.tp == notation.symbol("t") and "t" in known else plan.tp
    if not isinstance(degree, int) or degree == 1:
        return plan
    replicated = set()
    for axis in sorted(divided_axes(tensors), key=lambda axis: axis.name):
        name = axis.size.name if isinstance(axis.size, SympySymbol) else axis.name
        if name not in known or (axis.split is Mesh.SP and not plan.sp):
            continue
        size = known[name].value
        if size % degree == 0:
            continue
        if axis.remainder is Remainder.PAD and plan.padding:
            continue
        if axis.remainder is Remainder.REPLICATE and degree % size == 0:
            replicated.add(name)
            continue
        meaning = notation[name].meaning
        message = f"tp={degree} does not divide {name} = {size} ({meaning})"
        if axis.remainder is Remainder.PAD:
            step = PADDING * degree
            message += f": frameworks pad it, --plan pad-vocab={PADDING} or --set {name}={-(-size // step) * step}"
        elif axis.remainder is Remainder.REPLICATE:
            message += ", and is not a multiple of it either: choose tp so that one divides the other"
        raise PlanError(message)
    return replace(plan, replicated=tuple(sorted(replicated)))


def split_letters(traced: Trace, plan: Plan, known: Sizes) -> tuple[str, ...]:
    """The letters that tensor parallelism is taken to divide: all that it splits, but those that are known to be."""
    if plan.tp == 1:
        return ()
    meshes = {Mesh.TP, Mesh.SP} if plan.sp else {Mesh.TP}
    names = {axis.name for tensor in traced.tensors for axis in tensor.axes if axis.split in meshes}
    decided = known if isinstance(plan.tp, int) or "t" in known else {}
    return tuple(sorted(name for name in names if name not in decided))


def number(expression: Node, known: Sizes) -> Fraction | Interval | None:
    """The value, or None while a letter of the expression has none; exact unless it is irrational.

    Where a letter is only known to lie in an interval, so is the value.
    """
    letters = symbols_of(expression)
    if any(name not in known for name in letters):
        return None
    values = {name: known[name].value for name in letters}
    if any(isinstance(value, Interval) for value in values.values()):
        return bounds(expression, values)
    return approximate(expression, values)


def is_rational(expression: Node, known: Sizes) -> bool:
    """Whether the value, or each end of its interval, is exact: no root or power of it is irrational."""
    values = {name: known[name].value for name in symbols_of(expression)}
    if any(isinstance(value, Interval) for value in values.values()):
        return True
    try:
        evaluate(expression, values)
    except GrammarError:
        return False
    return True


def exact_text(expression: Node, known: Sizes) -> str:
    """The exact value as text: a number, an interval's two ends, or, with roots, the expression at its values."""
    values = {name: known[name].value for name in symbols_of(expression)}
    if any(isinstance(value, Interval) for value in values.values()):
        return str(bounds(expression, values))
    try:
        return str(evaluate(expression, values))
    except (GrammarError, ValueError):  # no rational number, or one of more digits than Python writes
        return to_text(substitute(expression, {name: rational(Fraction(value)) for name, value in values.items()}))


@dataclass(frozen=True)
class Valued:
    """A judged claim at a model's sizes: its value there, which hypotheses fail, and which the sizes do not decide.

    `assumed` are the degrees that the claim has and the plan does not say: they are 1.
    """

    judgement: Judgement
    value: Fraction | Interval | None
    failing: tuple[str, ...]
    undecided: tuple[str, ...]
    assumed: Mapping[str, int]

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return repr(self.judgement)

    @property
    def claim(self) -> Claim:
        """The claim itself."""
        return self.judgement.claim

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds for this model, up to what it neglects; None where sizes to decide it are missing."""
        if self.judgement.verdict not in (PROVED, UP_TO) or self.failing:
            return False
        return None if self.undecided else True


def valued(judgement: Judgement, model: Model | None, plan: Plan, known: Sizes, real: Sizes) -> Valued:
    """A claim at the sizes `known`, parallel degrees 1 where the plan says nothing; `real` sizes decide hypotheses."""
    claim = judgement.claim
    degree = Given(plan.tp, "plan") if isinstance(plan.tp, int) else None
    here = dict(known) | ({"t": degree} if degree is not None and "t" not in known else {})
    standing = dict(claim.formula.alternatives()) | dict(claim.letters)
    wanted = [x for x in symbols_of(claim.tree) if x in claim.letters or x not in here]
    missing = {x: standing[x] for x in wanted if x in standing}
    for letter, formula in missing.items() if model is not None and known else ():
        value = number(to_tree(formula.ledger(model, plan).value), here)
        if value is not None:
            here[letter] = Given(value, formula.name)
    try:
        value = number(claim.tree, here)
    except GrammarError:  # a division by zero at these sizes
        value = None
    assumed = {"t": 1} if plan.tp == 1 and "t" in symbols_of(claim.tree) else {}
    failing, undecided = _hypotheses(judgement, model, real)
    if claim.about is None and model is not None and _has_more(claim, model):
        failing = (*failing, f"it is about bare sizes, {claim.formula.name} of a model has more in it")
    return Valued(judgement, value, failing, undecided, assumed)


def _has_more(claim: Claim, model: Model) -> bool:
    """Whether the rows that a claim is about have letters for a model that they do not have without one."""
    bare, whole = claim.formula.rows(None, claim.plan), claim.formula.rows(model, model.complete(claim.plan))
    return whole.letters > bare.letters


def _hypotheses(judgement: Judgement, model: Model | None, known: Sizes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which hypotheses of a claim fail for a model, and which its sizes do not decide."""
    about = judgement.claim.about
    if about is not None and model is None:
        return (), ()
    same = model is not None and about is model.architecture
    elsewhere = about is not None and model is not None and not same
    failing = [f"it is about {about.name}, not {model.architecture.name}"] if elsewhere and about and model else []
    undecided = []
    for letter, tree in judgement.hypotheses.items():
        if same and model is not None and model.relations.get(letter) == tree:
            continue  # it is in force
        text = f"{letter} == {to_text(tree)}"
        if letter not in known or any(name not in known for name in symbols_of(tree)):
            undecided.append(text)
            continue
        wanted = evaluate(tree, {name: given.value for name, given in known.items()})
        if known[letter].value != wanted:
            failing.append(f"{text} ({letter} is {known[letter].value}, not {wanted})")
    return tuple(failing), tuple(undecided)
