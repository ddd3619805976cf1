"""Memory: the timeline's moments and its peak, exact; what a device has for tensors; the allocator's rounding."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.interval import Interval
from derive.tree import to_text
from formulas.memory import ALLOCATOR, peak_memory, timeline
from formulas.timeline import text_of
from tests.asking import LLAMAS, asked, value

amounts = st.integers(1, 10**12)
batches = st.integers(1, 64)
PARAMETERS = {"llama3-8b": 8030261248, "llama3-70b": 70553706496, "llama3-405b": 405853388800}
LAYERS = {"llama3-8b": (32, 4096), "llama3-70b": (80, 8192), "llama3-405b": (126, 16384)}
MOMENTS = ("forward-end", "backward-end", "memory-sum")


def by_the_articles_count(name: str) -> dict[str, int]:
    """34sbhL of a GPT layer with fused attention and 6sbV at the loss, as an article counts them for Llama 3."""
    layers, width = LAYERS[name]
    return {"N": PARAMETERS[name], "A": 34 * 8192 * width * layers + 6 * 8192 * 128256}


EXPECTED = {
    "llama3-8b": (155234918400, 128484179968, 171295440896),
    "llama3-70b": (1176592039936, 1128859303936, 1317699452928),
    "llama3-405b": (6263240228864, 6493654220800, 7074947006464),
}


@pytest.mark.parametrize("name", LLAMAS)
def test_moments_of_a_step(name: str):
    given_values = by_the_articles_count(name)
    assert PARAMETERS[name] == value("parameters", name)
    forward, backward, total = (value(moment, **given_values) for moment in MOMENTS)
    assert (forward, backward, total) == EXPECTED[name]
    assert value("peak-memory", **given_values) == max(forward, backward)
    assert (forward > backward) == (name != "llama3-405b")


def test_accumulation_raises_the_peak():
    given_values = by_the_articles_count("llama3-70b")
    one, two, many = (value("peak-memory", m=m, **given_values) for m in (1, 2, 64))
    assert (one, two, two - one) == (1176592039936, 1317699452928, 141107412992)
    assert two == many == value("memory-sum", **given_values)


def test_activations_are_not_smaller_than_gradients_in_large_models():
    shares = []
    for name in LLAMAS:
        layers, width = LAYERS[name]
        shares.append(34 * 8192 * width * layers / value("gradients", N=PARAMETERS[name]))
    assert shares == [Fraction(4456448, 1960513), Fraction(11141120, 8612513), Fraction(17547264, 24771325)]


# ---- laws of the peak ----

PLANS = ("", "recompute=core", "recompute=layer", "zero=3,dp=8", "tp=8,sp", "zero=3,dp=8,recompute=layer+head")


@given(N=amounts, A=amounts, m=batches)
def test_the_peak_is_at_most_the_sum(N: int, A: int, m: int):
    assert value("peak-memory", N=N, A=A, m=m) <= value("memory-sum", N=N, A=A, m=m)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("m", [1, 2, 5])
def test_the_peak_of_a_model_is_at_most_its_sum(plan: str, m: int):
    peak = value("peak-memory", "llama3-8b", plan, m=m)
    moments = [value("forward-end", "llama3-8b", plan, m=m), value("backward-end", "llama3-8b", plan)]
    assert max(moments) <= peak <= value("memory-sum", "llama3-8b", plan)
    assert value("states", "llama3-8b", plan) == moments[1]


@pytest.mark.parametrize("plan", PLANS)
def test_that_it_is_at_most_the_sum_is_proved(plan: str):
    for found in (asked("memory-sum", "llama3-8b", plan), asked("memory-sum")):
        (line,) = [step for step in found.derivation.steps if step.relation == "≤"]
        assert line.proof
        assert line.left is not None
        assert to_text(line.left).startswith("max(")


def test_the_bound_is_about_the_peak():
    amount = peak_memory.rows(None, asked("peak-memory").plan).rows[1].value
    (line,) = [step for step in asked("memory-sum").derivation.steps if step.relation == "≤"]
    assert line.left is not None
    assert to_text(line.left) == text_of(amount)


@given(N=amounts, A=amounts, more=amounts, m=batches)
def test_the_peak_grows_with_parameters_activations_and_the_second_micro_batch(N: int, A: int, more: int, m: int):
    peak = value("peak-memory", N=N, A=A, m=m)
    assert value("peak-memory", N=N + more, A=A, m=m) > peak
    assert value("peak-memory", N=N, A=A + more, m=m) >= peak
    assert value("peak-memory", N=N, A=A, m=1) < value("peak-memory", N=N, A=A, m=2)
    assert value("peak-memory", N=N, A=A, m=m + 2) == value("peak-memory", N=N, A=A, m=2) >= peak


def test_recomputation_lowers_the_peak_by_less_than_what_it_keeps():
    """The layer that is run again is there whole, so that what is kept falls by more than the peak."""
    kept = [value("model-activations", "llama3-8b", plan) for plan in ("", "recompute=layer")]
    peak = [value("peak-memory", "llama3-8b", plan) for plan in ("", "recompute=layer")]
    assert 0 < peak[0] - peak[1] < kept[0] - kept[1]
    gpt = [value("activations", "gpt3-175b"), value("layer-input-bytes", "gpt3-175b")]
    assert value("recomputed-interior", "gpt3-175b", "recompute=layer") == gpt[0] - gpt[1]
    # A Llama's norm keeps an fp32 copy of the input; of what it keeps, the rotary tables are shared and stay.
    tables = 4 * 8192 * 128
    assert value("recomputed-interior", "llama3-8b", "recompute=layer") == value("activations", "llama3-8b") - tables


def test_what_lives_beside_what_is_kept():
    assert value("recomputed-interior", "llama3-8b") == value("gathered-layer", "llama3-8b", "zero=2,dp=8") == 0
    # Measured on torch 2.13: 14 bytes a logit while a loss in bf16 is differentiated, of which 4 are kept.
    logits = 10 * 8192 * 128256
    assert value("loss-transient", "llama3-8b") == logits
    assert value("loss-transient", "llama3-8b", "recompute=head") >= logits + 4 * 8192 * 128256
    layer = value("layer-parameters", "llama3-8b")
    assert value("gathered-layer", "llama3-8b", "zero=3,dp=8") == 4 * layer
    assert value("gathered-layer", "llama3-8b", "zero=3,dp=64") == 4 * layer
    assert value("gathered-layer", "llama3-8b", "zero=3") == 0  # alone, a device has nothing to gather


def test_what_is_outside_every_layer_is_no_matter_of_a_layer():
    frozen = "frozen=token table,recompute=layer+head"
    assert value("recomputed-interior", "llama3-8b", frozen) == value(
        "recomputed-interior", "llama3-8b", "recompute=layer"
    )
    assert value("peak-memory", "llama3-8b", frozen) > 0


def test_every_moment_is_named():
    assert tuple(timeline(None, asked("peak-memory").plan)) == (
        "backward pass of the loss",
        "last layer's backward pass",
        "first layer's backward pass",
        "optimizer step",
    )


# ---- what a device has ----

GIB = 2**30


def test_usable_memory_is_an_interval():
    found = asked("usable-memory", M=Fraction(796, 10) * GIB).value
    assert isinstance(found, Interval)
    assert (found.low / GIB, found.high / GIB) == (Fraction(3213, 50), Fraction(14839, 200))


@given(M=st.integers(4 * GIB, 10**12), w=st.integers(0, 2**25))
def test_less_is_usable_than_there_is(M: int, w: int):
    found = asked("usable-memory", M=M, x_w=w).value
    assert isinstance(found, Interval)
    assert found.low < found.high < M
    assert found.high - found.low > 0


def test_known_buffers_narrow_the_interval_to_a_value():
    assert value("usable-memory", M=80 * GIB, c=GIB, q=GIB, phi=Fraction(1, 10)) == Fraction(78 * GIB * 9, 10)


def test_library_buffers():
    assert (value("cublas-workspace"), value("nccl-buffers")) == (33554432, 4194304)
    assert value("cublas-workspace", u=3) == 3 * 33554432


# ---- PyTorch's allocator ----

MIB = 2**20


def reserved(request: int) -> int:
    """As its source reads: round up to 512, then a segment by the size."""
    size = -(-request // 512) * 512
    if size <= MIB:
        return 2 * MIB
    return 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB


def test_segments_at_the_limits():
    requests = [1, 513, MIB, MIB + 1, 10 * MIB - 512, 10 * MIB, 10 * MIB + 1]
    expected = [2097152, 2097152, 2097152, 20971520, 20971520, 10485760, 12582912]
    assert [value("allocated-segment", x_r=request) for request in requests] == expected
    assert value("allocated-segment", x_r=10 * MIB - 511) == 10485760  # it is rounded up to 10 MiB first


def test_the_allocators_constants():
    assert [each.value for each in ALLOCATOR] == [512, 1048576, 2097152, 20971520, 10485760, 2097152]


@given(st.one_of(st.integers(1, 2 * MIB), st.integers(9 * MIB, 11 * MIB), st.integers(1, 10**11)))
def test_requested_is_at_most_allocated_is_at_most_reserved(request: int):
    block, segment = value("allocated-block", x_r=request), value("allocated-segment", x_r=request)
    assert request <= block <= segment
    assert segment == reserved(request)
    assert block - request < 512
