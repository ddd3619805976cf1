"""Pipeline schedules, simulated exactly: who computes what when, who waits, and how much is in flight at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import chain, groupby

from derive.errors import PlanError


class Pass(Enum):
    """What a device does with one micro-batch of one of its chunks of layers."""

    FORWARD = "forward"
    BACKWARD = "backward"  # the gradients of the input and of the weights
    INPUTS = "inputs"  # the gradient of the input alone; that of the weights is put off
    WEIGHTS = "weights"


@dataclass(frozen=True, slots=True)
class Task:
    """One pass of one micro-batch through one chunk of a device's layers.

    Chunk c of device i is stage c·p + i of the model; of what runs in reverse, from the last device to the first,
    device i is stage p - 1 - i.
    """

    kind: Pass
    micro_batch: int
    chunk: int = 0
    reverse: bool = False

    def stage(self, device: int, devices: int) -> int:
        """Which stage of the model this is on that device."""
        return self.chunk * devices + (devices - 1 - device if self.reverse else device)


Slot = tuple[Task, ...]  # one task, or a forward and a backward pass that overlap
Order = tuple[tuple[Slot, ...], ...]  # for each device, what it does, in this order


@dataclass(frozen=True, slots=True)
class Run:
    """One step: its length, how long each device waits in it, and the most chunk activations it holds at once.

    A chunk's activation is held from the start of its forward pass until the gradients of its weights are made.
    """

    makespan: Fraction
    idle: tuple[Fraction, ...]
    in_flight: tuple[int, ...]


# ---- orders ----


def gpipe(stages: int, micro_batches: int) -> Order:
    """All forward passes, then all backward passes, in reverse (Huang et al. 2019, figure 2c)."""
    forward = tuple((Task(Pass.FORWARD, k),) for k in range(micro_batches))
    backward = tuple((Task(Pass.BACKWARD, k),) for k in reversed(range(micro_batches)))
    return ((*forward, *backward),) * stages


def _alternating(forward: list[Task], backward: list[Task], warm_up: int) -> tuple[Slot, ...]:
    """`warm_up` forward passes, then one forward and one backward pass in turn, then the backward passes left."""
    warm_up = min(warm_up, len(forward))
    steady = chain.from_iterable(zip(forward[warm_up:], backward, strict=False))
    return tuple((task,) for task in (*forward[:warm_up], *steady, *backward[len(forward) - warm_up :]))


def one_forward_one_backward(stages: int, micro_batches: int, backward: Pass = Pass.BACKWARD) -> Order:
    """1F1B: device i starts with p - 1 - i forward passes, then takes turns (Narayanan et al. 2021, figure 4, top).

    >>> [[f"{task.kind.value[0]}{task.micro_batch}" for task, in each] for each in one_forward_one_backward(2, 2)]
    [['f0', 'f1', 'b0', 'b1'], ['f0', 'b0', 'f1', 'b1']]
    """
    forwards = [Task(Pass.FORWARD, k) for k in range(micro_batches)]
    backwards = [Task(backward, k) for k in range(micro_batches)]
    return tuple(_alternating(forwards, backwards, stages - 1 - device) for device in range(stages))


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
    for device, slots in enumerate(one_forward_one_backward(stages, micro_batches, Pass.INPUTS)):
        late = [(Task(Pass.WEIGHTS, k),) for k in range(micro_batches)]
        done: list[Slot] = []
        for slot in slots:
            done.append(slot)
            if slot[0].kind is Pass.INPUTS and slot[0].micro_batch >= device:
                done.append(late.pop(0))
        order.append((*done, *late))
    return tuple(order)


def dual_pipe(stages: int, micro_batches: int) -> Order:
    """DualPipe: half of the micro-batches runs from the last device to the first, and passes overlap in pairs.

    Every device holds two stages. After DeepSeek's own implementation (deepseek-ai/DualPipe 3da1bbea, step). Raises
    `PlanError` where stages or micro-batches are odd, or these fewer than two for each stage.
    """
    if stages % 2 or micro_batches % 2 or micro_batches < 2 * stages:
        raise PlanError(
            f"DualPipe needs an even number of stages and an even number of micro-batches, two for each stage at "
            f"least: got {stages} stages, {micro_batches} micro-batches"
        )
    return tuple(tuple(_dual(device, stages, micro_batches // 2)) for device in range(stages))


def _dual(device: int, stages: int, each_way: int) -> Iterator[Slot]:
    """What one device does: near, what enters at its own end of the pipeline; far, what comes from the other end."""
    from_edge = min(device, stages - 1 - device)
    to_middle = stages // 2 - 1 - from_edge
    near, far = (False, True) if device < stages // 2 else (True, False)
    count: Counter[tuple[bool, bool]] = Counter()
    late: list[Task] = []

    def task(kind: Pass, reverse: bool) -> Task:
        number = count[kind is Pass.FORWARD, reverse]
        count[kind is Pass.FORWARD, reverse] += 1
        if kind is Pass.INPUTS:
            late.append(Task(Pass.WEIGHTS, number, 0, reverse))
        return Task(kind, number, 0, reverse)

    def both(forward: bool, backward: bool) -> Slot:
        return task(Pass.FORWARD, forward), task(Pass.BACKWARD, backward)

    for _ in range(2 * to_middle):
        yield (task(Pass.FORWARD, near),)
    for _ in range(from_edge + 1):
        yield (task(Pass.FORWARD, near),)
        yield (task(Pass.FORWARD, far),)
    for _ in range(to_middle):
        yield (task(Pass.INPUTS, far),)
        yield (late.pop(0),)
        yield (task(Pass.FORWARD, far),)
    for turn in range(each_way - stages + from_edge + 1):
        pair = both(near, far)
        yield from ((each,) for each in pair) if turn == to_middle == 0 else (pair,)
        yield both(far, near)
    for _ in range(to_middle):
        yield (task(Pass.BACKWARD, far),)
        yield both(far, near)
    for turn in range(2 * (from_edge + 1)):
        yield (task(Pass.INPUTS if turn > from_edge else Pass.BACKWARD, near if turn % 2 else far),)
    for _ in range(to_middle):
        yield (late.pop(0),)
        yield (task(Pass.INPUTS, near),)
    yield from ((each,) for each in late)


# ---- the simulation ----

Event = tuple[bool, int, bool, int]  # forward or backward, the micro-batch, its direction, the stage


def run(order: Order, times: Mapping[Pass, Fraction], overlapped: Fraction | None = None) -> Run:
    """Let every device work through its list as early as it can; `times` are those of one micro-batch and chunk.

    A forward pass waits for the stage before, a backward pass for the stage after, the last stage's for its own forward
    pass; what is sent takes no time. Two passes in one slot take the time `overlapped`, or both theirs. Raises
    `PlanError` for an order in which devices wait for one another.

    >>> run(gpipe(2, 8), {Pass.FORWARD: Fraction(1), Pass.BACKWARD: Fraction(2)})
    Run(makespan=Fraction(27, 1), idle=(Fraction(3, 1), Fraction(3, 1)), in_flight=(8, 8))
    """
    devices = len(order)
    last = devices * (1 + max(task.chunk for slots in order for slot in slots for task in slot)) - 1
    ends: dict[Event, Fraction] = {}
    free, busy = [Fraction(0)] * devices, [Fraction(0)] * devices
    todo = [list(reversed(slots)) for slots in order]
    while any(todo):
        started = False
        for device, slots in enumerate(todo):
            needed = [
                x for task in (slots[-1] if slots else ()) for x in _needed(task, task.stage(device, devices), last)
            ]
            if not slots or any(event not in ends for event in needed):
                continue
            slot, started = slots.pop(), True
            takes = sum((times[task.kind] for task in slot), Fraction(0))
            takes = takes if len(slot) == 1 or overlapped is None else overlapped
            free[device] = max([free[device], *(ends[event] for event in needed)]) + takes
            busy[device] += takes
            for task in slot:
                if task.kind is not Pass.WEIGHTS:
                    ends[_event(task, task.stage(device, devices))] = free[device]
        if not started:
            raise PlanError("the devices of this pipeline wait for one another: no pass can start")
    makespan = max(free)
    return Run(makespan, tuple(makespan - each for each in busy), tuple(map(_most_held, order)))


def _event(task: Task, stage: int) -> Event:
    return task.kind is Pass.FORWARD, task.micro_batch, task.reverse, stage


def _needed(task: Task, stage: int, last: int) -> tuple[Event, ...]:
    """What must have ended elsewhere, or on the device itself, before this pass starts."""
    if task.kind is Pass.WEIGHTS:
        return (((False, task.micro_batch, task.reverse, stage)),)
    if task.kind is Pass.FORWARD:
        return ((True, task.micro_batch, task.reverse, stage - 1),) if stage else ()
    return ((stage == last, task.micro_batch, task.reverse, min(stage + 1, last)),)


def _most_held(slots: tuple[Slot, ...]) -> int:
    """The most activations at once: one more with each forward pass, one less after the gradients of the weights."""
    held = most = 0
    for slot in slots:
        held += sum(task.kind is Pass.FORWARD for task in slot)
        most = max(most, held)
        held -= sum(task.kind in (Pass.BACKWARD, Pass.WEIGHTS) for task in slot)
    return most
