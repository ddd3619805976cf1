"""Matrix products: what they cost, and what changing their sizes does."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="gemm", letters=(Letter("c", "factor"), Letter("k", "columns of another part")))
flops = partial(Of, "matmul-flops")

GEMM = (
    theorem(
        "backward-costs-twice",
        "the backward pass of a matrix product, for the gradients of both matrices, costs twice the forward pass",
        "back == 2*forward",
        {"back": Of("matmul-backward-flops"), "forward": flops()},
    ),
    theorem(
        "transposed-costs-the-same",
        "the product of the transposed matrices costs what the product does",
        "turned == product",
        {"turned": flops(at={"m": "p", "p": "m"}), "product": flops()},
    ),
    theorem(
        "columns-are-split",
        "split by columns over devices, a product costs what its parts cost together: nothing is done twice",
        "whole == one + other",
        {"whole": flops(at={"p": "p + k"}), "one": flops(), "other": flops(at={"p": "k"})},
    ),
    theorem(
        "inner-axis-is-split",
        "split along the axis that is summed over, its parts cost together what the whole costs",
        "whole == one + other",
        {"whole": flops(at={"n": "n + k"}), "one": flops(), "other": flops(at={"n": "k"})},
    ),
    theorem(
        "all-sizes-scaled",
        "c times all three sizes cost c^3 times as much",
        "scaled == c^3*product",
        {"scaled": flops(at={"m": "c*m", "n": "c*n", "p": "c*p"}), "product": flops()},
    ),
)
