"""Serving: caches of all kinds of attention, and what a decoded token computes, reads and costs; the seeds' numbers."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive import Model, Plan
from derive.cli import main
from derive.precision import optimizer, recipe
from derive.report import report
from derive.verdict import judge
from formulas import claims_about
from formulas.architectures.llama import llama, llama_repeat_kv
from formulas.inference import kv_cache, training_inference_ratio
from formulas.models import model as preset
from tests.asking import FORMULAS, LLAMAS, asked, value

SIZES = {"llama3-8b": (32, 8, 128), "llama3-70b": (80, 8, 128), "llama3-405b": (126, 8, 128), "gpt2": (12, 12, 64)}


# ---- caches ----


@pytest.mark.parametrize("model", SIZES)
def test_a_key_and_a_value_for_each_head_that_is_kept(model: str):
    layers, heads, width = SIZES[model]
    assert value("kv-cache", model, s=1000, b=3) == 2 * layers * heads * width * 2 * 1000 * 3


def test_known_caches():
    """Bytes a token, as published: 516 kB for Llama 3.1 405B, 70 kB for DeepSeek-V3."""
    assert value("kv-cache", "llama3-405b", s=1, b=1) == 516096
    assert value("kv-cache", "llama3-70b", s=1, b=1) == 327680
    assert value("latent-kv-cache", L=61, r_kv=512, d_rope=64, s=1, b=1) == 70272


def test_heads_that_are_copied_for_the_product_are_cached_once():
    assert kv_cache.ledger(Model(llama), Plan()).value == kv_cache.ledger(Model(llama_repeat_kv), Plan()).value


def test_what_is_cached_is_the_rotated_key():
    assert [row.tensor for row in kv_cache.ledger(Model(llama), Plan())] == ["rotated key", "value"]


def test_a_cache_on_one_of_eight_devices():
    assert value("kv-cache", "llama3-70b", "tp=8", s=4096, b=1) * 8 == value("kv-cache", "llama3-70b", s=4096, b=1)
    shared = value("kv-cache", "llama3-70b", "tp=16", s=4096, b=1)  # 8 heads on 16 devices: each keeps one whole
    assert shared == value("kv-cache", "llama3-70b", "tp=8", s=4096, b=1)
    whole = value("latent-kv-cache", L=61, r_kv=512, d_rope=64, s=4096, b=1)
    assert value("latent-kv-cache", None, "tp=8", L=61, r_kv=512, d_rope=64, s=4096, b=1) == whole


@settings(max_examples=15)
@given(st.integers(1, 10**5), st.integers(1, 10**5))
def test_a_window_keeps_no_more_than_its_tokens(s: int, w: int):
    windowed = value("window-kv-cache", "llama3-8b", s=s, w=w, b=2)
    assert windowed == value("kv-cache", "llama3-8b", s=min(s, w), b=2) <= value("kv-cache", "llama3-8b", s=s, b=2)


def test_a_narrower_format_halves_the_cache():
    plan = Plan(recipe=recipe("bf16", "e4m3"))
    assert 2 * kv_cache.ledger(Model(llama), plan).value == kv_cache.ledger(Model(llama), Plan()).value


def test_the_latent_is_smaller_than_the_heads_that_it_replaces():
    """DeepSeek-V2: 9/2 heads' worth of elements against 2 times 128 heads."""
    assert Fraction(512 + 64, 128) == Fraction(9, 2)
    latent = value("latent-kv-cache", L=60, r_kv=512, d_rope=64, s=1, b=1)
    assert latent / (60 * 2 * 128 * 128 * 2) == Fraction(9, 512)


# ---- training against inference ----


@pytest.mark.parametrize(("name", "ratio"), [("bf16-no-master", 6), ("bf16", 8), ("bf16-fp32-grads", 9)])
def test_training_holds_a_multiple_of_what_inference_does(name: str, ratio: int):
    found = report(training_inference_ratio, None, Plan(recipe=recipe(name)))
    assert found.value == ratio
    assert found.derivation.proved


@pytest.mark.parametrize(
    ("name", "rule", "device"),
    [
        ("bf16", "adamw", 40_000_000_000),
        ("bf16-fp32-grads", "adamw", Fraction(320_000_000_000, 9)),
        ("bf16-no-master", "adamw", Fraction(160_000_000_000, 3)),
        ("bf16-no-master", "momentum", 80_000_000_000),
        ("bf16-no-master", "sgd", 160_000_000_000),
    ],
)
def test_the_largest_model_of_eight_cards(name: str, rule: str, device: int | Fraction):
    """640 GB over the bytes of a parameter, for each way of training."""
    plan = Plan(recipe=recipe(name), optimizer=optimizer(rule))
    each = report(FORMULAS["bytes-per-parameter"], None, plan).value
    assert isinstance(each, Fraction)
    assert 640 * 10**9 / each == device
    ratio = report(training_inference_ratio, None, plan).value
    assert ratio == each / 2


