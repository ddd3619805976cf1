"""What mutants are made of: every committed certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from checks.stored import stored


def certificates() -> tuple[Mapping[str, Any], ...]:
    """The certificates of all theorems, claims and laws that are proved, in the order of the files."""
    return tuple(stored().values())
