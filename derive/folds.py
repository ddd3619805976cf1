"""Folds: a trace and a plan give the ledger of one quantity; nothing here knows what kind of model was traced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Min, Mul, Rational, ceiling

from derive.errors import PlanError
from derive.kept import calls, kept, made_again, outlives, requiring_gradients, storage
from derive.ledger import Ledger, Row
from derive.precision import DType
from derive.roles import PARAMETERS
from derive.tensor import Axis, BlockCall, Contraction, Role, Tensor
from derive.tracing import STACK_INPUT, STACK_OUTPUT, Trace
from derive.units import byte, dimensionless, flop, parameter

if TYPE_CHECKING:
    from derive.plan import Kernel, Plan

# Pairs (query, key) that a mask lets through, of s queries and s keys. The causal triangle has s(s+1)/2 of them; papers
# write s²/2, so the half of the diagonal that they leave out is a row of its own, which a claim can neglect.
PAIRS: dict[str, tuple[tuple[Callable[[Expr], Expr], Role], ...]] = {
    "full": ((lambda s: s**2, Role.ACTIVATION),),
    "causal": ((lambda s: s**2 / 2, Role.ACTIVATION), (lambda s: s / 2, Role.DIAGONAL)),
}


def shard(axis: Axis, plan: Plan) -> Expr:
    """The size of one device's part of an axis: exact, since a plan that does not divide is refused before."""
    if axis.split is None:
        return axis.size
    # By its size's letter, which a contraction does not rename; by its name where a layer was traced at numbers.
    if plan.replicated and {str(axis.size), axis.name} & set(plan.replicated):
        return Integer(1)
    degree = plan.degree(axis.split)
    return axis.size if degree == 1 else axis.size / degree


def elements(tensor: Tensor, plan: Plan) -> Expr:
    """How many elements of `tensor` a device holds, over all the copies that stacks of layers make of it."""
    sizes = [*layers(tensor, plan), *(shard(axis, plan) for axis in tensor.axes)]
    return multiplied(sizes) if plan.cp == 1 else _part_of_sequence(tensor, plan) * multiplied(sizes)


def _part_of_sequence(tensor: Tensor, plan: Plan) -> Expr:
    """The share of a tensor that one device of a context parallel group has; `PlanError` for scores of all pairs."""
    along = [axis for axis in tensor.axes if plan.sequence in (axis.name, str(axis.size))]
    if len(along) > 1:
        raise PlanError(f"cp={plan.cp}: {tensor.name} has every pair of tokens: with cp, attention=flash keeps none")
    return Rational(1, plan.cp) if along else Integer(1)


def layers(tensor: Tensor, plan: Plan) -> tuple[Expr, ...]:
    """The copies of `tensor` on one stage: its share of the outermost stack, rounded up where it is uneven."""
    if plan.pp == 1 or not tensor.copies:
        return tensor.copies
    share = tensor.copies[0] / plan.pp
    return ceiling(share) if plan.uneven else share, *tensor.copies[1:]


def multiplied(sizes: Iterable[Expr]) -> Expr:
    """The product of sizes; equal ones become a power here, since SymPy imports its tensors to add their exponents."""
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


@lru_cache(maxsize=256)
def _saved(traced: Trace, plan: Plan) -> Ledger:
    found = kept(traced, plan)
    order = {tensor: index for index, tensor in enumerate(traced.tensors)}
    rows = [
        _row(tensor, plan, found.needed_by[tensor].blocks, "; ".join(_joined(found.reasons[tensor])))
        for tensor in sorted(found.reasons, key=lambda tensor: (order[found.needed_by[tensor]], order[tensor]))
        if traced.on_stage(found.needed_by[tensor], plan.stage)
    ]
    rows += _kernel_rows(traced, plan)
    return Ledger(tuple(rows), byte)


def in_flight(kept: Ledger, plan: Plan, micro_batches: Expr) -> Ledger:
    """What a device keeps of all micro-batches that are under way at once, from what it keeps of one.

    On the first stage of a pipeline that runs one forward, one backward (1F1B) there are as many as stages, or as there
    are micro-batches; on the last one, and without a pipeline, one. Tables that all of them read are there once.
    """
    if plan.pp == 1 or plan.stage == "last":
        return kept
    many = Min(micro_batches, plan.pp)
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
    gradients = requiring_gradients(traced, plan)
    rows = []
    for call in calls(traced):
        kernel: Kernel | None = plan.kernel(call)
        inside = next(tensor for tensor in traced.tensors if call in tensor.blocks)
        needed = any(call in tensor.blocks for tensor in gradients)
        if kernel is None or not needed or not outlives(plan, inside, call) or not traced.on_stage(inside, plan.stage):
            continue
        path = tuple(outer.name for outer in inside.blocks[: inside.blocks.index(call) + 1])
        for name, dtype, count in kernel.extra:
            size = width(dtype) * Mul(*layers(inside, plan), Integer(count))
            why = f"kept by the kernel of {call.name}"
            rows.append(Row(path, name, (*inside.copies, Integer(count)), dtype.name, size, why, Role.RANDOM_STATE))
    return rows


