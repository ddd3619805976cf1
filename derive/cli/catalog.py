"""`derive list`: the catalog by topic, read from the sources without importing SymPy."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict
from textwrap import fill

from derive.cli.show import emit, present
from derive.render.table import Table, plain
from formulas import entries

WIDTH = 78
INDENTED = {"initial_indent": "  ", "subsequent_indent": "  ", "break_on_hyphens": False, "break_long_words": False}


def tables() -> list[Table]:
    """One table a topic."""
    topics = dict.fromkeys(entry.topic for entry in entries())
    return [
        Table(topic, ("", "", ""), [(e.name, e.unit, e.title) for e in entries() if e.topic == topic])
        for topic in topics
    ]


def overview(verbs: Mapping[str, str]) -> str:
    """The names of the catalog by topic, and the verbs with what they do, as `derive` alone prints them."""
    names = {
        topic: [e.name for e in entries() if e.topic == topic] for topic in dict.fromkeys(e.topic for e in entries())
    }
    topics = [f"{topic}\n{fill('  '.join(each), WIDTH, **INDENTED)}" for topic, each in names.items()]
    below = Table("verbs", ("", ""), list(verbs.items()))
    start = "Try: derive activations     derive activations --latex     derive plan --help"
    return "\n\n".join([*topics, plain(below), "`derive list` says what each quantity is.", start])


def run(_name: str, options: Namespace) -> int:
    """Print the catalog."""
    if options.json:
        emit(json.dumps([asdict(entry) for entry in entries()], indent=2, ensure_ascii=False), data=True)
    else:
        present(tables())
    return 0
