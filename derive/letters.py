"""Letters: what a symbol is called, how it is typeset, what it means, in which unit; the table of them is content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from derive.errors import DeriveError, unknown
from derive.units import Unit, parse_unit

if TYPE_CHECKING:
    from sympy import Symbol


@dataclass(frozen=True)
class Letter:
    """One letter of the notation: a positive integer unless `kind` says otherwise."""

    name: str
    meaning: str
    unit: str = "1"
    latex: str = ""
    kind: str = "positive integer"
    plan_key: str = ""  # the key of the plan that sets the same thing: `--set t=8` is `--plan tp=8`
    option: str = ""  # the option of the command line that sets the same thing: `--set D=15T` is `--tokens 15T`
    least: int = 1  # of a whole number: an index can be 0, and then nothing is divided by it
    most: int | None = None  # the largest value that makes sense: a utilization is at most 1

    @cached_property
    def symbol(self) -> "Symbol":
        """The one SymPy symbol of this letter: equal letters give equal symbols, with equal assumptions."""
        from sympy import Symbol

        sign = {"positive": True} if self.least else {"nonnegative": True}
        return Symbol(self.name, integer=self.kind == "positive integer", **sign)


@dataclass(frozen=True)
class Notation:
    """Letters in reading order: those of a topic first, then the common ones that the topic does not redefine."""

    letters: Mapping[str, Letter] = field(repr=False)

    def __getitem__(self, name: str) -> Letter:
        if name not in self.letters:
            raise unknown("symbol", name, self.letters)
        return self.letters[name]

    def symbol(self, name: str) -> "Symbol":
        """The symbol of the letter `name`; `UnknownName` with the closest letter if there is none."""
        return self[name].symbol

    @cached_property
    def units(self) -> dict[str, Unit]:
        """The unit of every letter, by name."""
        return {name: parse_unit(letter.unit) for name, letter in self.letters.items()}

    @property
    def order(self) -> tuple[str, ...]:
        """Names in reading order, which decides how a derived product is written."""
        return tuple(self.letters)

    @property
    def latex(self) -> dict[str, str]:
        """How each letter is typeset, where that differs from its name."""
        return {name: letter.latex for name, letter in self.letters.items() if letter.latex}


def notation(*tables: tuple[Letter, ...]) -> Notation:
    """The notation made of `tables`, an earlier one winning over a later one; a letter twice in one table is an error.

    >>> notation((Letter("m", "rows"),), (Letter("m", "micro-batches"), Letter("s", "tokens")))["m"].meaning
    'rows'
    """
    letters: dict[str, Letter] = {}
    for table in tables:
        seen = {letter.name: letter for letter in table}
        if len(seen) != len(table):
            raise DeriveError(f"a table of notation has a letter twice: {', '.join(x.name for x in table)}")
        letters |= {name: letter for name, letter in seen.items() if name not in letters}
    return Notation(letters)
