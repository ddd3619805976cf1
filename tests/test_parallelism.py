"""Pipelines: the closed forms are what the schedules do, for all times of the passes; the sources' numbers."""

from fractions import Fraction

import pytest

from derive.cli import main
from derive.errors import PlanError
from derive.schedule import (
    Order,
    Pass,
    Run,
    Task,
    dual_pipe,
    gpipe,
    interleaved,
    one_forward_one_backward,
    run,
    zero_bubble,
)
from derive.verdict import judge
from formulas import claims_about
from formulas.parallelism import interleaved_in_flight_microbatches, pipeline_bubble
from tests.asking import FORMULAS, value

STAGES = range(1, 7)
# How long a step takes is a maximum of sums of t_f and t_b: convex in the two. A convex function that equals a linear
# one at both ends of the cone and inside is equal to it everywhere, so these three are a proof for all times.
ENOUGH = [(1, 0), (1, 1), (0, 1)]


def at(order: Order, forward: Fraction | int, backward: Fraction | int) -> Run:
    return run(order, {Pass.FORWARD: Fraction(forward), Pass.BACKWARD: Fraction(backward)})


def split(order: Order, times: tuple[int, int, int], overlapped: int | None = None) -> Run:
    """With weights' gradients apart: `times` are those of a forward pass, the gradients of inputs, and of weights."""
    forward, inputs, weights = map(Fraction, times)
    each = {Pass.FORWARD: forward, Pass.INPUTS: inputs, Pass.WEIGHTS: weights, Pass.BACKWARD: inputs + weights}
    return run(order, each, Fraction(overlapped) if overlapped is not None else None)


# ---- closed forms against schedules ----


@pytest.mark.parametrize("schedule", [gpipe, one_forward_one_backward])
@pytest.mark.parametrize(("forward", "backward"), [*ENOUGH, (2, 3)])
def test_every_device_waits_as_long_as_the_formula_says(schedule, forward: int, backward: int):
    for p in STAGES:
        for m in range(1, 14):
            done = at(schedule(p, m), forward, backward)
            assert set(done.idle) == {(p - 1) * (forward + backward)}
            assert done.makespan == (m + p - 1) * (forward + backward)


def test_both_conventions_at_sizes():
    for p in STAGES:
        for m in range(1, 10):
            done, ideal = at(one_forward_one_backward(p, m), 1, 2), 3 * m
            assert done.idle[0] == value("pipeline-idle", p=p, t_f=1, t_b=2)
            assert done.idle[0] / ideal == value("pipeline-bubble", p=p, m=m)
            assert done.idle[0] / done.makespan == value("pipeline-bubble-of-whole", p=p, m=m)


@pytest.mark.parametrize(("forward", "backward"), [*ENOUGH, (2, 3)])
def test_interleaving_divides_the_bubble(forward: int, backward: int):
    for p in STAGES:
        for m in (p, 2 * p, 3 * p):
            for v in range(1, 5):
                done = at(interleaved(p, m, v), Fraction(forward, v), Fraction(backward, v))
                assert set(done.idle) == {Fraction((p - 1) * (forward + backward), v)}
                share = done.idle[0] / (m * (forward + backward))
                assert share == value("interleaved-bubble", p=p, m=m, v=v)


def test_what_is_in_flight():
    for p in STAGES:
        for m in range(1, 14):
            assert at(gpipe(p, m), 1, 2).in_flight == (m,) * p
            assert at(one_forward_one_backward(p, m), 1, 2).in_flight == tuple(min(m, p - i) for i in range(p))
            assert value("in-flight-microbatches", p=p, m=m) == min(m, p)


