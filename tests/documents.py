"""What is in a document, for the tests of sheets."""

from collections.abc import Iterator
from typing import Any

import pytest

from derive.render.documents.blocks import Document, Math
from derive.sheet import stored
from derive.sheet.document import sheet
from derive.sheet.held import Held
from derive.sheet.selection import selection


@pytest.fixture(scope="module")
def held() -> Held:
    """What is committed of the sheet."""
    return stored.held()


@pytest.fixture(scope="module")
def whole(held: Held) -> Document:
    """The sheet that nobody has selected of."""
    return sheet(selection([], None, None), held)


def mathematics(part: Any) -> Iterator[str]:
    """Every piece of mathematics in a document."""
    if isinstance(part, Math):
        yield part.latex
    for below in (
        part if isinstance(part, tuple) else [getattr(part, x) for x in getattr(part, "__dataclass_fields__", ())]
    ):
        yield from mathematics(below)
