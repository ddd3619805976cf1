"""Operations: each gives the axes and the format that it should, and keeps for a gradient what that gradient needs."""

import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

import pytest
from sympy import Expr, Integer

import derive.ops
from derive import (
    Input,
    Plan,
    Role,
    Tensor,
    along,
    block,
    cached,
    combine,
    compute,
    concat,
    constant,
    cross_entropy,
    dispatch,
    dispatch_scores,
    einsum,
    expert_linear,
    extended,
    flops,
    fp32,
    fp64,
    generated,
    int64,
    kernel_keeps,
    layer_norm,
    limited,
    linear,
    lookup,
    outer,
    parameter,
    part,
    recurrence,
    rows_of,
    saved,
    softmax,
    state,
    tensors,
    top_k,
)
from derive.kept import storage
from derive.ops import pointwise
from derive.ops.pointwise import add, cast, expand, multiply, rotate_half
from derive.precision import DType, Slot
from derive.roles import PARAMETERS
from tests.operations import CHOSEN, IDS, MASK, ROWS, SIZES, WIDE, E, K, V, X, Y, a, b, d, f, g, h, k, kept, run, s


def needs(tensor: Tensor) -> tuple[tuple[str, ...], ...]:
    """What the gradient of each operand needs, by name."""
    assert tensor.op is not None
    return tuple(tuple(x.name if isinstance(x, Tensor) else "its output" for x in row) for row in tensor.op.needs)


@dataclass(frozen=True)
class Case:
    function: Callable[..., Tensor]
    inputs: tuple[Input, ...]
    op: str
    axes: str
    name: str
    needs: tuple[tuple[str, ...], ...]
    kept: Expr
    dtype: DType | Slot = compute


