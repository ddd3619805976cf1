"""A layer's data flow, made from its trace: operations gathered into steps, and what each keeps for backward."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from derive.evaluation import number
from derive.folds import saved, whole
from derive.kept import kept
from derive.ledger import Ledger, Row
from derive.model import apply_relations
from derive.reading import to_tree
from derive.roles import PARAMETERS, Role
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
    name: str
    closed: bool = False  # a block that is shown as one step


def flow(about: Subject) -> tuple[list[Step], Situation]:
    """The steps of one layer in the order in which they run; of several kinds of layers, of the one with most."""
    case = situation(formula_of("activations"), about.model, about.plan, evaluated=False)
    assert case.model is not None
    trace, plan = case.model.layer, case.model.bare.of_layer(case.plan)
    needed = kept(trace, plan)
    owners = _owners(trace.tensors, set(needed.reasons))
    last = {id(group): index for index, (each, group) in enumerate(owners.items()) if not _passes(each)}
    groups = sorted({id(each): each for each in owners.values()}.values(), key=lambda group: last[id(group)])
    place = {id(group): index for index, group in enumerate(groups)}
    held: dict[int, list[Held]] = {index: [] for index in place.values()}
    rows = []
    for tensor in trace.tensors:
        if tensor in needed.reasons:
            (row,) = whole(tensor, trace, plan, "kept").rows
            rows.append(row)
            held[place[id(owners[tensor])]].append(_held(row, tensor, case))
    everything = saved(trace, plan)
    for row in everything.less(Ledger(tuple(rows), everything.unit)):  # what kernels keep beside tensors
        held[len(groups) - 1].append(_held(row, None, case))
    steps = []
    for index, group in enumerate(groups):
        read = [x for each in group.tensors if each.op for x in each.op.inputs if x in owners and not _from_nothing(x)]
        inputs = {place[id(owners[x])] for x in read} - {index}
        names = tuple(call.name for call in group.blocks)
        steps.append(Step(group.name, names, tuple(sorted(inputs)), tuple(held[index])))
    return _without_dead_ends(steps), case


def _without_dead_ends(steps: list[Step]) -> list[Step]:
    """The steps without those that nothing reads and that keep nothing: what a kernel would have kept."""
    read = {index for each in steps for index in each.inputs} | {len(steps) - 1}
    left = [index for index, each in enumerate(steps) if index in read or each.held]
    if len(left) == len(steps):
        return steps
    new = {old: index for index, old in enumerate(left)}
    kept_ones = [steps[index] for index in left]
    return _without_dead_ends([replace(x, inputs=tuple(new[i] for i in x.inputs if i in new)) for x in kept_ones])


def _from_nothing(tensor: Tensor) -> bool:
    """Whether a tensor is a table or made of nothing, such as a mask: no data flows in with it."""
    return (tensor.op is None and tensor.role is not Role.ACTIVATION) or (
        tensor.op is not None and not tensor.op.inputs
    )


def _passes(tensor: Tensor) -> bool:
    """Whether the same data is handed on: a view, a gather, a sum over devices; or no data flows in with it."""
    handed = tensor.op is not None and (tensor.op.free or tensor.op.collective is not None)
    return handed or _from_nothing(tensor)


def _owners(tensors: tuple[Tensor, ...], needed: set[Tensor]) -> dict[Tensor, _Group]:
    """The group of every tensor that is no parameter.

    A block without a product is one step; so is a chain of element-wise operations that nothing else reads.
    """
    data = [each for each in tensors if each.role not in PARAMETERS]
    products = {call for each in data if each.op and each.op.contraction for call in each.blocks}
    readers: dict[Tensor, list[Tensor]] = {}
    for each in data:
        for operand in each.op.inputs if each.op else ():
            readers.setdefault(operand, []).append(each)
    owners: dict[Tensor, _Group] = {}
    closed: dict[object, _Group] = {}
    for each in data:
        if _from_nothing(each):
            continue
        call = next((call for call in each.blocks if call not in products), None)
        if call is not None:
            group = closed.setdefault(call, _Group([], each.blocks[: each.blocks.index(call)], call.name, closed=True))
        else:
            before = [owners[x] for x in _continued(each, owners, readers, needed)]
            group = before[0] if before else _Group([], each.blocks, each.name)
            for other in before[1:]:
                group.tensors += [x for x in other.tensors if other is not group]
                owners |= dict.fromkeys(other.tensors, group)
            if not _passes(each) and not group.closed:
                group.name, group.blocks = each.name, each.blocks
        group.tensors.append(each)
        owners[each] = group
    for each in data:
        if _from_nothing(each) and readers.get(each):
            owners[each] = next(owners[x] for x in readers[each] if x in owners)
    return owners


def _continued(
    each: Tensor, owners: dict[Tensor, _Group], readers: dict[Tensor, list[Tensor]], needed: set[Tensor]
) -> list[Tensor]:
    """The operands whose steps an operation continues: what it hands on, or what it alone reads and nobody keeps."""
    if each.op is None or each.op.contraction is not None:
        return []
    made = [x for x in each.op.inputs if x in owners and x.op is not None]
    if _passes(each):
        return made[:1]
    flowing = {x for x in each.op.inputs if x in owners}
    return [
        x
        for x in made
        if x not in needed
        and not owners[x].closed
        and x.blocks == each.blocks
        and all(
            reader is each or reader in owners[x].tensors for y in owners[x].tensors for reader in readers.get(y, ())
        )
        and (len(flowing) == 1 or not any(y.op and y.op.contraction for y in owners[x].tensors))
    ]


def _held(row: Row, tensor: Tensor | None, case: Situation) -> Held:
    assert case.model is not None
    amount = row.value if case.model.sizes else apply_relations(row.value, case.model.relations, common)
    tree = to_tree(amount, common.order)
    value = number(tree, case.known)
    meshes = {axis.split for axis in tensor.axes} if tensor is not None else set()
    how = SPLIT if Mesh.TP in meshes else TOKENS if Mesh.SP in meshes and case.plan.sp else WHOLE
    exact = value if isinstance(value, Fraction) else None
    return Held(row.tensor, row.dtype or "", letters(to_text(tree)), exact, how)


def letters(text: str) -> str:
    """An amount as people write it: without signs of products, where every letter is one character.

    >>> letters("2*a*s^2*b/t"), letters("2*s*b*d_rope")
    ('2as²b/t', '2·s·b·d_rope')
    """
    short = text.replace("^2", "²")
    plain = all(len(word) == 1 for word in re.findall("[A-Za-z_]+", text)) and not re.search(r"[0-9]\*[0-9]", text)
    return short.replace("*", "" if plain else "·")


def depths(steps: list[Step]) -> Iterator[tuple[str, ...]]:
    """The blocks around each step, without those that all of them share."""
    shared = 0
    inside = [each.blocks for each in steps if each.blocks]
    while inside and all(len(each) > shared and each[shared] == inside[0][shared] for each in inside):
        shared += 1
    for each in steps:
        yield each.blocks[shared:]
