"""The content: notation, architectures, sources and formulas, on the vocabulary of `derive`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from derive.errors import DeriveError, unknown

if TYPE_CHECKING:
    from derive.citation import Claim
    from derive.quantity import Formula

HERE = Path(__file__).parent
TOPICS = (
    "gemm", "parameters", "activations", "flops", "states", "memory", "recompute", "utilization", "time", "scaling",
    "roofline", "parallelism", "inference", "formats", "data", "init",
)  # in the order in which the catalog is read  # fmt: skip
RESERVED = frozenset({
    "list", "models", "hardware", "notation", "sources", "explain", "prove", "compare", "plan", "solve", "cheatsheet",
    "figure",
})  # fmt: skip
RESERVED_LATER = frozenset({"sweep", "trace"})


@dataclass(frozen=True, slots=True)
class Entry:
    """What the catalog's listing says of a formula, read from the source without running it."""

    name: str
    topic: str
    symbol: str
    unit: str
    title: str


@cache
def entries() -> tuple[Entry, ...]:
    """Every formula of the catalog, from the text of the topics' files, so that no SymPy is imported.

    Raises `DeriveError` for a name that is taken twice or that is a verb of the command line.
    """
    found: dict[str, Entry] = {}
    for file in _files():
        for entry in _declared_in(file):
            if entry.name in found:
                raise DeriveError(f"formula {entry.name!r} is in {found[entry.name].topic} and in {entry.topic}")
            if entry.name in RESERVED | RESERVED_LATER:
                raise DeriveError(f"formula {entry.name!r} of {entry.topic} has the name of a verb")
            found[entry.name] = entry
    return tuple(found.values())


@cache
def entry_of(name: str) -> Entry | None:
    """The entry of that name, from the one file that declares it; None if there is none."""
    start = f"\ndef {name.replace('-', '_')}("
    files = (file for file in _files() if start in _text(file))
    return next((entry for file in files for entry in _declared_in(file) if entry.name == name), None)


def _files() -> Iterator[Path]:
    return (HERE / f"{topic}.py" for topic in TOPICS)


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _declared_in(file: Path) -> tuple[Entry, ...]:
    return tuple(_declared(ast.parse(_text(file)), file.stem))


def _declared(tree: ast.Module, topic: str) -> Iterator[Entry]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "formula":
                (symbol,) = (part.value for part in call.args if isinstance(part, ast.Constant))
                unit = next(ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "unit")
                title = (ast.get_docstring(node) or "").split("\n")[0]
                named = unit.replace(" ", "").replace("flop", "FLOP").replace("dimensionless", "1")
                yield Entry(node.name.replace("_", "-"), topic, str(symbol), named, title)


def catalog() -> dict[str, Formula]:
    """Every formula by name, imported."""
    return {entry.name: formula_named(entry) for entry in entries()}


def formula_of(name: str) -> Formula:
    """The formula of that name; `UnknownName` with the closest one."""
    entry = entry_of(name)
    if entry is None:
        raise unknown("quantity", name, [each.name for each in entries()])
    return formula_named(entry)


def formula_named(entry: Entry) -> Formula:
    """The formula behind an entry of the catalog."""
    return getattr(import_module(f"formulas.{entry.topic}"), entry.name.replace("-", "_"))


def all_claims() -> tuple[Claim, ...]:
    """Every claim of every source, in the order of the sources' files."""
    return tuple(claim for path in _sources() for claim in _claims_of(path.stem))


def claims_about(formula: Formula, *, forms: bool = False) -> tuple[Claim, ...]:
    """The claims of all sources about one formula, or only the `forms` that derivations end in.

    A source is imported only where its text has a table of claims about the formula, and one that is marked as a form
    where those are asked for.
    """
    table = re.compile(rf"\bclaims\(\s*\w+,\s*{formula.function.__name__}\b(?P<rest>.*?)(?:\n\n|\Z)", re.DOTALL)
    return tuple(
        claim
        for path in _sources()
        if any(not forms or "form=True" in each["rest"] for each in table.finditer(_text(path)))
        for claim in _claims_of(path.stem)
        if claim.formula is formula and (claim.form or not forms)
    )


def _sources() -> list[Path]:
    return sorted(path for path in (HERE / "sources").glob("*.py") if path.stem != "__init__")


def _claims_of(source: str) -> Iterator[Claim]:
    from derive.citation import Claim

    for value in vars(import_module(f"formulas.sources.{source}")).values():
        if isinstance(value, tuple) and value and isinstance(value[0], Claim):
            yield from value
