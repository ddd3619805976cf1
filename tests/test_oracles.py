"""What PyTorch keeps, counts and holds equals what we derive, to the byte and the FLOP, at random small sizes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from checks.oracles import layers, measure, obstacle
from checks.oracles import transformers_models as hf
from checks.oracles.layers import gpt2_sizes, gpt_run, llama_run, multi_head, sizes
from checks.oracles.measure import at, derived, elements, kept_bytes, passes, planned
from derive import Architecture, Layers, dropout, flops, gelu, identity, relu
from formulas.activations import activations, model_activations
from formulas.architectures import gpt, llama
from formulas.flops import flops_per_token, layer_flops
from formulas.parameters import embedding_parameters, gemm_parameters, layer_parameters, parameters

NO_TORCH, NO_TRANSFORMERS = obstacle("torch"), obstacle("transformers")
needs_transformers = pytest.mark.skipif(bool(NO_TRANSFORMERS), reason=NO_TRANSFORMERS)
pytestmark = [pytest.mark.oracle, pytest.mark.skipif(bool(NO_TORCH), reason=NO_TORCH)]
seeds = pytest.mark.parametrize("seed", range(4))

TOTAL_WEIGHT = 4  # bytes: `nll_loss` also keeps the sum of the targets' weights, one fp32 number, which we do not count
NUMBER = 8  # bytes of a Python number that a tensor was multiplied by, which checkpointing does not let go


def gpt_with(core: Any = gpt.core, activation: Any = gelu, drop: Any = dropout) -> Architecture:
    """The GPT architecture composed of other parts."""
    layer = partial(gpt.layer, core=core, activation=activation, drop=drop)
    kinds, embedding = {"layer": Layers("L", layer)}, partial(gpt.embedding, drop=drop)
    return replace(gpt.gpt, layer=layer, model=partial(gpt.gpt.model, kinds=kinds, embedding=embedding))


# ---- bytes that a layer keeps ----

CORES = {  # in PyTorch, in our words, under which plan
    "written out": (layers.written_out, gpt.unfused_core, "attention=materialised"),
    "fused softmax": (layers.fused_softmax, gpt.core, "attention=materialised"),
    "cuda flash": (layers.cuda_flash, gpt.core, "attention=cuda_flash"),
}
ACTIVATIONS = {"gelu": gelu, "relu": relu}
DROPS = {0.0: identity, 0.1: dropout}


@seeds
@pytest.mark.parametrize("p", DROPS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("core", CORES)
def test_gpt_layer_keeps(seed: int, core: str, activation: str, p: float):
    """The GPT layer, scores written out or in the flash operator; h, a d and f all differ."""
    n = multi_head(sizes(seed))
    theirs, ours, plan = CORES[core]
    architecture = gpt_with(ours, ACTIVATIONS[activation], DROPS[p])
    assert kept_bytes(*gpt_run(n, theirs, activation=activation, p=p)) == derived(activations, architecture, n, plan)


@seeds
@pytest.mark.parametrize("p", DROPS)
def test_gpt_layer_keeps_on_the_cpu(seed: int, p: float):
    """Real tensors: the CPU's layer norm holds its statistics in bf16."""
    n = multi_head(sizes(seed))
    architecture = gpt_with(gpt.unfused_core, drop=DROPS[p])
    run = gpt_run(n, layers.written_out, p=p, device="cpu")
    assert kept_bytes(*run) == derived(activations, architecture, n, recipe_name="bf16-cpu")


LLAMA = {  # device, core in PyTorch, ours, plan, recipe
    "grouped": ("meta", layers.cuda_flash, llama.llama, "attention=cuda_flash", "bf16"),
    "repeated": ("meta", layers.repeated(layers.cuda_flash), llama.llama_repeat_kv, "attention=cuda_flash", "bf16"),
    "cpu grouped": ("cpu", layers.cpu_flash, llama.llama, "attention=flash", "bf16-cpu"),
    "cpu repeated": ("cpu", layers.repeated(layers.cpu_flash), llama.llama_repeat_kv, "attention=flash", "bf16-cpu"),
}


