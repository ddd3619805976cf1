"""Recomputation: the factors of the published plans, exact; what segments keep, against a simulation; the best one."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Rational

from derive import Model, Role, claims, flops, parse_plan
from derive.citation import PROVED
from derive.derivation import derivation
from derive.tree import to_text
from derive.verdict import judge
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.models import architectures, model
from formulas.notation import common
from formulas.recompute import checkpoint_interval, checkpointed_bytes, notation, recompute_factor
from formulas.sources.train_ledger import train_ledger
from tests.asking import LLAMAS, asked, value

sizes = st.integers(1, 50)


def without_diagonal(name: str, plan: str, *passes: str) -> Fraction:
    """FLOPs of a preset's sequence where the causal triangle is half of the square, as articles count."""
    about = model(name)
    ledger = flops(about.whole, about.complete(parse_plan(plan, common.symbol)), *passes)
    total: Expr = ledger.select(lambda row: row.role is not Role.DIAGONAL).value
    number = total.xreplace({common.symbol(x): Rational(each.value) for x, each in about.sizes.items()})
    assert isinstance(number, Rational)
    return Fraction(int(number.p), int(number.q))


# What articles count, for the three Llama 3 models at their own sequence length.
COUNTED = {
    "attention=materialised,recompute=core": ("25567/24543", "109663/107103", "33879/33431"),
    "attention=flash": ("25055/24543", "108383/107103", "33655/33431"),
    "attention=materialised,recompute=layer": ("10741/8181", "142303/107103", "44519/33431"),
    "attention=materialised,recompute=layer+head": ("4/3", "4/3", "4/3"),
}


@pytest.mark.parametrize("plan", COUNTED)
def test_factors_of_the_llamas(plan: str):
    for name, expected in zip(LLAMAS, COUNTED[plan], strict=True):
        whole = without_diagonal(name, plan, "forward", "backward")
        assert 1 + without_diagonal(name, plan, "recompute") / whole == Fraction(expected)
        # With the whole diagonal, as the quantity has it, the share differs by less than a tenth of a thousandth.
        assert abs(value("recompute-factor", name, plan) - Fraction(expected)) < Fraction(1, 10_000)


def test_scores_that_are_made_again():
    """Selective recomputation redoes both products, the flash kernel one: 2sh and sh a token and layer, causal."""
    of = {"flash": "attention=flash", "selective": "attention=materialised,recompute=core"}
    tokens = 8192
    again = {key: without_diagonal("llama3-70b", plan, "recompute") / tokens for key, plan in of.items()}
    assert again == {"flash": 5368709120, "selective": 10737418240}


@pytest.mark.parametrize("name", architectures())
@pytest.mark.parametrize("mask", ["causal", "full"])
def test_a_factor_of_four_thirds_takes_every_product(name: str, mask: str):
    about = Model(architectures()[name])
    found = derivation(recompute_factor, about, about.complete(parse_plan(ALL_AGAIN + mask, common.symbol)))
    assert to_text(found.expression) == "4/3"
    assert found.proved


ALL_AGAIN = "attention=materialised,recompute=layer+head,mask="


@pytest.mark.parametrize("about", [gpt, llama], ids=["gpt", "llama"])
def test_where_the_head_is_outside_it_is_less(about):
    stated = {"attention=materialised,recompute=layer": "4/3 - 2*h*V/F"}
    (claim,) = claims(train_ledger, recompute_factor, "", about=about, letters={"F": flops_per_token}, rows=stated)
    assert judge(claim).verdict == PROVED


def test_nothing_run_again():
    assert to_text(asked("recompute-factor", "gpt").derivation.expression) == "1"
    assert value("recompute-factor", "llama3-8b", "attention=materialised") == 1
    assert value("recomputed-flops-per-token", "llama3-8b", "attention=materialised") == 0


def test_hardware_flops_are_the_factor_times_the_models():
    for plan in COUNTED:
        ours = value("recompute-factor", "llama3-8b", plan) * value("flops-per-token", "llama3-8b", plan)
        assert value("hardware-flops-per-token", "llama3-8b", plan) == ours


def test_layouts_change_nothing():
    assert value("recompute-factor", "llama3-8b", "tp=8,sp,recompute=layer") == value(
        "recompute-factor", "llama3-8b", "recompute=layer"
    )


