"""A layer's data flow, made from its trace: operations gathered into steps, and what each keeps for backward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from derive.evaluation import number
from derive.folds import saved, whole
from derive.kept import kept
from derive.ledger import Row
from derive.reading import to_tree
from derive.roles import PARAMETERS
from derive.situation import Situation, situation
from derive.tensor import Mesh, Tensor
from derive.tree import to_text
from formulas import formula_of
from formulas.figures.subject import Subject
from formulas.notation import common

WHOLE, SPLIT, TOKENS = "whole on every device", "split by tensor parallelism", "split along the sequence"


@dataclass(frozen=True)
class Held:
    """A kept tensor: its name and format, its bytes as an expression and as a number, and how devices share it."""

    name: str
    dtype: str
    text: str
    bytes: Fraction | None
    how: str


@dataclass(frozen=True)
class Step:
    """Operations that are shown as one: their name, the blocks around them, the steps they read, what they keep."""

    name: str
    blocks: tuple[str, ...]
    inputs: tuple[int, ...]
    held: tuple[Held, ...]


@dataclass
class _Group:
    tensors: list[Tensor]
    blocks: tuple
    name: str = ""
    inputs: list[int] = field(default_factory=list)


def flow(about: Subject) -> tuple[list[Step], Situation]:
    """The steps of one layer in the order in which they run; of several kinds of layers, of the one with most."""
    case = situation(formula_of("activations"), about.model, about.plan, evaluated=False)
    assert case.model is not None
    trace, plan = case.model.layer, case.model.bare.of_layer(case.plan)
    needed = kept(trace, plan)
    owners = _owners(trace.tensors, set(needed.reasons))
    order = list(dict.fromkeys(id(each) for each in owners.values()))
    groups = {id(each): each for each in owners.values()}
    place = {key: index for index, key in enumerate(order)}
    held: dict[int, list[Held]] = {index: [] for index in place.values()}
    rows = []
    for tensor in trace.tensors:
        if tensor in needed.reasons:
            (row,) = whole(tensor, trace, plan, "kept").rows
            rows.append(row)
            index = place[id(owners[tensor])]
            held[index].append(_held(row, tensor, case))
    last = len(order) - 1
    for row in saved(trace, plan).less(whole_of(rows, saved(trace, plan))):  # what kernels keep beside tensors
        held[last].append(_held(row, None, case))
    steps = []
    for index, key in enumerate(order):
        group = groups[key]
        reads = {place[id(owners[x])] for each in group.tensors if each.op for x in each.op.inputs if x in owners}
        blocks = tuple(call.name for call in group.blocks)
        steps.append(Step(group.name, blocks, tuple(sorted(reads - {index})), tuple(held[index])))
    return steps, case


def whole_of(rows: list[Row], like):
    """Rows as a ledger of the same unit."""
    return type(like)(tuple(rows), like.unit)


def _owners(tensors: tuple[Tensor, ...], needed: set[Tensor]) -> dict[Tensor, _Group]:
    """The group of every tensor that is no parameter.

    A block without a product is one step; so is a chain of element-wise operations that nothing else reads.
    """
    products = {call for each in tensors if each.op and each.op.contraction for call in each.blocks}
    used: dict[Tensor, list[Tensor]] = {}
    for each in tensors:
        for operand in each.op.inputs if each.op else ():
            used.setdefault(operand, []).append(each)
    owners: dict[Tensor, _Group] = {}
    whole_blocks: dict[object, _Group] = {}
    for each in tensors:
        if each.role in PARAMETERS:
            continue
        closed = next((call for call in each.blocks if call not in products), None)
        before = _before(each, owners, used, needed)
        if closed is not None:
            outside = each.blocks[: each.blocks.index(closed)]
            group = whole_blocks.setdefault(closed, _Group([], outside, closed.name))
        elif before is not None:
            group = before
        else:
            group = _Group([], each.blocks)
        group.tensors.append(each)
        if closed is None:
            group.name, group.blocks = each.name, each.blocks
        owners[each] = group
    return owners


def _before(each: Tensor, owners: dict[Tensor, _Group], used: dict[Tensor, list[Tensor]], needed: set[Tensor]):
    """The group that an operation continues: that of an input which it alone reads, if no product comes between."""
    if each.op is None or each.op.contraction is not None:
        return None
    reads = [x for x in each.op.inputs if x in owners]
    passing = each.op.free or each.op.collective is not None
    for operand in reads:
        group = owners[operand]
        alone = all(reader in (each,) or owners.get(reader) is group for reader in used[operand])
        made = operand.op is not None
        closed = group.name and any(call.name == group.name for call in operand.blocks) and not passing
        if passing and made:
            return group
        if made and alone and operand not in needed and not closed and operand.op is not None:
            product = operand.op.contraction is not None
            same = each.blocks == operand.blocks
            if same and (not product or each.op.name == "dropout"):
                return group
    return None


def _held(row: Row, tensor: Tensor | None, case: Situation) -> Held:
    tree = to_tree(row.value, common.order)
    value = number(tree, case.known)
    meshes = {axis.split for axis in tensor.axes} if tensor is not None else set()
    how = SPLIT if Mesh.TP in meshes else TOKENS if Mesh.SP in meshes and case.plan.sp else WHOLE
    exact = value if isinstance(value, Fraction) else None
    return Held(row.tensor, row.dtype or "", to_text(tree).replace("*", "·"), exact, how)


def depths(steps: list[Step]) -> Iterator[tuple[str, ...]]:
    """The blocks around each step, without those that all of them share."""
    shared = 0
    inside = [each.blocks for each in steps if each.blocks]
    while inside and all(len(each) > shared and each[shared] == inside[0][shared] for each in inside):
        shared += 1
    for each in steps:
        yield each.blocks[shared:]
