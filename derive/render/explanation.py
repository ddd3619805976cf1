"""Explanations of coefficients, in words and tables and as JSON data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from derive.explanation import Explanation
from derive.render.table import Table, without_empty
from derive.tree import rational, to_text


def tables(found: tuple[Explanation, ...]) -> Iterator[str | Table]:
    """The explanations as paragraphs and tables."""
    for each in found:
        name = to_text(rational(each.coefficient))
        yield f"{name} in front of {to_text(each.monomial)}, in {each.formula.name} ({each.formula.title})"
        for key in ("block", "held"):
            sums = {label: total for label, total in each.sums(key).items() if label}
            if sums:
                yield f"  {name} = " + " + ".join(f"{total} ({label})" for label, total in sums.items())
        yield without_empty(Table(
            "",
            ("adds", "block", "tensor", "dtype", "amount", "TP", "why"),
            [
                (
                    str(part.adds), part.path, part.row.tensor, part.row.dtype or "",
                    to_text(part.tree), part.held.split()[0] if part.held else "", part.row.why,
                )
                for part in each.parts
            ],
            frozenset({0}),
        ))  # fmt: skip


def data(found: tuple[Explanation, ...]) -> list[dict[str, Any]]:
    """The explanations as JSON data."""
    return [
        {
            "name": each.formula.name,
            "coefficient": str(each.coefficient),
            "term": to_text(each.monomial),
            "by_block": {label: str(total) for label, total in each.sums("block").items()},
            "by_split": {label: str(total) for label, total in each.sums("held").items() if label},
            "rows": [
                {
                    "block": part.block,
                    "path": part.path,
                    "tensor": part.row.tensor,
                    "dtype": part.row.dtype,
                    "amount": to_text(part.tree),
                    "adds": str(part.adds),
                    "held": part.held or None,
                    "why": part.row.why,
                }
                for part in each.parts
            ],
        }
        for each in found
    ]
