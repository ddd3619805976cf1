"""The three matrix products of one weight, on one device: what each reads and writes, and its FLOPs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
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
from derive.model import Given, apply_relations
from derive.plan import LETTERS
from derive.reading import to_tree
from derive.report import plan_text
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
        equal = {letter: Given(1, "equal") for letter in case.model.architecture.letters.split()}
        value = number(to_tree(amount, common.order), {**equal, **case.known})
        return value if isinstance(value, Fraction) else Fraction(0)

    return max(found, key=size)


def _weight(product: Tensor) -> Tensor | None:
    assert product.op is not None
    x, *rest = product.op.inputs
    plain = len(rest) == 1 and rest[0].role is Role.WEIGHT and not any(axis.picks is not None for axis in rest[0].axes)
    return rest[0] if plain and x.role is not Role.WEIGHT else None


def _product(axes: Iterable[Axis], case: Situation | None = None):
    found = rational(1)
    for axis in axes:
        found *= _part(axis, case) if case is not None else axis.size
    return found


def _part(axis: Axis, case: Situation):
    """The size of one device's part of an axis, of a context parallel group's sequence too."""
    along = case.plan.sequence in (axis.name, str(axis.size))
    return shard(axis, case.plan) / (case.plan.cp if along else 1)


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
    _check_trained(three := gemms_of(product), weight, case)
    made_of = _contraction(product)
    title = f"The three matrix products of one weight: {weight.name} of {together(about.name)}"
    laid_out, *below = _said(about, three[0], made_of, case)
    made, y = svg.heading(title, laid_out)
    for each in below:
        drawn, y = svg.paragraph(each, y - 6)  # one text with the line above
        made, y = [*made, *drawn], y + 6
    said: list[str] = []
    for place, each in enumerate(three):
        drawn, y = _drawn(each, place, made_of, case, y + 14)
        made += drawn
        first, second, written = (
            f"{x.name} {_shape(x, made_of, case)} of {_bytes(x, made_of, case)}" for x in (*each.reads, each.writes)
        )
        said.append(f"{each.name}: {each.pattern}, reads {first} and {second}, writes {written}")
    words = f"{laid_out}. {' '.join(below)} {'; '.join(said)}."
    return Picture("gemms", title, words, y + 12, tuple(made))


def _said(about: Subject, forward: Gemm, made: Contraction, case: Situation) -> tuple[str, str, str]:
    """The lines below the title: what the numbers are of, the FLOPs of a product, and what is kept between them."""
    laid_out, (names, by) = plan_text(about.plan), _shared(made.distinct_axes, made, case)
    flops_of_each = letters("*".join(["2", *names]) + _over(by, "*"))
    value = _number(2 * _product((made.axes[name] for name in made.distinct_axes), case), case)
    equals = f" = {brief(value, 'FLOP')}" if value is not None else ""
    degree = f", t = {case.plan.tp}" if LETTERS["tp"] in by and isinstance(case.plan.tp, int) else ""
    kept = "X, split along the sequence" if _gathered(forward.reads[0], made, case) else "X"
    return (
        f"One device of {laid_out}" if laid_out else "One device",
        f"Each product: {flops_of_each} FLOPs{equals}{degree}.",
        f"Kept from forward: {kept}.",
    )


def _check_trained(three: tuple[Gemm, Gemm, Gemm], weight: Tensor, case: Situation) -> None:
    """`DeriveError` where the plan makes no gradient of the weight, or none of its input."""
    assert case.model is not None
    rows = flops(case.model.layer, case.model.bare.of_layer(case.plan.whole), "forward", "backward").rows
    passes = ("forward", "backward", "backward")
    found = all(
        any(row.why.startswith(f"{passed}: {each.pattern}") for row in rows)
        for each, passed in zip(three, passes, strict=True)
    )
    if not found or not any(row.tensor == f"gradient of {weight.name}" for row in rows):
        raise DeriveError(f"under this plan {weight.name} is not trained: it has no three products")


def _in_letters(case: Situation) -> Situation:
    """The same with the letter of the tensor parallel degree in its number's place."""
    letter = LETTERS["tp"]
    return replace(case, plan=replace(case.plan, tp=common.symbol(letter))) if case.plan.tp != 1 else case


def _shared(axes: Iterable[str], made: Contraction, case: Situation) -> tuple[list[str], list[str]]:
    """Axes by name, and the degrees that divide a device's part of them; what is no such part is written out."""
    names, by = [], []
    degrees = {LETTERS["tp"]: common.symbol(LETTERS["tp"]), str(case.plan.cp): rational(case.plan.cp)}
    for name in axes:
        size, part = made.axes[name].size, _part(made.axes[name], _in_letters(case))
        degree = next((text for text, degree in degrees.items() if part == size / degree), None)
        names.append(name if part == size or degree is not None else _text(part))
        by += [degree] if degree is not None and part != size else []
    return names, by


def _over(by: list[str], sign: str) -> str:
    return "/" + (by[0] if len(by) == 1 else f"({sign.join(by)})") if by else ""


def _gathered(matrix: Matrix, made: Contraction, case: Situation) -> bool:
    """Whether a device has only a part of a matrix but while the product runs, as with sequence parallelism."""
    axes = (made.axes[name] for name in (*matrix.rows, *matrix.columns))
    return any(axis.gathered is not None and case.plan.degree(axis.gathered) != 1 for axis in axes)


def _text(amount) -> str:
    return letters(to_text(to_tree(amount, common.order)))


def _bytes(matrix: Matrix, made: Contraction, case: Situation) -> str:
    """Bytes of an operand on a device, in the format that products are computed in; in letters without sizes."""
    axes = [made.axes[name] for name in (*matrix.rows, *matrix.columns)]
    format_ = width_of(case.plan.recipe.compute)
    value = _number(_product(axes, case) * format_, case)
    return brief(value, "byte") if value is not None else f"{_text(_product(axes, _in_letters(case)) * format_)} bytes"


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
        shape = fitted(_shape(matrix, made, case), 148, svg.SIZE)
        drawn.append(svg.text(x, y + 139, shape, anchor="middle"))
        shown = fitted(f"{verb} {_bytes(matrix, made, case)}", 148, svg.SIZE)
        drawn.append(svg.text(x, y + 161, shown, name="mute", anchor="middle"))
    for x, sign in ((163, "·"), (317, "=")):
        drawn.append(svg.text(x, middle + 8, sign, anchor="middle", size=24, bold=True))
    return drawn, y + 176


def _side(axes: tuple[str, ...]) -> float:
    """How long a side is drawn: tokens are many, so that a matrix of activations is seen to be one."""
    return {"s": 76.0, "b": 76.0, "q": 76.0}.get(axes[0], 46.0) if axes else 20.0


def _shape(matrix: Matrix, made: Contraction, case: Situation) -> str:
    """Rows and columns of a device's part, in letters."""
    sides = []
    for axes in (matrix.rows, matrix.columns):
        names, by = _shared(axes, made, case)
        sides.append(("·".join(names) or "1") + _over(by, "·"))
    return " × ".join(sides)
