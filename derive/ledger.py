"""Ledgers: rows of one unit whose sum is the value of a quantity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from derive.errors import UnitError
from derive.shown import briefly, in_notebook
from derive.tensor import Role
from derive.units import Unit

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a ledger: where it arises (outermost block first), what it is, how large it is, and why it counts."""

    blocks: tuple[str, ...]
    tensor: str
    shape: tuple[Expr, ...]
    dtype: str | None
    value: Expr
    why: str
    role: Role | None = None
    written: bool = False  # its amount is an author's formula, to be shown as it stands


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an argument for what an author states: an equality or a bound (`<=`) as text, and why it holds.

    The proof checker must accept a bound, an equality under the definitions `given` (a letter and its text), and one
    that is `checked` without any; else it is a premise: a definition or a hypothesis that the lines after it use.
    """

    left: str
    right: str
    because: str
    given: Mapping[str, str] = field(default_factory=dict)
    checked: bool = False
    relation: str = "=="

    @property
    def is_premise(self) -> bool:
        """Whether the line is taken for granted."""
        return not self.given and not self.checked and self.relation == "=="


@dataclass(frozen=True)
class Ledger:
    """Rows in order of appearance, all in `unit`; arithmetic keeps the rows and checks the units.

    `lines` are an argument that leads to the rows, where their author gives one.
    """

    rows: tuple[Row, ...]
    unit: Unit
    lines: tuple[Line, ...] = ()

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return f"<ledger of {len(self.rows)} rows: {briefly(str(self.value))} {self.unit}>"

    @property
    def value(self) -> Expr:
        """The sum of the rows."""
        from sympy import Add

        return Add(*(row.value for row in self.rows))

    @property
    def written(self) -> bool:
        """Whether its rows are formulas as their author wrote them."""
        return bool(self.rows) and all(row.written for row in self.rows)

    @cached_property
    def letters(self) -> Set[str]:
        """The names of the letters in its rows."""
        symbols: set[Any] = set()
        symbols.update(*(row.value.free_symbols for row in self.rows))
        return {symbol.name for symbol in symbols}

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __add__(self, other: Ledger) -> Ledger:
        if self.unit != other.unit:
            raise UnitError(f"cannot add a ledger in {other.unit} to one in {self.unit}")
        return Ledger((*self.rows, *other.rows), self.unit)

    def per(self, amount: Expr, unit: Unit) -> Ledger:
        """Every row divided by `amount` of `unit`: FLOPs by tokens give FLOP/token."""
        return Ledger(tuple(replace(row, value=row.value / amount) for row in self.rows), self.unit / unit)

    def times(self, amount: Expr, unit: Unit) -> Ledger:
        """Every row multiplied by `amount` of `unit`: FLOP/token by tokens give FLOPs."""
        return Ledger(tuple(replace(row, value=row.value * amount) for row in self.rows), self.unit * unit)

    def select(self, keep: Callable[[Row], bool]) -> Ledger:
        """The rows for which `keep` holds."""
        return Ledger(tuple(row for row in self.rows if keep(row)), self.unit)

    def less(self, other: Ledger) -> Ledger:
        """The rows that `other` does not have: of equal tensors, as many as there are more."""
        left = Counter(_what(row) for row in other)
        rows = []
        for row in self.rows:
            left[_what(row)] -= 1
            if left[_what(row)] < 0:
                rows.append(row)
        return Ledger(tuple(rows), self.unit)

    def within(self, block: str) -> Ledger:
        """The rows that arise inside a block of that name."""
        return self.select(lambda row: block in row.blocks)

    def of(self, roles: Collection[Role]) -> Ledger:
        """The rows of tensors that have one of these roles."""
        return self.select(lambda row: row.role in roles)

    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The blocks around each row, outermost first, without those that all rows share; at least one name each."""
        blocks = [row.blocks for row in self.rows]
        shared = 0
        while blocks and all(len(path) > shared and path[shared] == blocks[0][shared] for path in blocks):
            shared += 1
        return tuple(path[shared:] or path[-1:] or ("",) for path in blocks)

    def groups(self) -> dict[str, Ledger]:
        """The rows by their outermost block that tells them apart, in order of appearance."""
        groups: dict[str, list[Row]] = {}
        for row, path in zip(self.rows, self.paths(), strict=True):
            groups.setdefault(path[0], []).append(row)
        return {name: Ledger(tuple(rows), self.unit) for name, rows in groups.items()}


def _what(row: Row) -> tuple:
    """What a row counts, wherever it arises and whatever it is counted for."""
    return row.tensor, row.shape, row.dtype, row.value
