"""Folds: a trace and a plan give the ledger of one quantity; nothing here knows what kind of model was traced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from sympy import Expr, Integer, Min, Mul, Rational, ceiling

from derive.errors import PlanError
from derive.kept import calls, kept, outlives, peeled, requiring_gradients, runs_on, storage
from derive.ledger import Ledger, Row
from derive.precision import DType
from derive.roles import PARAMETERS
from derive.tensor import Axis, BlockCall, Remainder, Role, Tensor
from derive.tracing import Trace
from derive.units import byte, parameter

if TYPE_CHECKING:
    from derive.plan import Kernel, Plan


def shard(axis: Axis, plan: Plan) -> Expr:
    """The size of one device's part of an axis: exact, since a plan that does not divide is refused before."""
    size = axis.size
    if plan.padding and axis.remainder is Remainder.PAD:
        multiple = Integer(plan.padding) * plan.tp
        size = multiple * ceiling(size / multiple)
    if axis.split is None:
        return size
    degree = plan.degree(axis.split)
    if plan.replicated:
        # By its size's letters, which a contraction does not rename; by its name where a layer was traced at numbers.
        # What is replicated is there once on each device, alone or as a part of a larger axis.
        if axis.name in plan.replicated:
            return Integer(1)
        whole = {each: Integer(1) * degree for each in size.free_symbols if str(each) in plan.replicated}
        size = cast(Expr, size.xreplace(whole))
    return size if degree == 1 else size / degree


def elements(tensor: Tensor, plan: Plan, *, active: bool = False) -> Expr:
    """How many elements of `tensor` a device holds, over all the copies that stacks of layers make of it.

    Of alternatives, such as experts, `active` counts those that one row uses.
    """
    used = [axis.picks if active and axis.picks is not None else shard(axis, plan) for axis in tensor.axes]
    sizes = [*layers(tensor, plan), *used]
    return multiplied(sizes) if plan.cp == 1 else _part_of_sequence(tensor, plan) * multiplied(sizes)


def _part_of_sequence(tensor: Tensor, plan: Plan) -> Expr:
    """The share of a tensor that one device of a context parallel group has; `PlanError` for scores of all pairs."""
    along = [axis for axis in tensor.axes if plan.sequence in (axis.name, str(axis.size))]
    if len(along) > 1:
        raise PlanError(f"cp={plan.cp}: {tensor.name} has every pair of tokens: with cp, attention=flash keeps none")
    return Rational(1, plan.cp) if along else Integer(1)


def layers(tensor: Tensor, plan: Plan) -> tuple[Expr, ...]:
    """The copies of `tensor` on one stage: its share of the outermost stack, rounded up where it is uneven."""
    if plan.slices and tensor.copies:
        return Integer(dict(plan.slices)[str(tensor.copies[0])]), *tensor.copies[1:]
    if plan.pp == 1 or not tensor.copies:
        return tensor.copies
    share = tensor.copies[0] / plan.pp
    return ceiling(share) if plan.uneven else share, *tensor.copies[1:]


def multiplied(sizes: Iterable[Expr]) -> Expr:
    """The product of sizes; equal ones become a power here, since SymPy imports its tensors to add their exponents."""
    return _multiplied(tuple(sizes))


@lru_cache(maxsize=4096)
def _multiplied(sizes: tuple[Expr, ...]) -> Expr:
    return Mul(*(size**count for size, count in Counter(sizes).items()))


def width(dtype: DType) -> Expr:
    """Bytes an element as an exact SymPy number."""
    return Rational(dtype.bytes.numerator, dtype.bytes.denominator)


def saved(traced: Trace, plan: Plan) -> Ledger:
    """Bytes that a device keeps from the forward pass for the backward pass: one row a storage.

    The union, by storage, of the tensors that some gradient needs; a recomputable tensor is replaced by its inputs.
    A row stands in the block of the operation that first needs it.
    """
    return _saved(traced, replace(plan, dp=1, zero=0))  # data parallelism shards nothing of it


@lru_cache(maxsize=2048)  # a page asks for some hundred plans of each layer
def _saved(traced: Trace, plan: Plan) -> Ledger:
    others, stack = kept(traced, plan), peeled(traced, plan)
    first = kept(traced, plan, first=True) if stack else others
    order = {tensor: index for index, tensor in enumerate(traced.tensors)}
    start = min((order[tensor] for tensor in stack), default=0)
    needed_by = first.needed_by | others.needed_by
    rows = []
    for tensor in sorted(needed_by, key=lambda tensor: (order[needed_by[tensor]], order[tensor])):
        has = tensor in others.reasons, tensor in first.reasons
        if tensor not in stack:
            has = (has[order[tensor] < start],) * 2
        if tensor in others.from_second:
            has = True, False
        if any(has) and runs_on(traced, needed_by[tensor], plan):
            reasons = (others if has[0] else first).reasons[tensor]
            row = _row(tensor, plan, needed_by[tensor].blocks, "; ".join(_joined(reasons)))
            part = share(tensor, plan, *has)
            if not tensor.copies and has == (True, False):  # a table for the layers behind the first, if there are any
                part = Min(1, *(layers(each, plan)[0] - 1 for each in traced.tensors[start : start + 1]))
            rows.append(replace(row, value=row.value * part))
    rows += _kernel_rows(traced, plan)
    return Ledger(tuple(rows), byte)


def share(tensor: Tensor, plan: Plan, others: bool, first: bool) -> Expr:
    """The share of the layers of a stack that have something, by whether the first one has it and the others do."""
    if others == first:
        return Integer(int(first))
    if not layers(tensor, plan):  # a table that all layers share is there once, whichever of them need it
        return Integer(1)
    alone = 1 / layers(tensor, plan)[0]
    return 1 - alone if others else alone


