"""The steps of a certificate, and its goal, as assertions of a script."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from derive.errors import ClaimError
from derive.proof.coq.goals import LESS, finish
from derive.proof.coq.ratios import Factor, Tree, difference, to_tree
from derive.proof.coq.script import Goal, Script, skipped
from derive.proof.coq.signs import Sign, added, multiplied, weak
from derive.proof.coq.text import coq


def follow(script: Script, goal: Goal, steps: list[Any]) -> None:
    """Replays the steps, and shows the goal at the end of each branch."""
    for step in steps:
        head, *rest = step
        if head in LAST_STEPS:
            LAST_STEPS[head](script, goal, *rest)
            return
        STEPS[head](script, *rest)
    finish(script, goal)


def _of(script: Script, data: Any) -> None:
    name, call = script.call(data)
    for relation, left, right, proof in BOUNDS[call[0]](script, name, call):
        script.fact(relation, left, right, proof)


Bound = tuple[str, Tree, Tree, str]


def _root_bounds(script: Script, name: str, call: Tree) -> list[Bound]:
    sign = script.signs.sign(call[1])
    return [("==", ("^", name, 2), call[1], f"exact (sqrt_fact' call'{name} {weak(sign)})" if sign else "lra")]


def _power_bounds(script: Script, name: str, call: Tree) -> list[Bound]:
    base, exponent = call[1:]
    if type(exponent) is not tuple or exponent[0] != "/" or any(type(part) is not int for part in exponent[1:]):
        raise ClaimError(f"nothing but its sign is known of {coq(call)}")
    _, p, q = exponent
    sign = script.signs.sign(base)
    if sign is None or sign[0] != "<" or q <= 0:
        return [("==", ("^", name, q), ("^", base, p), "lra")]
    term = f"power_fact{'_below' if p < 0 else ''}' {abs(p)} {q} call'{name} {sign[1]}"
    return [("==", ("^", name, q), ("^", base, p), f"(apply ({term}); simpl; lra)")]


def _extremum_bounds(_: Script, name: str, call: Tree) -> list[Bound]:
    head, *operands = call
    bounds: list[Bound] = []
    for place, operand in enumerate(operands):
        proof = f"exact ({head}_value' call'{name} {skipped(head, place, len(operands))})"
        bounds.append(("<=", operand, name, proof) if head == "max" else ("<=", name, operand, proof))
    return bounds


BOUNDS: dict[str, Callable[[Script, str, Tree], list[Bound]]] = {
    "sqrt": _root_bounds,
    "^": _power_bounds,
    "max": _extremum_bounds,
    "min": _extremum_bounds,
    "ceil": lambda _, name, call: [
        ("<=", call[1], name, f"exact (ceil_above' call'{name})"),
        ("<", name, ("+", call[1], 1), f"exact (ceil_below' call'{name})"),
    ],
    "floor": lambda _, name, call: [
        ("<=", name, call[1], f"exact (floor_below' call'{name})"),
        ("<", call[1], ("+", name, 1), f"exact (floor_above' call'{name})"),
    ],
}


def _square(script: Script, data: Any) -> None:
    tree = script.tree(data)
    script.fact("<=", 0, ("^", tree, 2), f"exact (pow2_ge_0 {coq(tree)})")


def _combine(script: Script, relation: str, *data: Any) -> None:
    signs = script.signs
    left, right, multiple = (script.tree(tree) for tree in data[:3])
    total: Tree = 0
    sign: Sign = ("=", "(eq_refl 0)")
    divisors: set[Factor] = set()
    for place, (factor, *numbers) in enumerate(data[3]):
        m, facts = script.tree(factor), [signs.facts[number] for number in numbers]
        product = ("*", m, *[fact.gap for fact in facts]) if facts else m
        zero = any(fact.relation == "==" for fact in facts)
        of_term = reduce(multiplied, [fact.sign for fact in facts], signs.direct(m) if zero else signs.sign(m))
        total, sign = (product, of_term) if not place else (("+", total, product), added(sign, of_term))
    gap = ("+", right, ("-", left))
    known = signs.sign(multiple)
    difference(("*", gap, multiple), total, divisors)
    equal = signs.identity(("*", gap, multiple), total, divisors)
    script.fact(relation, left, right, _from_multiple(relation, known, equal, sign))


def _from_multiple(relation: str, known: Sign, equal: str, sign: Sign) -> str:
    """The proof of a relation from the sign of a multiple of its gap; where it does not fit, an attempt."""
    fits = {"==": ("=",), "<=": ("<", "=", "<="), "<": ("<",)}[relation]
    if known is None or known[0] != "<" or sign is None or sign[0] not in fits:
        return "lra"
    scaled_by = {"==": "scaled_z'", "<=": "scaled_n'", "<": "scaled_p'"}[relation]
    return f"exact ({LESS[relation]} ({scaled_by} {known[1]} {equal} {weak(sign) if relation == '<=' else sign[1]}))"


def _whole(script: Script, left: Any, right: Any, number: int) -> None:
    signs, _ = script.signs, script.signs.facts[number]
    left, right = script.tree(left), script.tree(right)
    divisors: set[Factor] = set()
    p = difference(left, right, divisors).numerator
    form = to_tree(p)
    more, term = signs.sign(("+", form, 1)), _whole_term(script, form)
    if divisors or more is None or more[0] != "<" or term is None:
        script.fact("<=", left, right, "lra")
        return
    equal = signs.identity(("*", ("+", right, ("-", left)), 1), form, divisors)
    script.fact("<=", left, right, f"exact (less_n' (scaled_n' (number' 1) {equal} (whole_gap' {term} {more[1]})))")


def _whole_term(script: Script, tree: Tree) -> str | None:
    """The term that proves a polynomial whole."""
    if type(tree) is int:
        return f"(whole_number' ({tree}))"
    if type(tree) is str:
        return f"whole'{tree}" if tree in script.wholes else None
    terms = [_whole_term(script, operand) for operand in tree[1 : 2 if tree[0] == "^" else None]]
    if any(term is None for term in terms):
        return None
    if tree[0] == "^":
        return f"(whole_power' {tree[2]} {terms[0]})"
    lemma_of = {"+": "whole_add'", "*": "whole_mul'"}[tree[0]]
    return reduce(lambda one, other: f"({lemma_of} {one} {other})", [term for term in terms if term])


STEPS: dict[str, Callable[..., None]] = {"of": _of, "square": _square, "combine": _combine, "whole": _whole}


def _cases(script: Script, goal: Goal, data: Any, *branches: list[Any]) -> None:
    name, (head, *operands) = script.call(data)
    if head not in ("max", "min") or len(branches) != len(operands):
        raise ClaimError(f"{len(branches)} branches for {len(operands)} operands of {head!r}")
    emit, equal = script.signs.emit, f"call'{name}"  # the value is what is left of the call
    for place, (operand, steps) in enumerate(zip(operands, branches, strict=True)):
        inside, which, rest = script.branch(), script.signs.fresh("case"), operands[place + 1 :]
        here = equal
        if rest:
            others = coq((head, *rest)) if len(rest) > 1 else coq(rest[0])
            emit(f"destruct ({head}_is' {coq(operand)} {others}) as [{which} | {which}].")
            here = equal = f"(eq_trans {equal} {which})"
        emit("{")
        inside.fact("==", name, operand, f"exact {here}")
        follow(inside, goal, steps)
        emit("}")


LAST_STEPS: dict[str, Callable[..., None]] = {"cases": _cases}
