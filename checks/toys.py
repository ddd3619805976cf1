"""The lecture's small networks, traced with the vocabulary of the layers, and its small counts, computed exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sympy import Add, Expr, Integer, Poly, Rational, Symbol, diff, symbols

from derive import Input, Plan, block, einsum, gelu, parameter, relu, repeat
from derive.folds import parameters, saved, tensors
from derive.products import flops
from derive.tensor import Tensor
from derive.tracing import Trace, trace

Size = Expr | Fraction | int


def _size(value: Size) -> Expr:
    return Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else Integer(1) * value


def _product(x: Tensor) -> Tensor:
    """One square layer without bias on B points, D wide."""
    return einsum("b i, i o -> b o", x, parameter("weight", "d h"), name="product")


def _traced(function: Callable[[Tensor], Any], B: Size, D: Size, L: Size = 1, *, trained: bool = False) -> Trace:
    """A network on B points of width D; `trained` says whether the gradient of its input is made."""
    sizes = {"b": _size(B), "d": _size(D), "h": _size(D), "L": _size(L)}
    return trace(function, Input("x", "b d", differentiable=trained), sizes=sizes)


# ---- two linear layers ----


def _two(B: Size, D: Size, trained: bool) -> Trace:
    return _traced(lambda x: _product(_product(x)), B, D, trained=trained)


def two_layer_parameters(D: Size) -> Expr:
    """Parameters of two square layers."""
    return parameters(_two(1, D, False), Plan()).value


def two_layer_forward(B: Size, D: Size) -> Expr:
    """FLOPs of their forward pass."""
    return flops(_two(B, D, False), Plan(), "forward").value


def two_layer_backward(B: Size, D: Size) -> Expr:
    """FLOPs of their backward pass as autograd runs it: nothing needs the gradient of the data."""
    return flops(_two(B, D, False), Plan(), "backward").value


def two_layer_textbook(B: Size, D: Size) -> Expr:
    """FLOPs of their backward pass where the gradient of the input is made too."""
    return flops(_two(B, D, True), Plan(), "backward").value


# ---- a deep network: L blocks of a square product and a ReLU ----


@block
def layer(x, activation=relu):
    """One block of the lecture's deep network."""
    return activation(_product(x))


def _deep(B: Size, D: Size, L: Size) -> Trace:
    return _traced(lambda x: repeat(layer, _size(L), x), B, D, L)


def _unrolled(B: Size, D: Size, L: Size, activation: Callable[[Tensor], Tensor] = relu) -> Trace:
    def network(x):
        for _ in range(int(L)):
            x = layer(x, activation)

    return _traced(network, B, D)


def deep_parameters(D: Size, L: Size) -> Expr:
    """Parameters of the deep network."""
    return parameters(_deep(1, D, L), Plan()).value


def deep_kept(B: Size, D: Size, L: Size) -> Expr:
    """Bytes that it keeps in bf16: each ReLU's output, and the data."""
    return saved(_deep(B, D, L), Plan()).value


def deep_flops(B: Size, D: Size, L: Size) -> Expr:
    """FLOPs of a step as autograd runs it: nothing needs the gradient of the data."""
    return flops(_unrolled(B, D, L), Plan(), "forward", "backward").value


def deep_live(B: Size, D: Size) -> Expr:
    """Bytes of one layer's output in bf16: what inference holds."""
    return tensors(_unrolled(B, D, 1), Plan(), ("product",), "it is alive").value


def _values(L: Size, plan: Plan) -> Expr:
    """Tensors of B x D values that a stack keeps whose activation needs its input, its last output included."""
    return saved(_unrolled(1, 1, L, gelu), plan).value / 2 + 1


def values_kept(L: Size) -> Expr:
    """How many such tensors there are without recomputation."""
    return _values(L, Plan())


def values_with_checkpoints(L: Size) -> Expr:
    """How many there are where each layer is made again."""
    return _values(L, Plan(recompute=("layer",)))


# ---- einsum ----


