"""`derive notation`: the letters, what they mean, in which unit, in which topic."""

from __future__ import annotations

import json
from argparse import Namespace

from derive.cli.show import emit, present
from derive.render.table import Table
from formulas.notation import COMMON, TOPICS


def run(_name: str, options: Namespace) -> int:
    """Print the notation: the common letters, then those of single topics."""
    tables = {"common": COMMON, **TOPICS}
    if options.json:
        data = {
            topic: [{"letter": x.name, "meaning": x.meaning, "unit": x.unit, "kind": x.kind} for x in letters]
            for topic, letters in tables.items()
        }
        emit(json.dumps(data, indent=2, ensure_ascii=False), data=True)
        return 0
    present(
        Table(
            topic,
            ("letter", "meaning", "unit"),
            [(x.name, x.meaning, "" if x.unit == "1" else x.unit) for x in letters],
        )
        for topic, letters in tables.items()
    )
    return 0
