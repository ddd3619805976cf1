"""Operations: each gives the axes and the format that it should, and keeps for a gradient what that gradient needs."""

import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

import pytest
from sympy import Expr, Integer, symbols

import derive.ops
from derive import (
    Input,
    Mesh,
    Plan,
    Role,
    Tensor,
    Trace,
    boolean,
    compute,
    constant,
    cross_entropy,
    einsum,
    flops,
    fp32,
    fp64,
    generated,
    int64,
    layer_norm,
    linear,
    lookup,
    parameter,
    saved,
    softmax,
    tensors,
    trace,
)
from derive.errors import ShapeError
from derive.kept import storage
from derive.ops import pointwise
from derive.ops.pointwise import add, cast, expand, multiply, rotate_half
from derive.precision import DType, Slot
from derive.roles import PARAMETERS

s, b, h, a, g, d, f, V = symbols("s b h a g d f V", positive=True, integer=True)
SIZES: dict[str, Expr] = {str(letter): letter for letter in (s, b, h, a, g, d, f, V)}

X, Y, WIDE = Input("x", "s b h"), Input("y", "s b h"), Input("y", "f b h")
K = Input("k", "s b g d")
MASK = Input("m", "s b h", dtype=boolean, differentiable=False)
IDS = Input("ids", "s b", dtype=int64, role=Role.INDEX, differentiable=False)


def run(function: Callable[..., Tensor], *inputs: Input) -> tuple[Tensor, Trace]:
    """The result of a function, and its trace."""
    made: list[Tensor] = []
    traced = trace(lambda *leaves: made.append(function(*leaves)), *inputs, sizes=SIZES)
    return made[0], traced


def kept(traced: Trace, plan: Plan | None = None) -> Expr:
    return saved(traced, plan or Plan()).value.expand()


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
    "mean": Case(pointwise.mean, (X,), "mean", "s b", "mean", NONE, Integer(0)),
    "cast": Case(lambda x: cast(x, fp32), (X,), "cast", "s b h", "x in fp32", NONE, Integer(0), fp32),
    "add": Case(add, (X, Y), "add", "s b h", "sum", ((), ()), Integer(0)),
    "multiply": Case(multiply, (X, Y), "multiply", "s b h", "product", (("y",), ("x",)), 2 * OF_X),
    "masked_fill": Case(pointwise.masked_fill, (X, MASK), "masked fill", "s b h", "masked x", (("m",), ()), s * b * h),
    "dropout": Case(pointwise.dropout, (X,), "dropout", "s b h", "dropped x", (("dropout mask",), ()), s * b * h),
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
    assert public == {*CASES, "identity"}


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


# ---- errors ----

REFUSED: list[tuple[str, tuple[Input, ...], Callable[..., Tensor]]] = [
    ("einsum 's b h, f b h': exactly one '->' is needed", (X, WIDE), lambda x, y: einsum("s b h, f b h", x, y)),
    ("einsum 's b -> b -> s': exactly one '->' is needed", (X,), lambda x: einsum("s b -> b -> s", x)),
    ("einsum 's b h -> s': 1 operands in the pattern, 2 given", (X, Y), lambda x, y: einsum("s b h -> s", x, y)),
    ("einsum 's b b -> s': 's b b' names an axis twice", (X,), lambda x: einsum("s b b -> s", x)),
    ("einsum 's b h -> s s': 's s' names an axis twice", (X,), lambda x: einsum("s b h -> s s", x)),
    ("einsum 's b -> s': 's b' names 2 axes, 'x' has 3: [s b h]", (X,), lambda x: einsum("s b -> s", x)),
    ("einsum 's b h, h b f -> s': axis 'h' is both h and f", (X, WIDE), lambda x, y: einsum("s b h, h b f -> s", x, y)),
    ("einsum 'q b a d, k b a e -> b a q k': axis 'a' is both a and s", (Input("q", "s b a d"), Input("k", "b b s d")),
     lambda q, k: einsum("q b a d, k b a e -> b a q k", q, k)),
    ("einsum 's b h -> s z': axis 'z' of the result is in no operand", (X,), lambda x: einsum("s b h -> s z", x)),
    ("einsum 's b h, s b h -> s': axis 'h' is split in one operand and whole in another",
     (replace(X, split={"h": Mesh.TP}), Y), lambda x, y: einsum("s b h, s b h -> s", x, y)),
    ("einsum 's b h -> s b': masked axes 's' and 'b' must be of one size, are s and b", (X,),
     lambda x: einsum("s b h -> s b", x, masked="s b")),
    ("einsum 's b h -> s b': masked='s z' must name two of its axes", (X,),
     lambda x: einsum("s b h -> s b", x, masked="s z")),
    ("einsum 's b h -> s b': masked='s' must name two of its axes", (X,),
     lambda x: einsum("s b h -> s b", x, masked="s")),
    ("linear 'h f': exactly one '->' is needed", (X,), lambda x: linear(x, "h f")),
    ("linear 's b a d -> h': 4 axes in the pattern, 'x' has [s b h]", (X,), lambda x: linear(x, "s b a d -> h")),
    ("linear 'f -> h': axis 'f' of size f does not fit axis 'h' of size h of 'x' [s b h]", (X,),
     lambda x: linear(x, "f -> h")),
    ("linear 'h -> f': tp='a' is none of its axes", (X,), lambda x: linear(x, "h -> f", tp="a")),
    ("linear 'h -> z': axis 'z' has no size; letters with one are s, b, h, a, g, d, f, V", (X,),
     lambda x: linear(x, "h -> z")),
    ("lookup: table 'x' must have two axes, has [s b h]", (X, IDS), lookup),
    ("add: 'k' [s b g d] has an axis 'g' that 'x' lacks", (X, K), add),
    ("multiply: axis 's' is both s and f", (X, WIDE), multiply),
    ("multiply: axis 'b' is both b and h", (X, Input("y", "s h b")), multiply),
    ("masked_fill: 'm' [a s] has an axis 'a' that 'x' lacks", (X, Input("m", "a s")), pointwise.masked_fill),
    ("expand 'z -> a': 'k' [s b g d] has no axis 'z'", (K,), lambda k: expand(k, "z -> a")),
    ("expand 'g -> z': axis 'z' has no size; letters with one are s, b, h, a, g, d, f, V", (K,),
     lambda k: expand(k, "g -> z")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "inputs", "function"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_errors_name_the_operation_the_pattern_and_both_sizes(text: str, inputs, function):
    with pytest.raises(ShapeError) as error:
        run(function, *inputs)
    assert str(error.value) == text
