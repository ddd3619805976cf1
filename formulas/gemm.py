"""One matrix product and one tensor: what 2mnp counts, what its backward pass costs, where a matrix lies in memory."""

from math import prod
from types import MappingProxyType

from derive import Given, Input, Statement, dimensionless, einsum, flop, flops, formula, rational, tensors, trace
from derive.units import byte
from formulas.notation import notation_of

gemm = notation_of("gemm")
sizes = {letter: gemm.symbol(letter) for letter in "mnp"}
x, y = Input("x", "m n"), Input("y", "n p")

product = trace(lambda x, y: einsum("m n, n p -> m p", x, y, name="product"), x, y, sizes=sizes)
matrix = trace(lambda x: x, x, sizes=sizes)


@formula("F", unit=flop, notation=gemm)
def matmul_flops(plan):
    """FLOPs of one matrix product, an m × n matrix times an n × p one.

    A multiplication and an addition for each point of the distinct axes. Unit: FLOP.

    >>> from derive import Plan
    >>> matmul_flops.ledger(None, Plan()).value
    2*m*n*p
    """
    return flops(product, plan, "forward")


@formula("F", unit=flop, notation=gemm)
def matmul_backward_flops(plan):
    """FLOPs of the backward pass of one matrix product: one product for each operand that needs a gradient.

    From differentiating the einsum; `--plan frozen=y` leaves out the gradient of y. Unit: FLOP.

    >>> from derive import Plan
    >>> matmul_backward_flops.ledger(None, Plan()).value, matmul_backward_flops.ledger(None, Plan(frozen=("y",))).value
    (4*m*n*p, 2*m*n*p)
    """
    return flops(product, plan, "backward")


@formula("M", unit=byte, notation=gemm)
def tensor_bytes(plan):
    """Bytes of an m × n tensor: elements times the width of the format (`--dtype`).

    Unit: byte.

    >>> from derive import Plan
    >>> tensor_bytes.ledger(None, Plan()).value
    2*m*n
    """
    return tensors(matrix, plan, ("x",), "its elements")


def strides(tensor):
    """Strides of a contiguous tensor: for each axis, the product of the sizes of the later ones; of the last one, 1."""
    sizes = [axis.size for axis in tensor.axes]
    return tuple(prod(sizes[place + 1 :], start=rational(1)) for place in range(len(sizes)))


@formula("s_0", unit=dimensionless, notation=gemm)
def row_stride():
    """Stride of the rows of a contiguous m × n matrix: elements from one row to the next.

    Unit: 1.
    """
    return Statement(strides(matrix.tensors[0])[0], "elements of a row", "the product of the later sizes")


@formula("s_1", unit=dimensionless, notation=gemm)
def column_stride():
    """Stride of the columns of a contiguous m × n matrix: elements from one column to the next.

    Unit: 1.
    """
    return Statement(strides(matrix.tensors[0])[1], "one element", "the empty product: no later sizes")


FIRST = MappingProxyType({letter: Given(0, "default") for letter in "oij"})


@formula(
    "x",
    unit=dimensionless,
    notation=gemm,
    letters={"s_0": row_stride, "s_1": column_stride},
    defaults=FIRST,
)
def strided_offset():
    """Where the element in row i and column j of a matrix lies in its storage, in elements.

    Rows and columns count from 0, which they are unless they are set; the strides are those of a contiguous m × n
    matrix unless they are set. Transposing swaps the strides, a slice moves the storage offset o, expanding sets a
    stride to 0: none of them moves a byte. Unit: 1.

    >>> from derive import Plan
    >>> strided_offset.ledger(None, Plan()).value
    i*n + j + o
    """
    o, i, j, s_0, s_1 = (gemm.symbol(x) for x in ("o", "i", "j", "s_0", "s_1"))
    return (
        Statement(o, "storage offset", "where the view starts"),
        Statement(i * s_0, "rows before", "i rows of s_0 elements"),
        Statement(j * s_1, "columns before", "j columns of s_1 elements"),
    )
