"""The fold over a recipe and an optimizer: what training holds for every parameter from step to step, on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sympy import Add, Expr, Integer

from derive.errors import PlanError
from derive.folds import counted, elements, held, layers, multiplied, shard, width
from derive.ledger import Ledger, Row
from derive.precision import Factoring, OptimizerState, Persistent
from derive.roles import Role
from derive.tensor import Mesh
from derive.units import byte, parameter

if TYPE_CHECKING:
    from derive.plan import Plan
    from derive.tensor import Tensor
    from derive.tracing import Trace

OPTIMIZER_STAGE = 1  # the stage of ZeRO from which on it shards what the optimizer holds


def persistent(plan: Plan, amount: Expr, traced: Trace | None = None) -> Ledger:
    """Bytes that a device holds from step to step for `amount` parameters: one row for each tensor that persists.

    The plan's recipe gives weights, gradients and master weights, its optimizer the rest. A tensor that the plan's ZeRO
    stage shards is divided by the data-parallel degree. What an optimizer holds of some parameters only, or of their
    rows and columns, takes the model's trace: one row for each of these parameters. What is not trained has weights
    only.

    Raises `PlanError` where that, or a frozen parameter, is asked for without a trace.
    """
    trained = _trained(plan, amount, traced), _experts(plan, traced, plan.trains)
    every = amount, _experts(plan, traced, lambda _: True)
    whose = {Role.MODEL_WEIGHTS: every}
    rows = [_row(each, *whose.get(each.role, trained), plan) for each in plan.recipe.persistent]
    for state in plan.optimizer.states:
        for name, count, experts in _counts(state, plan, trained, traced):
            each = Persistent(name, state.dtype, OPTIMIZER_STAGE, state.role)
            rows.append(_row(each, count / state.every, experts / state.every, plan))
    return Ledger(tuple(rows), byte)


def _experts(plan: Plan, traced: Trace | None, chosen: Callable[[Tensor], bool]) -> Expr:
    """How many of the parameters are experts' that fewer ranks share in than in the others."""
    if plan.ep == 1:
        return Integer(0)
    if traced is None:
        raise PlanError(f"ep={plan.ep} shares the experts of a model: name one, or leave it out")
    return Add(*(elements(each, plan) for each in held(traced, plan) if of_experts(each) and chosen(each)))


def sharers(plan: Plan) -> Expr | int:
    """The ranks that hold the same weights and share in sharding them: those of data and of context parallelism."""
    return plan.dp * plan.cp


def of_experts(tensor: Tensor) -> bool:
    """Whether expert parallelism splits a parameter."""
    return any(axis.split is Mesh.EP for axis in tensor.axes)


def gathered(traced: Trace, plan: Plan) -> Ledger:
    """The parameters that a device gathers from those that share in them: of experts none that it has alone."""
    alone = plan.ep == sharers(plan)
    chosen = [each for each in held(traced, plan) if not (alone and of_experts(each))]
    return Ledger(tuple(counted(each, plan, each.role.value) for each in chosen), parameter)


def gradients_within(traced: Trace, plan: Plan, block: str) -> Ledger:
    """Bytes of the gradients that a device holds of the trained parameters inside blocks of that name."""
    chosen = [each for each in held(traced, plan) if plan.trains(each) and block in {call.name for call in each.blocks}]
    count, experts = (Add(*(elements(each, plan) for each in chosen if of_experts(each) or every)) for every in (1, 0))
    rows = [_row(each, count, experts, plan) for each in plan.recipe.persistent if each.role is Role.GRADIENTS]
    return Ledger(tuple(rows), byte)


