"""Tables as data, and as plain text of aligned columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

WIDTH = 78  # characters of a paragraph: what a narrow terminal shows
Cells = Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column heads and rows of text; `numeric` columns are set flush right, `whole` ones never broken."""

    title: str
    heads: Cells
    rows: Sequence[Cells]
    numeric: frozenset[int] = frozenset()
    whole: frozenset[int] = frozenset()


def plain(table: Table) -> str:
    """The table in aligned columns, two spaces between them, the last one as long as it is.

    >>> print(plain(Table("sizes", ("letter", "value"), [("s", "2048"), ("b", "1")], frozenset({1}))))
    sizes
      letter  value
      s        2048
      b           1
    """
    heads = [tuple(table.heads)] if any(table.heads) else []
    grid = [*heads, *(tuple(row) for row in table.rows)]
    widths = [max((len(row[column]) for row in grid), default=0) for column in range(len(table.heads))]
    lines = [
        "  " + "  ".join(
            cell.rjust(width) if column in table.numeric else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in grid
    ]  # fmt: skip
    return "\n".join([table.title, *lines] if table.title else lines)


def without_empty(table: Table) -> Table:
    """The table without the columns in which no row says anything.

    >>> without_empty(Table("", ("a", "b"), [("1", ""), ("2", "")])).heads
    ('a',)
    """
    kept = [column for column in range(len(table.heads)) if any(row[column] for row in table.rows)]
    return Table(
        table.title,
        tuple(table.heads[column] for column in kept),
        [tuple(row[column] for column in kept) for row in table.rows],
        frozenset(index for index, column in enumerate(kept) if column in table.numeric),
        frozenset(index for index, column in enumerate(kept) if column in table.whole),
    )


def wrapped(text: str, indent: int = 0, further: int = 4) -> str:
    """A paragraph in lines that a narrow terminal shows, the first `indent`ed and those after it by `further` spaces.

    >>> print(wrapped("s*b*h*(34 + 5*a*s/h) " * 4, 2, 6))
      s*b*h*(34 + 5*a*s/h) s*b*h*(34 + 5*a*s/h) s*b*h*(34 + 5*a*s/h) s*b*h*(34 +
          5*a*s/h)
    """
    lines = wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * further,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)