def test_inference_holds_the_weights_alone():
    assert 640 * 10**9 / value("inference-bytes-per-parameter") == 320_000_000_000


# ---- decoding ----


def decoded(model: str, s: int, b: int) -> tuple[Fraction, Fraction, Fraction]:
    names = ("decode-flops-per-token", "decode-bytes-per-token", "decode-intensity")
    computed, read, intensity = (value(name, model, s=s, b=b) for name in names)
    return computed, read, intensity


@pytest.mark.parametrize("model", LLAMAS)
@pytest.mark.parametrize(("s", "b"), [(1, 1), (8192, 1), (8192, 64)])
def test_a_decoded_token(model: str, s: int, b: int):
    weights = value("gemm-parameters", model)
    layers, _, width = SIZES[model]
    heads = {"llama3-8b": 32, "llama3-70b": 64, "llama3-405b": 128}[model]
    computed, read, intensity = decoded(model, s, b)
    assert computed == 2 * weights + 4 * layers * heads * width * s
    assert read == 2 * weights / b + value("kv-cache", model, s=s, b=1)
    assert intensity == computed / read


@settings(max_examples=15)
@given(st.integers(1, 10**4), st.integers(1, 10**4))
def test_more_sequences_help_until_their_caches_are_all_that_is_read(s: int, b: int):
    _, _, one = decoded("llama3-8b", s, b)
    _, _, more = decoded("llama3-8b", s, b + 1)
    computed, _, _ = decoded("llama3-8b", s, 1)
    assert one < more < computed / value("kv-cache", "llama3-8b", s=s, b=1)


def test_the_batch_is_the_intensity_where_the_cache_is_small():
    _, _, intensity = decoded("llama3-70b", 1, 64)
    assert abs(intensity / 64 - 1) < Fraction(1, 5000)


@pytest.mark.parametrize("model", ["mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3"])  # gpt-oss's experts have biases
def test_a_step_reads_the_experts_that_its_tokens_are_routed_to(model: str):
    """Of one token the k that it uses, of many at most all there are: 2 bytes each, beside what every token uses."""
    one, every = (value(name, model) for name in ("active-parameters", "parameters"))
    sizes = {x: given.value for x, given in preset(model).sizes.items()}
    weights = {b: value("decode-bytes-per-token", model, b=b) * b - value("kv-cache", model, b=b) for b in (1, 2, 512)}
    routed = 2 * (every - one) / (sizes["E"] - sizes["k"])  # of one expert, in all layers
    assert weights[2] - weights[1] == sizes["k"] * routed
    assert weights[512] - weights[1] == 2 * (every - one)
    # Tables that are looked up and norms multiply nothing; biases and sinks neither.
    assert 2 * value("gemm-parameters", model) - weights[512] == 0


def test_a_decoded_token_of_latent_attention_works_on_what_is_cached():
    """By hand, DeepSeek-V3: products with weights, and in every layer both products of all heads with the latent."""
    products = 2 * (value("active-parameters", "deepseek-v3", "absorbed") - 61 * (2 * 7168 + 1536 + 512) - 7168)
    table = 2 * value("embedding-parameters", "deepseek-v3")
    with_the_latent = 2 * 61 * 4096 * 128 * (512 + 64 + 512)
    found = {plan: value("decode-flops-per-token", "deepseek-v3", plan) for plan in ("", "absorbed")}
    assert found[""] == found["absorbed"] == products - table + with_the_latent


def test_the_mask_of_training_changes_nothing():
    assert value("decode-intensity", "gpt2", "mask=full", s=100, b=4) == value("decode-intensity", "gpt2", s=100, b=4)


# ---- claims ----


@pytest.mark.parametrize("name", [name for name, each in FORMULAS.items() if each.topic == "inference"])
def test_claims_are_judged_as_expected(name: str):
    for claim in claims_about(FORMULAS[name]):
        assert judge(claim).verdict == claim.expected, claim.text


def test_the_cookbooks_cache_is_half_of_it():
    (claim,) = (claim for claim in claims_about(kv_cache) if claim.source.key == "cookbook")
    assert judge(claim).values_there == (2, 4)
    (valued,) = (each for each in asked("kv-cache", "llama3-8b").claims if each.judgement.claim is claim)
    assert valued.value == 2 * 4096 * 32 * 8192  # for grouped heads twice too large: two errors, one of 1/2, one of 4


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]):
    assert main(["kv-cache", "--model", "llama3-70b", "--set", "s=8192"]) == 0
    assert "2.684 GB" in capsys.readouterr().out
    sizes = [part for letter in ("L=61", "r_kv=512", "d_rope=64", "s=1", "b=1") for part in ("--set", letter)]
    assert main(["latent-kv-cache", *sizes]) == 0
    assert "70.27 kB" in capsys.readouterr().out
