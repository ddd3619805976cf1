"""What transformers builds, keeps, computes and caches from a configuration equals what we derive from it."""

from __future__ import annotations

from importlib import import_module

import pytest

from checks.configurations import TYPES, configuration
from checks.oracles import configured, obstacle
from checks.oracles.configured import (
    SPACES,
    attention_of,
    beside,
    by_kind,
    cache_bytes,
    counted,
    kept_by_layer,
    run_of,
    theirs,
    value,
)
from checks.oracles.measure import flops

NO_TORCH, NO_TRANSFORMERS = obstacle("torch"), obstacle("transformers")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(bool(NO_TORCH or NO_TRANSFORMERS), reason=NO_TORCH or NO_TRANSFORMERS),
]
every = pytest.mark.parametrize("model_type", TYPES)
seeds = pytest.mark.parametrize("seed", range(4))

b, s = 2, 7


@every
@seeds
def test_parameters(model_type: str, seed: int):
    """All parameters, those of looked-up tables, and those that one token uses."""
    fields = configuration(model_type, seed)
    model = theirs(fields, attention_of(model_type)[0])
    assert counted(model, fields) == {name: value(fields, name) for name in counted(model, fields)}


@pytest.mark.parametrize("model_type", [each for each in TYPES if each not in SPACES])
@seeds
def test_bytes_that_a_layer_keeps(model_type: str, seed: int):
    """Every layer by storage, to the byte, whatever its kind."""
    fields = configuration(model_type, seed)
    attention, device, plan = attention_of(model_type)
    model = theirs(fields, attention, device)
    kept = kept_by_layer(model, run_of(model, b, s, device))
    formats = "bf16" if device == "meta" else "bf16-cpu"
    ours = by_kind(fields, "activations", plan, formats=formats, b=b, s=s)
    order = configured.ours(fields, "parameters").model.order or ("",) * len(kept)
    for number, amount, kind in zip(kept, ours, order, strict=True):
        assert number - amount in beside(fields, kind, b, s)


@pytest.mark.parametrize("model_type", [each for each in TYPES if each not in SPACES])
def test_flops_of_the_forward_pass(model_type: str):
    """All products over whole sequences, as torch counts them: no mask, and of experts those that rows go through."""
    fields = configuration(model_type, 1)
    attention, device, _ = attention_of(model_type)
    model = theirs(fields, "eager" if attention == "witness_kernel" else attention, device)
    forward = configured.forward_flops(fields, b=b, s=s)
    assert flops(run_of(model, b, s, device)) == forward


@every
def test_bytes_of_the_cache(model_type: str):
    """What transformers' own cache holds after a prompt that is shorter than every window."""
    for seed in range(3):
        fields = configuration(model_type, seed)
        assert cache_bytes(fields, b, s) == value(fields, "kv-cache", b=b, s=s)


def test_falcon_caches_heads_that_it_has_copied_out():
    """With grouped heads, transformers' Falcon holds as many keys as queries; what attention needs is a share."""
    fields = {**configuration("falcon", 0), "new_decoder_architecture": True, "parallel_attn": True}
    a = fields["num_attention_heads"]
    fields["num_kv_heads"] = next(g for g in (2, 3, 5) if a % g == 0)
    held, needed = (value(fields, name, b=b, s=s) for name in ("kv-cache", "needed-kv-cache"))
    assert cache_bytes(fields, b, s) == held
    assert held / needed == a / fields["num_kv_heads"]
    assert cache_bytes({**fields, "num_kv_heads": 1}, b, s) == held
    assert value({**fields, "num_kv_heads": 1}, "needed-kv-cache", b=b, s=s) == held / a


# ---- latent attention ----


latent = pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3"])
NUMBER = 8  # a Python number that scores are scaled by


@latent
@seeds
@pytest.mark.parametrize("sequences", [1, 2, 3])
def test_latent_attention_written_out_keeps(model_type: str, seed: int, sequences: int):
    """transformers' eager attention: it scales by a Python number, and its softmax is in fp32, as Llama's.

    Of one sequence alone, torch's product reads the values where they lie, in the buffer that keys are a part of.
    """
    fields = {**configuration(model_type, seed), "attention_dropout": 0.0}
    model = theirs(fields, "eager", "cpu")
    kept = kept_by_layer(model, run_of(model, sequences, s, "cpu"))
    plan = "attention=materialised"
    case = configured.ours(fields, "activations", plan, formats="bf16-cpu", b=sequences, s=s)
    ours = by_kind(fields, "activations", plan, formats="bf16-cpu", b=sequences, s=s)
    a = fields["num_attention_heads"]
    more = 4 * a * s**2 * sequences + NUMBER + (2 * s * a * fields["qk_nope_head_dim"] if sequences == 1 < a else 0)
    for number, amount, kind in zip(kept, ours, case.model.order, strict=True):
        assert number - amount - more in beside(fields, kind, sequences, s)


