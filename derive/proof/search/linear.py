"""An exact linear program: weights >= 0 with which given columns add up to a target, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Column = Mapping[Any, Fraction]
MOST_PIVOTS = 600


def weights(columns: Sequence[Column], target: Column) -> dict[int, Fraction] | None:
    """Weights > 0 of some columns whose weighted sum is the target; None if there are none, or if it takes too long.

    The first phase of the simplex method with exact fractions. Columns that have to be out are left out first.

    >>> weights([{"x": Fraction(1)}, {"x": Fraction(1), "y": Fraction(2)}], {"x": Fraction(3), "y": Fraction(4)})
    {0: Fraction(1, 1), 1: Fraction(2, 1)}
    >>> weights([{"x": Fraction(1)}], {"x": Fraction(-1)}) is None
    True
    """
    places = _needed(columns, target)
    rows = list(dict.fromkeys(row for place in places for row in columns[place]))
    if set(target) - set(rows):
        return None
    signs = {row: -1 if target.get(row, 0) < 0 else 1 for row in rows}
    # A sparse row of the table: by column, and the right side under None.
    table: list[dict[int | None, Fraction]] = [
        {None: abs(target.get(row, Fraction(0)))}
        | {place: signs[row] * columns[place][row] for place in places if row in columns[place]}
        for row in rows
    ]
    basis: list[int | None] = [None] * len(table)  # None: not yet one of the columns
    cost: dict[int | None, Fraction] = {}
    for row in table:
        for place, value in row.items():
            cost[place] = cost.get(place, Fraction(0)) + value
    for _ in range(MOST_PIVOTS):
        if cost.get(None, 0) == 0:
            return {
                place: row[None] for place, row in zip(basis, table, strict=True) if place is not None and row[None]
            }
        # Bland's rule: the first column that helps, so that it ends.
        entering = min((place for place, value in cost.items() if place is not None and value > 0), default=None)
        if entering is None:
            return None
        choices = [
            (row[None] / row[entering], basis[index] is not None, basis[index] or 0, index)
            for index, row in enumerate(table)
            if row.get(entering, 0) > 0
        ]
        if not choices:
            return None
        leaving = min(choices)[-1]
        pivot = table[leaving][entering]
        table[leaving] = chosen = {place: value / pivot for place, value in table[leaving].items()}
        chosen.setdefault(None, Fraction(0))
        for index, row in enumerate(table):
            if index != leaving and entering in row:
                _subtract(row, chosen, row[entering])
        _subtract(cost, chosen, cost[entering])
        basis[leaving] = entering
    return None


def _subtract(row: dict[int | None, Fraction], other: Mapping[int | None, Fraction], factor: Fraction) -> None:
    for place, value in other.items():
        rest = row.get(place, Fraction(0)) - factor * value
        if rest or place is None:
            row[place] = rest
        else:
            row.pop(place, None)


def _needed(columns: Sequence[Column], target: Column) -> list[int]:
    """The columns without those whose entry in some row nothing else could balance."""
    places = list(range(len(columns)))
    while True:
        # By row, whether something there is to balance a positive entry (False), or a negative one (True): the target,
        # moved to the side of the columns, or an entry of the other sign.
        reach: dict[Any, set[bool]] = {row: {value < 0} for row, value in target.items()}
        for place in places:
            for row, value in columns[place].items():
                reach.setdefault(row, set()).add(value > 0)
        kept = [place for place in places if all((value < 0) in reach[row] for row, value in columns[place].items())]
        if len(kept) == len(places):
            return places
        places = kept
