"""What is asked, completed: a model with its sizes, a plan with the model's defaults, and the value of every letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from derive.errors import ModelError, PlanError
from derive.evaluation import fitted, implied, is_rational, number, split_letters, with_options
from derive.interval import Interval
from derive.kept import requiring_gradients
from derive.letters import Notation
from derive.model import Given, Model
from derive.plan import LETTERS, Plan
from derive.quantity import Formula
from derive.reading import as_written, sum_to_tree
from derive.tensor import Remainder
from derive.tracing import check_blocks
from derive.tree import Node
from derive.values import show

Values = Mapping[str, Given]


@dataclass(frozen=True)
class Situation:
    """A formula, what it is about, and under which plan.

    `asked` is the plan as a person wrote it, `plan` with the model's own settings; `known` are the values of letters,
    those that stand for other quantities included, `real` the model's even where its letters are kept; `assumptions`
    say what the plan takes for granted.
    """

    formula: Formula
    model: Model | None
    asked: Plan
    plan: Plan
    known: Values
    real: Values
    assumptions: tuple[str, ...]

    @cached_property
    def expression(self) -> Node:
        """The sum of the formula's rows, letters that stand for other quantities left in it."""
        rows = self.formula.rows(self.model, self.plan)
        amounts, order = [row.value for row in rows], self.formula.notation.order
        return as_written(amounts, order) if rows.written else sum_to_tree(amounts, order)

    @cached_property
    def value(self) -> Fraction | Interval | None:
        """The value of the formula, or None while a letter has none; to fifty digits where it is irrational."""
        return number(self.expression, self.known)

    @property
    def is_exact(self) -> bool:
        """Whether the value is exact."""
        return self.value is not None and is_rational(self.expression, self.known)


def situation(
    formula: Formula,
    model: Model | None,
    plan: Plan,
    *,
    options: Mapping[str, Given | int] | None = None,
    symbolic: bool = False,
    evaluated: bool = True,
) -> Situation:
    """Complete what a person asks; `options` are values that are set, `symbolic` keeps the model's letters.

    Where nothing is `evaluated`, an axis that frameworks pad is taken to be padded.

    Raises `ModelError`, `PlanError` or `UnknownName` for sizes that contradict one another, that the plan does not
    divide, and for blocks and parameters that are not there.
    """
    sizes = {
        letter: value if isinstance(value, Given) else Given(value, "option")
        for letter, value in (options or {}).items()
    }
    asked = _with_degrees(plan, sizes, formula.notation)
    if asked.pp != 1 and not asked.stage and formula.per_device and model is not None:
        return _worst_stage(formula, model, asked, options or {}, symbolic, evaluated)
    degrees = _degrees(asked, sizes, formula.notation)
    if model is None:
        check_blocks((), asked.recompute)
        known = sizes | degrees
        known = _standing(formula, None, asked, asked, usual(formula, None, asked) | known, options or {})
        return Situation(formula, None, asked, asked, known, known, ())
    requiring_gradients(model.whole, asked)  # refuses a parameter that is not there
    check_blocks(model.whole.block_names, asked.recompute)
    # What only the other stage of a pipeline depends on may be set too.
    reached = {
        x for stage in {asked.stage, ""} for x in formula.reached(model, replace(model.complete(asked), stage=stage))
    }
    own = set(model.architecture.letters.split())
    plain = {
        x: each for x, each in sizes.items() if x not in own and (x in reached or x in degrees or x in LETTER_KEYS)
    }
    model = with_options(model, {x: each for x, each in sizes.items() if x not in plain})
    real = implied(model) | degrees | plain
    filled, assumptions = model.complete(asked), ()
    if formula.per_device:
        exact = real if evaluated and not symbolic else _without_padded(model, real)
        filled, assumptions = _laid_out(formula, model, filled, exact)
        filled, staged = _staged(model, filled, real)
        assumptions += staged
    known = {} if symbolic else usual(formula, model, filled) | real
    if symbolic:
        model = replace(model, sizes={})
    else:
        known = _standing(formula, model, asked, filled, known, options or {})
    return Situation(formula, model, asked, filled, known, known | real, assumptions)


def amount(formula: Formula, model: Model | None, plan: Plan, values: Values) -> Fraction | Interval | None:
    """The value of a formula from `values` that may hold more letters than it can use; None where one is missing."""
    completed = model.complete(plan) if model is not None else plan
    used = set(formula.reached(model, completed)) | set(LETTER_KEYS)
    if model is not None:
        used |= set(model.architecture.letters.split())
    return _settled(formula, model, plan, frozenset((x, given) for x, given in values.items() if x in used)).value


def _worst_stage(
    formula: Formula, model: Model, plan: Plan, options: Mapping[str, Given | int], symbolic: bool, evaluated: bool
) -> Situation:
    """Of a pipeline's first and last stage the one with more; the first, where letters do not decide.

    The stages between have less than the first: no tables, and fewer micro-batches in flight.
    """
    cases = [
        situation(formula, model, replace(plan, stage=stage), options=options, symbolic=symbolic, evaluated=evaluated)
        for stage in ("first", "last")
    ]
    values = [case.value for case in cases]
    if all(isinstance(value, Fraction) for value in values):
        chosen = cases[values.index(max(value for value in values if isinstance(value, Fraction)))]
        return replace(chosen, assumptions=(*chosen.assumptions, f"the {chosen.plan.stage} stage holds more"))
    return replace(cases[0], assumptions=(*cases[0].assumptions, "of the pipeline, it is the first stage"))


