"""What the sheet shows whoever asks, derived once and committed, with a fingerprint of all that it follows from."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.render.documents import blocks

if TYPE_CHECKING:
    from derive.sheet.held import Held

HOME = Path(__file__).parents[2]
FILE = Path(__file__).with_name("sheet.json")
RENEW = "python -m derive prove --update"
SOURCES = ("derive", "formulas")
ELSEWHERE = ("cli", "page")  # folders that have no part in it: how a sheet is asked for, and what becomes of it


def held() -> Held:
    """What is committed, if nothing that it follows from has changed since; else the same, derived anew."""
    found = _committed()
    return found if found is not None else _derived()


def is_current() -> bool:
    """Whether what is committed is what would be derived now."""
    return _committed() is not None


def renew() -> None:
    """Derive it anew and commit it to its file."""
    text = json.dumps({"fingerprint": fingerprint(), "held": encoded(_derived())}, ensure_ascii=False, indent=0)
    FILE.write_text(text + "\n", encoding="utf-8")
    _committed.cache_clear()


@cache
def fingerprint() -> str:
    """A digest of the sources of the engine and of the content."""
    digest = sha256()
    for folder in SOURCES:
        for path in sorted((HOME / folder).rglob("*")):
            place = path.relative_to(HOME)
            if path.suffix in (".py", ".toml") and place.parts[1] not in ELSEWHERE and "page" not in place.parts:
                digest.update(f"{place.as_posix()}\0".encode() + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


@cache
def _committed() -> Held | None:
    try:
        data = json.loads(FILE.read_text(encoding="utf-8"))
        found = decoded(data["held"]) if data["fingerprint"] == fingerprint() else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # missing, or not what was written
        return None
    return found if isinstance(found, _types()["Held"]) else None


@cache
def _derived() -> Held:
    from derive.cli import load_sympy

    load_sympy()
    from derive.sheet.document import gathered

    return gathered()


# A value as JSON: text and numbers as they are, a tuple as a list, a set under "set", a block under its own name.
def encoded(value: Any) -> Any:
    """A document's parts as JSON data.

    >>> decoded(encoded((blocks.Code("derive"), frozenset({1}))))
    (Code(text='derive'), frozenset({1}))
    """
    if isinstance(value, tuple):
        return [encoded(each) for each in value]
    if isinstance(value, frozenset):
        return {"set": sorted(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return {type(value).__name__: [encoded(getattr(value, each.name)) for each in fields(value)]}
    return value


def decoded(data: Any) -> Any:
    """What was encoded; `KeyError` or `TypeError` for what was not."""
    if isinstance(data, list):
        return tuple([decoded(each) for each in data])
    if isinstance(data, dict):
        ((name, parts),) = data.items()
        return frozenset(parts) if name == "set" else _types()[name](*[decoded(part) for part in parts])
    return data


@cache
def _types() -> dict[str, type]:
    from derive.sheet.held import Held

    known = [each for each in vars(blocks).values() if isinstance(each, type) and is_dataclass(each)]
    return {each.__name__: each for each in (*known, Held)}
