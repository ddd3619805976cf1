"""What was measured on transformers' models, published ones and random ones, equals what their configurations give."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from checks.configurations import TYPES
from checks.oracles import PINNED
from checks.oracles.configured import beside, by_kind, ours, value
from formulas.configs import model_types

DATA = json.loads((Path(__file__).parent.parent / "checks" / "measured_models.json").read_text(encoding="utf-8"))
SIZES = DATA["sizes"]
COUNTS = ("parameters", "embedding-parameters", "active-parameters")
published = pytest.mark.parametrize("entry", DATA["published"], ids=lambda entry: entry["name"])
random = pytest.mark.parametrize(
    "entry", DATA["random"], ids=[f"{each['config']['model_type']} {i % 3}" for i, each in enumerate(DATA["random"])]
)


def test_every_type_was_measured():
    assert DATA["versions"] == PINNED
    assert {each["config"]["model_type"] for each in DATA["random"]} == set(TYPES)
    assert set(model_types()) == {*TYPES, "kimi_k2"}
    assert len(DATA["published"]) == 48


@published
def test_parameters_of_published_models(entry):
    assert {name: value(entry["config"], name) for name in COUNTS} == {name: entry[name] for name in COUNTS}


@published
def test_cache_of_published_models(entry):
    """In bf16, for one more token, or whatever the number of tokens."""
    if entry["state"] is not None:
        assert value(entry["config"], "kv-cache", s=1) == value(entry["config"], "kv-cache", s=4096) == entry["state"]
    else:
        assert value(entry["config"], "kv-cache", s=1) == entry["cache-per-token"]


@random
def test_parameters_and_cache_of_random_models(entry):
    assert {name: value(entry["config"], name) for name in COUNTS} == {name: entry[name] for name in COUNTS}
    assert value(entry["config"], "kv-cache", **SIZES) == entry["cache"]


@random
def test_bytes_that_layers_of_random_models_keep(entry):
    fields, kept = entry["config"], entry["kept"]
    if not kept["layers"]:
        assert fields["model_type"] in ("mamba", "mamba2")
        return
    derived = by_kind(fields, "activations", kept["plan"], formats=kept["formats"], **SIZES)
    order = ours(fields, "parameters").model.order or ("",) * len(derived)
    for bytes_there, bytes_here, kind in zip(kept["layers"], derived, order, strict=True):
        assert Fraction(bytes_there) - bytes_here in beside(fields, kind, **SIZES)
