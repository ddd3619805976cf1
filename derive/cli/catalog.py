"""`derive list`: the catalog by topic, read from the sources without importing SymPy."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict

from derive.cli.show import emit, present
from derive.render.table import Table, plain
from formulas import entries


def tables() -> list[Table]:
    """One table a topic."""
    topics = dict.fromkeys(entry.topic for entry in entries())
    return [
        Table(topic, ("", "", ""), [(e.name, e.unit, e.title) for e in entries() if e.topic == topic])
        for topic in topics
    ]


def overview(verbs: Mapping[str, str]) -> str:
    """The catalog and the verbs with what they do, as `derive` alone prints them."""
    below = Table("verbs", ("", ""), list(verbs.items()))
    blocks = [plain(table) for table in (*tables(), below)]
    start = "Try: derive activations        derive activations --latex        derive explain activations 34"
    return "\n\n".join([*blocks, start])


def run(_name: str, options: Namespace) -> int:
    """Print the catalog."""
    if options.json:
        emit(json.dumps([asdict(entry) for entry in entries()], indent=2, ensure_ascii=False), data=True)
    else:
        present(tables())
    return 0