@pytest.mark.parametrize("model_type", ["gpt2", "gpt_neox", "phi3"])
@seeds
@pytest.mark.parametrize("sequences", [1, 2, 3])
def test_attention_written_out_on_one_product_keeps(model_type: str, seed: int, sequences: int):
    """transformers' eager attention where queries, keys and values are parts of one product.

    Beside what attention needs it scales by a Python number, its softmax is in fp32 (but GPT-2's), and it copies heads
    that share a key or a value out. Of one sequence alone, torch's product reads values in the buffer that they lie in.
    """
    fields = configuration(model_type, seed)
    fields |= {name: 0.0 for name in fields if "drop" in name} | {"reorder_and_upcast_attn": False}
    model = theirs(fields, "eager", "cpu")
    kept = kept_by_layer(model, run_of(model, sequences, s, "cpu"))
    case = configured.ours(fields, "activations", "attention=materialised", formats="bf16-cpu", b=sequences, s=s)
    ours = by_kind(fields, "activations", "attention=materialised", formats="bf16-cpu", b=sequences, s=s)
    a, g, d = (case.known[letter].value for letter in "agd")
    head = 2 * s * sequences * d
    more = NUMBER + (4 * a * s**2 * sequences if model_type != "gpt2" else 0) + 2 * (a - g) * head
    if sequences == 1 and a == g > 1 and model_type != "gpt2":
        more += 2 * a * head
    assert [number - amount for number, amount in zip(kept, ours, strict=True)] == [more] * len(kept)


@pytest.mark.parametrize("probability", [0.0, 0.1])
@seeds
@pytest.mark.parametrize("sequences", [1, 2, 3])
def test_attention_written_out_in_fp32_keeps(seed: int, sequences: int, probability: float):
    """GPT-2's `reorder_and_upcast_attn`, to the byte; of one sequence alone, values stay in the buffer of all three."""
    fields = {**configuration("gpt2", seed), "reorder_and_upcast_attn": True, "attn_pdrop": probability}
    model = theirs(fields, "eager", "cpu")
    kept = kept_by_layer(model, run_of(model, sequences, s, "cpu"))
    ours = by_kind(fields, "activations", "attention=materialised", formats="bf16-cpu", b=sequences, s=s)
    more = 4 * s * fields["n_embd"] if sequences == 1 < fields["n_head"] else 0
    assert [number - amount for number, amount in zip(kept, ours, strict=True)] == [more] * len(kept)
    plain = {**fields, "reorder_and_upcast_attn": False}
    for plan in ("", "attention=cuda_flash"):
        assert by_kind(fields, "activations", plan, s=s) == by_kind(plain, "activations", plan, s=s)


@seeds
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_choosing_among_groups_keeps(seed: int, groups: int):
    """A byte for each expert of each token: whether its group was chosen."""
    fields = {
        **configuration("deepseek_v2", seed),
        "n_routed_experts": 8,
        "first_k_dense_replace": 1,
        "n_group": groups,
    }
    fields |= {"topk_group": 1, "topk_method": "group_limited_greedy"}
    model = theirs(fields, "witness_kernel", "cpu")
    kept = kept_by_layer(model, run_of(model, b, s, "cpu"))[-1]
    ours, greedy = (
        by_kind({**fields, "topk_method": how}, "activations", "attention=flash", formats="bf16-cpu", b=b, s=s)[-1]
        for how in ("group_limited_greedy", "greedy")
    )
    assert kept - ours in beside(fields, "expert layer", b, s)
    assert ours - greedy == b * s * 8


@pytest.mark.parametrize("alibi", [False, True])
@pytest.mark.parametrize("heads", ["old", "one", "groups", "all"])
@seeds
def test_falcon_runs_a_kernel_that_reads_heads_where_they_lie(seed: int, heads: str, alibi: bool):
    """transformers' default, sdpa: ALiBi and the causal mask are one tensor, which the kernel keeps, once for all.

    Without ALiBi it makes a causal mask too, in every layer anew, which a kernel that is told so need not have.
    """
    fields = {**configuration("falcon", seed), "alibi": alibi, "attention_dropout": 0.0, "multi_query": False}
    a, new = fields["num_attention_heads"], heads != "old"
    number = {"one": 1, "groups": next(g for g in (2, 3, 5, 1) if a % g == 0)}.get(heads, a)
    fields |= {"new_decoder_architecture": new, "parallel_attn": True, "num_kv_heads": number}
    fields["num_ln_in_parallel_attn"] = None
    model = theirs(fields, "sdpa", "cpu")
    ours = by_kind(fields, "activations", "", formats="bf16-cpu", b=b, s=s)
    more = (0 if alibi else 2 * b * s**2) + beside(fields, "", b, s)[0]
    kept = kept_by_layer(model, run_of(model, b, s, "cpu"))
    assert [number - amount for number, amount in zip(kept, ours, strict=True)] == [more] * len(kept)


