"""Memory: the peak between its bounds, and what allocators round."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem

theorem = partial(Theorem, topic="memory")
peak = partial(Of, "peak-memory")
S = Of("states")

MEMORY = (
    theorem(
        "peak-at-most-the-sum",
        "the peak is never above everything added up",
        "M_p <= M_s",
        {"M_p": peak(), "M_s": Of("memory-sum")},
        equality={"m": 2},
    ),
    theorem(
        "peak-at-least-the-states",
        "the peak is never below the states",
        "S <= M_p",
        {"S": S, "M_p": peak()},
        equality={"A": 1, "N": 1},
    ),
    theorem(
        "peak-at-least-activations",
        "the peak is never below activations and the states that stay",
        "A + M_r <= M_p",
        {"M_r": Of("resident-states"), "M_p": peak()},
        equality={"A": 2, "N": 1},
    ),
    theorem(
        "peak-with-accumulation",
        "from two micro-batches on gradients are there when activations peak: states and activations add up",
        "M_p == S + A",
        {"S": S, "M_p": peak()},
        given=("m >= 2",),
        witness={"m": 2},
        needed={"m >= 2": {"m": 1}},
    ),
    theorem(
        "first-micro-batch-has-least",
        "a step of one micro-batch never peaks higher than one of several",
        "M_1 <= M_p",
        {"M_1": peak(at={"m": "1"}), "M_p": peak()},
        equality={"m": 1},
    ),
    theorem(
        "blocks-hold-their-request",
        "a block of PyTorch's allocator is never smaller than what was asked for",
        "x_r <= x",
        {"x": Of("allocated-block")},
        equality={"x_r": 512},
    ),
    theorem(
        "blocks-waste-less-than-512-bytes",
        "a block of PyTorch's allocator is less than 512 bytes larger than what was asked for",
        "x < x_r + 512",
        {"x": Of("allocated-block")},
    ),
    theorem(
        "usable-is-less-than-there-is",
        "a device has less for tensors than its driver reports",
        "M_u < M",
        {"M_u": Of("usable-memory")},
        given=("M >= c + q",),
        witness={"M": 3},
        needed={"M >= c + q": {"c": 8, "phi": 2}},
    ),
)