@seeds
@pytest.mark.parametrize("case", LLAMA)
def test_llama_layer_keeps(seed: int, case: str):
    """The plain Llama layer, key/value heads read in place or copied out."""
    n = sizes(seed)
    device, core, architecture, plan, recipe_name = LLAMA[case]
    expected = derived(activations, architecture, n, plan, recipe_name)
    assert kept_bytes(*llama_run(n, core, device=device)) == expected


DECODER = {  # attention of transformers, device, ours, plan, recipe
    "grouped": ("witness_cuda", "meta", llama.llama, "attention=cuda_flash", "bf16"),
    "repeated": ("witness_cuda_repeated", "meta", llama.llama_repeat_kv, "attention=cuda_flash", "bf16"),
    "cpu grouped": ("sdpa", "cpu", llama.llama, "attention=flash", "bf16-cpu"),
}


@needs_transformers
@seeds
@pytest.mark.parametrize("case", DECODER)
def test_transformers_llama_layer_keeps(seed: int, case: str):
    """transformers' own decoder layer."""
    n = sizes(seed)
    attention, device, architecture, plan, recipe_name = DECODER[case]
    (layer, call), x = hf.llama_decoder_layer(n, attention, device), layers.layer_input(n, device)
    expected = derived(activations, architecture, n, plan, recipe_name)
    assert kept_bytes(lambda: call(x), layer.parameters()) == expected


@seeds
def test_frozen_weights_free_their_inputs(seed: int):
    """A frozen product keeps no input and makes one gradient; gate and up both frozen, the MLP's norm output goes."""
    n = sizes(seed)
    run, weights = llama_run(n, layers.cuda_flash, frozen=("gate", "up", "out"))
    plan = "attention=cuda_flash,mask=full,frozen=gate weight+up weight+projection weight"
    assert kept_bytes(run, weights) == derived(activations, llama.llama, n, plan)
    expected = at(flops(llama.llama.layer_trace, planned(plan, llama.llama), "backward", "recompute"), n)
    assert passes(run)[1] == expected


# ---- parameters ----


@needs_transformers
@seeds
def test_parameters(seed: int):
    """Layers and models of transformers have as many parameters as ours, the tied table of GPT-2 once."""
    n = sizes(seed, 3)
    layer, model = hf.llama_decoder_layer(n, "sdpa", "meta")[0], hf.llama_model(n, "sdpa", "meta")
    assert elements(layer.parameters()) == derived(layer_parameters, llama.llama, n)
    assert elements(model.parameters()) == derived(parameters, llama.llama, n)
    assert model.get_input_embeddings().weight.numel() == derived(embedding_parameters, llama.llama, n)
    linear = [module.weight for module in model.modules() if type(module).__name__ == "Linear"]
    assert elements(linear) == derived(gemm_parameters, llama.llama, n)

    n = gpt2_sizes(n)
    model = hf.gpt2_model(n, "sdpa", "meta")
    assert elements(hf.gpt2_block(n, "meta").parameters()) == derived(layer_parameters, gpt.gpt, n)
    assert elements(model.parameters()) == derived(parameters, gpt.gpt, n)
    tables = [module.weight for module in model.modules() if type(module).__name__ == "Embedding"]
    assert elements(tables) == derived(embedding_parameters, gpt.gpt, n)
    products = [module.weight for module in model.modules() if type(module).__name__ in ("Linear", "Conv1D")]
    assert elements(products) == derived(gemm_parameters, gpt.gpt, n)


# ---- FLOPs ----


@seeds
def test_gpt_flops(seed: int):
    """The whole square of scores, forward once and backward twice."""
    n = multi_head(sizes(seed))
    run, _ = gpt_run(n, layers.written_out, p=0.1)
    once = derived(layer_flops, gpt.gpt, n, "mask=full")
    assert passes(run) == (once, 2 * once)


