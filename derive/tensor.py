"""Tensors of a trace: named axes and what splits them, a format, the operation that made them, their storage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from derive.precision import DType, Slot, compute
from derive.roles import Role

if TYPE_CHECKING:
    from sympy import Expr


class Mesh(Enum):
    """A mesh axis that can split an axis of a tensor; which degree it has is the plan's business."""

    TP = "tp"
    SP = "sp"
    EP = "ep"


class Remainder(Enum):
    """What to do with an axis that a parallel degree does not divide."""

    REFUSE = "refuse"
    REPLICATE = "replicate"  # an axis smaller than the degree is kept whole on several devices (key/value heads)
    PAD = "pad"  # frameworks pad it to a multiple, which is for the person to choose (vocabulary)


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its name, its size, and how it lies on the mesh.

    `split` is the mesh axis that divides it now; `gathered` the one that it was gathered from, which the next reduce
    restores (sequence parallelism around a tensor-parallel region). Of an axis of alternatives, such as experts,
    `picks` is how many of them one row uses: the others are held, and not computed with.
    """

    name: str
    size: Expr
    split: Mesh | None = None
    gathered: Mesh | None = None
    remainder: Remainder = Remainder.REFUSE
    picks: Expr | None = None


class Own(Enum):
    """Stands for an operation's own output in the list of what its gradients need."""

    OUTPUT = "output"


OUTPUT = Own.OUTPUT


@dataclass(frozen=True, slots=True)
class BlockCall:
    """One call of a block: its name, a number that tells calls apart, and the key of the plan that may fuse it."""

    name: str
    number: int
    fused_by: str | None = None


@dataclass(frozen=True, slots=True)
class Contraction:
    """A product of tensors as an einsum: the axes of operands and result, and the pair that a mask thins out.

    Where there is a `window`, an element of the pair's first axis meets no more than so many of the second.
    """

    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]
    axes: dict[str, Axis]
    masked: tuple[str, str] | None = None
    window: Expr | None = None

    def gradient(self, operand: int) -> Contraction:
        """The einsum that gives the gradient of one operand: the result's gradient takes its place.

        `m n, n p -> m p` gives `m p, n p -> m n` for operand 0 and `m n, m p -> n p` for operand 1.
        """
        swapped = (*self.operands[:operand], self.result, *self.operands[operand + 1 :])
        return Contraction(swapped, self.operands[operand], self.axes, self.masked, self.window)

    @property
    def distinct_axes(self) -> tuple[str, ...]:
        """Every axis once, in the order in which the operands and the result name them."""
        return tuple(dict.fromkeys(name for term in (*self.operands, self.result) for name in term))

    @property
    def pattern(self) -> str:
        """The einsum as it is written."""
        return f"{', '.join(' '.join(term) for term in self.operands)} -> {' '.join(self.result)}"


@dataclass(frozen=True, slots=True)
class KernelProduct:
    """A product that a kernel runs beside those that its block writes: forward, and its gradients backward.

    `again` lists what of it the backward pass runs once more: the product itself (None), an operand's gradient (its
    number).
    """

    name: str
    contraction: Contraction
    again: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Collective:
    """Communication of one tensor over one mesh axis: `gather` before a parallel region, `reduce` after it."""

    kind: str
    mesh: Mesh


@dataclass(frozen=True, eq=False, slots=True)
class Op:
    """One operation: its inputs and, for each, the tensors that this input's gradient needs.

    `free` operations cost nothing to redo (a view, a gather), so their result is never kept in place of their input.
    `residuals` are what a fused kernel of the enclosing block keeps instead of the block's interior, and `instead` the
    products that it runs beside those that the block writes. Of what is cached for later tokens, `window` is how many
    of them are held.
    """

    name: str
    inputs: tuple[Tensor, ...]
    needs: tuple[tuple[Tensor | Own, ...], ...]
    free: bool = False
    contraction: Contraction | None = None
    collective: Collective | None = None
    residuals: tuple[Tensor, ...] = ()
    window: Expr | None = None
    instead: tuple[KernelProduct, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Tensor:
    """A tensor of a trace; two tensors are the same only if they are the same object."""

    name: str
    axes: tuple[Axis, ...]
    dtype: DType | Slot = compute
    role: Role = Role.ACTIVATION
    op: Op | None = field(default=None, repr=False)  # an operation shows its inputs: all paths back to the leaves
    base: Tensor | None = field(default=None, repr=False)  # the tensor whose storage this one views
    blocks: tuple[BlockCall, ...] = ()  # outermost first
    copies: tuple[Expr, ...] = ()  # how often the model repeats it: one factor for each stack around it
    differentiable: bool = field(default=False)  # of a leaf: whether a gradient flows into it

    def axis(self, name: str) -> Axis:
        """The axis of that name."""
        return next(axis for axis in self.axes if axis.name == name)

    def __add__(self, other: Tensor) -> Tensor:
        from derive.ops.pointwise import add  # the operations are built on tensors, so not at the top

        return add(self, other, name="residual sum")

    def __mul__(self, other: Tensor) -> Tensor:
        from derive.ops.pointwise import multiply

        return multiply(self, other)


def shape_text(axes: Iterable[Axis]) -> str:
    """Axes as an error message shows them: `[s b h]`."""
    return f"[{' '.join(axis.name for axis in axes)}]"