NONE, ITSELF, OWN = ((),), (("x",),), (("its output",),)
OF_X = 2 * s * b * h
CASES = {
    "einsum": Case(lambda x, y: einsum("s b h, f b h -> b s f", x, y), (X, WIDE), "einsum", "b s f", "product",
                   (("y",), ("x",)), OF_X + 2 * f * b * h),
    "linear": Case(lambda x: linear(x, "h -> f"), (X,), "einsum", "s b f", "linear output",
                   (("linear output weight",), ("x",)), OF_X),
    "lookup": Case(lambda ids: lookup(parameter("table", "V h", Role.TABLE), ids), (IDS,), "lookup", "s b h",
                   "embedding", (("ids",), ()), 8 * s * b),
    "cross_entropy": Case(cross_entropy, (Input("logits", "s b V"), IDS), "negative log-likelihood", "", "loss",
                          (("ids",), ()), 4 * s * b * V + 8 * s * b, fp32),
    "softmax": Case(softmax, (X,), "softmax", "s b h", "softmax output", OWN, OF_X),
    "layer_norm": Case(layer_norm, (X,), "layer norm", "s b h", "norm output",
                       (("x", "mean", "1/std", "norm weight"), ("x", "mean", "1/std"), ()), OF_X + 8 * s * b),
    "gelu": Case(pointwise.gelu, (X,), "gelu", "s b h", "gelu output", ITSELF, OF_X),
    "silu": Case(pointwise.silu, (X,), "silu", "s b h", "silu output", ITSELF, OF_X),
    "square": Case(pointwise.square, (X,), "square", "s b h", "square output", ITSELF, OF_X),
    "relu": Case(pointwise.relu, (X,), "relu", "s b h", "relu output", OWN, OF_X),
    "rsqrt": Case(pointwise.rsqrt, (X,), "rsqrt", "s b h", "rsqrt output", OWN, OF_X),
    "rotate_half": Case(rotate_half, (X,), "rotate half", "s b h", "rotate half output", NONE, Integer(0)),
    "copy": Case(pointwise.copy, (X,), "copy", "s b h", "x", NONE, Integer(0)),
    "negative": Case(pointwise.negative, (X,), "negative", "s b h", "negative output", NONE, Integer(0)),
    "read_as": Case(lambda x: pointwise.read_as(x, fp32), (X,), "read", "s b h", "x", NONE, Integer(0), fp32),
    "mean": Case(pointwise.mean, (X,), "mean", "s b", "mean", NONE, Integer(0)),
    "cast": Case(lambda x: cast(x, fp32), (X,), "cast", "s b h", "x in fp32", NONE, Integer(0), fp32),
    "add": Case(add, (X, Y), "add", "s b h", "sum", ((), ()), Integer(0)),
    "multiply": Case(multiply, (X, Y), "multiply", "s b h", "product", (("y",), ("x",)), 2 * OF_X),
    "masked_fill": Case(pointwise.masked_fill, (X, MASK), "masked fill", "s b h", "masked x", (("m",), ()), s * b * h),
    "dropout": Case(pointwise.dropout, (X,), "dropout", "s b h", "dropped x", (("dropout mask",), ()), s * b * h),
    "tanh": Case(pointwise.tanh, (X,), "tanh", "s b h", "tanh output", OWN, OF_X),
    "sigmoid": Case(pointwise.sigmoid, (X,), "sigmoid", "s b h", "sigmoid output", OWN, OF_X),
    "exp": Case(pointwise.exp, (X,), "exp", "s b h", "exp output", OWN, OF_X),
    "softplus": Case(pointwise.softplus, (X,), "softplus", "s b h", "softplus output", ITSELF, OF_X),
    "cube": Case(pointwise.cube, (X,), "cube", "s b h", "cube output", ITSELF, OF_X),
    "clamp": Case(pointwise.clamp, (X,), "clamp", "s b h", "clamp output", ITSELF, OF_X),
    "scaled": Case(pointwise.scaled, (X,), "multiply", "s b h", "scaled x", (("scale",), ("x",)), Integer(8)),
    "divide": Case(pointwise.divide, (X, Y), "divide", "s b h", "quotient", (("y",), ("x", "y")), 2 * OF_X),
    "total": Case(pointwise.total, (X,), "sum", "s b", "sum", NONE, Integer(0)),
    "part": Case(lambda x: part(x, "h -> g d"), (X,), "part", "s b g d", "x", NONE, Integer(0)),
    "concat": Case(lambda x, z: concat("h f -> h_f", x, z), (X, Input("z", "s b f")), "concat", "s b h_f",
                   "concatenation", ((), ()), Integer(0)),
    "extended": Case(lambda x, y: extended(x, y, "f"), (X, Y), "concat", "s b f", "x", ((), ()), Integer(0)),
    "along": Case(lambda x: along(x, "a", before="h"), (X,), "expand", "s b a h", "x", NONE, Integer(0)),
    "cached": Case(cached, (X,), "cache", "s b h", "x", NONE, Integer(0)),
    "top_k": Case(lambda x: top_k(x, "h -> k")[0], (X,), "select", "s b k", "chosen scores",
                  (("chosen experts",), ()), 8 * s * b * k),
    "limited": Case(limited, (Input("x", "s b E"),), "masked fill", "s b E", "masked x",
                    (("experts of other groups",), ()), s * b * E),
    "rows_of": Case(rows_of, (CHOSEN,), "rows", "2 k s b", "rows of the experts", NONE, Integer(0), int64),
    "dispatch": Case(dispatch, (X, ROWS), "dispatch", "k s b h", "dispatched tokens", (("rows",), ()), 16 * k * s * b),
    "dispatch_scores": Case(dispatch_scores, (Input("scores", "s b k"), ROWS), "dispatch", "k s b",
                            "scores of the rows", (("rows",), ()), 16 * k * s * b),
    "combine": Case(combine, (Input("y", "k s b h"), ROWS, X), "combine", "s b h", "experts' output",
                    (("y", "rows"), ()), 2 * k * s * b * h + 16 * k * s * b),
    "expert_linear": Case(lambda x: expert_linear(x, "h -> f"), (Input("x", "k s b h"),), "einsum", "k s b f",
                          "expert output", (("expert output weight",), ("x",)), 2 * k * s * b * h),
    "outer": Case(outer, (X, Input("y", "s b d")), "outer", "s b h d", "outer product", (("y",), ("x",)),
                  OF_X + 2 * s * b * d),
    "recurrence": Case(recurrence, (X, Y), "recurrence", "s b h", "states", (("its output",), ("x",)), 2 * OF_X),
    "state": Case(lambda x: state(x, "b h", fp32, "state"), (X,), "state", "b h", "state", NONE, Integer(0), fp32),
    "kernel_keeps": Case(kernel_keeps, (X,), "kernel keeps", "s b h", "x", NONE, Integer(0)),
    "expand": Case(lambda k: expand(k, "g -> a"), (K,), "expand", "s b a d", "k", NONE, Integer(0)),
    "repeat_heads": Case(lambda k: pointwise.repeat_heads(k, "g -> a"), (K,), "copy", "s b a d", "k", NONE, Integer(0)),
}  # fmt: skip