# ---- adapters and frozen weights ----


def with_adapters(model, rank: int, device: str = "meta"):
    """The model with a low-rank product beside every linear layer of its decoder layers, and nothing else trained."""
    torch = configured.torch

    class Adapted(torch.nn.Module):
        def __init__(self, base):
            super().__init__()
            old, new = (base.in_features, base.out_features) if isinstance(base, torch.nn.Linear) else base.weight.shape
            down, up = (
                torch.nn.Parameter(torch.zeros(shape, dtype=torch.bfloat16, device=device))
                for shape in ((rank, old), (new, rank))
            )
            self.base, self.A, self.B = base, down, up

        def forward(self, x):
            linear = torch.nn.functional.linear
            return self.base(x) + linear(linear(x, self.A), self.B)

    kinds = torch.nn.Linear, import_module("transformers.pytorch_utils").Conv1D
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for layer in configured.layers_of(model):
        linear = [(name, each) for name, each in layer.named_modules() if isinstance(each, kinds)]
        for name, each in linear:
            where, _, last = name.rpartition(".")
            setattr(layer.get_submodule(where), last, Adapted(each))
    return model


def passes(run) -> tuple[int, int]:
    result = []
    return flops(lambda: result.append(run())), flops(lambda: result[0].sum().backward())


FROZEN = {  # parameters by their names there, and the same in the plan
    "the embedding": (("embed_tokens",), "frozen=token table"),
    "embedding and norms": (("embed_tokens", "norm"), "frozen=token table+norm weight"),
    "MLPs": (("mlp",), "frozen=mlp"),
    "all but attention": (("embed_tokens", "mlp", "norm", "lm_head"), "frozen=token table+mlp+norm weight+head"),
}


ADAPTED = ("llama", "gpt2", "mixtral", "gemma2", "phi3", "gpt_neox", "olmo2", "falcon", "bloom")


@pytest.mark.parametrize("model_type", ADAPTED)
@seeds
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_adapters(model_type: str, seed: int, layers: int):
    """LoRA: bytes of each layer, and FLOPs of both passes; the first layer's input needs no gradient.

    GPT-2's layers are `Conv1D`s, Phi-3's and Falcon's one for several; of experts one tensor has all: they have none.
    """
    fields = configuration(model_type, seed)
    fields["n_layer" if "n_layer" in fields else "num_hidden_layers"] = layers
    fields |= {"layer_types": (2 * fields["layer_types"])[:layers]} if "layer_types" in fields else {}
    attention, device, plan = attention_of(model_type)
    model = with_adapters(theirs(fields, attention, device), 3, device)
    kept = kept_by_layer(model, run_of(model, b, s, device))
    formats = "bf16" if device == "meta" else "bf16-cpu"
    ours = configured.within_layers(fields, f"{plan},mask=full,lora=3", formats=formats, b=b, s=s)
    assert sum(kept) - ours in {layers * each for each in beside(fields, "", b, s)}
    if device == "cpu":  # where torch counts no FLOPs of kernels
        plan, model = "attention=materialised", with_adapters(theirs(fields, "eager", device), 3, device)
    assert passes(run_of(model, b, s, device)) == configured.both_passes(fields, f"{plan},mask=full,lora=3", b=b, s=s)
    trained = sum(each.numel() for each in model.parameters() if each.requires_grad)
    states = value(fields, "states", "lora=3", b=b, s=s)
    assert states == 2 * value(fields, "parameters", "lora=3") + 14 * trained


@seeds
@pytest.mark.parametrize("case", FROZEN)
def test_frozen_weights(seed: int, case: str):
    """What is not trained drops the products, the bytes and the states that only its training needs."""
    names, plan = FROZEN[case]
    fields = {**configuration("llama", seed), "tie_word_embeddings": False}
    model = theirs(fields)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not any(each in name for each in names))
    plan = f"attention=cuda_flash,mask=full,{plan}"
    assert sum(kept_by_layer(model, run_of(model, b, s))) == configured.within_layers(fields, plan, b=b, s=s)
    assert passes(run_of(model, b, s)) == configured.both_passes(fields, plan, b=b, s=s)
    trained = sum(each.numel() for each in model.parameters() if each.requires_grad)
    assert value(fields, "states", plan) == 2 * value(fields, "parameters") + 14 * trained
