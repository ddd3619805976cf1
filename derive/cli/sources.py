"""`derive sources`: the papers and tools that are quoted, and how many of their statements hold."""

from __future__ import annotations

import json
from argparse import Namespace
from collections import Counter

from derive.cli import load_sympy
from derive.cli.show import emit, present
from derive.render.table import Table


def run(_name: str, options: Namespace) -> int:
    """Print each source with its claims by verdict."""
    load_sympy()
    from derive.verdict import judge
    from formulas import all_claims

    counts: dict[str, Counter[str]] = {}
    cited = {}
    for claim in all_claims():
        cited[claim.source.key] = claim.source
        counts.setdefault(claim.source.key, Counter())[judge(claim).verdict] += 1
    if options.json:
        data = [
            {
                "key": s.key,
                "authors": s.authors,
                "year": s.year,
                "title": s.title,
                "locator": s.locator,
                "claims": counts[key],
            }
            for key, s in cited.items()
        ]
        emit(json.dumps(data, indent=2, ensure_ascii=False), data=True)
        return 0
    rows = [
        (
            key,
            f"{s.authors} {s.year}: {s.title}",
            s.locator,
            ", ".join(f"{n} {verdict}" for verdict, n in counts[key].items()),
        )
        for key, s in cited.items()
    ]
    present([Table("Sources", ("key", "work", "where", "claims"), rows)])
    return 0