@seeds
@pytest.mark.parametrize("repeat", [False, True])
def test_flash_flops(seed: int, repeat: bool):
    """The flash operator computes the scores again: its five products in backward are ours, rerun included."""
    n = sizes(seed)
    core = layers.repeated(layers.cuda_flash) if repeat else layers.cuda_flash
    architecture = llama.llama_repeat_kv if repeat else llama.llama
    plan = planned("attention=cuda_flash,mask=full", architecture)
    run, _ = llama_run(n, core)
    rows = flops(architecture.layer_trace, plan, "backward", "recompute")
    backward, in_core = at(rows, n), at(rows.within("core"), n)
    assert passes(run) == (derived(layer_flops, architecture, n, "mask=full"), backward)
    assert in_core == 10 * n.b * n.s**2 * n.a * n.d


@needs_transformers
@seeds
def test_transformers_flops(seed: int):
    """Llama's layer, and both models with eager attention: the head counts, the embedding does not."""
    n = sizes(seed, 2)
    call, x = hf.llama_decoder_layer(n, "eager", "meta")[1], layers.layer_input(n, "meta")
    once = derived(layer_flops, llama.llama, n, "mask=full")
    assert passes(lambda: call(x)) == (once, 2 * once)
    run, _ = hf.loss_of(hf.llama_model(n, "eager", "cpu"), n, "cpu")
    assert sum(passes(run)) == derived(flops_per_token, llama.llama, n, "mask=full") * n.b * n.s
    n = gpt2_sizes(n)
    run, _ = hf.loss_of(hf.gpt2_model(n, "eager", "cpu", 0.1), n, "cpu")
    assert sum(passes(run)) == derived(flops_per_token, gpt.gpt, n, "mask=full") * n.b * n.s


# ---- recomputation ----


@seeds
@pytest.mark.parametrize("p", DROPS)
def test_recomputed_gpt(seed: int, p: float):
    """`torch.utils.checkpoint` around the layer keeps its input; around the core, queries, keys, values and output."""
    n = multi_head(sizes(seed))
    architecture = gpt_with(gpt.unfused_core, drop=DROPS[p])
    run = gpt_run(n, layers.written_out, p=p, around=layers.checkpointed)
    assert kept_bytes(*run) == derived(activations, architecture, n, "recompute=layer") + NUMBER
    assert derived(activations, architecture, n, "recompute=layer") == 2 * n.s * n.b * n.h
    run = gpt_run(n, layers.checkpointed(layers.written_out), p=p)
    assert kept_bytes(*run) == derived(activations, architecture, n, "recompute=core") + NUMBER


@seeds
def test_recomputed_llama(seed: int):
    """Around a Llama layer the rotary tables are kept beside its input."""
    n = sizes(seed)
    run = llama_run(n, layers.cuda_flash, around=layers.checkpointed)
    expected = derived(activations, llama.llama, n, "attention=cuda_flash,recompute=layer")
    assert kept_bytes(*run) == expected == 2 * n.s * n.b * n.h + 4 * n.s * n.d


@seeds
@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("p", DROPS)
@pytest.mark.parametrize("unit", ["core", "layer"])
def test_recomputed_flops(seed: int, unit: str, p: float, early: bool):
    """What a step costs more: all of the block, or, stopping early, all up to the last tensor that is needed."""
    n = multi_head(sizes(seed))
    core, around = layers.written_out, layers.checkpointed
    core, around = (core, around) if unit == "layer" else (around(core), None)
    architecture = gpt_with(gpt.unfused_core, drop=DROPS[p])
    with measure.torch.utils.checkpoint.set_checkpoint_early_stop(early):
        again, once = gpt_run(n, core, p=p, around=around)[0], gpt_run(n, layers.written_out, p=p)[0]
        more = sum(passes(again)) - sum(passes(once))
    plan = planned(f"mask=full,recompute={unit}" + (",early-stop" if early else ""), architecture)
    expected = at(flops(architecture.layer_trace, plan, "recompute"), n)
    assert more == expected