def test_every_operation_is_in_the_table():
    modules = [import_module(f"derive.ops.{module.name}") for module in pkgutil.iter_modules(derive.ops.__path__)]
    public = {
        name
        for module in modules
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__ and not name.startswith("_")
    }
    # Two make no tensor: which of two formats a result has, and what a kernel multiplies.
    assert public == {*CASES, "identity", "wider", "kernel_product"}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_operation(case: Case):
    result, traced = run(case.function, *case.inputs)
    assert result.op is not None
    assert (result.op.name, result.name, result.dtype) == (case.op, case.name, case.dtype)
    assert [(axis.name, axis.size) for axis in result.axes] == [(name, SIZES[name]) for name in case.axes.split()]
    assert needs(result) == case.needs
    assert len(result.op.inputs) == len(case.needs)
    assert kept(traced) == case.kept.expand()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_nothing_is_kept_where_no_gradient_is_wanted(case: Case):
    _, traced = run(case.function, *(replace(item, differentiable=False) for item in case.inputs))
    frozen = tuple(tensor.name for tensor in traced.tensors if tensor.role in PARAMETERS)
    assert saved(traced, Plan(frozen=frozen)).rows == ()
    assert flops(traced, Plan(frozen=frozen), "backward").rows == ()


def test_identity_is_its_argument_and_records_nothing():
    result, traced = run(pointwise.identity, X)
    assert traced.tensors == (result,)


@pytest.mark.parametrize("name", ["gelu", "silu", "square", "relu", "rsqrt", "rotate_half", "copy", "mean", "softmax",
                                  "layer_norm", "dropout"])  # fmt: skip
def test_a_fixed_format_stays(name: str):
    result, _ = run(CASES[name].function, replace(X, dtype=fp32))
    assert result.dtype is fp32


@pytest.mark.parametrize("operation", [add, multiply])
@pytest.mark.parametrize(
    ("left", "right", "wider"),
    [(compute, fp32, fp32), (fp32, compute, fp32), (fp32, fp64, fp64), (fp64, fp32, fp64), (compute, compute, compute)],
)
def test_the_wider_format_wins(operation, left, right, wider):
    result, _ = run(operation, replace(X, dtype=left), replace(Y, dtype=right))
    assert result.dtype is wider


def test_a_scalar_does_not_widen():
    result, _ = run(lambda x: multiply(x, generated("scale", (), fp64, Role.CONSTANT)), X)
    assert result.dtype is compute


def test_a_cast_to_the_same_format_is_the_same_tensor():
    result, traced = run(lambda x: cast(x, fp32), replace(X, dtype=fp32))
    assert traced.tensors == (result,)


@pytest.mark.parametrize(
    ("x", "y", "names"), [(True, True, {"x", "y"}), (True, False, {"y"}), (False, True, {"x"}), (False, False, set())]
)
@pytest.mark.parametrize("product", ["multiply", "einsum"])
def test_a_product_keeps_one_factor_only_for_the_gradient_of_the_other(product: str, x: bool, y: bool, names: set[str]):
    case = CASES[product]
    wanted = zip(case.inputs, (x, y), strict=True)
    _, traced = run(case.function, *(replace(item, differentiable=flag) for item, flag in wanted))
    assert {row.tensor for row in saved(traced, Plan())} == names
    assert len(flops(traced, Plan(), "backward").rows) == (x + y if product == "einsum" else 0)


def test_a_product_of_a_tensor_with_itself_keeps_it():
    _, traced = run(lambda x: einsum("p q, p r -> q r", x, x), Input("x", "s b"))
    assert kept(traced) == 2 * s * b
    assert flops(traced, Plan(), "backward").value == 2 * (2 * s * b * b)


