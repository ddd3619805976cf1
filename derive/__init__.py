"""The vocabulary of authors, each name loaded when it is first used: listing the catalog must not pay for SymPy."""

from importlib import import_module
from typing import TYPE_CHECKING

_HOME = {
    "derive.collectives": ("gather", "reduce"),
    "derive.folds": ("in_flight", "parameters", "saved", "tensors"),
    "derive.functions": ("ceil", "floor", "maximum", "minimum", "rational", "sqrt"),
    "derive.citation": ("Citation", "Claim", "claims"),
    "derive.quantity": ("Constant", "Formula", "Statement", "formula"),
    "derive.ledger": ("Ledger", "Line", "Row"),
    "derive.config": ("Described", "Fields"),
    "derive.model": ("Architecture", "Given", "Layers", "Model"),
    "derive.letters": ("Letter", "Notation", "notation"),
    "derive.ops.contraction": ("einsum", "linear"),
    "derive.ops.layout": ("along", "cached", "concat", "extended", "part"),
    "derive.ops.lookup": ("cross_entropy", "lookup"),
    "derive.ops.normalisation": ("layer_norm", "softmax"),
    "derive.ops.pointwise": (
        "add", "cast", "clamp", "copy", "cube", "divide", "dropout", "exp", "expand", "gelu", "identity", "masked_fill",
        "mean", "multiply", "negative", "read_as", "relu", "repeat_heads", "rotate_half", "rsqrt", "scaled",
        "sigmoid", "silu", "softplus", "square", "tanh", "total",
    ),
    "derive.ops.scan": ("kernel_keeps", "kernel_product", "outer", "recurrence", "state"),
    "derive.ops.routing": ("combine", "dispatch", "dispatch_scores", "expert_linear", "limited", "rows_of", "top_k"),
    "derive.plan": ("Plan", "parse_plan"),
    "derive.products": ("flops", "pointwise"),
    "derive.precision": ("bf16", "boolean", "compute", "fp16", "fp32", "fp64", "int64", "recipe"),
    "derive.tensor": ("Mesh", "Remainder", "Role", "Tensor"),
    "derive.tracing": ("Input", "Trace", "block", "constant", "generated", "parameter", "repeat", "size_of", "trace"),
    "derive.units": ("byte", "device", "dimensionless", "dollar", "flop", "hour", "second", "token"),
    "derive.version": ("__version__",),
}  # fmt: skip
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = list(_WHERE)  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from derive.citation import Citation, Claim, claims
    from derive.collectives import gather, reduce
    from derive.config import Described, Fields
    from derive.folds import in_flight, parameters, saved, tensors
    from derive.functions import ceil, floor, maximum, minimum, rational, sqrt
    from derive.ledger import Ledger, Line, Row
    from derive.letters import Letter, Notation, notation
    from derive.model import Architecture, Given, Layers, Model
    from derive.ops.contraction import einsum, linear
    from derive.ops.layout import along, cached, concat, extended, part
    from derive.ops.lookup import cross_entropy, lookup
    from derive.ops.normalisation import layer_norm, softmax
    from derive.ops.pointwise import (
        add,
        cast,
        clamp,
        copy,
        cube,
        divide,
        dropout,
        exp,
        expand,
        gelu,
        identity,
        masked_fill,
        mean,
        multiply,
        negative,
        read_as,
        relu,
        repeat_heads,
        rotate_half,
        rsqrt,
        scaled,
        sigmoid,
        silu,
        softplus,
        square,
        tanh,
        total,
    )
    from derive.ops.routing import combine, dispatch, dispatch_scores, expert_linear, limited, rows_of, top_k
    from derive.ops.scan import kernel_keeps, kernel_product, outer, recurrence, state
    from derive.plan import Plan, parse_plan
    from derive.precision import bf16, boolean, compute, fp16, fp32, fp64, int64, recipe
    from derive.products import flops, pointwise
    from derive.quantity import Constant, Formula, Statement, formula
    from derive.tensor import Mesh, Remainder, Role, Tensor
    from derive.tracing import Input, Trace, block, constant, generated, parameter, repeat, size_of, trace
    from derive.units import byte, device, dimensionless, dollar, flop, hour, second, token
    from derive.version import __version__


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'derive' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
