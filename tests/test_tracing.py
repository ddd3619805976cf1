"""Tracing: a layer runs once; the record says what was made, in which block, how often, and what was communicated."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sympy import Expr, symbols

from derive import (
    Input,
    Mesh,
    Plan,
    Role,
    Tensor,
    Trace,
    add,
    block,
    constant,
    einsum,
    expand,
    fp32,
    fp64,
    gather,
    gelu,
    generated,
    int64,
    linear,
    lookup,
    multiply,
    parameter,
    reduce,
    relu,
    repeat,
    saved,
    size_of,
    trace,
)
from derive.errors import DeriveError, ShapeError, UnknownName
from derive.kept import check_blocks
from derive.tracing import STACK_INPUT, STACK_OUTPUT
from formulas.models import architectures

s, b, h, a, g, d, f, V, L, t = symbols("s b h a g d f V L t", positive=True, integer=True)
SIZES: dict[str, Expr] = {str(letter): letter for letter in (s, b, h, a, g, d, f, V)}
X = Input("x", "s b h")
SHARDED = replace(X, split={"s": Mesh.SP})
EVERY = pytest.mark.parametrize("name", architectures())


def run(function: Callable[..., Any], *inputs: Input) -> tuple[Any, Trace]:
    """The result of a function, and its trace."""
    made: list[Any] = []
    traced = trace(lambda *leaves: made.append(function(*leaves)), *(inputs or (X,)), sizes=SIZES)
    return made[0], traced


def names(tensor: Tensor) -> tuple[str, ...]:
    return tuple(call.name for call in tensor.blocks)


@block
def inner(x):
    return relu(x)


@block
def outer(x):
    return inner(gelu(inner(x)))


@block(name="renamed", fused_by="attention")
def pair(x):
    return gelu(x), relu(x)


def test_tensors_are_recorded_in_the_order_of_making():
    y, traced = run(lambda x: relu(gelu(x)))
    assert [tensor.name for tensor in traced.tensors] == ["x", "gelu output", "relu output"]
    assert traced.tensors[-1] is y
    assert y.op.inputs == (traced.tensors[1],)


def test_a_function_runs_once_and_every_trace_is_new():
    runs = []

    def function(x):
        runs.append(x)
        return gelu(x)

    assert run(function)[0] is not run(function)[0]
    assert len(runs) == 2


def test_blocks_nest_and_calls_are_told_apart():
    _, traced = run(outer)
    assert [names(tensor) for tensor in traced.tensors] == [(), ("outer", "inner"), ("outer",), ("outer", "inner")]
    assert traced.block_names == ("outer", "inner")
    _, first, middle, last = traced.tensors
    assert first.blocks[0] == middle.blocks[0] == last.blocks[0]
    assert first.blocks[1] != last.blocks[1]


def test_a_result_is_interior_to_the_blocks_that_go_on_after_it():
    _, traced = run(outer)
    x, first, middle, last = traced.tensors
    interiors = [[call.name for call in traced.interior_of(tensor)] for tensor in (x, first, middle, last)]
    assert interiors == [[], ["outer"], ["outer"], []]
    assert [call.name for call in traced.results[last]] == ["inner", "outer"]


def test_a_block_of_two_results_has_its_own_name_and_kernel():
    (y, z), traced = run(pair)
    assert traced.results == {y: y.blocks, z: y.blocks}
    assert [(call.name, call.fused_by) for call in y.blocks] == [("renamed", "attention")]


def test_an_error_inside_a_block_closes_it():
    @block
    def failing(x):
        return expand(x, "h -> z")

    def function(x):
        with pytest.raises(ShapeError):
            failing(x)
        return gelu(x)

    y, _ = run(function)
    assert y.blocks == ()


def test_a_block_keeps_the_name_of_its_function():
    assert (inner.__name__, pair.__name__) == ("inner", "pair")


def test_check_blocks():
    names = run(outer)[1].block_names
    check_blocks(names, ("inner", "outer"))
    with pytest.raises(UnknownName) as error:
        check_blocks(names, ("iner",))
    assert str(error.value) == "unknown block 'iner': did you mean 'inner'?"
    with pytest.raises(UnknownName) as error:
        check_blocks(run(gelu)[1].block_names, ("core",))
    assert str(error.value) == "unknown block 'core': there is none here"


@pytest.mark.parametrize("work", [lambda: size_of("s", "test"), lambda: parameter("w", "h"), lambda: inner(None)])
def test_operations_work_inside_a_trace_only(work):
    with pytest.raises(DeriveError) as error:
        work()
    assert str(error.value) == "operations on tensors work inside trace(function, ...) only"


def test_a_failed_trace_leaves_nothing_behind():
    with pytest.raises(ShapeError):
        run(lambda x: expand(x, "h -> z"))
    with pytest.raises(DeriveError, match="inside trace"):
        size_of("s", "test")


def test_inputs_carry_their_axes_format_role_and_layout():
    item = Input("ids", "s b", {"s": Mesh.SP}, {"b": Mesh.TP}, int64, Role.INDEX, differentiable=False)
    x, _ = run(lambda x: x, item)
    assert [(axis.name, axis.size, axis.split, axis.gathered) for axis in x.axes] == [
        ("s", s, Mesh.SP, None),
        ("b", b, None, Mesh.TP),
    ]
    assert (x.name, x.dtype, x.role, x.differentiable, x.op) == ("ids", int64, Role.INDEX, False, None)


ERRORS = [
    ("input 'x': axis 'z' has no size; letters with one are s, b, h, a, g, d, f, V", ShapeError,
     lambda: run(lambda x: x, Input("x", "s z"))),
    ("parameter 'w': axis 'z' has no size; letters with one are s, b, h, a, g, d, f, V", ShapeError,
     lambda: run(lambda _: parameter("w", "z"))),
    ("constant 'c': axis 'z' has no size; letters with one are s, b, h, a, g, d, f, V", ShapeError,
     lambda: run(lambda _: constant("c", "z"))),
    ("the stack: axis 'L' has no size; letters with one are s, b, h, a, g, d, f, V", ShapeError,
     lambda: run(lambda _: size_of("L", "the stack"))),
    ("parameter 'w' has the role of constants, which is not one of a parameter", DeriveError,
     lambda: run(lambda _: parameter("w", "h", Role.CONSTANT))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "work"), ERRORS, ids=[text for text, _, _ in ERRORS])
def test_errors_name_the_letter_and_who_asked(text: str, kind, work):
    with pytest.raises(kind) as error:
        work()
    assert str(error.value) == text


def test_a_constant_is_one_for_the_whole_trace_and_lies_in_no_block():
    @block
    def layer(x):
        return multiply(x, constant("cos", "s h", fp32))

    _, traced = run(lambda x: repeat(lambda y: layer(layer(y)), L, x))
    (cos,) = [tensor for tensor in traced.tensors if tensor.name == "cos"]
    assert (cos.blocks, cos.copies, cos.dtype, cos.differentiable) == ((), (), fp32, False)


def test_generated_tensors_are_made_where_they_are_used():
    (scale, again), _ = run(lambda _: [generated("scale", (), fp64, Role.CONSTANT) for _ in range(2)])
    assert scale is not again
    assert (scale.op.name, scale.op.inputs, scale.dtype) == ("generate", (), fp64)


def test_a_stack_counts_everything_in_it_and_hands_over_fresh_tensors():
    y, traced = run(lambda x: gelu(repeat(outer, L, x)))
    copies = {tensor.name: tensor.copies for tensor in traced.tensors}
    assert copies == {
        "x": (),
        "layer input": (L,),
        "relu output": (L,),
        "gelu output": (),  # the last of that name: after the stack
        "last layer's output": (),
    }
    last = y.op.inputs[0]
    assert last.op.name == STACK_OUTPUT
    assert [tensor.name for tensor in last.op.inputs] == ["relu output", "layer input"]
    (each,) = [tensor for tensor in traced.tensors if tensor.name == "layer input"]
    assert each.op is not None
    assert (each.op.name, [tensor.name for tensor in each.op.inputs]) == (STACK_INPUT, ["x"])


def test_stacks_nest():
    _, traced = run(lambda x: repeat(lambda y: repeat(gelu, V, y), L, x))
    assert {tensor.copies for tensor in traced.tensors} == {(), (L,), (L, V)}
    assert saved(traced, Plan()).value == 2 * s * b * h * L * V


def test_operators_are_the_operations():
    (total, product), _ = run(lambda x, y: (x + y, x * y), X, Input("y", "s b h"))
    assert (total.op.name, total.name) == ("add", "residual sum")
    assert (product.op.name, product.name) == ("multiply", "product")


# ---- collectives ----


def collectives(traced: Trace) -> Counter[tuple[str, str]]:
    found = [x.op.collective for x in traced.tensors if x.op is not None and x.op.collective is not None]
    return Counter((each.kind, each.mesh.value) for each in found)


def test_one_gather_for_a_tensor_and_a_mesh_axis():
    def gated(x):
        return multiply(linear(x, "h -> f", tp="f"), linear(x, "h -> f", tp="f"))

    _, traced = run(gated, SHARDED)
    assert collectives(traced) == {("gather", "sp"): 1}
    what_is_multiplied = 2 * (2 * s * b * f / t)
    assert saved(traced, Plan(tp=t, sp=True)).value == 2 * s * b * h / t + what_is_multiplied  # the part, not the whole
    _, twice = run(lambda x, y: add(gather(x), gather(y)), SHARDED, replace(SHARDED, name="y"))
    assert collectives(twice) == {("gather", "sp"): 2}


def test_a_column_then_a_row_parallel_layer_gather_once_and_reduce_once():
    y, traced = run(lambda x: linear(linear(x, "h -> f", tp="f"), "f -> h", tp="f"), SHARDED)
    assert collectives(traced) == {("gather", "sp"): 1, ("reduce", "tp"): 1}
    assert [(axis.split, axis.gathered) for axis in y.axes] == [(Mesh.SP, None), (None, None), (None, None)]


def test_whole_tensors_are_not_gathered():
    y, traced = run(lambda x: gather(linear(x, "h -> f")))
    assert collectives(traced) == {}
    assert y is traced.tensors[-1]


def test_a_sum_over_a_split_axis_is_reduced():
    ids = Input("ids", "s b", gathered={"s": Mesh.SP}, dtype=int64, role=Role.INDEX, differentiable=False)
    y, traced = run(lambda ids: lookup(parameter("table", "V h", Role.TABLE, tp="V"), ids), ids)
    assert collectives(traced) == {("reduce", "tp"): 1}
    assert y.axis("s").split is Mesh.SP
    _, traced = run(lambda x: einsum("s b h -> s b", x), replace(X, split={"h": Mesh.TP}))
    assert collectives(traced) == {("reduce", "tp"): 1}
    _, traced = run(lambda x: einsum("s b h -> b h", x), replace(X, split={"h": Mesh.TP}))
    assert collectives(traced) == {}


def test_reduce_leaves_the_layout_of_a_tensor_that_was_not_gathered():
    y, _ = run(reduce)
    assert [(axis.name, axis.split) for axis in y.axes] == [("s", None), ("b", None), ("h", None)]


@EVERY
def test_a_layer_has_two_gathers_and_two_reduces(name: str):
    assert collectives(architectures()[name].layer_trace) == {("gather", "sp"): 2, ("reduce", "tp"): 2}


@EVERY
def test_blocks_of_a_layer_and_of_a_model(name: str):
    assert [each.name for each in architectures()[name].layer_trace.tensors].count("residual sum") == 2
    assert architectures()[name].layer_trace.block_names == ("layer", "norm", "attention", "core", "mlp")
    model = architectures()[name].model_trace.block_names
    assert model == ("embedding", "layer", "norm", "attention", "core", "mlp", "final_norm", "head")
