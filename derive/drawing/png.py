"""Pictures as PNG, through the compiler in typst's wheel: the same bytes wherever that version of it runs."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from derive.drawing.svg import SCALE, WIDE, Picture
from derive.drawing.svg import number as written
from derive.errors import DeriveError

MISSING = "needs typst, which is not installed: pip install 'shapeproof[pdf]'"
PIXELS_PER_POINT = 2


def check_installed() -> None:
    """`DeriveError` without the extra, before anything is drawn."""
    if find_spec("typst") is None:
        raise DeriveError(f"PNG {MISSING}")


def png(picture: Picture, theme: str = "light") -> bytes:
    """The picture as the bytes of a PNG file, set in a font that typst carries; `DeriveError` without the extra."""
    check_installed()
    typst = import_module("typst")
    wide, high = (f"{written(each * SCALE)}pt" for each in (WIDE, picture.height))
    # The picture is a file beside the page: nothing of it is ever part of a program.
    page = f'#set page(width: {wide}, height: {high}, margin: 0pt)\n#image("picture.svg", width: 100%)'
    files = {"main": page.encode(), "picture.svg": picture.svg(theme).encode()}
    made = typst.compile(files, format="png", ppi=72.0 * PIXELS_PER_POINT, ignore_system_fonts=True)
    return bytes(made)
