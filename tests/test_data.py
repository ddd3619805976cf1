"""Data: bytes of tokens and data sets, and what random windows cover; the lecture's numbers, two of them put right."""

from fractions import Fraction
from math import factorial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from derive.cli import main
from derive.exact import approximate
from derive.grammar import parse
from derive.verdict import judge
from formulas import claims_about
from tests.asking import FORMULAS, LLAMAS, value

# e from its series: less than the partial sum and 2/25! above it.
LOW_E = sum((Fraction(1, factorial(k)) for k in range(25)), Fraction(0))
HIGH_E = LOW_E + Fraction(2, factorial(25))


# ---- bytes ----


@pytest.mark.parametrize(("V", "width"), [(256, 2), (50257, 2), (65535, 2), (65536, 2), (65537, 4), (128256, 4)])
def test_two_bytes_have_65536_values(V: int, width: int):
    assert value("token-bytes", V=V) == width


@settings(max_examples=15)
@given(st.integers(1, 2**32))
@example(65536)
@example(65537)
@example(131072)
@example(131073)
@example(2**32)
def test_the_type_holds_every_token_and_no_narrower_one_does(V: int):
    width = value("token-bytes", V=V)
    assert 256**width >= V
    assert width == (2 if V <= 2**16 else 4)


@pytest.mark.parametrize("model", LLAMAS)
def test_llama_3_needs_four_bytes(model: str):
    """Not every vocabulary is below 65536."""
    assert value("token-bytes", model) == 4
    assert value("dataset-bytes", model, D=15 * 10**12) == 60_000_000_000_000


def test_fifteen_trillion_tokens():
    assert value("dataset-bytes", V=50257, D=15 * 10**12) == 30_000_000_000_000
    assert value("dataset-bytes", y=8, D=15 * 10**12) == 8 * 15 * 10**12  # as the batches have them: int64


# ---- windows ----


@settings(max_examples=15)
@given(st.integers(1, 20), st.integers(0, 30))
def test_every_start_that_has_its_labels(s: int, more: int):
    """Counted one by one: inputs i .. i + s - 1, labels i + 1 .. i + s, all in the file."""
    length = s + 1 + more
    starts = [i for i in range(length) if i + s <= length - 1]
    assert len(starts) == value("window-starts", l=length, s=s)
    excluded_end = length - s - 1  # of the lecture's randint: its last start is one short
    assert len(starts) - len(range(excluded_end)) == 1


@pytest.mark.parametrize("n", [1, 2, 3, 10, 500])
def test_coverage_is_between_its_bounds(n: int):
    """1 - 1/e < coverage < 1 - 1/e + 1/(e n): (1 - 1/n)^n < 1/e < (1 - 1/n)^(n - 1)."""
    covered = value("window-coverage", n=n)
    assert covered > 1 - 1 / HIGH_E
    assert covered <= 1 - (1 - Fraction(1, n)) / HIGH_E if n > 1 else covered == 1


@settings(max_examples=15)
@given(st.integers(1, 300))
def test_coverage_falls_with_the_number_of_windows(n: int):
    assert value("window-coverage", n=n) > value("window-coverage", n=n + 1)


def test_one_pass_of_random_windows_is_no_epoch():
    """63.2% of the tokens; the rest of the pass is spent on tokens that were seen already."""
    covered = value("window-coverage", n=15 * 10**12 // 8192)  # to fifty digits
    assert f"{float(covered):.4f}" == "0.6321"
    assert 1 - 1 / LOW_E < covered < 1 - 1 / LOW_E + Fraction(1, 10**9)


def test_coverage_is_an_expectation_over_all_draws():
    """Three windows of one token on a file of three: every draw counted."""
    draws = [(i, j, k) for i in range(3) for j in range(3) for k in range(3)]
    assert Fraction(sum(len(set(draw)) for draw in draws), 3 * len(draws)) == value("window-coverage", n=3)


def test_a_power_of_many_bits_near_one_is_approximated():
    tree = parse("(1 - 1/n)^n")
    assert approximate(tree, {"n": 10**4}) == Fraction(9999, 10000) ** 10000  # exact as long as it can be
    assert abs(approximate(tree, {"n": 10**8}) * HIGH_E - 1) < Fraction(1, 10**8)


# ---- claims ----


@pytest.mark.parametrize("name", [name for name, each in FORMULAS.items() if each.topic == "data"])
def test_claims_are_judged_as_expected(name: str):
    for claim in claims_about(FORMULAS[name]):
        assert judge(claim).verdict == claim.expected, claim.text


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]):
    assert main(["dataset-bytes", "--model", "llama3-8b", "--tokens", "15T"]) == 0
    assert "60.00 TB" in capsys.readouterr().out
    assert main(["window-coverage", "--set", "n=1831054687"]) == 0
    assert "0.6321" in capsys.readouterr().out
