"""Products of tensors: einsum, and the linear layer as an einsum with a weight."""

from dataclasses import replace

from derive.collectives import gather, is_partial, reduce
from derive.errors import ShapeError
from derive.ops.pointwise import add
from derive.precision import DType, compute
from derive.tensor import Axis, Contraction, Mesh, Remainder, Role, Tensor, shape_text
from derive.tracing import apply, has_adapter, named_axes, parameter, size_of


def einsum(
    pattern: str,
    *operands: Tensor,
    name: str = "product",
    masked: str | None = None,
    window: str | None = None,
) -> Tensor:
    """The contraction that `pattern` writes, such as `"q b a d, k b a d -> b a q k"`: einops' notation, by position.

    Costs 2 FLOPs for each point of all distinct axes; each operand's gradient needs the other operands. `masked="q k"`
    says that only the pairs of these two axes count that the plan's mask lets through, `window` names the letter of how
    far back they reach. An axis of alternatives (experts) is not multiplied: each row meets one. Where shards of a
    sequence cannot be multiplied as they are, operands are gathered first; a partial result is reduced after.

    Raises `ShapeError`, naming the pattern and both sizes, where the pattern and the shapes disagree.
    """
    terms, result = _read(pattern, len(operands))
    if _needs_whole_sequences(terms, result, masked, operands):
        operands = tuple(gather(operand) for operand in operands)
    axes: dict[str, Axis] = {}
    for term, operand in zip(terms, operands, strict=True):
        if len(term) != len(operand.axes):
            raise ShapeError(
                f"einsum {pattern!r}: {' '.join(term)!r} names {len(term)} axes, "
                f"{operand.name!r} has {len(operand.axes)}: {shape_text(operand.axes)}"
            )
        for letter, axis in zip(term, operand.axes, strict=True):
            known = axes.setdefault(letter, replace(axis, name=letter))
            if known.size != axis.size:
                raise ShapeError(f"einsum {pattern!r}: axis {letter!r} is both {known.size} and {axis.size}")
            if known.split != axis.split:
                raise ShapeError(f"einsum {pattern!r}: axis {letter!r} is split in one operand and whole in another")
    for letter in result:
        if letter not in axes:
            raise ShapeError(f"einsum {pattern!r}: axis {letter!r} of the result is in no operand")
    pair = _masked_pair(pattern, masked, axes)
    _check_layout(pattern, result, axes)
    reach = size_of(window, f"einsum {pattern!r}") if window is not None else None
    contraction = Contraction(terms, result, axes, pair, reach)
    needs = tuple((*operands[:place], *operands[place + 1 :]) for place in range(len(operands)))  # of x·x: x, twice
    out = apply(
        "einsum",
        operands,
        needs,
        axes=tuple(axes[letter] for letter in result),
        called=name,
        dtype=next((each.dtype for each in operands if isinstance(each.dtype, DType)), compute),
        contraction=contraction if len(operands) > 1 else None,  # one operand is moved or summed, not multiplied
    )
    contracted = [axis for letter, axis in axes.items() if letter not in result]
    return reduce(out) if is_partial(contracted) else out


def _read(pattern: str, count: int) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    left, arrow, right = pattern.partition("->")
    if not arrow or "->" in right:
        raise ShapeError(f"einsum {pattern!r}: exactly one '->' is needed")
    terms = tuple(tuple(term.split()) for term in left.split(","))
    if len(terms) != count:
        raise ShapeError(f"einsum {pattern!r}: {len(terms)} operands in the pattern, {count} given")
    for term in (*terms, tuple(right.split())):
        if len(set(term)) != len(term):
            raise ShapeError(f"einsum {pattern!r}: {' '.join(term)!r} names an axis twice")
    return terms, tuple(right.split())


def _needs_whole_sequences(
    terms: tuple[tuple[str, ...], ...], result: tuple[str, ...], masked: str | None, operands: tuple[Tensor, ...]
) -> bool:
    """Whether shards of a sequence cannot be multiplied as they are.

    They cannot beside a tensor-parallel operand, nor where the product sums over them, pairs two or masks them.
    """
    axes = [
        pair for term, operand in zip(terms, operands, strict=False) for pair in zip(term, operand.axes, strict=False)
    ]
    if any(axis.split is Mesh.TP for _, axis in axes):
        return True
    shards = {letter for letter, axis in axes if axis.split is Mesh.SP}
    return len(shards) > 1 or not shards <= set(result) or bool(shards & set((masked or "").split()))


