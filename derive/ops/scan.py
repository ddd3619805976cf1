"""Recurrences over the tokens of a sequence, and the state that is held of them for the next token."""

from derive.errors import ShapeError
from derive.ops.pointwise import wider
from derive.precision import DType, Slot
from derive.tensor import OUTPUT, Contraction, KernelProduct, Mesh, Tensor, shape_text
from derive.tracing import KERNEL_KEEPS, apply, named_axes


def outer(x: Tensor, y: Tensor, *, name: str = "outer product") -> Tensor:
    """Products of the elements of `x` and `y` over all axes of both, equal ones once: no sum, so no matrix product.

    Each gradient needs the other operand. Raises `ShapeError` where an axis of both has two sizes.
    """
    for axis in y.axes:
        if any(axis.name == each.name and axis.size != each.size for each in x.axes):
            raise ShapeError(f"outer: axis {axis.name!r} differs in {shape_text(x.axes)} and {shape_text(y.axes)}")
    more = tuple(axis for axis in y.axes if axis.name not in {each.name for each in x.axes})
    return apply("outer", (x, y), ((y,), (x,)), axes=(*x.axes, *more), called=name, dtype=wider(x, y))


def recurrence(
    decay: Tensor,
    new: Tensor,
    *,
    name: str = "states",
    residuals: tuple[Tensor, ...] = (),
    instead: tuple[KernelProduct, ...] = (),
) -> Tensor:
    """States over the tokens: each the state before times `decay`, plus `new`; two operations an element.

    Gradients need `decay` and the states themselves (Mamba, Gu and Dao 2023, arXiv 2312.00752, equation 2). A kernel
    of the block around keeps the `residuals` and runs the products `instead` of making every state.
    """
    return apply(
        "recurrence",
        (decay, new),
        ((OUTPUT,), (decay,)),
        axes=new.axes,
        called=name,
        dtype=wider(decay, new),
        residuals=residuals,
        instead=instead,
    )


def kernel_product(pattern: str, name: str, *, tp: str, again: tuple[int | None, ...] = ()) -> KernelProduct:
    """A product that a kernel runs beside those that its block writes, its axes named after their letters.

    `tp` is the axis that tensor parallelism splits; `again` what of it the backward pass runs once more: the product
    (None), the gradient of an operand (its number).
    """
    left, _, result = pattern.partition("->")
    terms = tuple(tuple(term.split()) for term in left.split(","))
    quoted = f"kernel_product {pattern!r}"
    axes = {axis.name: axis for term in terms for axis in named_axes(" ".join(term), quoted, {tp: Mesh.TP})}
    return KernelProduct(name, Contraction(terms, tuple(result.split()), axes), again)


def kernel_keeps(x: Tensor) -> Tensor:
    """`x` itself, of the interior of a block: what a kernel that runs the block keeps and does not make again."""
    return apply(
        KERNEL_KEEPS, (x,), ((),), axes=x.axes, called=x.name, dtype=x.dtype, role=x.role, free=True, view_of=x
    )


def state(x: Tensor, letters: str, dtype: DType | Slot, name: str) -> Tensor:
    """What is held of a recurrence for the next token, of axes that do not grow with the tokens."""
    of = {axis.name: axis for axis in x.axes}  # an axis that is split stays so
    axes = tuple(of.get(axis.name, axis) for axis in named_axes(letters, name))
    return apply("state", (x,), ((),), axes=axes, called=name, dtype=dtype)
