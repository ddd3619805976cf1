"""Utilization: a step's MFU in every convention, HFU through what the plan computes again, whole jobs, anchors."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.citation import UP_TO
from derive.tree import to_text
from formulas.utilization import ANCHORS
from tests.asking import LLAMAS, asked, value

H100 = 989 * 10**12
STEP = {"B": 2**22, "T": "9/2", "G": 1024}  # the observed step of the article: 2^22 tokens in 4.5 s on 1024 cards
ARTICLE = {
    "llama3-8b": 51470401536,
    "llama3-70b": 449222541312,
    "llama3-405b": 2523955986432,
}  # its s^2/2 for a triangle
MATERIALISED = "attention=materialised"


def percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f}%"


def test_the_observed_step_of_the_article():
    exact = value("mfu", "llama3-70b", F=ARTICLE["llama3-70b"], P=H100, **STEP)
    assert exact == Fraction(299481694208, 724365234375)
    assert value("achieved-flops", F=ARTICLE["llama3-70b"], **STEP) == Fraction(299481694208, 732421875) * 10**12
    # Derived: the triangle has s(s + 1)/2 pairs. The printed digits are the same.
    derived = value("mfu", "llama3-70b", P=H100, **STEP)
    assert derived == Fraction(449226473472 * 2**22, H100 * 1024) / Fraction(9, 2)
    assert percent(exact) == percent(derived) == "41.3%"
    assert 0 < derived - exact < Fraction(1, 100000)


@pytest.mark.parametrize(
    ("plan", "printed"),
    [
        ("", "41.3%"),
        (",recompute=core", "42.3%"),  # selective
        (",recompute=layer", "54.9%"),  # the article prints 55.1%, as if the head were run again too
        (",recompute=layer+head", "55.1%"),
    ],
)
def test_hfu_of_the_observed_step(plan: str, printed: str):
    assert percent(value("hfu", "llama3-70b", MATERIALISED + plan, P=H100, **STEP)) == printed


def test_hfu_of_the_observed_step_with_flash_attention():
    flash = value("hfu", "llama3-70b", "attention=flash", P=H100, **STEP)
    assert f"{float(100 * flash):.2f}%" == "41.84%"  # not the 42.3% of selective recomputation


@pytest.mark.parametrize("model", LLAMAS)
def test_hfu_is_four_thirds_of_mfu_only_where_every_product_is_run_again(model: str):
    mfu = value("mfu", model, P=H100, **STEP)
    whole = value("hfu", model, f"{MATERIALISED},recompute=layer+head", P=H100, **STEP)
    layers = value("hfu", model, f"{MATERIALISED},recompute=layer", P=H100, **STEP)
    sizes = asked("flops-per-token", model).given
    head = Fraction(2 * sizes["h"].value * sizes["V"].value) / value("flops-per-token", model)
    assert whole / mfu == Fraction(4, 3)
    assert layers / mfu == Fraction(4, 3) - head
    # Flash attention makes its scores again: half of what selective recomputation runs.
    flash = value("hfu", model, "attention=flash", P=H100, **STEP) / mfu - 1
    core = value("hfu", model, f"{MATERIALISED},recompute=core", P=H100, **STEP) / mfu - 1
    assert core == 2 * flash > 0


def test_what_a_log_prints():
    assert value("mfu", Q=430 * 10**12, P=H100) == Fraction(10, 23)
    assert value("mfu", Q="859/2", P=1) == Fraction(859, 2)  # above 1 is the business of whoever sets it


def test_the_convention_6n():
    assert value("mfu-by-6n", "llama3-70b", P=H100, **STEP) == Fraction(6563135488, 16845703125)
    assert to_text(asked("mfu-by-6n").derivation.expression) == "6*N*B/(T*G*P)"
    # Without a model both are 6N; with one, attention counts more than the input table.
    assert value("mfu", N=7 * 10**9, P=H100, **STEP) == value("mfu-by-6n", N=7 * 10**9, P=H100, **STEP)
    for model in LLAMAS:
        assert value("mfu-by-6n", model, P=H100, **STEP) < value("mfu", model, P=H100, **STEP)


def test_mfu_as_palm_defines_it():
    (claim,) = [each for each in asked("mfu", "gpt").claims if each.claim.source.key == "chowdhery2022"]
    assert claim.judgement.verdict == UP_TO
    assert claim.judgement.neglected is None
    assert claim.judgement.included is not None


def test_anchors():
    by_run = {(each.run.split()[0], each.counted): each for each in ANCHORS}
    megatron, palm, llama = by_run["GPT", "HFU"], by_run["PaLM", "MFU"], by_run["Llama", "MFU"]
    assert megatron.high * Fraction(3, 4) == Fraction(39, 100)
    assert (palm.low, palm.high) == (Fraction(231, 500), Fraction(231, 500))
    assert (llama.low, llama.high) == (Fraction(38, 100), Fraction(43, 100))
    assert all(each.source and 0 < each.low <= each.high < 1 for each in ANCHORS)


times = st.fractions(min_value=Fraction(1, 10), max_value=1000, max_denominator=1000)


@given(step=times, devices=st.integers(1, 20000), batch=st.integers(1, 2**24))
def test_mfu_and_step_time_are_inverse_to_each_other(step: Fraction, devices: int, batch: int):
    known = {"N": 7 * 10**9, "B": batch, "G": devices, "P": H100}
    eta = value("mfu", T=step, **known)
    assert value("step-time", eta=eta, **known) == step
    assert value("tokens-per-second", eta=eta, **known) * step == batch
    assert value("achieved-flops", T=step, **known) == eta * H100


@given(useful=times, lost=times, eta=st.fractions(min_value=Fraction(1, 100), max_value=1))
def test_a_job_reaches_its_mfu_for_the_useful_share_of_its_time(useful: Fraction, lost: Fraction, eta: Fraction):
    run = {"G": 1024, "P": H100}
    flops = value("compute-budget", eta=eta, T=useful, **run)
    elapsed = useful + lost
    of_job = value("job-mfu", eta=eta, u=useful / elapsed)
    assert of_job == value("job-flops", C=flops, T=elapsed, G=1024) / H100
    assert of_job < eta