def in_flight(kept: Ledger, plan: Plan, micro_batches: Expr) -> Ledger:
    """What a device keeps of all micro-batches that are under way at once, from what it keeps of one.

    On the first stage of a pipeline that runs one forward, one backward (1F1B) there are as many as stages, or as there
    are micro-batches; on each stage behind it one less, so that on the last one, and without a pipeline, there is one.
    Tables that all of them read are there once.
    """
    if plan.pp == 1 or plan.stage == "last":
        return kept
    many = Min(micro_batches, plan.pp - plan.position)
    rows = (row if row.role is Role.CONSTANT else replace(row, value=row.value * many) for row in kept)
    return Ledger(tuple(rows), kept.unit)


def _joined(reasons: Iterable[str]) -> list[str]:
    """Reasons of one kind said once: `gradient of a, b`."""
    kinds: dict[str, list[str]] = {}
    for reason in reasons:
        for kind in ("gradient of ", "to recompute "):
            if reason.startswith(kind):
                kinds.setdefault(kind, []).append(reason.removeprefix(kind))
                break
        else:
            kinds.setdefault(reason, []).append("")
    return [kind + ", ".join(dict.fromkeys(names)) for kind, names in kinds.items()]


def _row(tensor: Tensor, plan: Plan, blocks: tuple[BlockCall, ...], why: str) -> Row:
    dtype = plan.recipe.dtype(tensor.dtype)
    return Row(
        tuple(call.name for call in blocks),
        tensor.name,
        (*tensor.copies, *(axis.size for axis in tensor.axes)),
        dtype.name,
        width(dtype) * elements(tensor, plan),
        why,
        tensor.role,
    )


def _kernel_rows(traced: Trace, plan: Plan) -> list[Row]:
    """What a kernel's implementation keeps beside the block's result and residuals, where a gradient is made at all."""
    stack, gradients = peeled(traced, plan), requiring_gradients(traced, plan)
    first = requiring_gradients(traced, plan, first=True) if stack else gradients
    rows = []
    for call in calls(traced):
        kernel: Kernel | None = plan.kernel(call)
        inside = next(tensor for tensor in traced.tensors if call in tensor.blocks)
        needed = tuple(any(call in tensor.blocks for tensor in each) for each in (gradients, first))
        needed = needed if inside in stack else (needed[0],) * 2
        if kernel is None or not any(needed) or not outlives(plan, inside, call) or not runs_on(traced, inside, plan):
            continue
        path = tuple(outer.name for outer in inside.blocks[: inside.blocks.index(call) + 1])
        for name, dtype, count in kernel.extra:
            size = width(dtype) * Mul(*layers(inside, plan), Integer(count)) * share(inside, plan, *needed)
            why = f"kept by the kernel of {call.name}"
            rows.append(Row(path, name, (*inside.copies, Integer(count)), dtype.name, size, why, Role.RANDOM_STATE))
    return rows


def whole(tensor: Tensor, traced: Trace, plan: Plan, why: str) -> Ledger:
    """Bytes of a tensor of its own with what another one holds: a copy, though that one is part of a larger one."""
    rows = (_row(tensor, plan, tensor.blocks, why),) if runs_on(traced, tensor, plan) else ()
    return Ledger(rows, byte)


def tensors(traced: Trace, plan: Plan, which: tuple[str | Tensor, ...], why: str) -> Ledger:
    """Bytes of tensors, named or given, while they live, kept for backward or not.

    Of a tensor and its collective, which have one name, the one that is laid out as between parallel regions.
    """
    collectives = [(each, each.op) for each in traced.tensors if each.op is not None and each.op.collective is not None]
    passing = {
        part
        for whole, op in collectives
        for part in ((whole,) if op.name == "gather" else op.inputs)  # gathered for a while, or a partial sum
    }
    chosen = [
        tensor
        for tensor in traced.tensors
        if (tensor in which or tensor.name in which)
        and storage(tensor, plan) is tensor
        and tensor not in passing
        and runs_on(traced, tensor, plan)
    ]
    return Ledger(tuple(_row(tensor, plan, tensor.blocks, why) for tensor in chosen), byte)


def held(traced: Trace, plan: Plan, used_in: str | None = None) -> list[Tensor]:
    """The parameters that a device holds, a shared one once; those that an operation uses, if named."""
    used = {
        operand
        for tensor in traced.tensors
        if tensor.op is not None and used_in in (None, tensor.op.name) and runs_on(traced, tensor, plan)
        for operand in tensor.op.inputs
    }
    return [tensor for tensor in traced.tensors if tensor.role in PARAMETERS and tensor in used]


def parameters(traced: Trace, plan: Plan, used_in: str | None = None, *, active: bool = False) -> Ledger:
    """How many parameters a device holds, one row each, a shared one once; of those that an operation uses, if named.

    `used_in="einsum"` are the weights of matrix products, `used_in="lookup"` the tables. Of alternatives, such as
    experts, `active` counts those that one token uses.
    """
    rows = [counted(tensor, plan, tensor.role.value, active=active) for tensor in held(traced, plan, used_in)]
    return Ledger(tuple(rows), parameter)


def counted(tensor: Tensor, plan: Plan, why: str, *, active: bool = False) -> Row:
    """A row that counts elements, not bytes; of alternatives, `active` counts those that one token uses."""
    sizes = (axis.picks if active and axis.picks is not None else axis.size for axis in tensor.axes)
    path = tuple(call.name for call in tensor.blocks)
    amount = elements(tensor, plan, active=active)
    return Row(path, tensor.name, (*tensor.copies, *sizes), None, amount, why, tensor.role)
