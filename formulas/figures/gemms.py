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
from derive.folds import shard
from derive.folds import width as width_of
from derive.functions import rational
from derive.ledger import Row
from derive.model import Given, apply_relations
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
        assert case.model is not None
        amount = apply_relations(_product(weight.axes), case.model.relations, common)
        # Without sizes, letters that nothing relates to one another are taken to be equal.
        known = case.known or {letter: Given(1, "equal") for letter in case.model.architecture.letters.split()}
        value = number(to_tree(amount, common.order), known)
        return value if isinstance(value, Fraction) else Fraction(0)

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


def _contraction(product: Tensor) -> Contraction:
    assert product.op is not None
    assert product.op.contraction is not None
    return product.op.contraction


def gemms_of(product: Tensor) -> tuple[Gemm, Gemm, Gemm]:
    """The forward product and its two gradients, which differentiating the einsum gives."""
    made = _contraction(product)
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
    assert weight is not None
    three = gemms_of(product)
    counted = _counted(three, weight, case)
    shared, value = _text(counted[0].value), _number(counted[0].value, case)
    equal = len({_text(row.value) for row in counted}) == 1
    title = f"The three matrix products of one weight: {weight.name} of {together(about.name)}"
    each_has = f"{shared} FLOPs" + (f" = {brief(value, 'FLOP')}" if value is not None else "")
    below = f"{'Each' if equal else 'The first'} {each_has}, bytes of one device. Kept from forward: X."
    made, y = svg.heading(title, below)
    said: list[str] = []
    for place, each in enumerate(three):
        drawn, y = _drawn(each, place, _contraction(product), case, y + 14)
        made += drawn
        said.append(f"{each.name}: {each.pattern}")
    words = f"{shared} FLOPs in each of three products. {'; '.join(said)}."
    return Picture("gemms", title, words, y + 12, tuple(made))


def _counted(three: tuple[Gemm, Gemm, Gemm], weight: Tensor, case: Situation) -> list[Row]:
    """The FLOPs of the three, as the fold counts them; `DeriveError` where the plan makes no gradient of the weight."""
    assert case.model is not None
    rows = flops(case.model.layer, case.model.bare.of_layer(case.plan.whole), "forward", "backward").rows
    found = []
    for each, passed in zip(three, ("forward", "backward", "backward"), strict=True):
        why = f"{passed}: {each.pattern}"
        found.append(next((row for row in rows if row.why.startswith(why)), None))
    present = [row for row in found if row is not None]
    if len(present) < len(found) or not any(row.tensor == f"gradient of {weight.name}" for row in rows):
        raise DeriveError(f"under this plan {weight.name} is not trained: it has no three products")
    return present


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
        box = width(matrix.name, 17, bold=True) + 4
        drawn.append(svg.rect(x - box / 2, middle - 12, box, 24, f"f{matrix.kind}", round_=5))
        drawn.append(svg.text(x, middle + 6, matrix.name, name="on", anchor="middle", size=17, bold=True))
        shape = fitted(f"{_axes(matrix.rows)} × {_axes(matrix.columns)}", 148, svg.SIZE)
        drawn.append(svg.text(x, y + 139, shape, anchor="middle"))
        amount = _moved(matrix, made, case)
        value = _number(amount, case)
        shown = brief(value, "byte") if value is not None else f"{_text(amount)} bytes"
        drawn.append(svg.text(x, y + 161, fitted(f"{verb} {shown}", 148, svg.SIZE), name="mute", anchor="middle"))
    for x, sign in ((163, "·"), (317, "=")):
        drawn.append(svg.text(x, middle + 8, sign, anchor="middle", size=24, bold=True))
    return drawn, y + 176


def _side(axes: tuple[str, ...]) -> float:
    """How long a side is drawn: tokens are many, so that a matrix of activations is seen to be one."""
    return {"s": 76.0, "b": 76.0, "q": 76.0}.get(axes[0], 46.0) if axes else 20.0


def _axes(axes: tuple[str, ...]) -> str:
    return "·".join(axes) or "1"
