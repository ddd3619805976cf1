"""Folds: a trace and a plan give the ledger of one quantity; nothing here knows what kind of model was traced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Mul, Rational

from derive.errors import PlanError
from derive.ledger import Ledger, Row
from derive.precision import DType
from derive.tensor import OUTPUT, PARAMETERS, Axis, BlockCall, Contraction, Role, Tensor
from derive.tracing import Trace, check_blocks
from derive.units import byte, flop, parameter

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
    return Integer(1) if axis.name in plan.replicated else axis.size / plan.degree(axis.split)


def elements(tensor: Tensor, plan: Plan) -> Expr:
    """How many elements of `tensor` a device holds, over all the copies that stacks of layers make of it."""
    return multiplied([*tensor.copies, *(shard(axis, plan) for axis in tensor.axes)])


def multiplied(sizes: Iterable[Expr]) -> Expr:
    """The product of sizes; equal ones become a power here, since SymPy imports its tensors to add their exponents."""
    return Mul(*(size**count for size, count in Counter(sizes).items()))


def width(dtype: DType) -> Expr:
    """Bytes an element as an exact SymPy number."""
    return Rational(dtype.bytes.numerator, dtype.bytes.denominator)


def requiring_gradients(traced: Trace, plan: Plan) -> set[Tensor]:
    """The tensors that a gradient is made for: trained parameters, inputs, and whatever is computed from them."""
    leaves = {tensor.name for tensor in traced.tensors if tensor.differentiable}
    for name in plan.frozen:
        if name not in leaves:
            raise PlanError(f"frozen={name}: no parameter of that name; there are {', '.join(sorted(leaves))}")
    found: set[Tensor] = set()
    for tensor in traced.tensors:
        if tensor.op is None:
            wanted = tensor.differentiable and tensor.name not in plan.frozen
        else:
            wanted = any(operand in found for operand in tensor.op.inputs)
        if wanted:
            found.add(tensor)
    return found


class _Kept:
    """What backward finds in memory: tensors by storage, each with the reasons to keep it and who needs it first."""

    def __init__(self, traced: Trace, plan: Plan):
        self.trace, self.plan = traced, plan
        self.reasons: dict[Tensor, dict[str, None]] = {}
        self.needed_by: dict[Tensor, Tensor] = {}
        self.rebuilt: dict[Tensor, None] = {}

    def need(self, tensor: Tensor, reason: str, by: Tensor) -> None:
        """Keep `tensor` for `by`: itself, or what it is recomputed from."""
        op = tensor.op
        storage = tensor.storage
        gone = any(self.plan.recomputes(call) for call in self.trace.interior_of(tensor))
        if op is not None and gone:
            if tensor not in self.rebuilt:
                self.rebuilt[tensor] = None
                for operand in op.inputs:
                    self.need(operand, f"to recompute {tensor.name}", by)
        elif storage.op is not None and storage.op.free:
            for operand in storage.op.inputs:
                self.need(operand, reason, by)
        elif storage.role not in PARAMETERS:
            self.reasons.setdefault(storage, {})[reason] = None
            self.needed_by.setdefault(storage, by)


def _kept(traced: Trace, plan: Plan) -> _Kept:
    check_blocks(traced, plan.recompute)
    for call in _calls(traced):
        if call.fused_by is not None and plan.kernel(call) is not None and call.name in plan.recompute:
            raise PlanError(
                f"recompute={call.name}: {call.fused_by}={dict(plan.kernels)[call.fused_by]} recomputes it already"
            )
    gradients = requiring_gradients(traced, plan)
    kept = _Kept(traced, plan)
    for tensor in traced.tensors:
        op = tensor.op
        if op is None or tensor not in gradients:
            continue
        for operand, needs in zip(op.inputs, op.needs, strict=True):
            if operand in gradients:
                for needed in needs:
                    kept.need(tensor if needed is OUTPUT else needed, f"for the gradient of {operand.name}", tensor)
        for call in tensor.blocks:
            if plan.kernel(call) is not None and not _gone_around(plan, tensor, call):
                for residual in op.residuals:
                    kept.reasons.setdefault(residual, {})[f"kept by the kernel of {call.name}"] = None
                    kept.needed_by.setdefault(residual, tensor)
                if call in traced.results.get(tensor, ()):
                    kept.need(tensor, f"kept by the kernel of {call.name}", tensor)
    return kept


def _gone_around(plan: Plan, tensor: Tensor, call: BlockCall) -> bool:
    """Whether a block around `call` is itself recomputed, so that nothing of the kernel outlives the forward pass."""
    return any(plan.recomputes(outer) for outer in tensor.blocks[: tensor.blocks.index(call)])


def _calls(traced: Trace) -> tuple[BlockCall, ...]:
    return tuple(dict.fromkeys(call for tensor in traced.tensors for call in tensor.blocks))


def saved(traced: Trace, plan: Plan) -> Ledger:
    """Bytes that a device keeps from the forward pass for the backward pass: one row a storage.

    The union, by storage, of the tensors that some gradient needs; a recomputable tensor is replaced by its inputs.
    A row stands in the block of the operation that first needs it.
    """
    kept = _kept(traced, plan)
    order = {tensor: index for index, tensor in enumerate(traced.tensors)}
    rows = [
        _row(tensor, plan, kept.needed_by[tensor].blocks, "; ".join(_joined(kept.reasons[tensor])))
        for tensor in sorted(kept.reasons, key=lambda tensor: (order[kept.needed_by[tensor]], order[tensor]))
    ]
    rows += _kernel_rows(traced, plan)
    return Ledger(tuple(rows), byte)


def _joined(reasons: Iterable[str]) -> list[str]:
    """Reasons of one kind said once: `for the gradient of a, b`."""
    kinds: dict[str, list[str]] = {}
    for reason in reasons:
        for kind in ("for the gradient of ", "to recompute "):
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
    """What a kernel's implementation keeps beside the block's result and residuals."""
    rows = []
    for call in _calls(traced):
        kernel: Kernel | None = plan.kernel(call)
        inside = next(tensor for tensor in traced.tensors if call in tensor.blocks)
        if kernel is None or _gone_around(plan, inside, call):
            continue
        path = tuple(outer.name for outer in inside.blocks[: inside.blocks.index(call) + 1])
        for name, dtype, count in kernel.extra:
            size = width(dtype) * Mul(*inside.copies, Integer(count))
            why = f"kept by the kernel of {call.name}"
            rows.append(Row(path, name, (*inside.copies, Integer(count)), dtype.name, size, why, Role.RANDOM_STATE))
    return rows


def tensors(traced: Trace, plan: Plan, names: tuple[str, ...], why: str) -> Ledger:
    """Bytes of the named tensors while they live, kept for backward or not."""
    chosen = [tensor for tensor in traced.tensors if tensor.name in names and tensor.base is None]
    return Ledger(tuple(_row(tensor, plan, tensor.blocks, why) for tensor in chosen), byte)


def parameters(traced: Trace, plan: Plan, used_in: str | None = None) -> Ledger:
    """How many parameters a device holds, one row each, a shared one once; of those that an operation uses, if named.

    `used_in="einsum"` are the weights of matrix products, `used_in="lookup"` the tables.
    """
    chosen = {
        operand
        for tensor in traced.tensors
        if tensor.op is not None and used_in in (None, tensor.op.name)
        for operand in tensor.op.inputs
    }
    rows = [
        _counted(tensor, plan, tensor.role.value)
        for tensor in traced.tensors
        if tensor.role in PARAMETERS and tensor in chosen
    ]
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
    plan runs again: all products of a recomputed block, or, stopping early or in a kernel, those that lead to a needed
    tensor.
    """
    gradients = requiring_gradients(traced, plan)
    again = _run_again(traced, plan) if "recompute" in passes else set()
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
            "recompute": [(f"{tensor.name} again", contraction)] if tensor in again else [],
        }
        blocks = tuple(call.name for call in tensor.blocks)
        for name in passes:
            for what, product in products[name]:
                shape = (*tensor.copies, *(contraction.axes[axis].size for axis in product.distinct_axes))
                for value, role in product_flops(product, plan):
                    why = f"{name}: {product.pattern}" + (", half the diagonal" if role is Role.DIAGONAL else "")
                    rows.append(Row(blocks, what, shape, None, copies * value, why, role))
    return Ledger(tuple(rows), flop)


def _run_again(traced: Trace, plan: Plan) -> set[Tensor]:
    kept = _kept(traced, plan)
    again = set()
    for tensor in traced.tensors:
        around = [call for call in tensor.blocks if plan.recomputes(call)]
        whole = any(plan.kernel(call) is None for call in around) and not plan.early_stop
        if tensor in kept.rebuilt or (around and whole):
            again.add(tensor)
    return again


def pointwise(traced: Trace, plan: Plan) -> Ledger:
    """Elements that operations other than products write in the forward pass: what counting products leaves out."""
    from derive.units import dimensionless

    rows = [
        _counted(tensor, plan, tensor.op.name)
        for tensor in traced.tensors
        if tensor.op is not None
        and tensor.op.contraction is None
        and not tensor.op.free
        and tensor.op.collective is None
    ]
    return Ledger(tuple(rows), dimensionless)
