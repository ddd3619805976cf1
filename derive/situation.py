"""What is asked, completed: a model with its sizes, a plan with the model's defaults, and the value of every letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from derive.errors import ModelError
from derive.evaluation import implied, is_rational, number, with_options
from derive.interval import Interval
from derive.kept import check_blocks, check_frozen
from derive.layout import LETTER_KEYS, degrees, laid_out, staged, with_degrees, without_padded
from derive.model import Given, Model
from derive.plan import Plan
from derive.quantity import Formula
from derive.reading import as_written, sum_to_tree
from derive.tree import Node
from derive.values import show

Values = Mapping[str, Given]


@dataclass(frozen=True)
class OfKind:
    """What a quantity of one layer is for a kind of layer, and how many there are of it."""

    kind: str
    count: int | None
    value: Fraction | Interval | None


@dataclass(frozen=True)
class Situation:
    """A formula, what it is about, and under which plan.

    `asked` is the plan as a person wrote it, `plan` with the model's own settings; `known` are the values of letters,
    those that stand for other quantities included, `real` the model's even where its letters are kept; `assumptions`
    say what the plan takes for granted. `layers` are the values by kind of layer, where the formula is about one of
    several.
    """

    formula: Formula
    model: Model | None
    asked: Plan
    plan: Plan
    known: Values
    real: Values
    assumptions: tuple[str, ...]
    layers: tuple[OfKind, ...] = ()

    @cached_property
    def expression(self) -> Node:
        """The sum of the formula's rows, letters that stand for other quantities left in it."""
        return _expression(self.formula, self.model.bare if self.model is not None else None, self.plan)

    @cached_property
    def value(self) -> Fraction | Interval | None:
        """The value of the formula, or None while a letter has none; to fifty digits where it is irrational."""
        return number(self.expression, self.known)

    @property
    def is_exact(self) -> bool:
        """Whether the value is exact."""
        return self.value is not None and is_rational(self.expression, self.known)


@lru_cache(maxsize=4096)
def _expression(formula: Formula, model: Model | None, plan: Plan) -> Node:
    rows = formula.rows(model, plan)
    amounts, order = [row.value for row in rows], formula.notation.order
    return as_written(amounts, order) if rows.written else sum_to_tree(amounts, order)


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
    asked = with_degrees(plan, sizes, formula.notation)
    model = model.composed(asked) if model is not None else None
    if formula.of_layer and model is not None and model.of_kinds and not model.architecture.kind:
        return _largest_kind(formula, model, asked, options=options or {}, symbolic=symbolic, evaluated=evaluated)
    if asked.pp != 1 and not asked.stage and formula.per_device and model is not None:
        return _worst_stage(formula, model, asked, options=options or {}, symbolic=symbolic, evaluated=evaluated)
    given_degrees = degrees(asked, sizes, formula.notation)
    if model is None:
        check_blocks((), asked.recompute)
        known = usual(formula, None, asked) | sizes | given_degrees
        bare = Situation(formula, None, asked, asked, known, known, ())
        known = _standing(bare, options or {})
        return replace(bare, known=known, real=known)
    check_frozen(model.whole, asked)
    check_blocks(model.whole.block_names, asked.recompute)
    plain = _of_no_size(formula, model, asked, {x: each for x, each in sizes.items() if x not in given_degrees})
    plain |= {x: each for x, each in sizes.items() if x in given_degrees or x in LETTER_KEYS}
    model = with_options(model, {x: each for x, each in sizes.items() if x not in plain})
    sizes_here = implied(model)
    elsewhere = formula.redefines(sizes_here, model.architecture.notation)  # its own letters are not the model's
    real = {x: each for x, each in sizes_here.items() if x not in elsewhere} | given_degrees | plain
    filled, assumptions = model.complete(asked), ()
    if formula.per_device:
        exact = real if evaluated and not symbolic else without_padded(model, real)
        filled, assumptions = laid_out(formula, model, filled, exact)
        filled, stages = staged(model, filled, real)
        assumptions += stages
    if symbolic:
        return Situation(formula, replace(model, sizes={}), asked, filled, {}, real, assumptions)
    case = Situation(formula, model, asked, filled, usual(formula, model, filled) | real, real, assumptions)
    known = _standing(case, options or {})
    return replace(case, known=known, real=known | real)


def _of_no_size(formula: Formula, model: Model, plan: Plan, values: Values) -> dict[str, Given]:
    """Those of the values that are no sizes of the model, but letters that the formula can use."""
    own = model.architecture.letters.split()
    others = {x: each for x, each in values.items() if x not in own}
    if not others:
        return {}
    completed = model.complete(plan)
    reached = formula.reached(model, completed)
    if others.keys() - reached and plan.stage:  # what only the other stage of a pipeline depends on may be set too
        reached |= formula.reached(model, replace(completed, stage=""))
    return {x: each for x, each in others.items() if x in reached}


