"""`derive models`: presets with their sizes, and bare architectures."""

from __future__ import annotations

import json
from argparse import Namespace

from derive.cli import load_sympy
from derive.cli.show import emit, present
from derive.render.table import Table


def run(_name: str, options: Namespace) -> int:
    """Print presets and architectures."""
    load_sympy()
    from formulas.models import architectures, in_letters, model, presets

    bare = {name: {"about": each.about, "letters": each.letters.split()} for name, each in architectures().items()}
    named = {name: model(name) for name in presets()}
    sizes = {
        name: {x: given.value for x, given in each.sizes.items() if given.origin != "default"}
        for name, each in named.items()
    }
    settings = {
        name: {
            "architecture": each.architecture.name,
            "attention": dict(each.kernels or each.architecture.kernels).get("attention"),
            "dropout": each.architecture.drops,
            "mask": each.mask or each.architecture.mask,
        }
        for name, each in named.items()
    }
    if options.json:
        found = {name: record | settings[name] | {"sizes": sizes[name]} for name, record in presets().items()}
        emit(json.dumps({"presets": found, "architectures": bare}, indent=2, ensure_ascii=False), data=True)
        return 0
    written = [name for name in named if name in in_letters()]
    letters = list(dict.fromkeys(letter for name in written for letter in sizes[name]))
    heads = ("preset", *letters)
    rows = [(name, *(str(sizes[name].get(letter, "")) for letter in letters)) for name in written]
    read = [
        (name, " ".join(f"{x}={value}" for x, value in sizes[name].items())) for name in named if name not in written
    ]
    chosen = [
        (name, each["architecture"], each["attention"], "yes" if each["dropout"] else "no", each["mask"])
        for name, each in settings.items()
    ]
    sources = [(name, what, text) for name, each in named.items() for what, text in each.sources.items()]
    present([
        Table("Presets; letters: `derive notation`", heads, rows, frozenset(range(1, len(heads)))),
        Table("\nPresets that are released configurations", ("preset", "sizes"), read),
        Table("\nSettings of the presets", ("preset", "architecture", "attention", "dropout", "mask"), chosen),
        Table("\nArchitectures, in letters", ("name", "about"), [(n, a["about"]) for n, a in bare.items()]),
        Table("\nSources of the presets", ("preset", "of", "source"), sources),
    ])  # fmt: skip
    return 0