def _check_layout(pattern: str, result: tuple[str, ...], axes: dict[str, Axis]) -> None:
    """Refuse a result that no device can hold: two of its axes split over the same devices."""
    split = [axes[letter].split for letter in result if axes[letter].split is not None]
    if len(set(split)) != len(split):
        raise ShapeError(f"einsum {pattern!r}: two axes of the result are split over the same devices")


def _masked_pair(pattern: str, masked: str | None, axes: dict[str, Axis]) -> tuple[str, str] | None:
    if masked is None:
        return None
    if len(pair := masked.split()) != 2 or not set(pair) <= set(axes):
        raise ShapeError(f"einsum {pattern!r}: masked={masked!r} must name two of its axes")
    first, second = pair
    if axes[first].size != axes[second].size:
        sizes = f"{axes[first].size} and {axes[second].size}"
        raise ShapeError(f"einsum {pattern!r}: masked axes {first!r} and {second!r} must be of one size, are {sizes}")
    return first, second


def linear(
    x: Tensor,
    pattern: str,
    *,
    tp: str | None = None,
    bias: bool = False,
    uneven: Remainder = Remainder.REFUSE,
    name: str = "linear output",
    weight: Tensor | None = None,
    adapts: bool = True,
) -> Tensor:
    """A linear layer over the last axes of `x`: `"h -> a d"` maps axis h to new axes a and d, of their letters' sizes.

    `tp` is the axis that tensor parallelism splits: a new one makes the layer column-parallel, an old one row-
    parallel. `uneven` says what to do where the degree does not divide that axis. `weight` shares a parameter
    made elsewhere (tied embeddings). `adapts` is false of a weight that adapters are not made for (routers).
    Raises `ShapeError` where x does not end in the pattern's left side.
    """
    quoted = f"linear {pattern!r}"
    if pattern.count("->") != 1:
        raise ShapeError(f"{quoted}: exactly one '->' is needed")
    old, new = (side.split() for side in pattern.split("->"))
    if len(old) > len(x.axes):
        raise ShapeError(f"{quoted}: {len(old)} axes in the pattern, {x.name!r} has {shape_text(x.axes)}")
    tail = x.axes[len(x.axes) - len(old) :]
    for wanted, axis in zip(named_axes(" ".join(old), quoted), tail, strict=True):
        if (wanted.name, wanted.size) != (axis.name, axis.size):
            raise ShapeError(
                f"{quoted}: axis {wanted.name!r} of size {wanted.size} does not fit axis {axis.name!r} "
                f"of size {axis.size} of {x.name!r} {shape_text(x.axes)}"
            )
    if tp is not None and tp not in (*old, *new):
        raise ShapeError(f"{quoted}: tp={tp!r} is none of its axes")
    axes = tuple(
        replace(axis, split=Mesh.TP, remainder=uneven) if axis.name == tp else axis
        for axis in named_axes(" ".join([*old, *new]), quoted)
    )
    lead = [axis.name for axis in x.axes[: len(x.axes) - len(old)]]
    matrix = weight if weight is not None else parameter(f"{name} weight", axes)
    order = [axis.name for axis in matrix.axes]  # a shared table may be stored the other way round
    y = einsum(f"{' '.join([*lead, *old])}, {' '.join(order)} -> {' '.join([*lead, *new])}", x, matrix, name=name)
    outer = tuple(axis for axis in axes if axis.name in new)
    if bias:
        y = add(y, parameter(f"{name} bias", outer, Role.BIAS), name=name)
    return _adapted(y, x, axes[: len(old)], outer, name) if adapts and has_adapter(name) else y


RANK = "r"  # the letter of the rank of adapters


def _adapted(y: Tensor, x: Tensor, inner: tuple[Axis, ...], outer: tuple[Axis, ...], name: str) -> Tensor:
    """`y` with the low-rank product of `x` added (LoRA, Hu et al. 2021, arXiv 2106.09685, equation 3).

    Its scale, alpha/r, can be folded into a factor's initial value: it costs nothing here.
    """
    rank = named_axes(RANK, f"adapter of {name!r}")
    down = parameter(f"{name} adapter A", (*inner, *rank), Role.ADAPTER)
    up = parameter(f"{name} adapter B", (*rank, *outer), Role.ADAPTER)
    sides = x.axes[: len(x.axes) - len(inner)], inner, outer
    lead, old, new = (" ".join(axis.name for axis in axes) for axes in sides)
    low = einsum(f"{lead} {old}, {old} {RANK} -> {lead} {RANK}", x, down, name=f"{name} in low rank")
    return add(y, einsum(f"{lead} {RANK}, {RANK} {new} -> {lead} {new}", low, up, name=f"{name} adaptation"), name=name)
