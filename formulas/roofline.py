"""Roofline: what a device can compute while its memory moves a byte, and what operations ask of it."""

from dataclasses import replace
from fractions import Fraction

from derive import (
    Constant,
    Input,
    Ledger,
    Line,
    Plan,
    Row,
    Statement,
    Trace,
    byte,
    ceil,
    device,
    dimensionless,
    einsum,
    flop,
    flops,
    formula,
    gelu,
    identity,
    minimum,
    pointwise,
    rational,
    relu,
    second,
    tensors,
    trace,
)
from derive.folds import multiplied
from derive.reading import to_tree
from derive.tree import to_text
from formulas.architectures.gpt import core
from formulas.notation import notation_of

notation = notation_of("roofline")
P, W, I, n = (notation.symbol(x) for x in ("P", "W", "I", "n"))
sizes = {letter: notation.symbol(letter) for letter in ("m", "n", "p", "s", "b", "a", "d")}
square = sizes | {"m": n, "p": n}

# The operators, each traced on what it reads, with one result that it writes.
vector, matrix = Input("x", "n"), Input("A", "m n")
product = trace(lambda A, B: einsum("m n, n p -> m p", A, B, name="y"), matrix, Input("B", "n p"), sizes=sizes)
squares = trace(lambda A, B: einsum("m n, n p -> m p", A, B, name="y"), matrix, Input("B", "n p"), sizes=square)
matvec = trace(lambda A, x: einsum("m n, n -> m", A, x, name="y"), matrix, vector, sizes=square)
dot = trace(lambda x, z: einsum("n, n ->", x, z, name="y"), vector, Input("z", "n"), sizes=sizes)
rectifier = trace(relu, vector, sizes=sizes)
smooth = trace(gelu, vector, sizes=sizes)
attention = trace(
    lambda q, k, v: core(q, k, v, drop=identity), *(Input(name, "s b a d") for name in "qkv"), sizes=sizes
)


def moved(operation: Trace, plan: Plan):
    """Bytes that an operation moves if each tensor is read or written once, in the format that the plan computes in."""
    outer = [tensor.name for tensor in operation.tensors if tensor.op is None or tensor is operation.tensors[-1]]
    return tensors(operation, plan, tuple(outer), "read or written once").value


def of_product(operation: Trace, plan: Plan) -> Ledger:
    """Operations of a traced product over the bytes that it moves.

    A result that adds up k products is k multiplications and k - 1 additions.
    """
    (made,) = [tensor.op.contraction for tensor in operation.tensors if tensor.op and tensor.op.contraction]
    inner = [name for name in made.distinct_axes if name not in made.result]
    results, summed = (multiplied(made.axes[name].size for name in names) for names in (made.result, inner))
    bytes_moved = moved(operation, plan)
    why = f"for each result {summed} multiplications and {summed - 1} additions; {_text(bytes_moved)} bytes"
    for letter in sorted(results.free_symbols, key=str):
        if bytes_moved.subs(letter, 0) == 0:  # it is in every term of both
            results, bytes_moved = results / letter, (bytes_moved / letter).expand()
    whole = plan.recipe.compute.bytes.denominator  # of a format narrower than a byte
    intensity = whole * results * (2 * summed - 1) * (1 / (whole * bytes_moved))
    return Ledger((Row((), "operations over bytes", (), None, intensity, why),), flop / byte)


def of_elements(operation: Trace, plan: Plan, each) -> Ledger:
    """Operations of a traced function of elements over the bytes that it moves, at so many `each` element."""
    counted, bytes_moved = pointwise(operation, plan).times(each, flop), moved(operation, plan)
    found = counted.per(bytes_moved, byte)
    left = f"{_text(counted.value)}/({_text(bytes_moved)})"
    return replace(found, lines=(Line(left, _text(found.value), "operations over bytes", checked=True),))


def _text(amount) -> str:
    return to_text(to_tree(amount, notation.order))


