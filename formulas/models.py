"""Presets: models.toml read into models."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.errors import ModelError, unknown
from formulas.configs import is_path, model_of_fields, model_of_file

if TYPE_CHECKING:
    from derive.model import Architecture, Given, Model

PRESETS = Path(__file__).with_name("models.toml")
DEFAULT = "gpt"  # the layer of Megatron-LM and Korthikanti et al.: what a formula is about where no model is named


@cache
def presets() -> dict[str, dict[str, Any]]:
    """The records of models.toml by name: sizes of an architecture in letters, or a released configuration."""
    return tomllib.loads(PRESETS.read_text(encoding="utf-8"))


def in_letters() -> tuple[str, ...]:
    """The presets that are sizes of one of `architectures`; the others are configurations."""
    return tuple(name for name, record in presets().items() if "architecture" in record)


def architectures() -> dict[str, Architecture]:
    """The architectures by name."""
    from formulas.architectures.gpt import gpt, gpt_unfused
    from formulas.architectures.llama import llama, llama_repeat_kv

    return {each.name: each for each in (gpt, gpt_unfused, llama, llama_repeat_kv)}


def model(name: str | None = None) -> Model:
    """The preset or bare architecture of that name, the model of a configuration file, or the default.

    Raises `UnknownName` with the closest name, or `ConfigError` for a file that does not describe a model.

    >>> model("gpt2").sizes["h"]
    Given(value=768, origin='preset')
    """
    from derive.model import Given, Model

    known = architectures()
    if name is not None and name not in known and name not in presets() and is_path(name):
        return model_of_file(name)
    if name is None or name in known:
        return Model(known[name or DEFAULT])
    if name not in presets():
        raise unknown("model", name, [*presets(), *known], ", or a path to a config.json")
    record = presets()[name]
    if "config" in record:
        return _released(name)
    architecture = known[record["architecture"]]
    if record["dropout"] != architecture.drops:
        raise ModelError(f"preset {name}: dropout = {record['dropout']}, but architecture {architecture.name} differs")
    return Model(
        architecture,
        name,
        record["title"],
        _sizes(record) | {"b": Given(1, "default")},
        (("attention", record["attention"]),),
        record["mask"],
        record["sources"],
    )


@cache
def _released(name: str) -> Model:
    """The preset of a released configuration, read once: what is held of its architecture is held for all who ask."""
    record = presets()[name]
    read = model_of_fields(record["config"], name)
    return replace(read, title=record["title"], sizes={**read.sizes, **_sizes(record)}, sources=record["sources"])


def _sizes(record: Mapping[str, Any]) -> dict[str, Given]:
    from derive.model import Given

    return {letter: Given(size, "preset") for letter, size in record.get("sizes", {}).items()}
