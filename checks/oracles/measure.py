"""The two sides of a comparison at the same sizes: what PyTorch keeps and counts, and what we derive."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from checks.oracles import optional
from derive import Architecture, Ledger, Model, Plan, parse_plan, recipe
from formulas.notation import common

if TYPE_CHECKING:
    from checks.oracles.layers import Sizes
    from derive import Formula

torch: Any = optional("torch")


# ---- PyTorch ----


@dataclass(frozen=True)
class Kept:
    """One storage that is kept for backward: its bytes, shape and format of the tensor that was first seen in it."""

    bytes: int
    shape: tuple[int, ...]
    dtype: str


def kept(run: Callable[[], Any], parameters: Iterable[Any]) -> tuple[Kept, ...]:
    """What autograd saves while `run` makes a result, once for each storage, without the storages of `parameters`.

    Hooks do not see the Python numbers that a tensor is multiplied by: those are found in the graph behind the result.
    """
    found: dict[int, Kept] = {}
    alive = [*parameters]  # a storage that is freed could lend its address to another
    own = {storage_of(parameter) for parameter in alive}

    def pack(tensor: Any) -> Any:
        alive.append(tensor)
        if storage_of(tensor) not in own:
            size = tensor.untyped_storage().nbytes()
            name = str(tensor.dtype).removeprefix("torch.")
            found.setdefault(storage_of(tensor), Kept(size, tuple(tensor.shape), name))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = run()
    return (*found.values(), *scalars(result))


def kept_bytes(run: Callable[[], Any], parameters: Iterable[Any]) -> int:
    """The bytes of all that `kept` finds."""
    return sum(each.bytes for each in kept(run, parameters))


def storage_of(tensor: Any) -> int:
    """The identity of the memory behind a tensor, equal for all views of it; meta tensors have one too."""
    return tensor.untyped_storage()._cdata


def scalars(result: Any) -> tuple[Kept, ...]:
    """The Python numbers that products in the graph behind `result` keep, each as an 8-byte tensor of no axes."""
    # In a checkpointed region, asking a node for another operand than a number runs the region again, at no harm.
    kinds = ("MulBackward0", "DivBackward0")
    others = (getattr(node, "_saved_other", None) for node in nodes(result) if type(node).__name__ in kinds)
    return tuple(
        Kept(other.element_size(), (), "float64")
        for other in others
        if other is not None and other.dim() == 0 and other.dtype == torch.float64
    )


def nodes(result: Any) -> tuple[Any, ...]:
    """Every node of the graph behind `result`."""
    seen: dict[Any, None] = {}
    waiting = [result.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen[node] = None
            waiting += [before for before, _ in node.next_functions]
    return tuple(seen)


def flops(run: Callable[[], Any]) -> int:
    """FLOPs of all products and attention operators in `run`, as torch's own `FlopCounterMode` counts them."""
    with import_module("torch.utils.flop_counter").FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


def elements(tensors: Iterable[Any]) -> int:
    """How many elements these tensors have together."""
    return sum(tensor.numel() for tensor in tensors)


def passes(run: Callable[[], Any]) -> tuple[int, int]:
    """FLOPs of the forward pass and of the backward pass of a run."""
    result = []
    return flops(lambda: result.append(run())), flops(lambda: result[0].sum().backward())


# ---- ours ----


def planned(text: str, architecture: Architecture, recipe_name: str = "bf16") -> Plan:
    """The plan that `text` writes, with the architecture's own settings where it says nothing."""
    plan = parse_plan(text, common.symbol, recipe(recipe_name))
    return plan.filled(architecture.kernels, architecture.mask)


def at(ledger: Ledger, n: Sizes) -> int:
    """The value of a ledger at these sizes, which must be a whole number."""
    value: Any = ledger.value.xreplace({common.symbol(letter): size for letter, size in asdict(n).items()})
    if not value.is_Integer:
        raise ValueError(f"{ledger.value} is {value} at {n}: not a whole number")
    return int(value)


def derived(formula: Formula, architecture: Architecture, n: Sizes, plan: str = "", recipe_name: str = "bf16") -> int:
    """A quantity of the catalog at these sizes; relations such as f = 4h play no part, since every size is given."""
    return at(formula.ledger(Model(architecture), planned(plan, architecture, recipe_name)), n)
