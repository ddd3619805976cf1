"""Operations that compute nothing: parts of a tensor, tensors side by side, a new axis, what is cached for later."""

from dataclasses import replace

from derive.errors import ShapeError
from derive.tensor import Axis, Mesh, Remainder, Tensor, shape_text
from derive.tracing import apply, named_axes, size_of


def part(
    x: Tensor,
    pattern: str,
    *,
    name: str | None = None,
    tp: str | None = None,
    uneven: Remainder = Remainder.REFUSE,
) -> Tensor:
    """`"qkv -> a d"`: a part of the axis on the left, as axes of their letters' sizes, in the same memory.

    Whoever keeps a part keeps the whole tensor. `tp` is the new axis that a split of the old one falls on, `uneven`
    what to do where the degree does not divide that one. Raises `ShapeError` where `x` has no such axis.
    """
    old, _, new = (side.strip() for side in pattern.partition("->"))
    if old not in (axis.name for axis in x.axes):
        raise ShapeError(f"part {pattern!r}: {x.name!r} {shape_text(x.axes)} has no axis {old!r}")
    whole, made = x.axis(old), named_axes(new, f"part {pattern!r}")
    split = tp or made[0].name
    made = tuple(replace(axis, split=whole.split, remainder=uneven) if axis.name == split else axis for axis in made)
    axes = tuple(each for axis in x.axes for each in (made if axis.name == old else (axis,)))
    return apply(
        "part", (x,), ((),), axes=axes, called=name or x.name, dtype=x.dtype, role=x.role, free=True, view_of=x
    )


def concat(pattern: str, *parts: Tensor, name: str = "concatenation") -> Tensor:
    """`"d_nope d_rope -> d"`: tensors side by side along one axis, in new memory; gradients need nothing.

    The pattern names the axis of each part and the axis of the result, whose size is their sum. Raises `ShapeError`
    where a part has no such axis or the sizes do not add up.
    """
    left, _, new = (side.strip() for side in pattern.partition("->"))
    names = left.split()
    if len(names) != len(parts):
        raise ShapeError(f"concat {pattern!r}: {len(names)} axes in the pattern, {len(parts)} tensors given")
    for axis, each in zip(names, parts, strict=True):
        if axis not in (one.name for one in each.axes):
            raise ShapeError(f"concat {pattern!r}: {each.name!r} {shape_text(each.axes)} has no axis {axis!r}")
    size = size_of(new, f"concat {pattern!r}")
    sizes = [each.axis(axis).size for axis, each in zip(names, parts, strict=True)]
    if size - sum(sizes) != 0:
        raise ShapeError(f"concat {pattern!r}: axis {new!r} is {size}, its parts are {sum(sizes)}")
    first = parts[0]
    axes = tuple(replace(axis, name=new, size=size) if axis.name == names[0] else axis for axis in first.axes)
    return apply("concat", parts, tuple(() for _ in parts), axes=axes, called=name, dtype=first.dtype)


def extended(x: Tensor, more: Tensor, letter: str, *, name: str | None = None) -> Tensor:
    """`x` with what is one more along its last axis behind it, in new memory; gradients need nothing."""
    (last,) = named_axes(letter, f"extended {x.name!r}")
    return apply("concat", (x, more), ((), ()), axes=(*x.axes[:-1], last), called=name or x.name, dtype=x.dtype)


def along(x: Tensor, axis: str, *, before: str, tp: bool = False) -> Tensor:
    """`x` read the same along a new axis in front of `before`, in the same memory: what all heads share."""
    place = [each.name for each in x.axes].index(before)
    new = Axis(axis, size_of(axis, f"along {axis!r}"), Mesh.TP if tp else None)
    axes = (*x.axes[:place], new, *x.axes[place:])
    return apply("expand", (x,), ((),), axes=axes, called=x.name, dtype=x.dtype, role=x.role, free=True, view_of=x)


def cached(x: Tensor, *, window: str | None = None, copied_from: Tensor | None = None) -> Tensor:
    """`x` itself, which is held for the tokens that come later, of a `window` the last of them only.

    Where heads that share it have been copied out before, `copied_from` is what they share: all that is needed.
    """
    reach = size_of(window, f"cached {x.name!r}") if window is not None else None
    inputs = (x,) if copied_from is None else (x, copied_from)
    needs: tuple[tuple[Tensor, ...], ...] = tuple(() for _ in inputs)
    return apply(
        "cache",
        inputs,
        needs,
        axes=x.axes,
        called=x.name,
        dtype=x.dtype,
        role=x.role,
        free=True,
        view_of=x,
        window=reach,
    )
