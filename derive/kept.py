"""What the backward pass finds in memory: which tensors are kept and why, and which are made again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from derive.errors import unknown
from derive.roles import PARAMETERS
from derive.tensor import OUTPUT, BlockCall, Tensor
from derive.tracing import STACK_INPUT, STACK_OUTPUT, Trace, check_blocks

if TYPE_CHECKING:
    from derive.plan import Plan


def requiring_gradients(traced: Trace, plan: Plan) -> set[Tensor]:
    """The tensors that a gradient is made for: trained parameters, inputs, and whatever is computed from them."""
    leaves = dict.fromkeys(tensor.name for tensor in traced.tensors if tensor.differentiable)
    for name in plan.frozen:
        if name not in leaves:
            raise unknown("parameter", name, leaves)
    found: set[Tensor] = set()
    trained = [tensor for tensor in traced.tensors if tensor.differentiable and tensor.name not in plan.frozen]
    for tensor in traced.tensors:
        if tensor.op is not None and tensor.op.name == STACK_INPUT:
            inside = any(len(leaf.copies) >= len(tensor.copies) and leaf.role in PARAMETERS for leaf in trained)
            wanted = inside or tensor.op.inputs[0] in found
        elif tensor.op is None:
            wanted = tensor.differentiable and tensor.name not in plan.frozen
        else:
            wanted = any(operand in found for operand in tensor.op.inputs)
        if wanted:
            found.add(tensor)
    return found


@dataclass(frozen=True)
class Kept:
    """What backward finds in memory, by storage: the reasons to keep each tensor, and the first that needs it.

    `rebuilt` are the tensors that are gone and made again.
    """

    trace: Trace
    plan: Plan
    reasons: dict[Tensor, dict[str, None]] = field(default_factory=dict)
    needed_by: dict[Tensor, Tensor] = field(default_factory=dict)
    rebuilt: dict[Tensor, None] = field(default_factory=dict)

    def keep(self, owner: Tensor, reason: str, by: Tensor) -> None:
        """Keep the memory that `owner` owns for `by`."""
        self.reasons.setdefault(owner, {})[reason] = None
        self.needed_by.setdefault(owner, by)


def storage(tensor: Tensor, plan: Plan) -> Tensor:
    """The tensor that owns the memory: views share it, and so does a cast to the format that there is already."""
    while True:
        op = tensor.op
        if tensor.base is not None:
            tensor = tensor.base
        elif (
            op is not None
            and op.name == "cast"
            and plan.recipe.dtype(op.inputs[0].dtype) == plan.recipe.dtype(tensor.dtype)
        ):
            tensor = op.inputs[0]
        else:
            return tensor


def kept(traced: Trace, plan: Plan) -> Kept:
    """The union, by storage, of what some gradient needs; what can be recomputed is replaced by its inputs.

    Raises `UnknownName` for a block or a parameter of the plan that the trace does not have.
    """
    check_blocks(traced.block_names, plan.recompute)
    gradients = requiring_gradients(traced, plan)
    found = Kept(traced, plan)
    for tensor in traced.tensors:
        if tensor.op is None or tensor not in gradients:
            continue
        for operand, needs in zip(tensor.op.inputs, tensor.op.needs, strict=True):
            for needed in needs if operand in gradients else ():
                source = tensor if needed is OUTPUT else needed
                _need(found, source, f"gradient of {operand.name}", tensor)
        for call in tensor.blocks:
            if plan.kernel(call) is not None and outlives(plan, tensor, call):
                reason = f"kept by the kernel of {call.name}"
                for residual in tensor.op.residuals:
                    found.keep(residual, reason, tensor)
                if call in traced.results.get(tensor, ()):
                    _need(found, tensor, reason, tensor)
    for tensor in traced.tensors:
        if tensor.op is not None and tensor.op.name == STACK_OUTPUT:
            _count_layers_once(found, tensor)
    return found


def _count_layers_once(found: Kept, last: Tensor) -> None:
    """Where the output of every layer of a stack is kept, it is the next layer's input too, and the last output."""
    assert last.op is not None
    y, each = last.op.inputs
    owner = storage(y, found.plan)
    if each.op is None or owner is each or owner not in found.reasons:
        return
    found.reasons.pop(last, None)
    if found.reasons.pop(each, None) is not None:
        _need(found, each.op.inputs[0], "input of the first layer", found.needed_by[each])


def _need(found: Kept, tensor: Tensor, reason: str, by: Tensor) -> None:
    """Keep `tensor` for `by`: itself, or, if it is gone or free to make, what it is made from."""
    owner = storage(tensor, found.plan)
    if tensor.op is not None and any(found.plan.recomputes(call) for call in found.trace.interior_of(tensor)):
        if tensor not in found.rebuilt:
            found.rebuilt[tensor] = None
            for operand in tensor.op.inputs:
                _need(found, operand, f"to recompute {tensor.name}", by)
    elif owner.op is not None and owner.op.free:
        for operand in owner.op.inputs:
            _need(found, operand, reason, by)
    elif owner.role not in PARAMETERS:
        found.keep(owner, reason, by)


def outlives(plan: Plan, tensor: Tensor, call: BlockCall) -> bool:
    """Whether what the kernel of `call` keeps is there after the forward pass: no plan recomputes it."""
    around = tensor.blocks[: tensor.blocks.index(call)]
    return call.name not in plan.recompute and not any(plan.recomputes(outer) for outer in around)


def made_again(traced: Trace, plan: Plan) -> Counter[Tensor]:
    """How often the plan computes each tensor once more for the backward pass.

    Once in a block that `recompute` names: all of it, or, stopping early, everything up to the last tensor that is
    needed, as torch's checkpointing does. And once in a block that a kernel runs: only what leads to a needed tensor,
    so not the product whose result is kept.
    """
    by_plan = kept(traced, replace(plan, kernels=())).rebuilt
    by_kernel = kept(traced, replace(plan, recompute=())).rebuilt
    last = {call: index for index, tensor in enumerate(traced.tensors) if tensor in by_plan for call in tensor.blocks}
    times: Counter[Tensor] = Counter()
    for index, tensor in enumerate(traced.tensors):
        for call in tensor.blocks:  # a block inside another one is run again by both, as nested checkpoints are
            if call.name in plan.recompute:
                times[tensor] += not plan.early_stop or index <= last.get(call, -1)
        if any(plan.kernel(call) is not None for call in tensor.blocks):
            times[tensor] += tensor in by_kernel
    return times


def calls(traced: Trace) -> tuple[BlockCall, ...]:
    """Every call of a block once."""
    return tuple(dict.fromkeys(call for tensor in traced.tensors for call in tensor.blocks))
