"""Trees as one program of shared nodes, which the page's exact machine runs; no other node ever reaches it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from derive.errors import DeriveError
from derive.interval import Interval
from derive.model import Given
from derive.render.page.live import Use
from derive.tree import Call, Negative, Node, Number, Power, Product, Quotient, Sum, Symbol, children

# The machine's operations: what a node of the program starts with.
LETTER, SUM, NEGATIVE, PRODUCT, QUOTIENT, POWER, SQRT, MAX, MIN, CEIL, FLOOR = range(11)
OPERATIONS: dict[type, int] = {
    Sum: SUM, Negative: NEGATIVE, Product: PRODUCT, Quotient: QUOTIENT, Power: POWER,
}  # fmt: skip
CALLS = {"sqrt": SQRT, "max": MAX, "min": MIN, "ceil": CEIL, "floor": FLOOR}


@dataclass(slots=True)
class Program:
    """Nodes, each once: a number is its text, anything else a list of an operation and what it works on.

    A letter has the place of its input, the place of the quantity behind it and that of its default, or -1.
    """

    inputs: Mapping[str, int]
    quantities: Mapping[str, int]
    nodes: list[Any] = field(default_factory=list)
    defaults: list[Any] = field(default_factory=list)
    _places: dict[Any, int] = field(default_factory=dict)

    def add(self, tree: Node, uses: Mapping[str, Use]) -> int:
        """The place of a tree; `DeriveError` for a node that the machine does not have.

        >>> from derive.grammar import parse
        >>> program = Program({"s": 0}, {})
        >>> program.add(parse("2*s + s/3"), {"s": Use("s")}), program.nodes
        (5, ['2', [0, 0, -1, -1], [3, 0, 1], '3', [4, 1, 3], [1, 2, 4]])
        """
        if isinstance(tree, Symbol):
            return self._placed(self._letter(uses[tree.name]))
        if isinstance(tree, Number):
            return self._placed(exact(tree.value))
        operation = CALLS.get(tree.function) if isinstance(tree, Call) else OPERATIONS.get(type(tree))
        if operation is None:
            said = tree.function if isinstance(tree, Call) else type(tree).__name__
            raise DeriveError(f"an expression has a node that the page does not compute: {said}")
        return self._placed((operation, *(self.add(part, uses) for part in children(tree))))

    def _letter(self, use: Use) -> tuple[int, ...]:
        stands = self.quantities[use.stands] if use.stands else -1
        default = -1 if use.value is None else self.default(use.value)
        return (LETTER, self.inputs[use.key], stands, default)

    def default(self, given: Given) -> int:
        """The place of a value with its origin."""
        found = given.value
        value = [exact(found.low), exact(found.high)] if isinstance(found, Interval) else exact(Fraction(found))
        entry = [value, given.origin]
        if entry not in self.defaults:
            self.defaults.append(entry)
        return self.defaults.index(entry)

    def _placed(self, node: Any) -> int:
        if node not in self._places:
            self._places[node] = len(self.nodes)
            self.nodes.append(list(node) if isinstance(node, tuple) else node)
        return self._places[node]


def exact(value: Fraction) -> str:
    """An exact number as the page reads it.

    >>> exact(Fraction(1, 3)), exact(Fraction(7))
    ('1/3', '7')
    """
    return str(value)
