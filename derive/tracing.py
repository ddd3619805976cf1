"""Tracing: running a layer function once on symbolic tensors, and the record of what it did."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from derive.errors import DeriveError, ShapeError
from derive.precision import DType, Slot, compute
from derive.roles import PARAMETERS
from derive.tensor import (
    Axis,
    BlockCall,
    Collective,
    Contraction,
    KernelProduct,
    Mesh,
    Op,
    Own,
    Remainder,
    Role,
    Tensor,
)

if TYPE_CHECKING:
    from sympy import Expr

P = ParamSpec("P")
R = TypeVar("R")


STACK_INPUT, STACK_OUTPUT = "stack input", "stack output"  # no operations: names for tensors of other layers
KERNEL_KEEPS = "kernel keeps"  # no operation either: of its input, that a kernel of the block around keeps it
READ = "read"  # what is read in another format than it lies in
# What a stage of a pipeline runs beside its share of the layers: what is before them, and what is behind them.
STAGES = {"": (-1, 0, 1), "first": (-1, 0), "middle": (0,), "last": (0, 1)}


@dataclass(frozen=True, eq=False)
class Trace:
    """What a function did to its inputs: every tensor in the order of making, and the results of the blocks."""

    tensors: tuple[Tensor, ...] = field(repr=False)
    results: Mapping[Tensor, tuple[BlockCall, ...]] = field(repr=False)  # the blocks that a tensor is the result of

    @cached_property
    def block_names(self) -> tuple[str, ...]:
        """Names of all blocks, outermost first, in the order of their first call."""
        return tuple(dict.fromkeys(call.name for tensor in self.tensors for call in tensor.blocks))

    @cached_property
    def stacks(self) -> frozenset[str]:
        """How many layers each outermost stack has, as text: a letter or a number."""
        return frozenset(str(tensor.copies[0]) for tensor in self.tensors if tensor.copies)

    @cached_property
    def _places(self) -> dict[Tensor, int]:
        """For each tensor -1 before the stacks of layers, 0 in them (or where there is none), 1 behind them."""
        names = [tensor.op.name if tensor.op is not None else "" for tensor in self.tensors]
        if STACK_INPUT not in names:
            return dict.fromkeys(self.tensors, 0)
        first, last = names.index(STACK_INPUT), len(names) - 1 - names[::-1].index(STACK_OUTPUT)
        return {tensor: (index > last) - (index < first) for index, tensor in enumerate(self.tensors)}

    def on_stage(self, tensor: Tensor, stage: str) -> bool:
        """Whether the operation that makes a tensor runs on a stage: `first`, `last`, or all of them together, ""."""
        return self._places[tensor] in STAGES[stage]

    def interior_of(self, tensor: Tensor) -> tuple[BlockCall, ...]:
        """The block calls that have `tensor` inside: all around it but those that it is the result of."""
        left = self.results.get(tensor, ())
        return tuple(call for call in tensor.blocks if call not in left)


@dataclass
class Tape:
    """The state of a trace that is being made; nobody outside this module holds one."""

    sizes: Mapping[str, Expr]
    tensors: list[Tensor] = field(default_factory=list)
    known: set[Tensor] = field(default_factory=set)
    results: dict[Tensor, tuple[BlockCall, ...]] = field(default_factory=dict)
    once: dict[tuple, Tensor] = field(default_factory=dict)
    blocks: tuple[BlockCall, ...] = ()
    copies: tuple[Expr, ...] = ()
    calls: int = 0
    adapted: Collection[str] | None = None
    alone: bool = False


_tape: ContextVar[Tape] = ContextVar("tape")


def _current() -> Tape:
    try:
        return _tape.get()
    except LookupError:
        raise DeriveError("operations on tensors work inside trace(function, ...) only") from None


def size_of(letter: str, asked_by: str) -> Expr:
    """The size of an axis that is named after a letter; `asked_by` is quoted if there is none."""
    sizes = _current().sizes
    if letter not in sizes:
        raise ShapeError(f"{asked_by}: axis {letter!r} has no size; letters with one are {', '.join(sizes)}")
    return sizes[letter]


def has_adapter(name: str) -> bool:
    """Whether the linear layer of that name, traced now, has an adapter beside it."""
    tape = _current()
    return tape.adapted is not None and (tape.alone or bool(tape.copies)) and (not tape.adapted or name in tape.adapted)


def record(tensor: Tensor) -> Tensor:
    """Put `tensor` on the tape, inside the blocks and stacks that are open now."""
    tape = _current()
    placed = replace(tensor, blocks=tape.blocks, copies=tape.copies)
    tape.tensors.append(placed)
    tape.known.add(placed)
    return placed


def apply(
    name: str,
    inputs: tuple[Tensor, ...],
    needs: tuple[tuple[Tensor | Own, ...], ...],
    *,
    axes: tuple[Axis, ...],
    called: str,
    dtype: DType | Slot = compute,
    role: Role = Role.ACTIVATION,
    free: bool = False,
    view_of: Tensor | None = None,
    contraction: Contraction | None = None,
    collective: Collective | None = None,
    residuals: tuple[Tensor, ...] = (),
    window: Expr | None = None,
    instead: tuple[KernelProduct, ...] = (),
) -> Tensor:
    """The result of one operation, recorded; `needs` lists for each input what that input's gradient needs."""
    known = _current().known
    for tensor in inputs:
        if tensor not in known:
            raise ShapeError(f"{name}: {tensor.name!r} belongs to another trace")
    op = Op(name, inputs, needs, free, contraction, collective, residuals, window, instead)
    return record(Tensor(called, axes, dtype, role, op, view_of))