# ---- micro-batches ----


def test_accumulation():
    assert value("accumulation", B=4 * 2**20, s=8192) == 512
    assert value("accumulation", "llama3-70b", "dp=64", B=4 * 2**20) == 8
    assert value("accumulation", "llama3-70b", "dp=64", B=4 * 2**20, b=4) == 2
    assert str(asked("accumulation", B=2**20).derivation.expression)


# ---- segments of layers ----


def simulated(layers: int, segment: int, boundary: Fraction, layer: Fraction) -> Fraction:
    """The most that is kept, walking back through the segments: every input, and all layers of the one run again."""
    inputs = layers // segment
    peak = inputs * boundary
    for behind in range(inputs, 0, -1):
        # Of the last segment that is left, the layers' own rows are there, the first of which is the segment's input.
        peak = max(peak, (behind - 1) * boundary + segment * layer)
    return peak


@given(segment=sizes, segments=sizes, boundary=sizes, more=st.integers(0, 100))
def test_what_segments_keep(segment: int, segments: int, boundary: int, more: int):
    layer = boundary + more
    kept = value("checkpointed-bytes", L=segment * segments, k_s=segment, c=boundary, A=layer)
    assert kept == simulated(segment * segments, segment, Fraction(boundary), Fraction(layer))


@given(layers=sizes, segment=sizes, boundary=sizes, layer=sizes)
def test_the_interval_keeps_least(layers: int, segment: int, boundary: int, layer: int):
    """Nothing is below 2*sqrt(A*c*L) - c: its square is at most that of what a segment keeps."""
    kept = value("checkpointed-bytes", L=layers, k_s=segment, c=boundary, A=layer) + boundary
    assert kept**2 >= 4 * layer * boundary * layers


def test_the_square_root_is_a_special_case():
    assert value("checkpoint-interval", L=16, c=1, A=1) == 4
    assert value("checkpoint-interval", L=100, c=3, A=3) == 10
    assert value("checkpoint-interval", L=16, c=1, A=4) == 2
    # Chen et al. and the lecture: L/k + k, here without the input that is counted twice.
    kept = [value("checkpointed-bytes", L=16, k_s=k, c=1, A=1) + 1 for k in (1, 2, 4, 8, 16)]
    assert kept == [17, 10, 8, 10, 17]


def test_the_argument_for_the_interval_is_checked():
    found = asked("checkpoint-interval").derivation
    assert found.proved
    assert found.checked == 3
    text = [(to_text(step.left), to_text(step.expression)) for step in found.steps if step.left is not None]
    assert ("c*L/k_s + A*k_s", "2*A*k0 + A*(k_s - k0)^2/k_s") in text


@pytest.mark.parametrize("name", ["gpt3-175b", "llama3-70b"])
def test_a_model_gives_the_segments_bytes(name: str):
    layers = model(name).sizes["L"].value
    c, layer = value("layer-input-bytes", name), value("live-layer", name)
    assert c == 2 * model(name).sizes["s"].value * model(name).sizes["h"].value
    assert layer == value("activations", name) == value("live-layer", name, "recompute=layer")
    # A Llama's written-out norm keeps an fp32 copy of the layer's input and not the input, which is then there once.
    twice = c if name.startswith("gpt") else 0
    for k in (1, 2, 4, layers):
        assert value("checkpointed-bytes", name, k_s=k) == layers * c / k + k * layer - twice
    assert abs(value("checkpoint-interval", name) ** 2 - c * layers / layer) < Fraction(1, 10**30)


@pytest.mark.parametrize("name", ["gpt3-175b", "llama3-8b"])
def test_a_segment_of_one_layer_keeps_what_full_recomputation_keeps(name: str):
    """The input of every layer more is all that it adds."""
    all_layers, one = (value("model-activations", name, "recompute=layer", **few) for few in ({}, {"L": 1}))
    assert all_layers - one == (model(name).sizes["L"].value - 1) * value("layer-input-bytes", name)


def test_units_of_the_topic():
    assert str(checkpointed_bytes.unit) == "byte"
    assert str(checkpoint_interval.unit) == str(recompute_factor.unit) == "1"
    assert {"X", "c", "A", "k_s"} <= set(notation.letters)
