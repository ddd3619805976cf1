"""`derive prove`: every statement with its verdict and level, those of one quantity, or a formula of one's own."""

from __future__ import annotations

import json
import shutil
import sys
from argparse import Namespace
from contextlib import contextmanager

from derive.cli import load_sympy
from derive.cli.show import emit, present
from derive.errors import DeriveError

FAILED = 1


def run(_name: str, options: Namespace) -> int:
    """Print what is proved; 1 if a verdict is open or not the expected one."""
    if options.statement is not None:
        from derive.cli.own import run as own

        if options.names or options.level or options.update:
            raise DeriveError("--statement is about a formula of your own: leave out names, --level and --update")
        return own(options)
    if options.given or options.real:
        raise DeriveError("--given and --real go with --statement 'LEFT <= RIGHT'")
    load_sympy()
    from checks.prove import below, expected_count, items, keep_levels, raised, update
    from checks.stored import FOLDER
    from derive.proof import smt
    from derive.render.proofs import data, in_full, summary, table
    from derive.sheet.stored import renew

    level = options.level or "certified"
    available = {"smt": smt.available(), "kernel": shutil.which("coqc") is not None}
    _refuse_missing(level, available)
    if options.update:
        if options.names:
            raise DeriveError("--update renews all certificates: leave out names")
        if not (FOLDER.parents[1] / "pyproject.toml").exists():
            raise DeriveError(f"--update is for a checkout, and {FOLDER} is an installation: python -m derive there")
        print(f"{update()} certificates in {FOLDER}", file=sys.stderr)
    with _progress(expected_count() if not options.names else None) as seen:
        found = items(options.names, seen)
    found = raised(found, level)
    if options.update:
        keep_levels(found, level)
        renew()
    asked = {"smt": level in ("smt", "kernel"), "kernel": level == "kernel"}
    reached = {name: asked[name] and not below(found, name) for name in asked}
    short = below(found, level)
    if options.json:
        emit(json.dumps(data(found, reached), indent=2, ensure_ascii=False), data=True)
    else:
        shown = in_full(found) if options.names else table(found)
        present([*shown, *summary(found, short, _missing(level, available))])
    return 0 if not short and all(each.is_expected for each in found) else FAILED


WAYS = {
    "smt": "Z3 is not installed: pip install 'shapeproof[smt]'",
    "kernel": "coqc was not found: install coq, such as by apt install coq",
}
ASKS = {"smt": "Z3 was not asked: --level smt", "kernel": "Coq was not asked: --level kernel"}


def _refuse_missing(level: str, available: dict[str, bool]) -> None:
    for needed in {"smt": ["smt"], "kernel": ["smt", "kernel"]}.get(level, []):
        if not available[needed]:
            raise DeriveError(f"--level {level}: {WAYS[needed]}")


def _missing(level: str, available: dict[str, bool]) -> list[str]:
    asked = {"certified": (), "smt": ("smt",), "kernel": ("smt", "kernel")}[level]
    return [(ASKS if available[each] else WAYS)[each] for each in ("smt", "kernel") if each not in asked]


@contextmanager
def _progress(total: int | None):
    """A bar on a terminal's standard error; nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty() or total is None:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("proving", total=total)
        yield lambda done: bar.update(task, completed=done)