def test_what_interleaving_holds():
    """In micro-batches of a device's layers: chunks over v; no other device holds more than the first."""
    for p in range(2, 7):
        for m in (p, 2 * p, 3 * p):
            for v in range(2, 5):
                held = at(interleaved(p, m, v), 1, 2).in_flight
                assert max(held) == held[0]
                assert Fraction(held[0], v) == value("interleaved-in-flight-microbatches", p=p, m=m, v=v)
                if m >= 2 * p:
                    assert Fraction(held[0], v) / p == value("interleaved-penalty", p=p, v=v)


@pytest.mark.parametrize("times", [(1, 1, 1), (1, 2, 1), (2, 1, 1), (3, 2, 2), (2, 3, 2), (4, 4, 1)])
def test_weights_gradients_fill_the_end(times: tuple[int, int, int]):
    """Where they take no longer than a forward pass and than the gradients of inputs."""
    forward, inputs, weights = times
    for p in STAGES:
        for m in range(p, 12):
            done = split(zero_bubble(p, m), times)
            waits = value("zero-bubble-idle", p=p, t_f=forward, t_b=inputs + weights, t_w=weights)
            assert set(done.idle) == {waits}
            assert max(done.in_flight) == p  # as with 1F1B


@pytest.mark.parametrize("times", [(1, 2, 2), (2, 1, 2), (1, 3, 4)])
def test_longer_weights_gradients_do_not_fit(times: tuple[int, int, int]):
    """F + B >= 2W, all times positive, is not enough for the row of DeepSeek-V3's table 2."""
    forward, inputs, weights = times
    waits = 3 * (forward + inputs - weights)
    assert waits >= 0
    assert split(zero_bubble(4, 8), times).idle[0] > waits


