"""Context parallelism: the devices of a group hold a sequence between them, and every parameter each."""

import pytest

from checks.oracles.configured import value as configured
from derive.errors import PlanError
from formulas.models import in_letters
from tests.asking import value

OF_TOKENS = ("activations", "model-activations", "logits", "layer-input-bytes", "kv-cache")
FUSED = "attention=flash"


@pytest.mark.parametrize("model", in_letters())
@pytest.mark.parametrize("name", OF_TOKENS)
@pytest.mark.parametrize("degree", [2, 4, 8])
def test_parts_of_the_sequence_add_up_to_it(name: str, model: str, degree: int):
    assert degree * value(name, model, f"{FUSED},cp={degree}") == value(name, model, FUSED)


@pytest.mark.parametrize("window", [1, 5, 8, 9, 24, 31, 32, 40])
@pytest.mark.parametrize("degree", [1, 2, 4, 8])
def test_a_window_is_cached_by_the_devices_that_have_its_tokens(window: int, degree: int):
    """Cut into parts in a row, of which the last holds most: counted token by token."""
    s, b, sizes = 32, 3, {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 32}
    fields = {"model_type": "mistral", "intermediate_size": 8, "vocab_size": 16, "sliding_window": window, **sizes}
    held = [sum(i // (s // degree) == rank for i in range(s - min(window, s), s)) for rank in range(degree)]
    of_token = 2 * 2 * 2 * 2 * 8 * b  # keys and values of two bytes, layers, heads of 8
    for name in ("kv-cache", "window-kv-cache", "needed-kv-cache"):
        assert configured(fields, name, f"{FUSED},cp={degree}", s=s, b=b) == max(held) * of_token
    assert sum(held) * of_token == configured(fields, "kv-cache", s=s, b=b)


@pytest.mark.parametrize("name", ["device-parameters", "parameters", "flops-per-token", "states", "gradients"])
def test_what_is_no_matter_of_the_sequence_stays(name: str):
    assert value(name, "llama3-8b", "cp=4") == value(name, "llama3-8b")


def test_sequence_parallelism_splits_each_part_further():
    both = value("activations", "llama3-8b", "tp=8,sp,cp=2")
    assert 2 * both == value("activations", "llama3-8b", "tp=8,sp")


def test_the_group_shards_states_as_data_parallelism_does():
    for stage in (1, 2, 3):
        both, alone = (value("states", "llama3-8b", f"zero={stage},{plan}") for plan in ("dp=4,cp=2", "dp=8"))
        assert both == alone
    assert value("gathered-layer", "llama3-8b", "zero=3,cp=2") == value("gathered-layer", "llama3-8b", "zero=3,dp=2")


@pytest.mark.parametrize(
    ("model", "plan", "text"),
    [
        ("llama3-8b", "cp=3", "cp=3 does not divide s = 8192 into parts for 3 devices"),
        ("llama3-8b", "tp=8,sp,cp=2048", "cp=2048 does not divide s = 8192 into parts for 16384 devices"),
        ("gpt2", "cp=2", "cp=2: softmax output has every pair of tokens: with cp, attention=flash keeps none"),
        ("llama3-8b", "cp=c", "plan cp=c: write cp=2"),
    ],
)
def test_what_is_refused(model: str, plan: str, text: str):
    with pytest.raises(PlanError) as error:
        value("activations", model, plan)
    assert str(error.value) == text
