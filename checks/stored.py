"""The committed certificates, one JSON file a topic, and the levels that were recorded for them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from derive.errors import ClaimError
from derive.proof.checker import VERSION, digest
from derive.proof.statement import Statement, fingerprint

FOLDER = Path(__file__).parent / "certificates"
LEVELS = FOLDER.parent / "levels.json"
RENEW = "python -m derive prove --update"


@cache
def stored() -> dict[str, Statement]:
    """Every committed certificate by the fingerprint of its statement; `ClaimError` if a file cannot be read."""
    found: dict[str, Statement] = {}
    for path in sorted(FOLDER.glob("*.json")):
        try:
            found |= {fingerprint(each): each for each in json.loads(path.read_text(encoding="utf-8"))["certificates"]}
        except (ValueError, KeyError, TypeError) as error:
            raise ClaimError(f"{path} is not a file of certificates ({error}): run {RENEW}") from None
    return found


@cache
def recorded() -> dict[str, str]:
    """The level that was recorded for a statement, by its fingerprint; none for one that was changed since."""
    try:
        return dict(json.loads(LEVELS.read_text(encoding="utf-8")).items()) if LEVELS.exists() else {}
    except (ValueError, AttributeError) as error:
        raise ClaimError(f"{LEVELS} has no levels ({error}): run {RENEW} --level kernel") from None


def level_of(certificate: Statement | None) -> str | None:
    """The level recorded for a certificate's statement, if there is one."""
    return recorded().get(fingerprint(certificate)) if certificate is not None else None


def renew(certificates: Mapping[str, Iterable[Statement]]) -> None:
    """Write the certificates of each topic, each with its digest; files of topics that are gone are removed."""
    FOLDER.mkdir(exist_ok=True)
    for topic, each in certificates.items():
        signed = [{**certificate, "digest": digest(certificate)} for certificate in each]
        _write(FOLDER / f"{topic}.json", _text(signed))
    for path in FOLDER.glob("*.json"):
        if path.stem not in certificates:
            path.unlink()
    stored.cache_clear()


def record(levels: Mapping[str, str]) -> None:
    """Write the levels, by fingerprint."""
    _write(LEVELS, json.dumps(dict(sorted(levels.items())), indent=0) + "\n")
    recorded.cache_clear()


def _text(certificates: list[dict[str, Any]]) -> str:
    """One line for each field of a certificate, so that a change shows where it is."""
    made = [
        "{" + ",\n ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in certificate.items()) + "}"
        for certificate in certificates
    ]
    return f'{{"version": {VERSION}, "certificates": [\n' + ",\n".join(made) + "\n]}\n"


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)