@formula("I_acc", unit=flop / byte, notation=notation)
def machine_balance():
    """Operations that a device can do while its memory moves one byte: its peak over its bandwidth.

    An operation of less arithmetic intensity waits for memory. Unit: FLOP/byte.
    """
    return Statement(P / W, "peak over bandwidth")


@formula("I", unit=flop / byte, notation=notation)
def arithmetic_intensity(plan):
    """Arithmetic intensity of one matrix product, an m × n matrix times an n × p one.

    Its operations, n multiplications and n - 1 additions for each result, over its bytes. Unit: FLOP/byte.

    >>> arithmetic_intensity.ledger(None, Plan()).value.subs({x: n for x in sizes.values()}).factor()
    (2*n - 1)/6
    """
    return of_product(product, plan)


@formula("I", unit=flop / byte, notation=notation)
def matvec_intensity(plan):
    """Arithmetic intensity of a square matrix times a vector.

    Below 2 operations for each element of the matrix, whatever its size: 1 FLOP/byte in bf16. Unit: FLOP/byte.
    """
    return of_product(matvec, plan)


@formula("I", unit=flop / byte, notation=notation)
def dot_intensity(plan):
    """Arithmetic intensity of the dot product of two vectors.

    Unit: FLOP/byte.
    """
    return of_product(dot, plan)


@formula("I", unit=flop / byte, notation=notation)
def relu_intensity(plan):
    """Arithmetic intensity of ReLU: one comparison for each element that is read and written.

    Unit: FLOP/byte.
    """
    return of_elements(rectifier, plan, rational(1))


GELU = Constant(
    "operations of a GELU, for each element",
    Fraction(20),
    flop,
    "Stanford CS336, lecture on resource accounting: an estimate, tanh as a polynomial",
)


@formula("I", unit=flop / byte, notation=notation, constants=(GELU,))
def gelu_intensity(plan):
    """Arithmetic intensity of GELU, with the operations that a tanh is taken to need.

    Unit: FLOP/byte.
    """
    return of_elements(smooth, plan, GELU.number)


@formula("I", unit=flop / byte, notation=notation)
def flash_intensity(plan):
    """Arithmetic intensity of attention's core in one kernel: queries, keys, values and the result move once.

    The two products of the scores (`--plan mask=full` counts all pairs); softmax is left out. Unit: FLOP/byte.
    """
    return flops(attention, plan, "forward").per(moved(attention, plan), byte)


@formula("P_I", unit=flop / second / device, notation=notation, letters={"I": arithmetic_intensity})
def attainable_flops():
    """FLOP/s that a device reaches at an arithmetic intensity: its peak, or what its memory feeds.

    Compute and traffic overlap fully; `--set I=0.25` for another operation than a product. Unit: FLOP/second/device.
    """
    return Statement(minimum(P, I * W), "the lower of the two")


@formula("eta", unit=dimensionless, notation=notation, letters={"I": arithmetic_intensity})
def mfu_bound():
    """Largest utilization that a device can reach at an arithmetic intensity.

    Unit: 1.
    """
    return Statement(minimum(1, I * W / P), "attainable over peak")


@formula("n", unit=dimensionless, notation=notation)
def compute_bound_size(plan):
    """Smallest size of a square matrix product that a device's memory does not slow down.

    Where the arithmetic intensity of n × n matrices reaches the machine balance. Unit: 1.
    """
    intensity = of_product(squares, plan).value
    offset, first = (intensity.xreplace({n: rational(size)}) for size in (0, 1))
    slope = first - offset  # pyright: ignore[reportOperatorIssue]  # linear in n: each element is used n times
    balance = Line(_text(intensity), "P/W", "the crossing: intensity is the machine balance")
    # A count: FLOP and byte are gone once the format's width has met the balance.
    crossing = ceil((P / W - offset) / slope)
    why = "the equation solved for n"
    return Statement(crossing, "the crossing, rounded up", why, by=(balance,), counts=("P", "W"))
