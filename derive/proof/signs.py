"""What the form of a tree shows without a proof: that it is positive."""

from __future__ import annotations

from derive.tree import Call, Node, Number, Power, Product, Quotient, Sum, Symbol


def is_positive(node: Node, or_zero: bool = False) -> bool:
    """Whether a tree is positive (`or_zero`: or 0) wherever its letters are positive, as far as its form shows."""
    match node:
        case Number(value):
            return value > 0 or or_zero
        case Symbol():
            return True
        case Sum(parts):
            return all(is_positive(part, True) for part in parts) and (or_zero or any(map(is_positive, parts)))
        case Product(parts) | Call("min", parts):
            return all(is_positive(part, or_zero) for part in parts)
        case Quotient(above, below):
            return is_positive(above, or_zero) and is_positive(below)
        case Power(base, _):
            return is_positive(base)
        case Call("sqrt" | "ceil", (argument,)):
            return is_positive(argument, or_zero)
        case Call("floor", (argument,)):
            return or_zero and is_positive(argument, True)
        case Call("max", parts):
            return any(is_positive(part, or_zero) for part in parts)
    return False
