"""One matrix product and one tensor: what 2mnp counts, what its backward pass costs, how many bytes a matrix takes."""

from derive import Input, einsum, flop, flops, formula, tensors, trace
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
