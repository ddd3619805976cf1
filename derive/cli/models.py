"""`derive models`: presets with their sizes, and bare architectures."""

from __future__ import annotations

import json
from argparse import Namespace

from derive.cli.show import emit, present
from derive.render.table import Table
from formulas.models import architectures, presets


def run(_name: str, options: Namespace) -> int:
    """Print presets and architectures."""
    if options.json:
        bare = {name: {"about": each.about, "letters": each.letters.split()} for name, each in architectures().items()}
        emit(json.dumps({"presets": presets(), "architectures": bare}, indent=2, ensure_ascii=False), data=True)
        return 0
    letters = list(dict.fromkeys(letter for record in presets().values() for letter in record["sizes"]))
    heads = ("preset", *letters)
    sizes = [
        (name, *(str(record["sizes"].get(letter, "")) for letter in letters)) for name, record in presets().items()
    ]
    settings = [
        (name, record["architecture"], record["attention"], "yes" if record["dropout"] else "no", record["mask"])
        for name, record in presets().items()
    ]
    sources = [(name, what, text) for name, record in presets().items() for what, text in record["sources"].items()]
    present([
        Table("Presets; letters: `derive notation`", heads, sizes, frozenset(range(1, len(heads)))),
        Table("\nSettings of the presets", ("preset", "architecture", "attention", "dropout", "mask"), settings),
        Table("\nArchitectures, in letters", ("name", "about"), [(n, a.about) for n, a in architectures().items()]),
        Table("\nSources of the presets", ("preset", "of", "source"), sources),
    ])  # fmt: skip
    return 0
