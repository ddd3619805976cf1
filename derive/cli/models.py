"""`derive models`: presets with their sizes, and bare architectures."""

from __future__ import annotations

import json
from argparse import Namespace

from derive.cli.show import emit, present
from derive.render.table import Table
from formulas.models import architectures, presets

SETTINGS = ("attention", "dropout", "mask")


def run(_name: str, options: Namespace) -> int:
    """Print presets and architectures."""
    if options.json:
        bare = {name: {"about": each.about, "letters": each.letters.split()} for name, each in architectures().items()}
        emit(json.dumps({"presets": presets(), "architectures": bare}, indent=2, ensure_ascii=False))
        return 0
    letters = list(dict.fromkeys(letter for record in presets().values() for letter in record["sizes"]))
    rows = [
        (
            name, record["architecture"], *(str(record["sizes"].get(letter, "")) for letter in letters),
            record["attention"], "yes" if record["dropout"] else "no",
        )
        for name, record in presets().items()
    ]  # fmt: skip
    heads = ("preset", "architecture", *letters, "attention", "dropout")
    sources = [(name, what, text) for name, record in presets().items() for what, text in record["sources"].items()]
    present([
        Table("Presets; letters: `derive notation`", heads, rows, frozenset(range(2, 2 + len(letters)))),
        Table("\nArchitectures, in letters", ("name", "about"), [(n, a.about) for n, a in architectures().items()]),
        Table("\nSources of the presets", ("preset", "of", "source"), sources),
    ])  # fmt: skip
    return 0
