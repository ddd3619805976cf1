"""Printing: plain in a pipe, tables on a terminal, ASCII where the stream can carry nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from derive.render.table import Table, plain

# One sign for one sign, so that columns stay where they are.
ASCII = str.maketrans({"■": "#", "≈": "~", "✗": "x", "×": "x", "–": "-", "−": "-", "√": "v", "²": "2", "─": "-"})


def fits(text: str, encoding: str) -> bool:
    """Whether a stream of that encoding can carry the text."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def emit(text: str, *, data: bool = False) -> None:
    """Print text, with ASCII in place of signs that the stream cannot carry: in JSON `data`, JSON's own escapes."""
    encoding = sys.stdout.encoding or "ascii"
    if not fits(text, encoding):
        if data:
            text = "".join(sign if sign.isascii() else json.dumps(sign)[1:-1] for sign in text)
        text = text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    print(text)


def present(parts: Iterable[str | Table]) -> None:
    """Print paragraphs and tables: laid out by rich on a terminal, in plain columns elsewhere."""
    if not sys.stdout.isatty():
        emit("\n".join(part if isinstance(part, str) else plain(part) for part in parts))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(highlight=False)
    encoding = sys.stdout.encoding or "ascii"

    def text(words: str, style: str = "") -> Text:
        return Text(words if fits(words, encoding) else words.translate(ASCII), style)

    for part in parts:
        if isinstance(part, str):
            console.print(text(part))
            continue
        laid = RichTable(box=SIMPLE_HEAD, show_header=any(part.heads), pad_edge=False)
        for column, head in enumerate(part.heads):
            side = "right" if column in part.numeric else "left"
            laid.add_column(text(head), justify=side, overflow="fold", no_wrap=column in part.whole)
        for row in part.rows:
            laid.add_row(*(text(cell) for cell in row))
        console.print(text(part.title, "bold"))
        console.print(laid)
