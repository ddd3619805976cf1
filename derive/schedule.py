"""Pipeline schedules, simulated exactly: who computes what when, who waits, and how much is in flight at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import chain, groupby

from derive.errors import PlanError


class Pass(Enum):
    """What a device does with one micro-batch of one of its chunks of layers."""

    FORWARD = "forward"
    BACKWARD = "backward"  # all of it, or, where weights have a pass of their own, the gradient of the input alone
    WEIGHTS = "weights"


@dataclass(frozen=True, slots=True)
class Task:
    """One pass of one micro-batch through one chunk; chunk c of device i is stage c·p + i of the model."""

    kind: Pass
    micro_batch: int
    chunk: int = 0


Order = tuple[tuple[Task, ...], ...]  # for each device, what it does, in this order


@dataclass(frozen=True, slots=True)
class Run:
    """One step: its length, how long each device waits in it, and the most chunk activations it holds at once.

    A chunk's activation is held from the start of its forward pass until its last pass ends.
    """

    makespan: Fraction
    idle: tuple[Fraction, ...]
    in_flight: tuple[int, ...]


def gpipe(stages: int, micro_batches: int) -> Order:
    """All forward passes, then all backward passes, in reverse (Huang et al. 2019, figure 2c)."""
    forward = tuple(Task(Pass.FORWARD, k) for k in range(micro_batches))
    backward = tuple(Task(Pass.BACKWARD, k) for k in reversed(range(micro_batches)))
    return ((*forward, *backward),) * stages


def _alternating(forward: list[Task], backward: list[Task], warm_up: int) -> tuple[Task, ...]:
    """`warm_up` forward passes, then one forward and one backward pass in turn, then the backward passes left."""
    warm_up = min(warm_up, len(forward))
    steady = chain.from_iterable(zip(forward[warm_up:], backward, strict=False))
    return (*forward[:warm_up], *steady, *backward[len(forward) - warm_up :])


def one_forward_one_backward(stages: int, micro_batches: int) -> Order:
    """1F1B: device i starts with p - 1 - i forward passes, then takes turns (Narayanan et al. 2021, figure 4, top).

    >>> [[f"{task.kind.value[0]}{task.micro_batch}" for task in device] for device in one_forward_one_backward(2, 2)]
    [['f0', 'f1', 'b0', 'b1'], ['f0', 'b0', 'f1', 'b1']]
    """
    forward = [Task(Pass.FORWARD, k) for k in range(micro_batches)]
    backward = [Task(Pass.BACKWARD, k) for k in range(micro_batches)]
    return tuple(_alternating(forward, backward, stages - 1 - device) for device in range(stages))


def interleaved(stages: int, micro_batches: int, chunks: int) -> Order:
    """Interleaved 1F1B: v chunks a device, in groups of p micro-batches (Narayanan et al. 2021, figure 4, bottom).

    The warm-up is Megatron-LM's: 2(p - 1 - i) + (v - 1)p forward passes, of chunks, on device i. Raises `PlanError`
    where the stages do not divide the micro-batches, which the schedule needs.
    """
    if micro_batches % stages:
        raise PlanError(f"{stages} interleaved stages need a multiple of {stages} micro-batches: got {micro_batches}")
    groups = [list(group) for _, group in groupby(range(micro_batches), lambda k: k // stages)]
    forward = [Task(Pass.FORWARD, k, c) for group in groups for c in range(chunks) for k in group]
    backward = [Task(Pass.BACKWARD, k, c) for group in groups for c in reversed(range(chunks)) for k in group]
    return tuple(
        _alternating(forward, backward, 2 * (stages - 1 - device) + (chunks - 1) * stages) for device in range(stages)
    )


def zero_bubble(stages: int, micro_batches: int) -> Order:
    """ZB-H1: 1F1B whose weight gradients, a pass of their own, are i micro-batches late on device i.

    So no device holds more than the first one, and what is late fills the wait at the end (Qi et al. 2023, section 2).
    """
    order = []
    for device, tasks in enumerate(one_forward_one_backward(stages, micro_batches)):
        late = [Task(Pass.WEIGHTS, k) for k in range(micro_batches)]
        with_weights: list[Task] = []
        for task in tasks:
            with_weights.append(task)
            if task.kind is Pass.BACKWARD and task.micro_batch >= device:
                with_weights.append(late.pop(0))
        order.append((*with_weights, *late))
    return tuple(order)


def run(order: Order, times: Mapping[Pass, Fraction]) -> Run:
    """Let every device work through its list as early as it can; `times` are those of one micro-batch and chunk.

    A forward pass waits for the stage before, a backward pass for the stage after, the last one's for its own forward
    pass, a weights' pass for its own backward pass; what is sent takes no time. Raises `PlanError` for an order in
    which devices wait for one another.

    >>> run(gpipe(2, 8), {Pass.FORWARD: Fraction(1), Pass.BACKWARD: Fraction(2)})
    Run(makespan=Fraction(27, 1), idle=(Fraction(3, 1), Fraction(3, 1)), in_flight=(8, 8))
    """
    stages = len(order)
    last = max(task.chunk for tasks in order for task in tasks) * stages + stages - 1
    ends: dict[tuple[Pass, int, int], Fraction] = {}
    free = [Fraction(0)] * stages
    todo = [list(reversed(tasks)) for tasks in order]
    while any(todo):
        ready = [
            (device, task)
            for device, tasks in enumerate(todo)
            for task in tasks[-1:]
            if (needed := _needed(task, task.chunk * stages + device, last)) is None or needed in ends
        ]
        if not ready:
            raise PlanError("the devices of this pipeline wait for one another: no pass can start")
        for device, task in ready:
            stage = task.chunk * stages + device
            needed = _needed(task, stage, last)
            start = max(free[device], ends[needed] if needed is not None else Fraction(0))
            free[device] = ends[task.kind, task.micro_batch, stage] = start + times[task.kind]
            todo[device].pop()
    makespan = max(free)
    busy = [sum((times[task.kind] for task in tasks), Fraction(0)) for tasks in order]
    return Run(makespan, tuple(makespan - each for each in busy), tuple(map(_most_held, order)))


def _needed(task: Task, stage: int, last: int) -> tuple[Pass, int, int] | None:
    """The pass that must have ended before this one starts, if there is one."""
    if task.kind is Pass.FORWARD:
        return (Pass.FORWARD, task.micro_batch, stage - 1) if stage else None
    if task.kind is Pass.WEIGHTS:
        return Pass.BACKWARD, task.micro_batch, stage
    return (Pass.FORWARD, task.micro_batch, last) if stage == last else (Pass.BACKWARD, task.micro_batch, stage + 1)


def _most_held(tasks: tuple[Task, ...]) -> int:
    """The most activations at once: one more with each forward pass, one less after the pass that needs it last."""
    releases = Pass.WEIGHTS if any(task.kind is Pass.WEIGHTS for task in tasks) else Pass.BACKWARD
    held = most = 0
    for task in tasks:
        held += (task.kind is Pass.FORWARD) - (task.kind is releases)
        most = max(most, held)
    return most
