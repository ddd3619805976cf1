"""Roofline: which bound holds, how intense products can be, and what overlap gains."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

SPANS = (
    Letter("x", "time of one kind of work, seconds", kind="positive real"),
    Letter("y", "time of another, seconds", kind="positive real"),
    Letter("X", "FLOPs of a kernel", kind="positive real"),
    Letter("Y", "bytes that a kernel moves", kind="positive real"),
)
theorem = partial(Theorem, topic="roofline", letters=SPANS)
intensity = partial(Of, "arithmetic-intensity")
square = partial(Of, "arithmetic-intensity", at={"m": "n", "p": "n"})
AT_SIZE = Of("arithmetic-intensity", at=dict.fromkeys("mnp", "size"))
reached, bound = Of("attainable-flops", keep="I"), Of("mfu-bound", keep="I")

ROOFLINE = (
    theorem(
        "never-above-the-peak",
        "no kernel reaches more than the peak",
        "x_1 <= P",
        {"x_1": reached},
        equality={"I": 2},
    ),
    theorem(
        "never-above-the-memory",
        "no kernel reaches more than its memory feeds",
        "x_1 <= I*W",
        {"x_1": reached},
        equality={"P": 2},
    ),
    theorem(
        "memory-bound",
        "up to the machine's balance a kernel reaches what its memory feeds",
        "x_1 == I*W",
        {"x_1": reached, "balance": Of("machine-balance")},
        given=("I <= balance",),
        needed={"I <= balance": {"I": 2}},
    ),
    theorem(
        "compute-bound",
        "from the machine's balance on a kernel reaches the peak of the device",
        "x_1 == P",
        {"x_1": reached, "balance": Of("machine-balance")},
        given=("I >= balance",),
        needed={"I >= balance": {"I": "1/2"}},
    ),
    theorem(
        "only-intense-kernels-reach-the-peak",
        "below the machine's balance a kernel reaches less than the peak",
        "x_1 < P",
        {"x_1": reached, "balance": Of("machine-balance")},
        given=("I < balance",),
        witness={"I": "1/2"},
        needed={"I < balance": {"I": 1}},
    ),
    theorem(
        "utilization-is-bounded-likewise",
        "the bound of a kernel's utilization is what it can reach over the peak",
        "x_2 == x_1/P",
        {"x_2": bound, "x_1": reached},
    ),
    theorem(
        "utilization-at-most-one",
        "no kernel is utilized above 1 where its time is the longer of computing and moving",
        "X/(P*max(X/P, Y/W)) <= 1",
        equality={"Y": 1},
    ),
    theorem(
        "overlap-at-most-the-sum",
        "two kinds of work that overlap never take longer than one after the other",
        "max(x, y) <= x + y",
        equality="the sum is larger, as neither takes no time",
    ),
    theorem(
        "overlap-gains-at-most-half",
        "overlap makes two kinds of work at most twice as fast",
        "x + y <= 2*max(x, y)",
        equality={"x": 1, "y": 1},
    ),
    theorem(
        "product-less-intense-than-its-sizes",
        "in a format of 2 bytes a product does fewer operations for a byte than the smallest of its sizes",
        "x_1 < min(m, n, p)",
        {"x_1": intensity()},
    ),
    theorem(
        "square-product",
        "a square product of n rows has an intensity of (2n - 1)/6 in a format of 2 bytes",
        "x_1 == (2*n - 1)/6",
        {"x_1": square()},
    ),
    theorem(
        "larger-products-are-more-intense",
        "a product that sums over more has a higher intensity",
        "x_1 < x_2",
        {"x_1": intensity(), "x_2": intensity(at={"n": "n + 1"})},
    ),
    theorem(
        "large-squares-are-compute-bound",
        "at the compute-bound size a square product is at least as intense as the machine's balance",
        "balance <= x_1",
        {"balance": Of("machine-balance"), "size": Of("compute-bound-size"), "x_1": AT_SIZE},
        equality={"P": "1/2"},
    ),
    theorem(
        "matvec-below-one",
        "in a format of 2 bytes a square matrix times a vector does less than one operation a byte, whatever its size",
        "x_1 < 1",
        {"x_1": Of("matvec-intensity")},
    ),
    theorem(
        "dot-below-a-half",
        "in a format of 2 bytes a dot product does less than half an operation for a byte",
        "x_1 < 1/2",
        {"x_1": Of("dot-intensity")},
    ),
)
