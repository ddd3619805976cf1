"""Operations element by element, views, and dropout: an element costs no product, a gradient may need an operand."""

from derive.errors import ShapeError
from derive.precision import DType, Slot, boolean, fp64
from derive.tensor import OUTPUT, Axis, Own, Role, Tensor, shape_text
from derive.tracing import READ, apply, generated, named_axes


def _unary(op: str, x: Tensor, needs: Tensor | Own | None, *, name: str | None = None) -> Tensor:
    return apply(
        op, (x,), ((needs,) if needs is not None else (),), axes=x.axes, called=name or f"{op} output", dtype=x.dtype
    )


def gelu(x: Tensor) -> Tensor:
    """GELU, exact or by its approximation with tanh, in one kernel; its gradient needs the input."""
    return _unary("gelu", x, x)


def silu(x: Tensor) -> Tensor:
    """SiLU; its gradient needs the input."""
    return _unary("silu", x, x)


def relu(x: Tensor) -> Tensor:
    """ReLU; its gradient needs the output, so that the input can go."""
    return _unary("relu", x, OUTPUT)


def tanh(x: Tensor) -> Tensor:
    """Hyperbolic tangent; its gradient needs the output."""
    return _unary("tanh", x, OUTPUT)


def sigmoid(x: Tensor) -> Tensor:
    """1/(1 + e⁻ˣ); its gradient needs the output."""
    return _unary("sigmoid", x, OUTPUT)


def exp(x: Tensor) -> Tensor:
    """eˣ; its gradient needs the output."""
    return _unary("exp", x, OUTPUT)


def softplus(x: Tensor) -> Tensor:
    """log(1 + eˣ); its gradient needs the input."""
    return _unary("softplus", x, x)


def cube(x: Tensor) -> Tensor:
    """x³; its gradient 3x² needs the input."""
    return _unary("cube", x, x)


def clamp(x: Tensor) -> Tensor:
    """`x` cut off at bounds; its gradient needs the input."""
    return _unary("clamp", x, x)


def square(x: Tensor) -> Tensor:
    """x²; its gradient 2x needs the input."""
    return _unary("square", x, x)


def rsqrt(x: Tensor) -> Tensor:
    """1/√x; its gradient −y³/2 needs the output."""
    return _unary("rsqrt", x, OUTPUT)


def rotate_half(x: Tensor) -> Tensor:
    """The two halves of the last axis swapped, one negated: a new tensor whose gradient needs nothing."""
    return _unary("rotate half", x, None)


def negative(x: Tensor, *, name: str | None = None) -> Tensor:
    """−x in memory of its own; its gradient needs nothing."""
    return _unary("negative", x, None, name=name)


def copy(x: Tensor) -> Tensor:
    """`x` in memory of its own."""
    return _unary("copy", x, None, name=x.name)


def scaled(x: Tensor, *, name: str | None = None) -> Tensor:
    """`x` times a number that the program holds, of 8 bytes, which the gradient needs."""
    return multiply(x, generated("scale", (), fp64, Role.CONSTANT), name=name or f"scaled {x.name}")


def add(x: Tensor, y: Tensor, *, name: str | None = None) -> Tensor:
    """x + y, y broadcast along the axes of x that it lacks; no gradient needs anything."""
    _broadcasts("add", x, y)
    return apply("add", (x, y), ((), ()), axes=x.axes, called=name or "sum", dtype=wider(x, y))


def multiply(x: Tensor, y: Tensor, *, name: str = "product") -> Tensor:
    """x × y element by element, y broadcast; the gradient of each needs the other."""
    _broadcasts("multiply", x, y)
    return apply("multiply", (x, y), ((y,), (x,)), axes=x.axes, called=name, dtype=wider(x, y))


def divide(x: Tensor, y: Tensor, *, name: str = "quotient") -> Tensor:
    """x / y element by element, y broadcast; the gradient of x needs y, that of y both."""
    _broadcasts("divide", x, y)
    return apply("divide", (x, y), ((y,), (x, y)), axes=x.axes, called=name, dtype=wider(x, y))