def batched_scores_flops() -> Expr:
    """FLOPs of (2, 3, 4) times (2, 3, 4) over the last axis."""
    sizes = {"b": Integer(2), "s": Integer(3), "d": Integer(4)}
    inputs = Input("x", "b s d"), Input("y", "b s d")
    return flops(
        trace(lambda x, y: einsum("b s d, b t d -> b s t", x, y), *inputs, sizes=sizes), Plan(), "forward"
    ).value


def head_product_flops() -> Expr:
    """FLOPs of (3, 8) read as (3, 2, 4), times (4, 4)."""
    sizes = {"s": Integer(3), "a": Integer(2), "d": Integer(4), "h": Integer(4)}
    inputs = Input("x", "s a d"), Input("w", "d h")
    return flops(trace(lambda x, w: einsum("s a i, i o -> s a o", x, w), *inputs, sizes=sizes), Plan(), "forward").value


# ---- gradients ----

_X = (1, 2, 3)


def _loss(weights: tuple[Symbol, ...]) -> Expr:
    return (Add(*(x * w for x, w in zip(_X, weights, strict=True))) - 5) ** 2 / 2


def warm_up(part: Fraction) -> Expr:
    """The lecture's warm-up at weights of 1: prediction, loss, and the three parts of the gradient."""
    weights = symbols("w1:4")
    at = dict.fromkeys(weights, Integer(1))
    gradient = [diff(_loss(weights), w).xreplace(at) for w in weights]
    return [Integer(sum(_X)), _loss(weights).xreplace(at), *gradient][int(part)]


def accumulation_gap(k: Fraction, uneven: Fraction) -> Expr:
    """How far accumulated gradients of loss/k are from the full batch's, of 8 points in k parts; 0 if they agree."""
    weight = Symbol("w")
    points: list[tuple[int, int]] = [(i + 1, i * i + 2) for i in range(8)]
    parts = int(k)
    bounds = [8 * i // parts + (int(uneven) if 0 < i < parts else 0) for i in range(parts + 1)]

    def gradient(of: list[tuple[int, int]]) -> Expr:
        return diff(Add(*((x * weight - y) ** 2 for x, y in of)) / len(of), weight)

    groups = [points[start:end] for start, end in pairwise(bounds)]
    gap = Poly(Add(*(gradient(group) / parts for group in groups)) - gradient(points), weight)
    return Add(*(abs(each) for each in gap.all_coeffs()))


def adagrad_step_squared(rate: Fraction, gradient: Fraction, t: Fraction) -> Expr:
    """The square of AdaGrad's t-th step under a constant gradient, its sum of squares added up step by step."""
    total = Fraction(0)
    for _ in range(int(t)):
        total += gradient**2
    step = rate**2 * gradient**2 / (total + Fraction(1, 100000))
    return Rational(step.numerator, step.denominator)


# ---- second moments at initialisation ----


def relu_second_moment(L: Fraction, gain: Fraction) -> Expr:
    """Second moment after L layers of ReLU, of 1 before; weights have variance gain/d, what is summed is symmetric."""
    values = [Fraction(each) for each in (-3, -1, 1, 3)]  # any symmetric distribution does
    kept, whole = (sum((each**2 for each in some), Fraction(0)) for some in ([x for x in values if x > 0], values))
    ratio = kept / whole
    moment = (gain * ratio) ** int(L)
    return Rational(moment.numerator, moment.denominator)


def residual_variance(L: Fraction, shrink: Fraction) -> Expr:
    """Variance of a stream of 1 after 2L branches that add a variance of 1 each, divided by `shrink`."""
    variance = Fraction(1)
    for _ in range(2 * int(L)):
        variance += 1 / shrink
    return Rational(variance.numerator, variance.denominator)


TOYS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        two_layer_parameters,
        two_layer_forward,
        two_layer_backward,
        two_layer_textbook,
        deep_parameters,
        deep_kept,
        deep_flops,
        deep_live,
        values_kept,
        values_with_checkpoints,
        batched_scores_flops,
        head_product_flops,
        warm_up,
        accumulation_gap,
        adagrad_step_squared,
        relu_second_moment,
        residual_variance,
    )
}
