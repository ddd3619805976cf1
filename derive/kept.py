"""What the backward pass finds in memory: which tensors are kept and why, and which are made again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from derive.errors import unknown
from derive.roles import PARAMETERS
from derive.tensor import OUTPUT, BlockCall, Tensor
from derive.tracing import KERNEL_KEEPS, READ, STACK_INPUT, STACK_OUTPUT, Trace

if TYPE_CHECKING:
    from derive.plan import Plan


def check_frozen(traced: Trace, plan: Plan) -> None:
    """Every name that the plan freezes is a parameter or a block of parameters, or `UnknownName` says what is."""
    leaves = [tensor for tensor in traced.tensors if tensor.differentiable]
    known = dict.fromkeys(tensor.name for tensor in leaves)
    blocks = {call.name for tensor in leaves if tensor.role in PARAMETERS for call in tensor.blocks}
    for name in plan.frozen:
        if name not in known and name not in blocks:
            raise unknown("parameter", name, [*known, *sorted(blocks)])


def requiring_gradients(traced: Trace, plan: Plan, *, first: bool = False) -> set[Tensor]:
    """The tensors that a gradient is made for: trained parameters, inputs, and whatever is computed from them.

    Of the layers of a stack all but the first have an input that is computed from parameters of the stack; `first` asks
    about that one.
    """
    check_frozen(traced, plan)
    found: set[Tensor] = set()
    leaves = [tensor for tensor in traced.tensors if tensor.differentiable]
    trained = {
        leaf for leaf in leaves if (plan.trains(leaf) if leaf.role in PARAMETERS else leaf.name not in plan.frozen)
    }
    for tensor in traced.tensors:
        if tensor.op is not None and tensor.op.name == STACK_INPUT:
            inside = any(len(leaf.copies) >= len(tensor.copies) and leaf.role in PARAMETERS for leaf in trained)
            wanted = (inside and not first) or tensor.op.inputs[0] in found
        elif tensor.op is None:
            wanted = tensor in trained
        else:
            wanted = any(operand in found for operand in tensor.op.inputs)
        if wanted:
            found.add(tensor)
    return found


@dataclass(frozen=True)
class Kept:
    """What backward finds in memory, by storage: the reasons to keep each tensor, and the first that needs it.

    `rebuilt` are the tensors that are gone and made again, `residuals` those that kernels keep of their blocks.
    """

    trace: Trace
    plan: Plan
    reasons: dict[Tensor, dict[str, None]] = field(default_factory=dict)
    needed_by: dict[Tensor, Tensor] = field(default_factory=dict)
    rebuilt: dict[Tensor, None] = field(default_factory=dict)
    residuals: dict[Tensor, None] = field(default_factory=dict)
    from_second: dict[Tensor, None] = field(default_factory=dict)  # kept of all layers of a stack but the first

    def keep(self, owner: Tensor, reason: str, by: Tensor) -> None:
        """Keep the memory that `owner` owns for `by`."""
        self.reasons.setdefault(owner, {})[reason] = None
        known = self.needed_by.setdefault(owner, by)
        # What several kinds of layers need, such as rotary tables, is there for the first that the stage has.
        if not runs_on(self.trace, known, self.plan) and runs_on(self.trace, by, self.plan):
            self.needed_by[owner] = by


def runs_on(traced: Trace, tensor: Tensor, plan: Plan) -> bool:
    """Whether the stage that the plan counts makes this tensor: its layers, and what is before or behind them."""
    layered = plan.slices and tensor.copies
    return dict(plan.slices)[str(tensor.copies[0])] != 0 if layered else traced.on_stage(tensor, plan.stage)


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


def peeled(traced: Trace, plan: Plan) -> frozenset[Tensor]:
    """What is in the stack whose first layer makes no gradient of its input, since nothing before it is trained.

    Empty where there is no such stack, or where its first layer is on another stage of the pipeline.
    """
    if plan.stage not in ("", "first"):
        return frozenset()
    gradients, inside = requiring_gradients(traced, plan), []
    for tensor in traced.tensors:
        if inside:
            inside.append(tensor)
            if tensor.op is not None and tensor.op.name == STACK_OUTPUT:
                return frozenset(inside[:-1])
        elif tensor.op is not None and tensor.op.name == STACK_INPUT and tensor in gradients:
            if tensor.op.inputs[0] in gradients:
                return frozenset()
            inside.append(tensor)
    return frozenset()


def kept(traced: Trace, plan: Plan, *, first: bool = False) -> Kept:
    """The union, by storage, of what some gradient needs; what can be recomputed is replaced by its inputs.

    With `first`, of the first layer of a stack, whose input may need no gradient.

    Raises `UnknownName` for a block or a parameter of the plan that the trace does not have.
    """
    check_blocks(traced.block_names, plan.recompute)
    gradients = requiring_gradients(traced, plan, first=first)
    found = Kept(traced, plan)
    _keep_residuals(found, gradients)
    for tensor in traced.tensors:
        if tensor.op is None or tensor not in gradients:
            continue
        for operand, needs in zip(tensor.op.inputs, tensor.op.needs, strict=True):
            for needed in needs if operand in gradients else ():
                source = tensor if needed is OUTPUT else needed
                _need(found, source, f"gradient of {operand.name}", tensor)
        for call in (each for each in tensor.blocks if each in traced.results.get(tensor, ())):
            kernel = plan.kernel(call)
            if kernel is not None and not kernel.residuals_alone and outlives(plan, tensor, call):
                _need(found, tensor, f"kept by the kernel of {call.name}", tensor)
    for tensor in reversed(traced.tensors):  # a later stack first: its input is the last output of the one before
        if tensor.op is not None and tensor.op.name == STACK_OUTPUT:
            _count_layers_once(found, tensor)
    return found


def _keep_residuals(found: Kept, gradients: set[Tensor]) -> None:
    for tensor in found.trace.tensors:
        if tensor.op is None or tensor not in gradients:
            continue
        for call in tensor.blocks:
            if found.plan.kernel(call) is not None and outlives(found.plan, tensor, call):
                own = tensor.op.inputs if tensor.op.name == KERNEL_KEEPS else ()
                for residual in (*tensor.op.residuals, *own):
                    owner = storage(residual, found.plan)
                    found.residuals[owner] = None
                    found.keep(owner, f"kept by the kernel of {call.name}", tensor)


def _count_layers_once(found: Kept, last: Tensor) -> None:
    """Where the output of every layer of a stack is kept, it is the next layer's input too, and the last output.

    What the first layer reads in another format than it lies in is kept as it lies.
    """
    assert last.op is not None
    y, each = last.op.inputs
    owner = storage(y, found.plan)
    if each.op is None or owner is each:
        return
    x = each.op.inputs[0]
    if owner not in found.reasons:
        if each in found.reasons and x.op is not None and x.op.name == READ and found.plan.stage in ("", "first"):
            found.from_second[each] = None
            _need(found, x, "input of the first layer", found.needed_by[each])
        return
    found.reasons.pop(last, None)
    if found.reasons.pop(each, None) is not None:
        _need(found, x, "input of the first layer", found.needed_by[each])


def _need(found: Kept, tensor: Tensor, reason: str, by: Tensor) -> None:
    """Keep `tensor` for `by`: itself, or, if it is gone or free to make, what it is made from."""
    owner = storage(tensor, found.plan)
    if owner in found.residuals:
        return
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


def made_again(traced: Trace, plan: Plan, *, first: bool = False) -> Counter[Tensor]:
    """How often the plan computes each tensor once more for the backward pass.

    Once in a block that `recompute` names: all of it, or, stopping early, everything up to the last tensor that is
    needed, as torch's checkpointing does. And once in a block that a kernel runs: only what leads to a needed tensor,
    so not the product whose result is kept.
    """
    by_plan = kept(traced, replace(plan, kernels=()), first=first).rebuilt
    by_kernel = kept(traced, replace(plan, recompute=()), first=first).rebuilt
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


def check_blocks(known: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Every one of `names` is one of the `known` blocks, or `UnknownName` says which is not and what is."""
    for name in names:
        if name not in known:
            raise unknown("block", name, known)
