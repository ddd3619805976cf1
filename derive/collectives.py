"""Gathers and reduces around a tensor-parallel region: one for each tensor and mesh axis."""

from dataclasses import replace

from derive.tensor import Axis, Collective, Mesh, Tensor
from derive.tracing import apply, memoised


def gather(x: Tensor) -> Tensor:
    """`x` whole along the axes that sequence parallelism splits; free to redo, so a gathered tensor is never kept.

    Forward it gathers (without sequence parallelism: does nothing), backward it reduces the gradient.
    """
    if all(axis.split is not Mesh.SP for axis in x.axes):
        return x

    def make() -> Tensor:
        axes = tuple(replace(axis, split=None, gathered=Mesh.SP) if axis.split is Mesh.SP else axis for axis in x.axes)
        kind = Collective("gather", Mesh.SP)
        return apply("gather", (x,), ((),), axes=axes, called=x.name, dtype=x.dtype, free=True, collective=kind)

    return memoised(("gather", x), make)


def reduce(x: Tensor) -> Tensor:
    """The sum of the partial products `x` over the tensor-parallel devices, laid out again as before the gather."""
    axes = tuple(replace(axis, split=axis.gathered, gathered=None) if axis.gathered else axis for axis in x.axes)
    kind = Collective("reduce", Mesh.TP)
    return apply("reduce", (x,), ((),), axes=axes, called=x.name, dtype=x.dtype, role=x.role, collective=kind)


def is_partial(contracted: list[Axis]) -> bool:
    """Whether a product that sums over these axes leaves a partial sum on each device."""
    return any(axis.split is Mesh.TP for axis in contracted)