def named_axes(letters: str, asked_by: str, split: Mapping[str, Mesh] | None = None) -> tuple[Axis, ...]:
    """Axes `s b h` with their letters' sizes, split over the mesh axes that `split` names."""
    split = split or {}
    return tuple(Axis(name, size_of(name, asked_by), split.get(name)) for name in letters.split())


def parameter(
    name: str,
    axes: str | tuple[Axis, ...],
    role: Role = Role.WEIGHT,
    *,
    tp: str | None = None,
    uneven: Remainder = Remainder.REFUSE,
) -> Tensor:
    """A trainable leaf in the compute format; `tp` is the axis that is split, `uneven` what to do if it cannot be."""
    if isinstance(axes, str):
        axes = named_axes(axes, f"parameter {name!r}", {tp: Mesh.TP} if tp else {})
        axes = tuple(replace(axis, remainder=uneven) if axis.name == tp else axis for axis in axes)
    if role not in PARAMETERS:
        raise DeriveError(f"parameter {name!r} has the role of {role.value}, which is not one of a parameter")
    return record(Tensor(name, axes, role=role, differentiable=True))


def constant(
    name: str, letters: str, dtype: DType | Slot = compute, role: Role = Role.CONSTANT, *, tp: str | None = None
) -> Tensor:
    """A tensor that the whole model shares and no gradient flows into: rotary tables, ids. Asked twice, it is one.

    `tp` is the axis that tensor parallelism splits.
    """
    tape = _current()
    key = ("constant", name, letters, dtype, role, tp)
    if key not in tape.once:
        axes = named_axes(letters, f"constant {name!r}", {tp: Mesh.TP} if tp else {})
        leaf = Tensor(name, axes, dtype, role)
        tape.once[key] = leaf
        tape.tensors.append(leaf)
        tape.known.add(leaf)
    return tape.once[key]


def generated(name: str, axes: tuple[Axis, ...], dtype: DType | Slot, role: Role) -> Tensor:
    """A tensor made from nothing where it is used (a mask, random bits), so that recomputation can make it again."""
    return apply("generate", (), (), axes=axes, called=name, dtype=dtype, role=role)


def memoised(key: tuple, make: Callable[[], Tensor]) -> Tensor:
    """One tensor for equal keys within a trace: a gather of the same tensor happens once."""
    once = _current().once
    if key not in once:
        once[key] = make()
    return once[key]


@overload
def block(function: Callable[P, R]) -> Callable[P, R]: ...
@overload
def block(*, name: str = "", fused_by: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def block(function=None, *, name: str = "", fused_by: str | None = None) -> Any:
    """Make a layer function a heading of the ledger and a unit of recomputation, named `name` or after the function.

    `fused_by` names the key of the plan that may run the whole block as one kernel, keeping its result and residuals.
    """

    def decorate(body):
        @wraps(body)
        def call(*arguments, **options):
            tape = _current()
            tape.calls += 1
            outer, this = tape.blocks, BlockCall(name or body.__name__, tape.calls, fused_by)
            tape.blocks = (*outer, this)
            try:
                result = body(*arguments, **options)
            finally:
                tape.blocks = outer
            for tensor in result if isinstance(result, tuple) else (result,):
                if not isinstance(tensor, Tensor):
                    raise ShapeError(f"block {this.name!r} must return a tensor or a flat tuple of tensors")
                tape.results[tensor] = (*tape.results.get(tensor, ()), this)
            return result

        return call

    return decorate if function is None else decorate(function)


def repeat(layer: Callable[[Tensor], Tensor], count: Expr, x: Tensor, kind: str = "") -> Tensor:
    """A stack of `count` equal layers, traced once: everything that the layer makes exists `count` times.

    A `kind` is a heading of the ledger around them, where a model has layers of several kinds.

    The layer sees a tensor that stands for the input of each layer: x once, then the output of the layer before. What
    comes back stands for the last output. A gradient flows through the stack if it flows into x or into a parameter of
    the layer; the fold sees to it that the first of them may not need it.
    """
    tape = _current()
    outer = tape.copies
    tape.copies = (*outer, count)
    try:
        each = apply(STACK_INPUT, (x,), ((),), axes=x.axes, called="layer input", dtype=x.dtype)
        y = (block(name=kind)(layer) if kind else layer)(each)
    finally:
        tape.copies = outer
    return apply(STACK_OUTPUT, (y, each), ((), ()), axes=y.axes, called="last layer's output", dtype=y.dtype)


@dataclass(frozen=True)
class Input:
    """An input of a traced function: its name, its axes, and the axis that sequence parallelism splits or gathers."""

    name: str
    axes: str
    split: Mapping[str, Mesh] = field(default_factory=dict)
    gathered: Mapping[str, Mesh] = field(default_factory=dict)
    dtype: DType | Slot = compute
    role: Role = Role.ACTIVATION
    differentiable: bool = True


def trace(
    function: Callable[..., Any],
    *inputs: Input,
    sizes: Mapping[str, Expr],
    adapted: Collection[str] | None = None,
    alone: bool = False,
) -> Trace:
    """Run `function` once on symbolic inputs; `sizes` gives each letter's size; `ShapeError` where axes do not fit.

    Linear layers that `adapted` names have adapters beside them, all if it names none: those in stacks, or anywhere in
    a layer that is traced `alone`.
    """
    tape = Tape(sizes, adapted=adapted, alone=alone)
    token = _tape.set(tape)
    try:
        leaves = []
        for item in inputs:
            axes = named_axes(item.axes, f"input {item.name!r}", item.split)
            axes = tuple(replace(axis, gathered=item.gathered.get(axis.name)) for axis in axes)
            leaf = Tensor(item.name, axes, item.dtype, item.role, differentiable=item.differentiable)
            leaves.append(record(leaf))
        function(*leaves)
    finally:
        _tape.reset(token)
    return Trace(tuple(tape.tensors), dict(tape.results))
