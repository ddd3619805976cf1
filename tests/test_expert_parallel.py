"""Expert parallelism: of the ranks that hold the same weights, some share the experts; all else each has whole."""

from fractions import Fraction
from typing import Any

import pytest

from checks.configurations import configuration
from checks.oracles.configured import ours, value
from derive.errors import PlanError
from tests.asking import value as asked

MIXTURES = pytest.mark.parametrize(
    "model_type", ["mixtral", "qwen3_moe", "olmoe", "gpt_oss", "deepseek_v2", "deepseek_v3"]
)
NUMBERS = ("num_experts", "num_local_experts", "n_routed_experts")


def mixture(model_type: str) -> tuple[dict[str, Any], int, int]:
    """Fields with twelve experts, how many there are, and how many a token uses."""
    fields = configuration(model_type, 1)
    fields |= {name: 12 for name in NUMBERS if name in fields}
    fields |= {"num_experts_per_tok": 2, "mlp_only_layers": []}
    fields |= {"first_k_dense_replace": 1, "n_group": 1, "topk_group": 1} if model_type.startswith("deepseek") else {}
    return fields, 12, 2


@MIXTURES
@pytest.mark.parametrize("e", [2, 3, 12])
def test_experts_are_shared_out_and_nothing_else(model_type: str, e: int):
    """What a token does not use is of experts alone: with it, how much they have in all is known."""
    fields, E, k = mixture(model_type)
    total, active = value(fields, "parameters"), value(fields, "active-parameters")
    experts = (total - active) * Fraction(E, E - k)
    held = value(fields, "device-parameters", f"dp=12,ep={e}")
    assert held == total - experts + experts / e
    assert value(fields, "parameters", f"dp=12,ep={e}") == total
    assert value(fields, "states", f"dp=12,ep={e}") == 16 * held


@MIXTURES
@pytest.mark.parametrize("e", [2, 3, 12])
def test_zero_shards_experts_over_fewer_ranks(model_type: str, e: int):
    """Sharded over all, each rank has its part of everything, however experts are shared out."""
    fields, _, _ = mixture(model_type)
    total, held = value(fields, "parameters"), value(fields, "device-parameters", f"dp=12,ep={e}")
    for plan in ("dp=12", "dp=6,cp=2"):
        three, one = (value(fields, "states", f"{plan},ep={e},zero={stage}", s=24) for stage in (3, 1))
        assert three == 16 * total / 12
        assert one == 4 * held + 12 * total / 12


@MIXTURES
def test_rows_stay_as_many(model_type: str):
    """A rank has k rows a token, where they are balanced, whoever's tokens they are of."""
    fields, _, _ = mixture(model_type)
    for name in ("activations", "model-activations", "kv-cache"):
        alone, shared = (value(fields, name, plan, s=8) for plan in ("dp=12", "dp=12,ep=12"))
        assert alone == shared


@MIXTURES
def test_what_is_gathered(model_type: str):
    """The experts that a rank has, from those that have them too: none where no other has."""
    fields, E, k = mixture(model_type)
    kinds = ours(fields, "layer-parameters", s=8).layers
    experts = (value(fields, "parameters") - value(fields, "active-parameters")) * Fraction(E, E - k)
    layers = next((each.count for each in kinds if each.kind == "expert layer"), fields["num_hidden_layers"])
    assert layers is not None
    whole = value(fields, "gathered-layer", "dp=12,zero=3")
    for e in (2, 3, 12):
        shared = ours(fields, "gathered-layer", f"dp=12,zero=3,ep={e}", s=8)
        here = next((each.value for each in shared.layers if each.kind == "expert layer"), shared.value)
        assert here == whole - 4 * experts / layers * (1 - (Fraction(1, e) if e != 12 else 0))


@pytest.mark.parametrize(
    ("model_type", "plan", "text"),
    [
        ("mixtral", "dp=10,ep=5", "ep=5 does not divide E = 12, the experts"),
        ("mixtral", "dp=6,ep=4", "ep=4 does not divide dp*cp = 6: those are the ranks that share the experts"),
        ("mixtral", "ep=4", "ep=4 does not divide dp*cp = 1: those are the ranks that share the experts"),
        ("mixtral", "ep=e", "plan ep=e: write ep=8"),
        ("llama", "dp=8,ep=8", "plan ep=8: llama has no experts"),
    ],
)
def test_what_is_refused(model_type: str, plan: str, text: str):
    fields = mixture(model_type)[0] if model_type == "mixtral" else configuration(model_type, 1)
    with pytest.raises(PlanError) as error:
        value(fields, "device-parameters", plan)
    assert str(error.value).startswith(text)


def test_of_numbers_alone_there_are_no_experts():
    with pytest.raises(PlanError, match="ep=8 shares the experts of a model: name one, or leave it out"):
        asked("states", None, "dp=8,ep=8", N=10)
