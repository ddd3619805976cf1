"""The three matrix products of one weight: what each reads and writes, and the FLOPs that they share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive import flops
from derive.drawing import svg
from derive.drawing.svg import Picture
from derive.drawing.words import fitted, together, width
from derive.errors import DeriveError
from derive.evaluation import number
from derive.folds import shard, width as width_of
from derive.functions import rational
from derive.reading import to_tree
from derive.roles import Role
from derive.situation import Situation, situation
from derive.tensor import Axis, Contraction, Tensor
from derive.tree import to_text
from formulas import formula_of
from formulas.figures.flow import letters
from formulas.figures.subject import Subject, brief
from formulas.notation import common

PASSES = ("forward", "gradient of the input", "gradient of the weight")


@dataclass(frozen=True)
class Matrix:
    """An operand as a matrix: its name, its kind of fill, the axes of its rows and of its columns."""

    name: str
    kind: int
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Gemm:
    """One product: what it reads, what it writes, as an einsum and as matrices."""

    name: str
    pattern: str
    reads: tuple[Matrix, Matrix]
    writes: Matrix


def heaviest(case: Situation) -> Tensor:
    """The product of the layer with the largest weight, of those whose input needs a gradient; the first of equals."""
    assert case.model is not None
    found = [each for each in case.model.layer.tensors if each.op and each.op.contraction and _weight(each) is not None]
    if not found:
        raise DeriveError(f"no product of a layer of {case.model.architecture.name} has a weight")

    def size(each: Tensor) -> Fraction:
        weight = _weight(each)
        assert weight is not None
        value = _number(_product(weight.axes), case)
        return value if value is not None else Fraction(0)

    return max(found, key=size)


def _weight(product: Tensor) -> Tensor | None:
    assert product.op is not None
    x, *rest = product.op.inputs
    plain = len(rest) == 1 and rest[0].role is Role.WEIGHT and not any(axis.picks is not None for axis in rest[0].axes)
    return rest[0] if plain and x.role is not Role.WEIGHT else None


def _product(axes: tuple[Axis, ...], case: Situation | None = None):
    found = rational(1)
    for axis in axes:
        found *= shard(axis, case.plan) if case is not None else axis.size
    return found


def _number(amount, case: Situation) -> Fraction | None:
    value = number(to_tree(amount, common.order), case.known)
    return value if isinstance(value, Fraction) else None


def gemms_of(product: Tensor) -> tuple[Gemm, Gemm, Gemm]:
    """The forward product and its two gradients, which differentiating the einsum gives."""
    assert product.op is not None and product.op.contraction is not None
    made: Contraction = product.op.contraction
    x, w = made.operands
    inner = tuple(each for each in x if each in w)
    tokens = tuple(each for each in x if each not in w)
    outer = tuple(each for each in w if each not in inner)
    X, W, Y = Matrix("X", 1, tokens, inner), Matrix("W", 2, inner, outer), Matrix("Y", 3, tokens, outer)
    dX, dW, dY = Matrix("dX", 1, tokens, inner), Matrix("dW", 2, inner, outer), Matrix("dY", 3, tokens, outer)
    turned = {"W": Matrix("Wᵀ", 2, outer, inner), "X": Matrix("Xᵀ", 1, inner, tokens)}
    return (
        Gemm(PASSES[0], made.pattern, (X, W), Y),
        Gemm(PASSES[1], made.gradient(0).pattern, (dY, turned["W"]), dX),
        Gemm(PASSES[2], made.gradient(1).pattern, (turned["X"], dY), dW),
    )


def gemms(about: Subject) -> Picture:
    """The three products one below the other, each with its einsum, its FLOPs and the bytes that it moves."""
    case = situation(formula_of("activations"), about.model, about.plan, evaluated=False)
    assert case.model is not None
    product = heaviest(case)
    weight = _weight(product)
    assert weight is not None and product.op is not None and product.op.contraction is not None
    each_of = _product(tuple(product.op.contraction.axes.values())) * 2
    counted = {row.why: row for row in flops(case.model.layer, about.plan.whole, "forward", "backward")
               if row.tensor == product.name}  # fmt: skip
    title = f"The three matrix products of one weight: {weight.name} of {together(about.name)}"
    shared = _text(each_of)
    value = _number(each_of, case)
    below = f"Each {shared} FLOPs" + (f" = {brief(value, 'FLOP')}" if value is not None else "") + ": forward one of them, "
    below += "backward two. Kept from forward for backward: X."
    made, y = svg.heading(title, below)
    assert counted or not counted
    three, said = gemms_of(product), []
    for place, each in enumerate(three):
        drawn, y = _drawn(each, place, product.op.contraction, case, y + 14)
        made += drawn
        said.append(f"{each.name}: {each.pattern}")
    words = f"{shared} FLOPs in each of three products. {'; '.join(said)}."
    return Picture("gemms", title, words, y + 12, tuple(made))


def _text(amount) -> str:
    return letters(to_text(to_tree(amount, common.order)))


def _moved(matrix: Matrix, made: Contraction, case: Situation):
    """Bytes of an operand on a device, in the format that products are computed in."""
    axes = tuple(made.axes[name] for name in (*matrix.rows, *matrix.columns))
    return _product(axes, case) * width_of(case.plan.recipe.compute)


def _drawn(each: Gemm, place: int, made: Contraction, case: Situation, y: float) -> tuple[list[str], float]:
    """One product: its name, its matrices in proportion of kind, and below each its name and bytes."""
    drawn = [
        svg.rect(8, y, 464, 176, "pane edge", round_=8),
        svg.text(22, y + 23, f"{place + 1}  {each.name}", bold=True),
        svg.text(458, y + 23, fitted(each.pattern, 420 - width(each.name, 15, bold=True), svg.SIZE), name="mute",
                 anchor="end"),
    ]  # fmt: skip
    middle, boxes = y + 78, (each.reads[0], each.reads[1], each.writes)
    for x, matrix, verb in zip((86, 240, 394), boxes, ("reads", "reads", "writes"), strict=True):
        wide, high = (_side(axes) for axes in (matrix.columns, matrix.rows))
        drawn += svg.filled(matrix.kind, x - wide / 2, middle - high / 2, wide, high, round_=4)
        box = width(matrix.name, 17, bold=True) + 12
        drawn.append(svg.rect(x - box / 2, middle - 12, box, 24, f"f{matrix.kind}", round_=5))
        drawn.append(svg.text(x, middle + 6, matrix.name, name="on", anchor="middle", size=17, bold=True))
        drawn.append(svg.text(x, y + 139, f"{_axes(matrix.rows)} × {_axes(matrix.columns)}", anchor="middle"))
        amount = _moved(matrix, made, case)
        value = _number(amount, case)
        shown = brief(value, "byte") if value is not None else f"{_text(amount)} bytes"
        drawn.append(svg.text(x, y + 161, f"{verb} {shown}", name="mute", anchor="middle"))
    for x, sign in ((163, "·"), (317, "=")):
        drawn.append(svg.text(x, middle + 8, sign, anchor="middle", size=24, bold=True))
    return drawn, y + 176


def _side(axes: tuple[str, ...]) -> float:
    """How long a side is drawn: tokens are many, so that a matrix of activations is seen to be one."""
    return {"s": 76.0, "b": 76.0, "q": 76.0}.get(axes[0], 46.0) if axes else 20.0


def _axes(axes: tuple[str, ...]) -> str:
    return "·".join(axes) or "1"