def total(x: Tensor) -> Tensor:
    """The sum over the last axis; its gradient needs nothing."""
    return apply("sum", (x,), ((),), axes=x.axes[:-1], called="sum", dtype=x.dtype)


def masked_fill(x: Tensor, mask: Tensor) -> Tensor:
    """`x` with the elements replaced where the mask is set, as an operation of its own: its gradient needs the mask."""
    _broadcasts("masked_fill", x, mask)
    return apply("masked fill", (x, mask), ((mask,), ()), axes=x.axes, called="masked " + x.name, dtype=x.dtype)


def cast(x: Tensor, dtype: DType | Slot, *, name: str | None = None) -> Tensor:
    """`x` in another format: a new tensor whose gradient needs nothing; the same tensor if it is in that format."""
    if x.dtype == dtype:
        return x
    called = f"{x.name} in {dtype.name}" if isinstance(dtype, DType) else x.name
    return apply("cast", (x,), ((),), axes=x.axes, called=name or called, dtype=dtype)


def read_as(x: Tensor, dtype: DType | Slot) -> Tensor:
    """`x` for a reader that converts it as it reads: whoever keeps this keeps `x`."""
    return apply(READ, (x,), ((),), axes=x.axes, called=x.name, dtype=dtype, role=x.role, free=True)


def mean(x: Tensor, over: int = 1) -> Tensor:
    """The mean over the last axis, or so many last ones; its gradient needs nothing."""
    return apply("mean", (x,), ((),), axes=x.axes[:-over], called="mean", dtype=x.dtype)


def dropout(x: Tensor) -> Tensor:
    """Dropout: keeps a mask of one byte an element, from which the gradient is made."""
    mask = generated("dropout mask", x.axes, boolean, Role.DROPOUT_MASK)
    return apply("dropout", (x, mask), ((mask,), ()), axes=x.axes, called=f"dropped {x.name}", dtype=x.dtype)


def identity(x: Tensor) -> Tensor:
    """`x` itself: what a layer without dropout does in its place."""
    return x


def expand(x: Tensor, pattern: str) -> Tensor:
    """`"g -> a"`: axis g read as the axis a that it is shared by (grouped heads), in the same memory."""
    old, _, new = (side.strip() for side in pattern.partition("->"))
    if old not in (axis.name for axis in x.axes):
        raise ShapeError(f"expand {pattern!r}: {x.name!r} {shape_text(x.axes)} has no axis {old!r}")
    source = x.axis(old)
    (target,) = named_axes(new, f"expand {pattern!r}")
    axes = tuple(Axis(new, target.size, source.split, source.gathered) if axis.name == old else axis for axis in x.axes)
    return apply("expand", (x,), ((),), axes=axes, called=x.name, dtype=x.dtype, role=x.role, free=True, view_of=x)


def repeat_heads(x: Tensor, pattern: str) -> Tensor:
    """Like `expand`, but copied out (transformers' `repeat_kv`)."""
    return copy(expand(x, pattern))


def _broadcasts(op: str, x: Tensor, y: Tensor) -> None:
    """Tensors of one rank match axis by axis; one of fewer axes matches by their names."""
    by_name = {axis.name: axis for axis in x.axes}
    for position, axis in enumerate(y.axes):
        match = x.axes[position] if len(x.axes) == len(y.axes) else by_name.get(axis.name)
        if match is None:
            raise ShapeError(f"{op}: {y.name!r} {shape_text(y.axes)} has an axis {axis.name!r} that {x.name!r} lacks")
        if match.size != axis.size:
            raise ShapeError(f"{op}: axis {match.name!r} is both {match.size} and {axis.size}")
        if axis.split is not None and axis.split is not match.split:  # the other way round, each device takes its part
            raise ShapeError(f"{op}: axis {match.name!r} is split in {y.name!r} and not in {x.name!r}")


def wider(x: Tensor, y: Tensor) -> DType | Slot:
    """The format of the result: the wider of two fixed ones, a fixed one before the recipe's, never a scalar's."""
    if x.dtype == y.dtype or not y.axes or not isinstance(y.dtype, DType):
        return x.dtype
    if not isinstance(x.dtype, DType):
        return y.dtype
    return max(x.dtype, y.dtype, key=lambda dtype: dtype.bits)