def test_each_gradient_is_the_einsum_with_the_result_in_the_place_of_the_operand():
    _, traced = run(lambda x, y: einsum("m n, n p -> m p", x, y), Input("x", "s b"), Input("y", "b h"))
    assert [(row.tensor, row.why, row.value) for row in flops(traced, Plan(), "forward", "backward")] == [
        ("product", "forward: m n, n p -> m p", 2 * s * b * h),
        ("gradient of x", "backward: m p, n p -> m n", 2 * s * b * h),
        ("gradient of y", "backward: m n, m p -> n p", 2 * s * b * h),
    ]


def rope(x: Tensor) -> Tensor:
    cos, sin = constant("cos", "s d"), constant("sin", "s d")
    return add(multiply(x, cos), multiply(rotate_half(x), sin))


def test_rope_keeps_only_cos_and_sin():
    _, traced = run(rope, K)
    assert {row.tensor: row.value for row in saved(traced, Plan())} == {"cos": 2 * s * d, "sin": 2 * s * d}


def test_a_frozen_weight_frees_the_input_and_a_trained_bias_keeps_nothing():
    _, traced = run(lambda x: linear(x, "h -> f", bias=True, name="up"), X)
    assert kept(traced) == OF_X
    assert kept(traced, Plan(frozen=("up weight",))) == 0
    assert kept(traced, Plan(frozen=("up weight", "up bias", "x"))) == 0
    assert kept(traced, Plan(frozen=("up bias",))) == OF_X


def test_views_share_storage_and_copies_do_not():
    def squared(share):
        return lambda k: multiply(share(k, "g -> a"), share(k, "g -> a"))

    shared, traced = run(lambda k: expand(k, "g -> a"), K)
    assert storage(shared, Plan()) is traced.tensors[0]
    assert tensors(traced, Plan(), ("k",), "").value == 2 * s * b * g * d
    assert kept(run(squared(expand), K)[1]) == 2 * s * b * g * d
    assert kept(run(squared(pointwise.repeat_heads), K)[1]) == 2 * (2 * s * b * a * d)


def test_the_input_of_three_products_is_kept_once():
    _, traced = run(lambda x: add(add(linear(x, "h -> f"), linear(x, "h -> f")), linear(x, "h -> f")), X)
    assert [(row.tensor, row.value) for row in saved(traced, Plan())] == [("x", OF_X)]


def test_softmax_offers_a_log_sum_exp_to_a_kernel():
    result, _ = run(softmax, X)
    assert result.op is not None
    (residual,) = result.op.residuals
    assert [axis.name for axis in residual.axes] == ["s", "b"]
    assert (residual.name, residual.dtype, residual.role) == ("log-sum-exp", fp32, Role.STATISTICS)


def test_cross_entropy_keeps_fp32_log_probabilities_and_the_targets():
    _, traced = run(cross_entropy, *CASES["cross_entropy"].inputs)
    rows = [(row.tensor, row.dtype, row.value) for row in saved(traced, Plan())]
    assert rows == [("log-probabilities", "fp32", 4 * s * b * V), ("ids", "int64", 8 * s * b)]


# ---- what a kernel keeps of its block, and multiplies beside it ----


@block(fused_by="scan")
def held(x):
    middle = kernel_keeps(pointwise.square(linear(x, "h -> f", name="first")))
    return linear(pointwise.square(middle), "f -> h", name="second")


def test_a_kernel_keeps_what_it_is_told_to_and_makes_the_rest_again():
    _, traced = run(held, X)
    fused, named = Plan(kernels=(("scan", "fused"),)), Plan(recompute=("held",))
    assert [row.tensor for row in saved(traced, fused)] == ["x", "square output"]
    assert [row.tensor for row in saved(traced, named)] == ["x"]
    both = Plan(kernels=(("scan", "fused"),), recompute=("held",))
    assert [row.tensor for row in saved(traced, both)] == ["x"]  # what is run again has no kernel that could keep it
    again = [row.tensor for row in flops(traced, fused, "recompute")]
    assert again == ["first again"]  # the square's gradient needs it, and nobody needs the last product
