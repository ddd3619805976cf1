"""Gemma 2 and 3 as transformers runs them equal what we derive, at random settings: windows, caps, norms, caches."""

from __future__ import annotations

from typing import Any

import pytest

from checks.oracles import configured, obstacle
from checks.oracles.configured import by_kind, counted, kept_by_layer, run_of, theirs, value
from checks.oracles.families import gemma
from checks.oracles.families.gemma import kept_bytes
from checks.oracles.measure import passes
from derive.errors import ConfigError
from formulas.configs import model_of_fields

NO_TORCH, NO_TRANSFORMERS = obstacle("torch"), obstacle("transformers")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(bool(NO_TORCH), reason=NO_TORCH),
    pytest.mark.skipif(bool(NO_TRANSFORMERS), reason=NO_TRANSFORMERS),
]
types = pytest.mark.parametrize("model_type", ["gemma2", "gemma3_text"])
SEEDS = 6
seeds = pytest.mark.parametrize("seed", range(SEEDS))

B, S = 3, 13
TOTAL_WEIGHT = 4  # bytes: see test_oracles
NUMBER = 8  # bytes of a Python number that scores were multiplied by


def loss_of(model: Any, device: str = "meta") -> tuple[Any, list[Any]]:
    """A run to the loss, and the parameters."""
    ids = configured.torch.zeros(B, S, dtype=configured.torch.long, device=device)
    return lambda: model(input_ids=ids, labels=ids, use_cache=False).loss, list(model.parameters())


def capped_scores(fields: dict[str, Any]) -> bool:
    """Whether transformers caps the scores: Gemma 3's attention has no such step, whatever its file says."""
    return fields["model_type"] == "gemma2" and fields["attn_logit_softcapping"] is not None


@types
@seeds
def test_parameters_and_kinds(seed: int, model_type: str):
    """Parameters, tables that are looked up, active ones; the kind of every layer; the window."""
    fields = gemma.configuration(model_type, seed)
    for name, number in counted(theirs(fields), fields).items():
        assert value(fields, name) == number
    ours, known = model_of_fields(fields, model_type), {"window layer": "sliding", "full layer": "full"}
    listed = [f"{known[kind]}_attention" for kind in ours.order]
    assert listed == gemma.settings(fields).layer_types or len(set(gemma.settings(fields).layer_types)) == 1


@types
def test_what_a_file_leaves_out(model_type: str):
    """The width of a head and the key/value heads are numbers of the type, not shares of others."""
    fields = gemma.configuration(model_type, 0) | {"num_attention_heads": 8, "hidden_size": 48}
    fields = {name: each for name, each in fields.items() if name not in ("head_dim", "num_key_value_heads")}
    assert value(fields, "parameters") == counted(theirs(fields), fields)["parameters"]
    with pytest.raises(ConfigError, match="needs sliding_window"):  # which transformers cannot run
        model_of_fields(fields | {"sliding_window": None}, model_type)


@types
@seeds
def test_layers_keep(seed: int, model_type: str):
    """Every layer, in the flash operator, and with scores written out and capped."""
    fields = gemma.configuration(model_type, seed)
    model = theirs(fields)
    assert kept_by_layer(model, run_of(model, B, S)) == by_kind(fields, "activations", "attention=cuda_flash", s=S, b=B)
    gemma.register()
    fields = gemma.multi_head(fields)
    model = theirs(fields, gemma.CAPPED)
    expected = by_kind(fields, "activations", "attention=materialised", s=S, b=B)
    assert kept_by_layer(model, run_of(model, B, S)) == expected


@types
@seeds
def test_models_keep(seed: int, model_type: str):
    """Scaled embedding, both kinds of layers with their rotary tables, norms, capped logits, loss."""
    fields = gemma.configuration(model_type, seed)
    expected = value(fields, "model-activations", "attention=cuda_flash", s=S, b=B)
    assert kept_bytes(*loss_of(theirs(fields))) == expected + TOTAL_WEIGHT


@types
@seeds
def test_eager_attention_keeps(seed: int, model_type: str):
    """transformers' own attention scales scores by a Python number, and its softmax is in fp32."""
    fields = gemma.configuration(model_type, seed) | {"attention_dropout": 0.0, "num_hidden_layers": 2}
    fields = gemma.multi_head({name: each for name, each in fields.items() if name != "layer_types"})
    model = theirs(fields, "eager", "cpu")
    upcast = 4 * fields["num_attention_heads"] * S**2 * B  # the fp32 softmax output, beside its copy in bf16
    expected = value(fields, "model-activations", "attention=materialised", formats="bf16-cpu", s=S, b=B)
    expected += 2 * (upcast + NUMBER) + TOTAL_WEIGHT
    assert kept_bytes(*loss_of(model, "cpu")) == expected


@types
@seeds
def test_flops(seed: int, model_type: str):
    """Forward and backward over the whole square of scores, to the logits; PyTorch's products know no windows."""
    fields = gemma.multi_head(gemma.configuration(model_type, seed)) | {"sliding_window": 2 * S}
    gemma.register()
    forward, backward = passes(run_of(theirs(fields, gemma.CAPPED), B, S))
    total = value(fields, "flops-per-token", "mask=full", s=S, b=B) * S * B
    head = 2 * fields["vocab_size"] * fields["hidden_size"] * S * B
    assert forward == sum(by_kind(fields, "layer-flops", "mask=full", s=S, b=B)) + head
    assert (forward, backward) == (total / 3, 2 * total / 3)


@types
@seeds
def test_caches_hold(seed: int, model_type: str):
    """A cache of fixed size holds the window; one that grows holds one token less, which the next step adds."""
    fields = gemma.configuration(model_type, seed)
    w = fields["sliding_window"]
    for s in (2, 4, S):
        assert gemma.held_bytes(fields, B, s, static=True) == value(fields, "kv-cache", s=s, b=B)
        windows = gemma.settings(fields).layer_types.count("sliding_attention")
        token = 2 * 2 * B * fields["num_key_value_heads"] * fields["head_dim"]
        less = windows * token if s >= w else 0
        assert gemma.held_bytes(fields, B, s, static=False) == value(fields, "kv-cache", s=s, b=B) - less


@seeds
def test_text_model_of_a_file_with_images(seed: int):
    """Of a file with a vision tower, the language model counts, and a notice says so."""
    fields = gemma.configuration("gemma3_text", seed) | {"tie_word_embeddings": True}
    file, parameters = gemma.with_vision(fields)
    model = model_of_fields(file, "with images")
    assert value({**file, "model_type": "gemma3"}, "parameters") == parameters
    assert any("text_config" in notice for notice in model.notices)


def test_what_is_drawn():
    """The settings drawn have layers of both kinds and of one, scores and logits with a cap and without."""
    drawn = [gemma.configuration("gemma2", seed) for seed in range(SEEDS)]
    assert {len(set(gemma.settings(fields).layer_types)) for fields in drawn} == {1, 2}
    assert {capped_scores(fields) for fields in drawn} == {True, False}
    assert {gemma.settings(fields).final_logit_softcapping for fields in drawn} == {None, 30.0}