def _row(each: Persistent, count: Expr, experts: Expr, plan: Plan) -> Row:
    """The row of one tensor that has `count` elements before ZeRO shards it, so many of them of `experts`.

    Where experts are shared out, an expert's weights are on that many fewer ranks, so that each has that many times as
    much of what they shard (Megatron-Core, parallel_state.py: expert_data_parallel_size).
    """
    sharded, shards = plan.zero >= each.stage, f"ZeRO-{each.stage} shards it"
    ranks = sharers(plan)
    if ranks == 1:
        why = f"{shards} over data parallel"
    else:
        part = f"1/{ranks} of it" + (f", of experts {plan.ep}/{ranks}" if plan.ep != 1 else "")
        why = f"{part}: {shards}" if sharded else f"all of it on each of {ranks}: only {shards}"
    amount = width(each.dtype) * ((count + (plan.ep - 1) * experts) / ranks if sharded else count)
    return Row((), each.name, (), each.dtype.name, amount, why, each.role)


def _counts(
    state: OptimizerState, plan: Plan, trained: tuple[Expr, Expr], traced: Trace | None
) -> Iterator[tuple[str, Expr, Expr]]:
    """What the optimizer holds one such tensor of: all trained parameters, or elements parameter by parameter.

    With each, how many of them are of experts that are shared out.
    """
    if state.of is Factoring.ALL:
        yield state.name, *trained
        return
    if traced is None:
        raise PlanError(
            f"optimizer {plan.optimizer.name} does not hold the same for every parameter "
            f"({state.name}: {state.of.value}): it takes a model, not a number of parameters alone"
        )
    matrices = [each for each in held(traced, plan, "einsum") if each.copies]
    for each in held(traced, plan):
        if not plan.trains(each):
            continue
        name, there = f"{state.name} of {each.name}", int(of_experts(each))
        if state.of is Factoring.FACTORS:
            yield name, (count := _factors(each, traced, plan)), count * there
        elif (each in matrices) == (state.of is Factoring.MATRICES):
            yield name, (count := elements(each, plan)), count * there


def _factors(tensor: Tensor, traced: Trace, plan: Plan) -> Expr:
    """Elements of the row and the column that stand for a matrix, in all layers; every element of a vector."""
    rows, columns = _sides(tensor, traced)
    if not rows or not columns:
        return elements(tensor, plan)
    sides = [multiplied(shard(tensor.axes[place], plan) for place in side) for side in (rows, columns)]
    many = [shard(axis, plan) for axis in tensor.axes if axis.picks is not None]  # each expert has a matrix of its own
    return multiplied([*layers(tensor, plan), *many]) * Add(*sides)


def _sides(tensor: Tensor, traced: Trace) -> tuple[list[int], list[int]]:
    """The places of a parameter's axes as those of a matrix, rows and columns.

    A product contracts one side of a weight, a table is looked up by its rows; a vector has one side only, however many
    axes it is written with.
    """
    places = [place for place, axis in enumerate(tensor.axes) if axis.picks is None]
    for user in traced.tensors:
        if user.op is None or tensor not in user.op.inputs:
            continue
        if user.op.contraction is not None:
            names = user.op.contraction.operands[user.op.inputs.index(tensor)]
            return (
                [place for place in places if names[place] not in user.op.contraction.result],
                [place for place in places if names[place] in user.op.contraction.result],
            )
        if user.op.name == "lookup":
            return places[:1], places[1:]
    return places, []


def _trained(plan: Plan, amount: Expr, traced: Trace | None) -> Expr:
    """How many parameters of a device are trained, of `amount`."""
    if not plan.frozen and not plan.lora:
        return amount
    if traced is None:
        asked = f"frozen={'+'.join(plan.frozen)[:80]} names" if plan.frozen else f"lora={plan.lora} is beside"
        raise PlanError(f"{asked} parameters of a model: name one, or leave it out")
    trained = {each: plan.trains(each) for each in held(traced, plan)}
    if plan.lora:
        return Add(*(elements(each, plan) for each, chosen in trained.items() if chosen))
    return amount - Add(*(elements(each, plan) for each, chosen in trained.items() if not chosen))
