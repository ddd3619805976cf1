"""Experts: the choice of some of them for each token, their products, and the way there and back."""

from dataclasses import replace

from sympy import Integer

from derive.errors import ShapeError
from derive.ops.contraction import einsum
from derive.ops.pointwise import add, masked_fill
from derive.precision import boolean, int64
from derive.tensor import Mesh, Remainder, Role, Tensor, shape_text
from derive.tracing import apply, named_axes, parameter, size_of


def top_k(scores: Tensor, pattern: str) -> tuple[Tensor, Tensor]:
    """`"E -> k"`: the k largest along the last axis, and which they are; the values' gradient needs the latter."""
    old, _, new = (side.strip() for side in pattern.partition("->"))
    if not scores.axes or scores.axes[-1].name != old:
        raise ShapeError(f"top_k {pattern!r}: {scores.name!r} {shape_text(scores.axes)} does not end in {old!r}")
    axes = (*scores.axes[:-1], *named_axes(new, f"top_k {pattern!r}"))
    chosen = apply("top k", (scores,), ((),), axes=axes, called="chosen experts", dtype=int64, role=Role.INDEX)
    values = apply("select", (scores, chosen), ((chosen,), ()), axes=axes, called="chosen scores", dtype=scores.dtype)
    return values, chosen


def limited(scores: Tensor) -> Tensor:
    """Scores of the experts in the best groups, 0 of the others: the gradient needs which those are, a byte each."""
    called = "experts of other groups"
    others = apply("groups", (scores,), ((),), axes=scores.axes, called=called, dtype=boolean, role=Role.INDEX)
    return masked_fill(scores, others)


def rows_of(chosen: Tensor) -> Tensor:
    """For every row of the experts the token that it is of and the choice: two numbers a row, in one tensor.

    As `torch.where` gives them, expert by expert; together, whatever the balance, the experts have k rows a token.
    """
    (k,) = chosen.axes[-1:]
    pair = replace(k, name="2", size=Integer(2))
    return apply(
        "rows", (chosen,), ((),), axes=(pair, k, *chosen.axes[:-1]), called="rows of the experts", dtype=int64,
        role=Role.INDEX,
    )  # fmt: skip


def dispatch(x: Tensor, rows: Tensor, name: str = "dispatched tokens") -> Tensor:
    """The tokens of the rows, experts one after the other: k copies of `x`; its gradient needs the rows."""
    return apply("dispatch", (x, rows), ((rows,), ()), axes=(rows.axes[1], *x.axes), called=name, dtype=x.dtype)


def dispatch_scores(scores: Tensor, rows: Tensor) -> Tensor:
    """The score of each row; its gradient needs the rows."""
    axes, called = rows.axes[1:], "scores of the rows"
    return apply("dispatch", (scores, rows), ((rows,), ()), axes=axes, called=called, dtype=scores.dtype)


def combine(y: Tensor, rows: Tensor, x: Tensor) -> Tensor:
    """The rows added up token by token, in the shape of `x`; the gradient needs where they belong.

    What is added is kept too, for its shape alone: so torch's `index_add_` does it (torch 2.13, derivatives.yaml).
    """
    return apply("combine", (y, rows), ((y, rows), ()), axes=x.axes, called="experts' output", dtype=x.dtype)


def expert_linear(
    x: Tensor,
    pattern: str,
    *,
    experts: str = "E",
    chosen: str = "k",
    tp: str | None = None,
    bias: bool = False,
    name: str = "expert output",
) -> Tensor:
    """A linear layer of every expert, each row through one of them: `"h -> f_e"` over the last axes of `x`.

    FLOPs follow the rows, parameters the experts: the weight has one matrix for each expert. `tp` splits an axis of all
    of them. Expert parallelism splits the experts; where rows are balanced, each device has as many of them as before,
    of other devices' tokens too. Raises `ShapeError` where x does not end in the pattern's left side.
    """
    quoted = f"expert_linear {pattern!r}"
    old, _, new = (side.split() for side in pattern.replace("->", " -> ").partition("->"))
    if [axis.name for axis in x.axes[len(x.axes) - len(old) :]] != old:
        raise ShapeError(f"{quoted}: {x.name!r} {shape_text(x.axes)} does not end in {' '.join(old)!r}")
    (many,) = named_axes(experts, quoted)
    many = replace(many, split=Mesh.EP, picks=size_of(chosen, quoted))
    axes = tuple(
        replace(axis, split=Mesh.TP, remainder=Remainder.REFUSE) if axis.name == tp else axis
        for axis in named_axes(" ".join([*old, *new]), quoted)
    )
    weight = parameter(f"{name} weight", (many, *axes))
    lead = " ".join(axis.name for axis in x.axes[: len(x.axes) - len(old)])
    sides = [" ".join(each) for each in ([lead, *old], [experts, *old, *new], [lead, *new])]
    y = einsum(f"{sides[0]}, {sides[1]} -> {sides[2]}", x, weight, name=name)
    if not bias:
        return y
    added = parameter(f"{name} bias", (many, *axes[len(old) :]), Role.BIAS)
    own = apply("select", (added,), ((),), axes=y.axes, called=f"{name} bias of each row", dtype=y.dtype)
    return add(y, own, name=name)
