"""Tables that are looked up by an index, and the loss over a vocabulary: neither is a product."""

from derive.collectives import is_partial, reduce
from derive.errors import ShapeError
from derive.ops.pointwise import cast
from derive.precision import fp32
from derive.tensor import OUTPUT, Tensor, shape_text
from derive.tracing import apply


def lookup(table: Tensor, indices: Tensor, *, name: str = "embedding") -> Tensor:
    """The rows of `table` (rows, width) at `indices`; the table's gradient needs the indices, no FLOPs are counted.

    A table whose rows are split over devices leaves partial results, which are reduced.
    """
    if len(table.axes) != 2:
        raise ShapeError(f"lookup: table {table.name!r} must have two axes, has {shape_text(table.axes)}")
    rows, width = table.axes
    needs = ((indices,), ())
    out = apply("lookup", (table, indices), needs, axes=(*indices.axes, width), called=name)
    return reduce(out) if is_partial([rows]) else out


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """The loss of `logits` (..., vocabulary) against `targets`: log-probabilities in fp32, of which targets are picked.

    The log-softmax's gradient needs its output (fp32), the picking's gradient the targets.
    """
    wide = cast(logits, fp32)
    log_probabilities = apply(
        "log softmax", (wide,), ((OUTPUT,),), axes=wide.axes, called="log-probabilities", dtype=fp32
    )
    return apply(
        "negative log-likelihood", (log_probabilities, targets), ((targets,), ()), axes=(), called="loss", dtype=fp32
    )
