"""What is in a document, for the tests of sheets."""

from collections.abc import Iterator
from typing import Any

from derive.render.documents.blocks import Math


def mathematics(part: Any) -> Iterator[str]:
    """Every piece of mathematics in a document."""
    if isinstance(part, Math):
        yield part.latex
    for below in (
        part if isinstance(part, tuple) else [getattr(part, x) for x in getattr(part, "__dataclass_fields__", ())]
    ):
        yield from mathematics(below)
