"""Which way a tree goes as one of its letters grows, seen from its form; and exact bisection along that letter."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from derive.tree import Call, Negative, Node, Number, Power, Product, Quotient, Sum, Symbol, symbols_of
from derive.values import LARGEST

HALVINGS = 400  # from a bracket of 10^40 to far below any digit that is shown


def direction(node: Node, letter: str) -> int | None:
    """1 where the tree never falls as the letter grows, -1 where it never rises, 0 without it; None where not seen.

    All letters are positive. Only the form is looked at, so that an answer is a proof and None no refutation.

    >>> from derive.grammar import parse
    >>> [direction(parse(text), "x") for text in ("max(a*x, b)", "a/ceil(x/4)", "a*x + b/x", "x - x")]
    [1, -1, None, None]
    """
    match node:
        case Number():
            return 0
        case Symbol(name):
            return int(name == letter)
        case Sum(parts):
            return _together(*(direction(part, letter) for part in parts))
        case Negative(part):
            return _turned(direction(part, letter))
        case Product(parts):
            return _product(parts, letter)
        case Quotient(above, below) if is_positive(below):
            if is_positive(above) or letter not in symbols_of(below):
                return _together(direction(above, letter), _turned(direction(below, letter)))
        case Power(base, exponent) if is_positive(base) and letter not in symbols_of(exponent):
            sign = -1 if isinstance(exponent, Negative) else 1 if is_positive(exponent) else None
            found = direction(base, letter)
            return None if sign is None or found is None else sign * found
        case Call(_, arguments):
            return _together(*(direction(argument, letter) for argument in arguments))
    return None if letter in symbols_of(node) else 0


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


def _product(parts: tuple[Node, ...], letter: str) -> int | None:
    moving = [part for part in parts if letter in symbols_of(part)]
    still = [part for part in parts if part not in moving]
    if all(map(is_positive, still)) and (len(moving) < 2 or all(map(is_positive, moving))):
        return _together(*(direction(part, letter) for part in moving))
    return None if moving else 0


def _together(*found: int | None) -> int | None:
    if None in found:
        return None
    moves = set(found) - {0}
    return None if len(moves) > 1 else moves.pop() if moves else 0


def _turned(found: int | None) -> int | None:
    return None if found is None else -found


def last_whole(holds: Callable[[int], bool]) -> int | None:
    """The largest whole number from 1 to 10^40 for which `holds`, which holds up to some number and not above it.

    None if it does not hold for 1; 10^40 if it always holds.

    >>> last_whole(lambda n: n * n <= 50)
    7
    """
    if not holds(1):
        return None
    low, high = 1, 2
    while high <= LARGEST and holds(high):
        low, high = high, 2 * high
    if high > LARGEST:  # the last doubling went past it
        if holds(LARGEST):
            return LARGEST
        high = LARGEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def crossing(below: Callable[[Fraction], bool]) -> tuple[Fraction, Fraction] | None:
    """A narrow bracket of the point up to which `below` holds and from which on it does not; None if there is none."""
    low, high = Fraction(1), Fraction(1)
    while not below(low):
        low /= 2
        if low * LARGEST < 1:
            return None
    while below(high):
        high *= 2
        if high > LARGEST:
            return None
    low = max(low, high / 2) if below(high / 2) else low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
        if high - low < low / LARGEST**2:
            break
    return low, high
