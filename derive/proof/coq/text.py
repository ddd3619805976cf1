"""Trees, names and statements as Coq reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derive.errors import ClaimError
from derive.proof.coq.ratios import Tree
from derive.tree import shown

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
WORDS = (
    "Axiom CoFixpoint Definition Fixpoint Hypothesis IF IZR Lemma Parameter Proof Prop Qed R Rmax Rmin Rpower SProp "
    "Set Theorem Type Variable as at by ceil cofix discriminated else end exists exists2 fix floor for forall fun if "
    "in lazymatch let ltac match multimatch of return sqrt then using where whole with"
)
RESERVED = frozenset(WORDS.split())
OPERANDS = {
    "+": (2, None), "*": (2, None), "/": (2, 2), "-": (1, 1), "^": (2, 2), "sqrt": (1, 1), "ceil": (1, 1),
    "floor": (1, 1), "max": (2, None), "min": (2, None),
}  # fmt: skip
CALLS = {"sqrt": "sqrt", "ceil": "ceil", "floor": "floor", "max": "Rmax", "min": "Rmin", "^": "Rpower"}
KINDS = {  # what is assumed of a free symbol
    "positive integer": ("whole {}", "1 <= {}"),
    "natural number": ("whole {}", "0 <= {}"),
    "positive real": ("0 < {}",),
    "nonnegative real": ("0 <= {}",),
    "real": (),
    "integer": ("whole {}",),
}
HALF = ("/", 1, 2)
RELATIONS = {"==": "=", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}
SWAPPED = {">=": "<=", ">": "<"}
MOST = 64  # a higher exponent is not multiplied out: such a power is a call


def symbol_name(name: str) -> str:
    """The name of a symbol in Coq: its own, or with `v_` before it where that is a word of Coq's.

    >>> symbol_name("h"), symbol_name("at"), symbol_name("v_at")
    ('h', 'v_at', 'v_v_at')
    """
    return f"v_{name}" if name in RESERVED or name.startswith("v_") else name


def lemma_name(name: str) -> str:
    """The name of a certificate's lemma: `-` is written `_`, `/` is written `''`, no two names become one.

    >>> lemma_name("states/zero-1-at-most-plain"), lemma_name("a_b")
    ("c''states''zero_1_at_most_plain", "c''a'x5f'b")
    """
    signs = {"-": "_", "/": "''"}
    return "c''" + "".join(
        letter if letter.isascii() and letter.isalnum() else signs.get(letter, f"'x{ord(letter):x}'") for letter in name
    )


def read(data: object, names: set[str]) -> Tree:
    """The tree of nested lists, its symbols under their names in Coq.

    Raises `ClaimError` for anything else.
    """
    if type(data) is int:
        return data
    if type(data) is str and data in names:
        return symbol_name(data)
    if type(data) not in (list, tuple) or not data or type(data[0]) is not str or data[0] not in OPERANDS:  # type: ignore[index]
        raise ClaimError(f"{shown(str(data))} is not an expression")
    head, *operands = data  # type: ignore[misc]
    least, most = OPERANDS[head]
    if not least <= len(operands) <= (most or len(operands)):
        raise ClaimError(f"{head!r} with {len(operands)} operands")
    if head == "^" and operands[1] == list(HALF):  # which is 0 for 0, as `Rpower` is not
        head, operands = "sqrt", operands[:1]
    return (head, *[read(operand, names) for operand in operands])


def is_call(tree: Tree) -> bool:
    """Whether the tree is a function of its operands that the field operations do not define, such as a root."""
    return type(tree) is tuple and tree[0] in CALLS and (tree[0] != "^" or _is_real(tree[2]))


def _is_real(exponent: Tree) -> bool:
    return type(exponent) is not int or abs(exponent) > MOST


def _sum(first: Tree, *rest: Tree) -> str:
    text = coq(first)
    for term in rest:
        negative = type(term) is tuple and term[0] == "-"
        text += f" - {coq(term[1])}" if negative else f" + {coq(term)}"
    return f"({text})"


def _power(base: Tree, exponent: Tree) -> str:
    if _is_real(exponent):
        return f"(Rpower {coq(base)} {coq(exponent)})"
    return f"({coq(base)} ^ {exponent})" if exponent >= 0 else f"(/ ({coq(base)} ^ {-exponent}))"


def _nested(head: str) -> str:
    def write(first: Tree, *rest: Tree) -> str:
        return f"({CALLS[head]} {coq(first)} {write(*rest)})" if rest else coq(first)

    return write  # type: ignore[return-value]


TEXTS = {
    "+": _sum,
    "*": lambda *factors: f"({' * '.join(map(coq, factors))})",
    "/": lambda numerator, divisor: f"({coq(numerator)} / {coq(divisor)})",
    "-": lambda operand: f"(- {coq(operand)})",
    "^": _power,
    "max": _nested("max"),
    "min": _nested("min"),
    "sqrt": lambda operand: f"(sqrt {coq(operand)})",
    "ceil": lambda operand: f"(ceil {coq(operand)})",
    "floor": lambda operand: f"(floor {coq(operand)})",
}


def coq(tree: Tree) -> str:
    """The term of a tree, with all its parentheses.

    >>> coq(("*", 4, ("+", "h", ("-", 1)), ("max", "a", "b", "c"), ("^", "x", ("/", 2, 3))))
    '(4 * (h - 1) * (Rmax a (Rmax b c)) * (Rpower x (2 / 3)))'
    """
    if type(tree) is int:
        return str(tree) if tree >= 0 else f"({tree})"
    return tree if type(tree) is str else TEXTS[tree[0]](*tree[1:])


def parts(tree: Tree) -> Iterator[Tree]:
    """Every part of a tree, the inner ones first."""
    if type(tree) is tuple:
        for operand in tree[1:]:
            yield from parts(operand)
    yield tree


def conditions(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """What must hold for the tree to have a value: (`<>`, x) is x <> 0, (`<=`, x) is 0 <= x, (`<`, x) is 0 < x."""
    for part in parts(tree):
        if type(part) is not tuple:
            continue
        head, *operands = part
        if head == "/" and not _is_number(operands[1]):
            yield "<>", operands[1]
        elif head == "sqrt":
            yield "<=", operands[0]
        elif head == "^" and is_call(part):
            yield "<", operands[0]
        elif head == "^" and operands[1] <= 0 and not _is_number(operands[0]):
            yield "<>", operands[0]


def _is_number(tree: Tree) -> bool:
    return type(tree) is int and tree != 0


CONDITIONS = {"<>": "{} <> 0", "<=": "0 <= {}", "<": "0 < {}"}


def substituted(tree: Tree, trees: dict[str, Tree]) -> Tree:
    """The tree with names replaced by trees."""
    if type(tree) is str:
        return trees.get(tree, tree)
    return (tree[0], *[substituted(part, trees) for part in tree[1:]]) if type(tree) is tuple else tree
