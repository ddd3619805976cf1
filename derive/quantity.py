"""Formulas: named quantities, each a ledger that a fold gives or that its author states; frozen values, no registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, UnitError
from derive.ledger import Ledger, Line, Row
from derive.letters import Notation
from derive.shown import in_notebook
from derive.units import Unit, byte, dimensionless, unit_of

if TYPE_CHECKING:
    from sympy import Expr

    from derive.model import Given, Model
    from derive.plan import Plan


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that comes from a source and not from a derivation: Chinchilla's 20 tokens a parameter."""

    name: str
    value: Fraction
    unit: Unit
    source: str

    @property
    def number(self) -> Expr:
        """The value as SymPy's number."""
        from sympy import Rational

        return Rational(self.value.numerator, self.value.denominator)


@dataclass(frozen=True, slots=True)
class Statement:
    """One row as an author states it: what it is, and its amount in letters that have units.

    `each` is the unit of the numbers in the amount: in 6ND the 6 is FLOP for each parameter and token. `by` is an
    argument that leads to the amount. `counts` are letters that enter without their unit: a law that is fitted to
    numbers, such as A/N^alpha, is about how many.
    """

    amount: Expr
    what: str
    why: str = "by definition"
    each: Unit = dimensionless
    by: tuple[Line, ...] = ()
    counts: tuple[str, ...] = ()


# A letter that stands for another quantity: the first of these that can be computed for what is asked.
Stands = Mapping[str, "tuple[Formula, ...]"]
# Values that letters have unless they are given; a function where the plan decides them, such as the bits of a format.
Defaults = Mapping[str, "Given"] | Callable[["Plan"], Mapping[str, "Given"]]


@dataclass(frozen=True, eq=False)
class Formula:
    """One quantity of the catalog: what gives its ledger, how it is written, in which unit, under which name.

    `letters` stand for other quantities of the same model and plan, unless they are given. `defaults` are values that
    letters have unless they are given, `constants` the cited numbers in it, both shown with their origin.
    """

    function: Callable[..., Any]
    symbol: str
    unit: Unit
    notation: Notation
    name: str
    topic: str
    title: str
    letters: Stands = field(default_factory=dict, repr=False)
    defaults: Defaults = field(default_factory=dict, repr=False)
    constants: tuple[Constant, ...] = ()
    per_device: bool = False
    of_model: bool = False
    of_sizes: bool = False
    of_layer: bool = False

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return f"<formula {self.name}: {self.symbol} in {self.unit}>"

    @cached_property
    def arguments(self) -> Mapping[str, inspect.Parameter]:
        """What its function takes: `model`, `plan`, both or neither."""
        return inspect.signature(self.function).parameters

    def usual(self, plan: Plan) -> Mapping[str, Given]:
        """The values that its letters have under this plan unless they are given."""
        return self.defaults(plan) if callable(self.defaults) else self.defaults

    @cached_property
    def takes_model(self) -> bool:
        """Whether the quantity can be one of a model: it is, or a quantity is that one of its letters stands for."""
        return (
            "model" in self.arguments
            or self.of_sizes
            or any(each.takes_model for x in self.letters.values() for each in x)
        )

    @cached_property
    def needs_model(self) -> bool:
        """Whether there is no such quantity without a model: then a bare architecture stands in."""
        own = "model" in self.arguments and self.arguments["model"].default is inspect.Parameter.empty
        return own or self.of_model

    def rows(self, model: Model | None, plan: Plan) -> Ledger:
        """The rows as the author writes them; quantities of the whole model are counted as on one device.

        Raises `DeriveError` if the quantity is about a model and there is none, `UnitError` if a row's unit differs.
        """
        if self.needs_model and model is None:
            raise DeriveError(f"{self.name} is a quantity of a model: give one")
        # Rows are in letters: they depend on the architecture, not on the sizes.
        known = model.composed(plan).bare if model is not None else None
        laid = plan if self.per_device else plan.whole
        return _rows(self, known, known.of_layer(laid) if self.of_layer and known is not None else laid)

    def ledger(self, model: Model | None, plan: Plan, keep: Collection[str] = ()) -> Ledger:
        """The rows with every letter that stands for another quantity replaced, but those to `keep`."""
        rows = self.rows(model, plan)
        found = {letter: each for letter, each in self.standing(model, rows.letters).items() if letter not in keep}
        below = {letter: each.ledger(model, plan, keep) for letter, each in found.items()}
        # A quantity in letters that mean something else here stays a letter.
        ledgers = {
            self.notation.symbol(letter): ledger
            for letter, ledger in below.items()
            if not self.redefines(ledger.letters, found[letter].notation)
        }
        if not ledgers:
            return rows
        return Ledger(tuple(part for row in rows for part in _replaced(row, ledgers)), rows.unit)

    def standing(self, model: Model | None, letters: Collection[str]) -> dict[str, Formula]:
        """The quantities behind those of the `letters` that stand for one here."""
        found = {}
        for letter, choices in self.letters.items():
            possible = [each for each in choices if model is not None or not each.needs_model]
            if letter in letters and possible:
                found[letter] = possible[0]
        return found

    def redefines(self, letters: Collection[str], notation: Notation) -> set[str]:
        """Those of the letters of another notation that mean something else in this formula's."""
        return {x for x in letters if self.notation.letters.get(x) != notation.letters.get(x)}

    def alternatives(self) -> Iterator[tuple[str, Formula]]:
        """Every letter that can stand for a quantity, here and in those below, and that quantity; nearest last."""
        for choices in self.letters.values():
            for each in choices:
                yield from each.alternatives()
        for letter, choices in self.letters.items():
            yield letter, choices[0]

    def reached(self, model: Model | None, plan: Plan) -> frozenset[str]:
        """Every letter that its value can depend on, those of the quantities that it is made from included."""
        return _reached(self, model.composed(plan).bare if model is not None else None, plan)

    def stated(self, found: Statement | tuple[Statement, ...]) -> Ledger:
        """What an author states as a ledger; `UnitError` where an amount is in another unit than the formula."""
        statements = (found,) if isinstance(found, Statement) else found
        rows = []
        for each in statements:
            units = self.notation.units | dict.fromkeys(each.counts, dimensionless)
            unit = unit_of(each.amount, units) * each.each
            if unit != self.unit:
                raise UnitError(f"{self.name} is declared in {self.unit}, but {each.what} = {each.amount} is in {unit}")
            rows.append(Row((), each.what, (), None, each.amount, each.why, written=True))
        return Ledger(tuple(rows), self.unit, tuple(line for each in statements for line in each.by))


