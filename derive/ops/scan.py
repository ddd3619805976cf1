"""Recurrences over the tokens of a sequence, and the state that is held of them for the next token."""

from derive.errors import ShapeError
from derive.ops.pointwise import wider
from derive.precision import DType, Slot
from derive.tensor import OUTPUT, Tensor, shape_text
from derive.tracing import apply, named_axes


def outer(x: Tensor, y: Tensor, *, name: str = "outer product") -> Tensor:
    """Products of the elements of `x` and `y` over all axes of both, equal ones once: no sum, so no matrix product.

    Each gradient needs the other operand. Raises `ShapeError` where an axis of both has two sizes.
    """
    for axis in y.axes:
        if any(axis.name == each.name and axis.size != each.size for each in x.axes):
            raise ShapeError(f"outer: axis {axis.name!r} differs in {shape_text(x.axes)} and {shape_text(y.axes)}")
    more = tuple(axis for axis in y.axes if axis.name not in {each.name for each in x.axes})
    return apply("outer", (x, y), ((y,), (x,)), axes=(*x.axes, *more), called=name, dtype=wider(x, y))


def recurrence(decay: Tensor, new: Tensor, *, name: str = "states") -> Tensor:
    """States over the tokens: each the state before times `decay`, plus `new`; two operations an element.

    Gradients need `decay` and the states themselves (Mamba, Gu and Dao 2023, arXiv 2312.00752, equation 2).
    """
    return apply("recurrence", (decay, new), ((OUTPUT,), (decay,)), axes=new.axes, called=name, dtype=wider(decay, new))


def state(x: Tensor, letters: str, dtype: DType | Slot, name: str) -> Tensor:
    """What is held of a recurrence for the next token, of axes that do not grow with the tokens."""
    of = {axis.name: axis for axis in x.axes}  # an axis that is split stays so
    axes = tuple(of.get(axis.name, axis) for axis in named_axes(letters, name))
    return apply("state", (x,), ((),), axes=axes, called=name, dtype=dtype)
