"""`derive cheatsheet`: the catalog as one document, in the form that the file's name asks for."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from derive.cli import say
from derive.cli.show import emit
from derive.errors import DeriveError

if TYPE_CHECKING:
    from derive.render.documents.blocks import Document
    from derive.sheet.selection import Selection


def run(_name: str, options: Namespace) -> int:
    """Print the sheet as Markdown, or write it to a file."""
    from derive.files import check_writable

    path = options.output
    if path is None:
        from derive.render.documents.markdown import markdown

        emit(markdown(_document(_selection(options))).rstrip("\n"))
        return 0
    write = writer(path)
    check_writable(path)
    write(path, _selection(options))
    say(f"derive: wrote {path}")
    return 0


def _selection(options: Namespace) -> Selection:
    from derive.sheet.selection import selection

    topics = [name for text in options.topic for name in text.split(",")]
    for option in ("model", "gpu"):
        if topics and getattr(options, option) is not None:
            raise DeriveError(f"--topic shows formulas alone, no numbers: leave out --{option}, or --topic")
    if options.model is None:
        return selection(topics, None, options.gpu, short=options.short)
    from derive.cli import load_sympy
    from derive.cli.case import noticed

    load_sympy()
    from formulas.models import model

    return selection(topics, noticed(model(options.model)), options.gpu, short=options.short)


def _document(chosen: Selection) -> Document:
    from derive.sheet.document import sheet
    from derive.sheet.stored import held

    return sheet(chosen, held())


def writer(path: str) -> Callable[[str, Selection], None]:
    """What writes a file of that name; `DeriveError` where its ending is none that is known."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise DeriveError(
            f"-o {path[:80]!r}: write a file that ends in {', '.join(WRITERS)}, such as -o cheatsheet.html"
        )
    return WRITERS[ending]


def _markdown(path: str, chosen: Selection) -> None:
    """The sheet, and beside it the folder of its pictures."""
    from derive.files import write_whole
    from derive.render.documents.blocks import pictures_of
    from derive.render.documents.markdown import markdown

    document = _document(chosen)
    folder = Path(path).with_suffix(".assets")
    pictures = pictures_of(document)
    if pictures:
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise DeriveError(f"cannot make the folder {str(folder)!r} of the pictures: {error.strerror}") from None
    text = markdown(document, folder.name)  # before anything is written
    for picture in pictures:
        write_whole(folder / f"{picture.name}.svg", picture.svg)
    write_whole(path, text)


def _latex(path: str, chosen: Selection) -> None:
    from derive.files import write_whole
    from derive.render.documents.latex import latex

    write_whole(path, latex(_document(chosen)))


def _pdf(path: str, chosen: Selection) -> None:
    from importlib.util import find_spec

    from derive.files import write_whole

    if find_spec("typst") is None:
        raise DeriveError("a PDF is made by typst, which is not installed: pip install 'shapeproof[pdf]'")
    from derive.render.documents.typst import pdf

    write_whole(path, pdf(_document(chosen)))


def _html(path: str, chosen: Selection) -> None:
    from derive.cli import load_sympy
    from derive.files import write_whole

    load_sympy()
    from derive.render.page import page
    from derive.sheet.live import live, opened, others
    from formulas.models import in_letters

    about = chosen.model
    added = (about,) if about is not None and about.name not in in_letters() else ()
    choices = opened(live(added), about.name if about is not None else None, chosen.device.name)
    write_whole(path, page(_document(chosen), choices, others(added), AGAIN))


# What is refuted is on a page below each quantity too.
AGAIN = frozenset({"refuted"})
WRITERS: dict[str, Callable[[str, Selection], None]] = {
    ".md": _markdown,
    ".tex": _latex,
    ".pdf": _pdf,
    ".html": _html,
}
