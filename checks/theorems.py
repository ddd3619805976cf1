"""Theorems about no single quantity of the catalog: statements in letters of their own, for the proof checker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from derive.grammar import parse
from derive.letters import Letter, Notation, notation
from derive.model import resolved
from derive.proof.step import show_at_most, show_equal
from formulas.notation import COMMON

SHOW = {"==": show_equal, "<=": show_at_most}


@dataclass(frozen=True)
class Theorem:
    """A statement in words, its two sides as text, and the definitions that it holds under.

    An equality of rational functions that holds for all positive values of its letters holds for all values that make
    no divisor zero: for indices that are 0 and gradients that are negative, too.
    """

    name: str
    statement: str
    left: str
    right: str
    given: Mapping[str, str] = field(default_factory=dict)
    relation: str = "=="
    letters: Notation = field(default=notation(COMMON), repr=False)

    def proof(self) -> str:
        """What the checker accepted, in its words; `ClaimError` if it does not accept the statement."""
        known = self.letters.letters
        given = resolved({letter: parse(text, known) for letter, text in self.given.items()})
        return SHOW[self.relation](parse(self.left, known), parse(self.right, known), given, self.letters)


# ---- gradient accumulation: equal micro-batches, each loss a mean over its examples ----

ACCUMULATION = notation(
    (
        Letter("S", "gradient of the losses of all examples so far, added up", kind="positive real"),
        Letter("G", "gradient of the losses of the next micro-batch's examples, added up", kind="positive real"),
        Letter("c", "examples of a micro-batch"),
        Letter("k", "micro-batches of a step"),
        Letter("B", "examples of the full batch"),
    )
)
FULL = {"B": "c*k"}

ACCUMULATED = (
    Theorem(
        "accumulation-starts",
        "the first micro-batch's mean loss, divided by k, adds its share of the full batch's mean to the gradient",
        "(G/c)/k",
        "G/B",
        FULL,
        letters=ACCUMULATION,
    ),
    Theorem(
        "accumulation-goes-on",
        "if the gradient is that of the full batch's mean as far as the examples so far go, it still is with the next "
        "micro-batch: so it is after all k, by induction, where S + G is the sum over the full batch",
        "S/B + (G/c)/k",
        "(S + G)/B",
        FULL,
        letters=ACCUMULATION,
    ),
)

# ---- views: element (i, j) of a matrix lies at o + i*s_0 + j*s_1, and a view only has other numbers there ----

VIEWS_LETTERS = notation(
    (
        Letter("o", "storage offset"),
        Letter("i", "row"),
        Letter("j", "column"),
        Letter("s_0", "stride of the rows"),
        Letter("s_1", "stride of the columns"),
        Letter("m", "rows"),
        Letter("n", "columns"),
        Letter("k", "step of a slice"),
        Letter("r", "first row of a slice"),
        Letter("x", "head of a column"),
        Letter("y", "place of a column in its head"),
        Letter("a", "heads"),
        Letter("d", "width of a head"),
    )
)
ELEMENT = "o + i*s_0 + j*s_1"
CONTIGUOUS = {"s_0": "n", "s_1": "1"}

VIEWS = (
    Theorem(
        "transposing",
        "element (j, i) of the transposed matrix, its strides swapped, is element (i, j), where it lies",
        "o + j*s_1 + i*s_0",
        ELEMENT,
        letters=VIEWS_LETTERS,
    ),
    Theorem(
        "slicing",
        "every k-th row from row r on: a storage offset of r rows more, and k times the stride",
        "(o + r*s_0) + i*(k*s_0) + j*s_1",
        "o + (r + i*k)*s_0 + j*s_1",
        letters=VIEWS_LETTERS,
    ),
    Theorem(
        "flattening",
        "a contiguous matrix is a vector of stride 1: element (i, j) is number i*n + j",
        ELEMENT,
        "o + (i*n + j)*1",
        CONTIGUOUS,
        letters=VIEWS_LETTERS,
    ),
    Theorem(
        "splitting-heads",
        "columns split into a heads of d: strides n, d and 1, where the head and the place in it name the column",
        "o + i*s_0 + x*d + y*1",
        "o + i*n + (x*d + y)",
        {"s_0": "n", "n": "a*d"},
        letters=VIEWS_LETTERS,
    ),
    Theorem(
        "expanding",
        "an axis that is expanded has stride 0: every row is the one row there is",
        "o + i*0 + j*s_1",
        "o + j*s_1",
        letters=VIEWS_LETTERS,
    ),
)

# ---- pipelines ----

PIPELINES = (
    Theorem(
        "bubble-conventions",
        "the bubble as a share of the whole step is x/(1 + x), where x is its share of the ideal time",
        "((p - 1)/m)/(1 + (p - 1)/m)",
        "(p - 1)/(m + p - 1)",
    ),
    Theorem("bubble-of-whole-is-less", "and never more than it", "(p - 1)/(m + p - 1)", "(p - 1)/m", relation="<="),
    Theorem(
        "interleaving-never-waits-longer",
        "v chunks a device never make the bubble longer",
        "(p - 1)/(v*m)",
        "(p - 1)/m",
        relation="<=",
    ),
    Theorem(
        "interleaving-holds-at-most-twice",
        "interleaved chunks never hold more than twice what 1F1B holds",
        "1 + (p - 1)/(p*v)",
        "2",
        relation="<=",
    ),
)

# ---- decoding: N weights of 2 bytes that multiply, b sequences of s tokens ----

DECODING = (
    Theorem(
        "decoding-without-cache",
        "FLOPs over bytes read are b where nothing is read but weights",
        "b*(2*N)/(2*N)",
        "b",
    ),
    Theorem(
        "decoding-bound",
        "however large the batch is, decoding does no more FLOPs for a byte than a sequence does for one of its cache",
        "b*(2*N + 4*L*a*d*s)/(2*N + b*(4*L*g*d*s))",
        "(2*N + 4*L*a*d*s)/(4*L*g*d*s)",
        relation="<=",
    ),
)

THEOREMS = (*ACCUMULATED, *VIEWS, *PIPELINES, *DECODING)
