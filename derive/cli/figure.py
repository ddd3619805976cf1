"""`derive figure`: a picture of what the catalog says, as SVG or PNG."""

from __future__ import annotations

import os
import stat
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from derive.cli import load_sympy, say
from derive.cli.case import values_of
from derive.cli.show import present
from derive.errors import DeriveError, close_to
from derive.files import check_writable, write_whole
from derive.render.table import Table
from formulas.figures import FIGURES, Figure, figure_of

if TYPE_CHECKING:
    from formulas.figures.subject import Subject

# Options, what a figure must be told about for them to matter, and what they are unless they are given.
ABOUT = {
    "model": ({"model"}, None),
    "sizes": ({"model"}, []),
    "plan": ({"plan"}, []),
    "recipe": ({"plan"}, "bf16"),
    "optimizer": ({"plan"}, "adamw"),
    "dtype": ({"plan", "dtype"}, None),
    "gpu": ({"gpu"}, None),
}
FORMS = (".svg", ".png")


def run(_name: str, options: Namespace) -> int:
    """Write the picture, print it as SVG without a file, or list the pictures without a name."""
    if options.figure is None:
        if options.output is not None:
            raise DeriveError(f"which figure? known are {', '.join(FIGURES)}")
        rows = [(name, each.title, " ".join(f"--{told}" for told in each.takes)) for name, each in FIGURES.items()]
        present(["derive figure NAME -o FILE.svg or FILE.png", Table("", ("figure", "shows", "takes"), rows)])
        return 0
    figure = figure_of(options.figure)
    file: str | None = options.output
    form = form_of(file) if file is not None else ".svg"
    if form == ".png":
        from derive.drawing.png import check_installed

        check_installed()
    _refuse_others(figure, options)
    load_sympy()
    from formulas.figures import draw

    picture = draw(options.figure, subject_of(options))
    theme = None if options.theme == "auto" else options.theme
    if file is None:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(picture.svg(theme).encode(encoding, "xmlcharrefreplace").decode(encoding))
    elif form == ".png":
        from derive.drawing.png import png

        write_whole(file, png(picture, theme or "light"))
    else:
        write_whole(file, picture.svg(theme))
    if file is not None:
        say(f"derive: wrote {file}")
    return 0


def form_of(path: str) -> str:
    """The extension of the file to write; `DeriveError` for one that no picture has, or a path that cannot be written.

    What is no plain file, such as a pipe, needs no extension: it takes SVG.
    """
    check_writable(path)
    form = Path(path).suffix.lower()
    if form in FORMS:
        return form
    if not form and os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        return ".svg"
    close = close_to(form, FORMS) if form else None
    hint = f"did you mean {close}?" if close else f"a figure is {' or '.join(FORMS)}"
    raise DeriveError(
        f"cannot write {path[-200:]!r}: {f'unknown extension {form[:20]!r}' if form else 'it has no extension'}, {hint}"
    )


def _refuse_others(figure: Figure, options: Namespace) -> None:
    """`DeriveError` for an option that changes nothing of the figure."""
    for option, (about, usual) in ABOUT.items():
        if getattr(options, option) != usual and not about & set(figure.takes):
            takes = " ".join(f"--{told}" for told in figure.takes)
            named = "--set" if option == "sizes" else f"--{option}"
            raise DeriveError(f"figure {options.figure} does not take {named}: it takes {takes}")


def subject_of(options: Namespace) -> Subject:
    """What the picture is about, from the options."""
    from dataclasses import replace

    from derive.evaluation import with_options
    from derive.precision import optimizer, recipe
    from formulas.figures.subject import subject
    from formulas.models import model
    from formulas.notation import common

    read = model(options.model) if options.model is not None else None
    for notice in read.notices if read is not None else ():
        say(f"derive: note: {notice}")
    formats = recipe(options.recipe, options.dtype)
    written = ",".join(options.plan) if options.plan else None
    made = subject(None, written, options.gpu, read=read, recipe=formats, optimizer=optimizer(options.optimizer))
    sizes = values_of(common, options)
    return replace(made, model=with_options(made.model, sizes)) if sizes else made