def amount(formula: Formula, model: Model | None, plan: Plan, values: Values) -> Fraction | Interval | None:
    """The value of a formula from `values` that may hold more letters than it can use; None where one is missing."""
    completed = model.complete(plan) if model is not None else plan
    used = set(formula.reached(model, completed)) | set(LETTER_KEYS)
    if model is not None:
        used |= set(model.architecture.letters.split())
    return _settled(formula, model, plan, frozenset((x, given) for x, given in values.items() if x in used)).value


def _worst_stage(
    formula: Formula, model: Model, plan: Plan, *, options: Mapping[str, Given | int], symbolic: bool, evaluated: bool
) -> Situation:
    """The stage of a pipeline with most; the first, where letters do not decide.

    Of equal layers it is the first or the last: those between have less than the first, no tables, and fewer
    micro-batches in flight.
    """
    stages = [replace(plan, stage=stage) for stage in ("first", "last")]
    if model.architecture.kinds and isinstance(plan.pp, int):
        middle = [replace(plan, stage="middle", position=index) for index in range(1, plan.pp - 1)]
        stages = [stages[0], *middle, stages[1]]
    cases = [
        situation(formula, model, stage, options=options, symbolic=symbolic, evaluated=evaluated) for stage in stages
    ]
    values = [case.value for case in cases]
    if all(isinstance(value, Fraction) for value in values):
        chosen = cases[values.index(max(value for value in values if isinstance(value, Fraction)))]
        place, of = chosen.plan.position, chosen.plan.pp
        name = f"stage {place + 1} of {of}" if place else f"the {chosen.plan.stage} stage"
        return replace(chosen, assumptions=(*chosen.assumptions, f"{name} holds more"))
    return replace(cases[0], assumptions=(*cases[0].assumptions, "of the pipeline, it is the first stage"))


def _largest_kind(
    formula: Formula, model: Model, plan: Plan, *, options: Mapping[str, Given | int], symbolic: bool, evaluated: bool
) -> Situation:
    """Of a model's kinds of layers the one with most; the first, where letters do not decide."""

    def case(each: Model, symbolic: bool) -> Situation:
        return situation(formula, each, plan, options=options, symbolic=symbolic, evaluated=evaluated)

    cases = {kind: case(each, symbolic=False) for kind, each in model.of_kinds.items()}
    values = {kind: each.value for kind, each in cases.items()}
    known = [value for value in values.values() if isinstance(value, Fraction)]
    kind = next(iter(cases)) if len(known) < len(values) else next(x for x, v in values.items() if v == max(known))
    chosen = case(model.of_kinds[kind], symbolic=True) if symbolic else cases[kind]
    layers = []
    for each, (count, _) in model.architecture.kinds.items():
        given = cases[each].known.get(count)
        layers.append(OfKind(each, given.value if given is not None else None, values[each]))
    if len(known) == len(values) and len(set(known)) == 1:
        return replace(chosen, layers=tuple(layers))
    said = f"of its layers, it is one {kind}" + (": they have most" if len(known) == len(values) else "")
    return replace(chosen, assumptions=(*chosen.assumptions, said), layers=tuple(layers))


AMOUNTS = ("parameter", "token")  # so many of them that a root or a quotient stands for a whole number of them


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


def _standing(case: Situation, options: Mapping[str, Given | int]) -> dict[str, Given]:
    """The known values and those of the letters that stand for quantities which have one here.

    Where such a quantity has none, those of the letters in its own formula that it keeps, since what they stand for is
    in letters which mean something else there. Raises `ModelError` where a letter that counts things is not whole.
    """
    formula = case.formula
    own = formula.standing(case.model, formula.rows(case.model, case.plan).letters)
    found = dict(case.known) | _values_of(own, case, options)
    if all(letter in found or letter in options for letter in own):
        return found
    below = {letter: each for letter, each in _below(formula, case).items() if letter not in found}
    return found | _values_of(below, case, options)


def _below(formula: Formula, case: Situation) -> dict[str, Formula]:
    """The letters of the formulas below that mean the same here, and what they stand for."""
    found: dict[str, Formula] = {}
    for each in formula.standing(case.model, formula.rows(case.model, case.plan).letters).values():
        inner = each.standing(case.model, each.rows(case.model, case.plan).letters)
        found |= _below(each, case) | inner
    return {x: each for x, each in found.items() if not formula.redefines([x], each.notation)}


def _values_of(
    standing: Mapping[str, Formula], case: Situation, options: Mapping[str, Given | int]
) -> dict[str, Given]:
    """The exact values of quantities that letters stand for; a root is put in as it is, to be rounded once."""
    found = {}
    for letter, each in standing.items():
        if letter in options:
            continue
        # Sizes of the model are in it already; a value that its formula has no use for is left out.
        wanted = each.reached(case.model, case.plan) | LETTER_KEYS.keys()
        used = frozenset((x, given) for x, given in options.items() if x in wanted)
        inner = _settled(each, case.model, case.asked, used)
        meaning, value = case.formula.notation[letter], inner.value
        if not inner.is_exact:
            continue
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