@cache
def _rows(formula: Formula, model: Model | None, plan: Plan) -> Ledger:
    found = formula.function(**{name: {"model": model, "plan": plan}[name] for name in formula.arguments})
    ledger = found if isinstance(found, Ledger) else formula.stated(found)
    if ledger.unit != formula.unit:
        raise DeriveError(f"{formula.name} is declared in {formula.unit}, its rows are in {ledger.unit}")
    return ledger


@cache
def _reached(formula: Formula, model: Model | None, plan: Plan) -> frozenset[str]:
    letters = formula.rows(model, plan).letters
    below = (each.reached(model, plan) for each in formula.standing(model, letters).values())
    return frozenset(letters).union(*below)


def _replaced(row: Row, ledgers: Mapping[Any, Ledger]) -> Iterator[Row]:
    """A row with letters replaced by the ledgers behind them: row for row where it is a multiple of one such letter."""
    inside = [letter for letter in ledgers if letter in row.value.free_symbols]
    rest = row.value / inside[0] if len(inside) == 1 else row.value
    if inside and inside[0] not in rest.free_symbols:
        for part in ledgers[inside[0]]:
            yield replace(part, value=part.value * rest)
    else:
        yield replace(row, value=row.value.xreplace({letter: ledgers[letter].value for letter in inside}))


def formula(
    symbol: str,
    *,
    unit: Unit,
    notation: Notation,
    letters: Mapping[str, Formula | tuple[Formula, ...]] = MappingProxyType({}),
    defaults: Defaults = MappingProxyType({}),
    constants: tuple[Constant, ...] = (),
    per_device: bool | None = None,
    of_model: bool = False,
    of_sizes: bool = False,
    of_layer: bool = False,
) -> Callable[[Callable[..., Any]], Formula]:
    """Declare a quantity: its function gives the name, the module the topic, the docstring's first line the title.

    The function takes what it uses of `model` (`model=None` where it can do without) and `plan`; it returns a ledger,
    or one `Statement` or more. `per_device` says whether it is what one device of the plan holds: bytes are, unless it
    says otherwise; parameters and FLOPs are the whole model's. `of_model` says that it is about a model although its
    function takes none: its letters stand for quantities of one; `of_sizes` that a model, where one is named, gives its
    letters their sizes, `of_layer` that it is one of a layer: of several kinds, the one with most.
    """

    def decorate(function: Callable[..., Any]) -> Formula:
        title = (inspect.getdoc(function) or "").split("\n")[0]
        name, topic = function.__name__.replace("_", "-"), function.__module__.rpartition(".")[2]
        if not title:
            raise DeriveError(f"formula {name!r} has no docstring, whose first line is its title")
        standing = {letter: each if isinstance(each, tuple) else (each,) for letter, each in letters.items()}
        held = unit == byte if per_device is None else per_device
        return Formula(
            function,
            symbol,
            unit,
            notation,
            name,
            topic,
            title,
            standing,
            defaults,
            constants,
            held,
            of_model,
            of_sizes,
            of_layer,
        )

    return decorate