# ---- whole models ----


@needs_transformers
@seeds
@pytest.mark.parametrize("L", [1, 2, 3])
def test_llama_model_keeps(seed: int, L: int):
    """Token ids, layers, final norm, head, log-probabilities and targets, as `LlamaForCausalLM` keeps them."""
    n = sizes(seed, L)
    model = hf.llama_model(n, "witness_cuda", "meta")
    expected = derived(model_activations, llama.llama, n, "attention=cuda_flash")
    assert kept_bytes(*hf.loss_of(model, n, "meta")) == expected + TOTAL_WEIGHT
    model = hf.llama_model(n, "sdpa", "cpu")
    expected = derived(model_activations, llama.llama, n, "attention=flash", "bf16-cpu")
    assert kept_bytes(*hf.loss_of(model, n, "cpu")) == expected + TOTAL_WEIGHT


@needs_transformers
@seeds
@pytest.mark.parametrize("p", DROPS)
@pytest.mark.parametrize("L", [1, 2, 3])
def test_gpt_model_keeps(seed: int, L: int, p: float):
    """Token and position ids, layers, final norm, tied head, loss, as `GPT2LMHeadModel` keeps them."""
    n = gpt2_sizes(sizes(seed, L))
    architecture = gpt_with(drop=DROPS[p])
    for attention, plan in ("witness_cuda", "attention=cuda_flash"), ("witness_softmax", "attention=materialised"):
        model = hf.gpt2_model(n, attention, "meta", p)
        expected = derived(model_activations, architecture, n, plan)
        assert kept_bytes(*hf.loss_of(model, n, "meta")) == expected + TOTAL_WEIGHT


@needs_transformers
@seeds
def test_eager_attention_keeps(seed: int):
    """transformers' eager attention against ours: it scales by a Python number, and Llama's softmax is in fp32."""
    n = sizes(seed, 2)
    model = hf.llama_model(n, "eager", "cpu")
    expected = derived(model_activations, llama.llama_repeat_kv, n, "attention=materialised", "bf16-cpu")
    upcast = 4 * n.a * n.s**2 * n.b  # the fp32 softmax output, beside its copy in bf16 that the product needs
    expected += n.L * (upcast + NUMBER) + TOTAL_WEIGHT
    assert kept_bytes(*hf.loss_of(model, n, "cpu")) == expected

    n = gpt2_sizes(n)
    model = hf.gpt2_model(n, "eager", "cpu")
    expected = derived(model_activations, gpt_with(drop=identity), n, "", "bf16-cpu") + n.L * NUMBER + TOTAL_WEIGHT
    assert kept_bytes(*hf.loss_of(model, n, "cpu")) == expected


@needs_transformers
@seeds
def test_gpt2_own_activation_keeps(seed: int):
    """GPT-2's default `gelu_new` is spelled out in Python: it keeps 6sbf bytes a layer more than the GELU we derive."""
    n = gpt2_sizes(sizes(seed, 2))
    model = hf.gpt2_model(n, "witness_cuda", "meta", 0.1, "gelu_new")
    expected = derived(model_activations, gpt.gpt, n, "attention=cuda_flash") + TOTAL_WEIGHT
    expected += n.L * (6 * n.s * n.b * n.f + 3 * NUMBER)
    assert kept_bytes(*hf.loss_of(model, n, "meta")) == expected


@needs_transformers
@seeds
def test_checkpointed_llama_model_keeps(seed: int):
    """Checkpointing as transformers does it; cos and sin are not saved by autograd but live in a closure."""
    n = sizes(seed, 3)
    model = hf.llama_model(n, "witness_cuda", "meta")
    model.activation_checkpointing_enable({"use_reentrant": False})
    expected = derived(model_activations, llama.llama, n, "attention=cuda_flash,recompute=layer")
    tables = 4 * n.s * n.d
    assert kept_bytes(*hf.loss_of(model, n, "meta")) == expected - tables + TOTAL_WEIGHT
