"""Initialisation: scales that keep variances, checked against sums over all outcomes; the lecture's numbers."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.cli import main
from derive.derivation import derivation
from derive.plan import Plan
from derive.verdict import judge
from formulas import claims_about
from formulas.data import notation as data_notation
from tests.asking import FORMULAS, value

TOPIC = [name for name, each in FORMULAS.items() if each.topic == "init"]
SMALL = Fraction(1, 10**45)  # roots have fifty digits


def nearly(one: Fraction, other: Fraction | int) -> bool:
    return abs(one - other) < SMALL


# ---- one layer ----


@settings(max_examples=15)
@given(st.integers(1, 10**6))
def test_the_scale_of_a_product_over_d_inputs(d: int):
    assert nearly(value("init-scale", d=d) ** 2 * d, 1)
    assert nearly(value("relu-scale", d=d) ** 2 * d, 2)
    assert nearly(value("relu-scale", d=d) ** 2, 2 * value("init-scale", d=d) ** 2)


@settings(max_examples=15)
@given(st.integers(1, 10**4), st.integers(1, 10**4))
def test_xavier_is_between_what_the_two_passes_keep(d_in: int, d_out: int):
    variance = value("xavier-scale", d_in=d_in, d_out=d_out) ** 2
    assert nearly((d_in + d_out) * variance / 2, 1)
    assert nearly(variance, value("init-scale", d=d_in) ** 2) == (d_in == d_out)


def test_variance_of_a_sum_of_products_over_every_outcome():
    """Inputs of -2 or 2, weights of -1/2 or 1/2 (tau = 1/4 = 1/d): the output has the inputs' variance, 4."""
    signs = list(product((-1, 1), repeat=8))
    outputs = [sum(2 * s * Fraction(t, 2) for s, t in zip(each[:4], each[4:], strict=True)) for each in signs]
    assert sum(outputs) == 0
    assert sum(z**2 for z in outputs) / len(signs) == 4


def test_a_relu_keeps_half_of_the_second_moment():
    outcomes = [sum(signs) for signs in product((-1, 1), repeat=5)]
    assert 2 * sum(max(z, 0) ** 2 for z in outcomes) == sum(z**2 for z in outcomes)


# ---- many layers ----


@pytest.mark.parametrize("L", [1, 3, 48])
def test_relu_layers(L: int):
    """With 1/sqrt(d), which keeps the scale of a linear stack, each of them halves it; with sqrt(2/d), none does."""
    assert value("relu-moment", d=64, tau=Fraction(1, 64), L=L) == Fraction(1, 2**L)
    assert value("relu-moment", d=64, tau=Fraction(2, 64), L=L) == 1


def test_three_layers_of_the_lecture():
    assert value("relu-moment", d=8, tau=Fraction(1, 8), L=3) == Fraction(1, 8)


def test_the_residual_stream():
    assert value("residual-variance", L=80) == 161
    assert value("residual-variance", L=80, tau=Fraction(1, 160)) == 2
    assert value("residual-variance", "llama3-70b") == 161
    assert nearly(value("residual-scale", "llama3-70b") ** 2, Fraction(1, 160))


@settings(max_examples=15)
@given(st.integers(1, 1000))
def test_scaled_branches_double_the_stream_whatever_the_depth(L: int):
    scale = value("residual-scale", L=L)
    assert nearly(value("residual-variance", L=L, tau=scale**2), 2)


# ---- arguments and claims ----


@pytest.mark.parametrize("name", [name for name in TOPIC if name.endswith("-scale")])
def test_scales_are_argued_for(name: str):
    found = derivation(FORMULAS[name], None, Plan(), claims_about(FORMULAS[name]))
    assert found.proved
    assert found.checked == 2


@pytest.mark.parametrize("name", TOPIC)
def test_claims_are_judged_as_expected(name: str):
    for claim in claims_about(FORMULAS[name]):
        assert judge(claim).verdict == claim.expected, claim.text


def test_sources_agree_on_residual_branches():
    sources = {claim.source.key for claim in claims_about(FORMULAS["residual-scale"])}
    assert {"megatron", "nanogpt", "radford2019"} <= sources


def test_letters_of_the_topic_are_its_own():
    assert FORMULAS["init-scale"].notation["d"].meaning != data_notation["d"].meaning


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]):
    assert main(["init-scale", "--set", "d=4096"]) == 0
    assert "0.01562" in capsys.readouterr().out
    assert main(["residual-scale", "--model", "llama3-70b"]) == 0
    assert "0.07906" in capsys.readouterr().out
