"""Laying out: a plan beside a model's sizes: degrees and their letters, axes that shards leave over, and stages."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from derive.errors import ModelError, PlanError
from derive.evaluation import fitted, split_letters
from derive.letters import Notation
from derive.model import Given, Model
from derive.plan import LETTERS, Plan
from derive.quantity import Formula
from derive.tensor import Mesh, Remainder

Values = Mapping[str, Given]
HALF = 16  # bits: formats below are for the inputs of products
LETTER_KEYS = {letter: key for key, letter in LETTERS.items()}


def with_degrees(plan: Plan, sizes: Values, notation: Notation) -> Plan:
    """`--set t=8` is `--plan tp=8`; two values for one thing are an error, a symbolic degree takes the value."""
    for letter, given in sizes.items():
        key = notation[letter].plan_key
        if not key:
            continue
        planned, usual = getattr(plan, key), getattr(Plan(), key)
        if planned == notation.symbol(letter):
            planned = usual
        if planned not in (usual, given.value):
            raise ModelError(f"{letter} = {given.value} is set, but the plan says {key}={planned}")
        plan = replace(plan, **{key: given.value})
    return plan


def without_padded(model: Model, sizes: Values) -> dict[str, Given]:
    """The sizes without those of axes that frameworks pad."""
    axes = {axis for tensor in model.whole.tensors for axis in tensor.axes}
    padded = {axis.name for axis in axes if axis.remainder is Remainder.PAD}
    return {letter: given for letter, given in sizes.items() if letter not in padded}


def laid_out(formula: Formula, model: Model, plan: Plan, known: Values) -> tuple[Plan, tuple[str, ...]]:
    """The plan fitted to the sizes, and what it assumes of those that are letters.

    All that a layer splits must fit; what only the ends split, such as the vocabulary, where the quantity has it.
    """
    used = formula.reached(model, plan)
    assumptions = [*shared_experts(model, plan, known), *routed(model, plan, used)]
    ends = [tensor for tensor in model.whole.tensors if used & {axis.name for axis in tensor.axes if axis.split}]
    plan = fitted(plan, [*model.layer.tensors, *ends], known, formula.notation)
    if divided := [letter for letter in split_letters(model.whole, plan, known) if letter in used]:
        assumptions.append(f"tp = {plan.tp} divides {', '.join(divided)}")
    if plan.replicated:
        degree = known["t"].value
        for name in plan.replicated:
            size = known[name].value
            each = f"each device keeps one whole, the same one on {degree // size}"
            assumptions.append(f"{name} = {size} is less than tp = {degree}: {each}")
    assumptions += split_means(model, plan, used)
    if plan.recipe.compute.bits < HALF and any(
        row.dtype == plan.recipe.compute.name for row in formula.ledger(model, plan)
    ):
        narrow = plan.recipe.compute.name
        assumptions.append(
            f"all that is computed is kept in {narrow}; frameworks keep the inputs of products alone in it"
        )
    return plan, tuple(assumptions)


def split_means(model: Model, plan: Plan, used: Set[str]) -> list[str]:
    """What is said of means over an axis that tensor parallelism splits, as in norms of all heads at once.

    What devices keep is right without them, but they have to add up their parts. Said of quantities of tokens alone.
    """
    if plan.tp == 1:
        return []
    found: dict[str, list[str]] = {}
    for tensor in model.layer.tensors:
        if tensor.op is not None and tensor.op.name == "mean":
            left = {axis.name for axis in tensor.axes}
            sizes = [str(axis.size) for axis in tensor.axes]
            over = [x.name for x in tensor.op.inputs[0].axes if x.split is Mesh.TP and x.name not in left]
            if over and used & set(sizes):
                found.setdefault("*".join(sizes), []).extend(over)
    return [
        f"norms over all of {' and '.join(dict.fromkeys(over))}, which tp = {plan.tp} splits: devices add up {each} "
        f"numbers in each of {len(over)} a layer, which nothing counts"
        for each, over in found.items()
    ]


def shared_experts(model: Model, plan: Plan, known: Values) -> list[str]:
    """What is assumed where ranks share experts; `PlanError` where there are none, or they or the ranks do not divide.

    The ranks that share them are those of data and context parallelism (Megatron-Core, parallel_state.py), so that each
    group of them has all experts.
    """
    if plan.ep == 1:
        return []
    axes = {axis for tensor in model.whole.tensors for axis in tensor.axes if axis.split is Mesh.EP}
    if not axes:
        raise PlanError(f"plan ep={plan.ep}: {model.architecture.name} has no experts")
    for name in sorted({str(axis.size) for axis in axes} & known.keys()):
        if known[name].value % plan.ep:
            raise PlanError(f"ep={plan.ep} does not divide {name} = {known[name].value}, the experts")
    ranks = plan.dp * plan.cp
    if not isinstance(ranks, int):
        return [f"ep = {plan.ep} divides {ranks}"]
    if ranks % plan.ep:
        raise PlanError(f"ep={plan.ep} does not divide dp*cp = {ranks}: those are the ranks that share the experts")
    return []


def routed(model: Model, plan: Plan, used: Set[str]) -> list[str]:
    """What is assumed of the rows that experts get, where a quantity counts them on one device."""
    picks = {str(axis.picks) for tensor in model.layer.tensors for axis in tensor.axes if axis.picks is not None}
    if not picks & used:
        return []
    said = []
    if plan.ep != 1:
        said.append(f"experts are in balance: those of a device get 1/{plan.ep} of what the {plan.ep} send")
    if plan.sp:
        said.append("what experts multiply is kept split along the sequence, and gathered again for the backward pass")
    return said


def degrees(plan: Plan, sizes: Values, notation: Notation) -> dict[str, Given]:
    """The degrees of the plan as values of their letters."""
    found = {}
    for key, letter in LETTERS.items():
        degree = getattr(plan, key)
        if letter in sizes and _of_plan(notation, letter):
            found[letter] = sizes[letter]
        elif isinstance(degree, int) and degree != getattr(Plan(), key) and _of_plan(notation, letter):
            found[letter] = Given(degree, "option")
    return found


def _of_plan(notation: Notation, letter: str) -> bool:
    """Whether the letter is a degree of the plan here: in the topic of products n is a size."""
    return letter in notation.letters and bool(notation[letter].plan_key)


def staged(model: Model, plan: Plan, known: Values) -> tuple[Plan, tuple[str, ...]]:
    """The plan with uneven stages marked; `PlanError` for more stages than layers, or parts of tokens under cp."""
    length = known.get(plan.sequence)
    parts = plan.cp * (plan.tp if plan.sp and isinstance(plan.tp, int) else 1)
    if plan.cp != 1 and length is not None and length.value % parts:
        raise PlanError(f"cp={plan.cp} does not divide {plan.sequence} = {length.value} into parts for {parts} devices")
    if plan.pp == 1:
        return plan, ()
    degree = known["p"].value if "p" in known else plan.pp
    if model.architecture.kinds or len(model.whole.stacks) > 1:
        return _sliced(model, plan, known, degree)
    stacks = model.whole.stacks
    said = []
    for name in sorted(stacks):
        if name not in known or not isinstance(degree, int):
            said.append(f"pp = {plan.pp} divides {name}")
        elif known[name].value < degree:
            raise PlanError(f"pp={degree} is more than {name} = {known[name].value}: a stage would have no layer")
        elif known[name].value % degree:
            plan = replace(plan, uneven=True)
            said.append(
                f"pp = {degree} does not divide {name} = {known[name].value}: the stage counted has most layers"
            )
    return plan, tuple(said)


def _sliced(model: Model, plan: Plan, known: Values, degree: object) -> tuple[Plan, tuple[str, ...]]:
    """The plan with the layers of each kind that its stage has: a slice of the model's list of layers.

    The first stages have one layer more where the stages do not divide them; what is no layer of the list, such as
    modules of multi-token prediction, is on the last one. Raises `PlanError` where numbers are missing.
    """
    kinds = model.architecture.kinds
    counts = {kind: known[each.number].value for kind, each in kinds.items() if each.number in known}
    if not isinstance(degree, int) or len(counts) < len(kinds):
        raise PlanError(f"pp={plan.pp}: which layers a stage has depends on numbers: give a model's sizes and pp=4")
    order = model.order or tuple(kind for kind, count in counts.items() for _ in range(count))
    if any(order.count(kind) != count for kind, count in counts.items()):
        asked = ", ".join(f"{kinds[kind].number} = {count}" for kind, count in counts.items())
        raise PlanError(f"pp={degree}: in which order the layers are is not known for {asked}")
    if len(order) < degree:
        raise PlanError(f"pp={degree} is more than {len(order)} layers: a stage would have no layer")
    least, more = divmod(len(order), degree)
    index = {"first": 0, "last": degree - 1}.get(plan.stage, plan.position)
    start = index * least + min(index, more)
    here = order[start : start + least + (index < more)]
    slices = {kinds[kind].number: here.count(kind) for kind in kinds}
    for name in sorted(model.whole.stacks - slices.keys()):
        slices[name] = known[name].value if index == degree - 1 else 0
    first = "stage has" if more == 1 else f"{more} stages have"
    said = [f"pp = {degree} does not divide {len(order)} layers: the first {first} one more"] if more else []
    return replace(plan, slices=tuple(slices.items())), tuple(said)
