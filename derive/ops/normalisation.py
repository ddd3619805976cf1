"""Softmax and layer norm: primitives whose gradients need their output or their statistics."""

from derive.precision import fp32, statistics_width
from derive.tensor import OUTPUT, Role, Tensor
from derive.tracing import apply, parameter


def softmax(x: Tensor) -> Tensor:
    """Softmax over the last axis; its gradient needs the output.

    A kernel that fuses the block around it keeps the log-sum-exp of each row instead, in fp32 (FlashAttention,
    Dao et al. 2022, arXiv 2205.14135, algorithm 2; as FlashAttention-2 merges its two statistics).
    """
    residual = apply(
        "log-sum-exp", (x,), ((),), axes=x.axes[:-1], called="log-sum-exp", dtype=fp32, role=Role.STATISTICS
    )
    return apply(
        "softmax", (x,), ((OUTPUT,),), axes=x.axes, called="softmax output", dtype=x.dtype, residuals=(residual,)
    )


def layer_norm(x: Tensor, *, affine: bool = True) -> Tensor:
    """Layer norm over the last axis, with weight and bias if it is `affine`.

    Gradients need the input and its mean and 1/std.
    """
    last = x.axes[-1:]
    statistics = tuple(
        apply(name, (x,), ((),), axes=x.axes[:-1], called=name, dtype=statistics_width, role=Role.STATISTICS)
        for name in ("mean", "1/std")
    )
    if not affine:
        needs = ((x, *statistics),)
        return apply("layer norm", (x,), needs, axes=x.axes, called="norm output", dtype=x.dtype)
    gain, bias = parameter("norm weight", last, Role.GAIN), parameter("norm bias", last, Role.GAIN)
    needs = ((x, *statistics, gain), (x, *statistics), ())
    return apply("layer norm", (x, gain, bias), needs, axes=x.axes, called="norm output", dtype=x.dtype)
