"""Gradient accumulation: equal micro-batches, each loss a mean over its examples."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="accumulation")
GRADIENTS = (
    Letter("S", "gradient of the losses of all examples so far, added up", kind="real"),
    Letter("G", "gradient of the losses of the next micro-batch's examples, added up", kind="real"),
    Letter("c", "examples of a micro-batch"),
    Letter("k", "micro-batches of a step"),
    Letter("B", "examples of the full batch"),
)

ACCUMULATED = (
    theorem(
        "accumulation-starts",
        "the first micro-batch's mean loss, divided by k, adds its share of the full batch's mean to the gradient",
        "(G/c)/k == G/B",
        given=("B == c*k",),
        letters=GRADIENTS,
    ),
    theorem(
        "accumulation-goes-on",
        "if the gradient is that of the full batch's mean as far as the examples so far go, it still is with the next "
        "micro-batch: so it is after all k, by induction, where S + G is the sum over the full batch",
        "S/B + (G/c)/k == (S + G)/B",
        given=("B == c*k",),
        letters=GRADIENTS,
    ),
    theorem(
        "mean-of-ranks",
        "averaging the gradients that two data-parallel ranks have of equal parts gives that of the whole batch",
        "(x/c + y/c)/2 == (x + y)/(2*c)",
        letters=(
            Letter("x", "gradient of the losses of one rank's examples, added up", kind="real"),
            Letter("y", "gradient of the losses of the other rank's examples, added up", kind="real"),
            Letter("c", "examples of a rank"),
        ),
    ),
    theorem(
        "micro-batches-make-the-batch",
        "the micro-batches of all ranks, added up, have the tokens of the global batch",
        "k*s*b*n == B",
        {"k": Of("accumulation")},
    ),
    theorem(
        "ranks-instead-of-micro-batches",
        "c times as many ranks run a c-th of the micro-batches each",
        "c*more == k",
        {"k": Of("accumulation"), "more": Of("accumulation", at={"n": "c*n"})},
        letters=(Letter("c", "factor"),),
    ),
)