def _staged(model: Model, plan: Plan, known: Values) -> tuple[Plan, tuple[str, ...]]:
    """The plan with uneven stages marked; `PlanError` where there are more stages than layers."""
    stacks = {str(tensor.copies[0]) for tensor in model.whole.tensors if tensor.copies}
    degree = known["p"].value if "p" in known else plan.pp
    if plan.pp == 1 or not stacks:
        return plan, ()
    said = []
    for name in sorted(stacks):
        if name not in known or not isinstance(degree, int):
            said.append(f"pp = {plan.pp} divides {name}")
        elif known[name].value < degree:
            raise PlanError(f"pp={degree} is more than {name} = {known[name].value}: a stage would have no layer")
        elif known[name].value % degree:
            plan = replace(plan, uneven=True)
            said.append(
                f"pp = {degree} does not divide {name} = {known[name].value}: the stage counted has most layers"
            )
    return plan, tuple(said)


AMOUNTS = ("parameter", "token")  # so many of them that a root or a quotient stands for a whole number of them
LETTER_KEYS = {letter: key for key, letter in LETTERS.items()}


def usual(formula: Formula, model: Model | None, plan: Plan) -> dict[str, Given]:
    """The values that letters have unless they are given, of the formula and of all that it is made from."""
    found: dict[str, Given] = {}
    for each in made_from(formula, model, plan):
        found = dict(each.usual(plan)) | found
    return found


def made_from(formula: Formula, model: Model | None, plan: Plan) -> Iterator[Formula]:
    """A formula and all quantities that its letters stand for, and theirs."""
    yield formula
    for each in formula.standing(model, formula.rows(model, plan).letters).values():
        yield from made_from(each, model, plan)


def _standing(
    formula: Formula, model: Model | None, asked: Plan, filled: Plan, known: Values, options: Mapping[str, Given | int]
) -> dict[str, Given]:
    """The known values and those of the letters that stand for quantities which have one here.

    Raises `ModelError` where such a letter counts things and the quantity is not whole.
    """
    found = dict(known)
    for letter, each in formula.standing(model, formula.rows(model, filled).letters).items():
        if letter in options:
            continue
        # Sizes of the model are in it already; a value that its formula has no use for is left out.
        wanted = each.reached(model, filled) | LETTER_KEYS.keys()
        inner = _settled(each, model, asked, frozenset((x, given) for x, given in options.items() if x in wanted))
        value = inner.value
        if not inner.is_exact:  # a root is put in as it is, so that the result is rounded once
            continue
        meaning = formula.notation[letter]
        counted = meaning.kind == "positive integer" and meaning.unit not in AMOUNTS
        if counted and isinstance(value, Fraction) and value.denominator != 1:
            amount = show(value, meaning.unit)
            raise ModelError(f"{letter} = {value} ({amount}; {meaning.meaning}) is not whole: {each.name} decides it")
        found[letter] = Given(value, each.name)
    return found


@lru_cache(maxsize=4096)
def _settled(
    formula: Formula, model: Model | None, plan: Plan, options: frozenset[tuple[str, Given | int]]
) -> Situation:
    return situation(formula, model, plan, options=dict(options))


def _degrees(plan: Plan, sizes: Values, notation: Notation) -> dict[str, Given]:
    """The degrees of the plan as values of their letters."""
    found = {}
    for key, letter in LETTERS.items():
        degree = getattr(plan, key)
        if letter in sizes and notation[letter].plan_key == key:
            found[letter] = sizes[letter]
        elif isinstance(degree, int) and degree != 1 and notation.letters.get(letter) is not None:
            if notation[letter].plan_key == key:
                found[letter] = Given(degree, "option")
    return found


def _with_degrees(plan: Plan, sizes: Values, notation: Notation) -> Plan:
    """`--set t=8` is `--plan tp=8`; two values for one thing are an error, a symbolic degree takes the value."""
    for letter, given in sizes.items():
        key = notation[letter].plan_key
        if not key:
            continue
        planned = getattr(plan, key)
        if planned == notation.symbol(letter):
            planned = 1
        if planned not in (1, given.value):
            raise ModelError(f"{letter} = {given.value} is set, but the plan says {key}={planned}")
        plan = replace(plan, **{key: given.value})
    return plan


def _without_padded(model: Model, sizes: Values) -> dict[str, Given]:
    axes = {axis for tensor in model.whole.tensors for axis in tensor.axes}
    padded = {axis.name for axis in axes if axis.remainder is Remainder.PAD}
    return {letter: given for letter, given in sizes.items() if letter not in padded}


def _laid_out(formula: Formula, model: Model, plan: Plan, known: Values) -> tuple[Plan, tuple[str, ...]]:
    """The plan fitted to the sizes, and what it assumes of those that are letters.

    All that a layer splits must fit; what only the ends split, such as the vocabulary, where the quantity has it.
    """
    used = formula.reached(model, plan)
    ends = [tensor for tensor in model.whole.tensors if used & {axis.name for axis in tensor.axes if axis.split}]
    plan = fitted(plan, [*model.layer.tensors, *ends], known, formula.notation)
    assumptions = []
    if divided := [letter for letter in split_letters(model.whole, plan, known) if letter in used]:
        assumptions.append(f"tp = {plan.tp} divides {', '.join(divided)}")
    if plan.replicated:
        few = ", ".join(f"{name} = {known[name].value}" for name in plan.replicated)
        degree = known["t"].value
        assumptions.append(
            f"{few} is less than tp = {degree}: each device keeps one whole, {degree} devices share them"
        )
    return plan, tuple(assumptions)
