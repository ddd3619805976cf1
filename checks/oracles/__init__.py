"""Independent witnesses: PyTorch and transformers, run on small sizes, measured, and compared with what we derive."""

import os
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

PINNED = {"torch": "2.13.0", "transformers": "5.24.0"}  # the versions that every equality has been seen to hold with
STRICT = "SHAPEPROOF_ORACLES"  # set to 1, a missing or another witness is a failure (CI sets it)


def optional(name: str) -> Any:
    """The library of that name, or None where it is not installed: these modules are imported without torch too."""
    return import_module(name) if find_spec(name) is not None else None


def obstacle(name: str) -> str:
    """Why the witness `name` cannot be heard, as a reason to skip; empty if it can.

    Raises `ImportError` instead where the environment variable `STRICT` is 1, also for a version that is not pinned.
    """
    wanted, installed = PINNED[name], find_spec(name) is not None
    found = version(name).partition("+")[0] if installed else "none"
    if found != wanted and os.environ.get(STRICT) == "1":
        raise ImportError(f"{STRICT}=1 asks for {name} {wanted}, found {found}: pip install {name}=={wanted}")
    return "" if installed else f"{name} is not installed: pip install {name}=={wanted}"