def tensors(traced: Trace, plan: Plan, which: tuple[str | Tensor, ...], why: str) -> Ledger:
    """Bytes of tensors, named or given, while they live, kept for backward or not."""
    partial = {part for tensor in traced.tensors if tensor.op and tensor.op.collective for part in tensor.op.inputs}
    chosen = [
        tensor
        for tensor in traced.tensors
        if (tensor in which or tensor.name in which)
        and storage(tensor, plan) is tensor
        and tensor not in partial
        and traced.on_stage(tensor, plan.stage)
    ]
    return Ledger(tuple(_row(tensor, plan, tensor.blocks, why) for tensor in chosen), byte)


def held(traced: Trace, plan: Plan, used_in: str | None = None) -> list[Tensor]:
    """The parameters that a device holds, a shared one once; those that an operation uses, if named."""
    used = {
        operand
        for tensor in traced.tensors
        if tensor.op is not None and used_in in (None, tensor.op.name) and traced.on_stage(tensor, plan.stage)
        for operand in tensor.op.inputs
    }
    return [tensor for tensor in traced.tensors if tensor.role in PARAMETERS and tensor in used]


def parameters(traced: Trace, plan: Plan, used_in: str | None = None) -> Ledger:
    """How many parameters a device holds, one row each, a shared one once; of those that an operation uses, if named.

    `used_in="einsum"` are the weights of matrix products, `used_in="lookup"` the tables.
    """
    rows = [_counted(tensor, plan, tensor.role.value) for tensor in held(traced, plan, used_in)]
    return Ledger(tuple(rows), parameter)


def _counted(tensor: Tensor, plan: Plan, why: str) -> Row:
    """A row that counts elements, not bytes."""
    shape = (*tensor.copies, *(axis.size for axis in tensor.axes))
    path = tuple(call.name for call in tensor.blocks)
    return Row(path, tensor.name, shape, None, elements(tensor, plan), why, tensor.role)


def product_flops(contraction: Contraction, plan: Plan) -> tuple[tuple[Expr, Role], ...]:
    """FLOPs of one contraction: a multiplication and an addition for each point of its distinct axes.

    The two axes that a mask thins out count the pairs that it lets through, the diagonal's surplus apart.
    """
    pair = contraction.masked or ()
    sizes = [shard(contraction.axes[name], plan) for name in contraction.distinct_axes if name not in pair]
    if not pair:
        return ((2 * multiplied(sizes), Role.ACTIVATION),)
    length = contraction.axes[pair[0]].size
    return tuple((2 * multiplied(sizes) * count(length), role) for count, role in PAIRS[plan.mask or "causal"])


def flops(traced: Trace, plan: Plan, *passes: str) -> Ledger:
    """FLOPs of all products in the given passes, one row a product: `forward`, `backward`, `recompute`.

    Backward differentiates each einsum: one product for every operand that needs a gradient. `recompute` is what the
    plan runs again, as `made_again` says.
    """
    gradients = requiring_gradients(traced, plan)
    again = made_again(traced, plan) if "recompute" in passes else Counter()
    rows = []
    for tensor in traced.tensors:
        if tensor.op is None or tensor.op.contraction is None:
            continue
        contraction, copies = tensor.op.contraction, Mul(*tensor.copies)
        products = {
            "forward": [(tensor.name, contraction)],
            "backward": [
                (f"gradient of {operand.name}", contraction.gradient(index))
                for index, operand in enumerate(tensor.op.inputs)
                if operand in gradients
            ]
            if tensor in gradients
            else [],
            "recompute": [(f"{tensor.name} again", contraction)] * again[tensor],
        }
        blocks = tuple(call.name for call in tensor.blocks)
        for name in passes:
            for what, product in products[name]:
                shape = (*tensor.copies, *(contraction.axes[axis].size for axis in product.distinct_axes))
                for value, role in product_flops(product, plan):
                    why = f"{name}: {product.pattern}" + (", half the diagonal" if role is Role.DIAGONAL else "")
                    rows.append(Row(blocks, what, shape, None, copies * value, why, role))
    return Ledger(tuple(rows), flop)


def pointwise(traced: Trace, plan: Plan) -> Ledger:
    """Elements that operations other than products write in the forward pass: what counting products leaves out.

    The residuals of fused kernels, such as a log-sum-exp, are left out: no operation of the layer writes them.
    """
    residuals = {each for tensor in traced.tensors if tensor.op is not None for each in tensor.op.residuals}
    rows = [
        _counted(tensor, plan, tensor.op.name)
        for tensor in traced.tensors
        if tensor.op is not None
        and tensor.op.contraction is None
        and not tensor.op.free
        and tensor.op.collective is None
        and tensor.op.name not in (STACK_INPUT, STACK_OUTPUT)
        and tensor not in residuals
    ]
    return Ledger(tuple(rows), dimensionless)