@pytest.mark.parametrize("times", [(1, 1, 1), (2, 2, 1), (3, 3, 2), (4, 4, 1)])
def test_dual_pipe(times: tuple[int, int, int]):
    """However much two passes save by overlapping; outer devices wait less where they do."""
    forward, inputs, weights = times
    for p in (2, 4, 6, 8):
        for m in (2 * p, 2 * p + 2, 3 * p):
            for overlapped in range(inputs + weights, forward + inputs + weights + 1):
                done = split(dual_pipe(p, m), times, overlapped)
                waits = value("dual-pipe-idle", p=p, t_o=overlapped, t_b=inputs + weights, t_w=weights)
                assert max(done.idle) == done.idle[p // 2 - 1] == done.idle[p // 2] == waits
                assert done.idle == done.idle[::-1]
                assert set(done.in_flight) == {p + 1}
                assert (len(set(done.idle)) == 1) == (p <= 4 or overlapped == forward + inputs + weights)


@pytest.mark.parametrize("times", [(3, 4, 2), (1, 2, 1), (2, 1, 1)])
def test_dual_pipe_with_other_times(times: tuple[int, int, int]):
    """Where a forward pass takes longer or shorter than the gradients of inputs, the row of the table does not hold."""
    overlapped = sum(times)
    done = split(dual_pipe(8, 16), times, overlapped)
    assert max(done.idle) != value("dual-pipe-idle", p=8, t_o=overlapped, t_b=times[1] + times[2], t_w=times[2])


def test_with_equal_times_a_third_of_the_bubble_is_left():
    assert value("zero-bubble-idle", p=8, t_f=1, t_b=2, t_w=1) == 7
    assert value("pipeline-idle", p=8, t_f=1, t_b=2) == 21


# ---- the simulator ----


def test_order_of_a_device():
    texts = [[f"{x.kind.value[0]}{x.micro_batch}.{x.chunk}" for (x,) in slots] for slots in interleaved(2, 2, 2)]
    assert texts == [
        ["f0.0", "f1.0", "f0.1", "f1.1", "b0.1", "b1.1", "b0.0", "b1.0"],
        ["f0.0", "f1.0", "f0.1", "b0.1", "f1.1", "b1.1", "b0.0", "b1.0"],
    ]


@pytest.mark.parametrize(
    "order",
    [gpipe(3, 5), one_forward_one_backward(3, 5), interleaved(3, 6, 2), zero_bubble(3, 5), dual_pipe(4, 10)],
    ids=["gpipe", "1f1b", "interleaved", "zero bubble", "dual pipe"],
)
def test_every_pass_is_done_once(order: Order):
    for slots in order:
        tasks = [task for slot in slots for task in slot]
        assert len(set(tasks)) == len(tasks)
        done = {kind: {(x.micro_batch, x.chunk, x.reverse) for x in tasks if x.kind is kind} for kind in Pass}
        assert done[Pass.FORWARD] == done[Pass.BACKWARD] | done[Pass.INPUTS]
        assert done[Pass.INPUTS] == done[Pass.WEIGHTS]
        assert not done[Pass.BACKWARD] & done[Pass.INPUTS]


def test_passes_that_overlap_take_both_times_unless_it_is_said():
    order = (((Task(Pass.FORWARD, 0),), (Task(Pass.FORWARD, 1), Task(Pass.BACKWARD, 0)), (Task(Pass.BACKWARD, 1),)),)
    assert at(order, 1, 2).makespan == 6
    assert split(order, (1, 1, 1), 2).makespan == 5


def test_what_cannot_be_run():
    with pytest.raises(PlanError) as error:
        interleaved(4, 6, 2)
    assert str(error.value) == "4 interleaved stages need a multiple of 4 micro-batches: got 6"
    backwards = (((Task(Pass.BACKWARD, 0),), (Task(Pass.FORWARD, 0),)),)
    with pytest.raises(PlanError) as error:
        at(backwards, 1, 1)
    assert str(error.value) == "the devices of this pipeline wait for one another: no pass can start"


@pytest.mark.parametrize(("p", "m"), [(3, 8), (4, 9), (4, 6)])
def test_what_dual_pipe_needs(p: int, m: int):
    with pytest.raises(PlanError) as error:
        dual_pipe(p, m)
    assert str(error.value) == (
        "DualPipe needs an even number of stages and an even number of micro-batches, two for each stage at least: "
        f"got {p} stages, {m} micro-batches"
    )


# ---- numbers and claims ----


def test_values():
    assert value("pipeline-bubble", p=8, m=32) == Fraction(7, 32)
    assert value("pipeline-bubble-of-whole", p=8, m=32) == Fraction(7, 39)
    assert value("interleaved-bubble", p=8, m=32, v=4) == Fraction(7, 128)
    assert value("interleaved-penalty", p=8, v=4) == Fraction(39, 32)
    assert value("pipeline-bubble", p=1, m=5) == value("pipeline-idle", p=1, t_f=3, t_b=7) == 0


def test_the_degree_of_the_plan_is_p():
    assert value("pipeline-bubble", None, "pp=8", m=32) == Fraction(7, 32)


@pytest.mark.parametrize("name", [name for name, each in FORMULAS.items() if each.topic == "parallelism"])
def test_claims_are_judged_as_expected(name: str):
    for claim in claims_about(FORMULAS[name]):
        assert judge(claim).verdict == claim.expected, claim.text


def test_readers_mix_up_the_two_conventions():
    refuted = [claim for claim in claims_about(pipeline_bubble) if claim.expected == "refuted"]
    assert [claim.source.key for claim in refuted] == ["huang2019"]


def test_megatrons_count_of_a_log_line_is_too_large_for_few_micro_batches():
    (claim,) = claims_about(interleaved_in_flight_microbatches)
    found = judge(claim)
    assert found.verdict == "refuted"
    assert found.values_there is not None
    assert found.values_there[0] > found.values_there[1]


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]):
    assert main(["pipeline-bubble", "--set", "p=8", "--set", "m=32"]) == 0
    shown = capsys.readouterr().out
    assert "t_f + t_b cancels" in shown
    assert "0.2188" in shown
    assert main(["interleaved-penalty", "--set", "p=8", "--set", "v=4"]) == 0
    assert "1.219" in capsys.readouterr().out
