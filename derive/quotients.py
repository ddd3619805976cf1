"""Expressions that divide by sums, as trees: each quotient in lowest terms, the rest as `derive.reading` has it."""

from collections.abc import Sequence

from sympy import Add, Expr, Integer, Pow
from sympy import fraction as sides_of

from derive.proof.canonical import difference
from derive.reading import to_tree
from derive.tree import Negative, Node, Quotient, sum_of


def divides_by_a_sum(expression: Expr) -> bool:
    """Whether multiplying out leaves a sum below a fraction bar."""
    return any(power.exp.is_negative and isinstance(power.base, Add) for power in expression.atoms(Pow))


def quotients_to_tree(expression: Expr, order: Sequence[str]) -> Node:
    """The tree of a sum, its terms with one divisor added and cancelled; multiplied out where nothing divides by a sum.

    >>> from sympy.abc import h, s, V
    >>> from derive.tree import to_text
    >>> to_text(quotients_to_tree(1 + 2 * h * (s + V) / (6 * h * s + 6 * h * V), "shV"))
    '4/3'
    >>> to_text(quotients_to_tree(1 + 2 * h * s / (6 * h * s + 6 * h * V), "shV"))
    '1 + s/(3*(s + V))'
    """
    whole: list[Expr] = []
    divided: dict[Expr, Expr] = {}
    for term in Add.make_args(expression):
        above, below = sides_of(difference(term, Integer(0)))
        if isinstance(below, Add):
            divided[below] = divided.get(below, Integer(0)) + above
        else:
            whole.append(above / below)
    parts = []
    for divisor, total in divided.items():
        above, below = sides_of(difference(total / divisor, Integer(0)))
        if isinstance(below, Add):
            sign = -1 if _is_negative(below) else 1
            parts.append(_quotient(to_tree(sign * above, order), to_tree(sign * below, order)))
        else:
            whole.append(above / below)
    rest = to_tree(Add(*whole), order)
    return sum_of([rest, *parts] if whole or not parts else parts)


def _is_negative(divisor: Expr) -> bool:
    """Whether it is where all letters are 1: what is divided by is written such that it is positive there."""
    value = divisor.subs(dict.fromkeys(divisor.free_symbols, Integer(1)))
    return bool(value.is_negative)


def _quotient(above: Node, below: Node) -> Node:
    if isinstance(above, Negative):
        return Negative(Quotient(above.operand, below))
    return Quotient(above, below)
