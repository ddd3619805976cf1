"""The goal of a certificate at the end of a script: that each part has a value, and that the relation holds."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

from derive.proof.coq.ratios import Factor, Tree, difference, divisors_of
from derive.proof.coq.script import Goal, Script
from derive.proof.coq.signs import Fact, Signs, multiplied, weak
from derive.proof.coq.text import CONDITIONS, RELATIONS, SWAPPED, coq

LESS = {"<": "less_p'", "<=": "less_n'", "==": "less_z'"}


def finish(script: Script, goal: Goal) -> None:
    """Shows the goal from what the script knows, or that there is no point here: a fact about numbers is false."""
    signs = script.signs
    if any(_is_contradiction(signs, fact) for fact in list(signs.facts)):
        return
    terms = [_condition(signs, kind, script.after(tree)) for kind, tree in goal.conditions]
    relation, left, right = goal.relation, script.after(goal.left), script.after(goal.right)
    if relation in SWAPPED:
        relation, left, right = SWAPPED[relation], right, left
    term = _goal(signs, relation, left, right)
    if goal.relation in SWAPPED:
        term = f"({'Rle_ge' if relation == '<=' else 'Rlt_gt'} _ _ {term})"
    signs.emit(f"exact {reduce(lambda last, each: f'(conj {each} {last})', terms[::-1], term)}.")


def _is_contradiction(signs: Signs, fact: Fact) -> bool:
    """Whether the fact is a false statement about constants; if so, the goal is shown."""
    divisors: set[Factor] = set()
    value = difference(fact.left, fact.right, divisors)
    number = value.numerator.get((), Fraction(0))
    false = {"==": number != 0, "<=": number < 0, "<": number <= 0}[fact.relation]
    if not false or value.numerator.keys() - {()} or not signs.all_positive(divisors, assume=False):
        return False
    other = signs.multiple(value.factors, number.denominator)
    equal = signs.identity(("*", fact.gap, other), number.numerator, divisors)
    product = multiplied(fact.sign, signs.direct(other))
    false_name = signs.fresh("false")
    signs.emit(f"exfalso; pose proof {(product or ('', ''))[1]} as {false_name}; rewrite {equal} in {false_name}; lra.")
    return True


def _condition(signs: Signs, kind: str, tree: Tree) -> str:
    sign = signs.sign(tree)
    if sign is None or (sign[0] != "<" and kind != "<="):
        return signs.shown(CONDITIONS[kind].format(coq(tree)), "lra")
    return {"<>": f"(nonzero' {sign[1]})", "<": sign[1], "<=": weak(sign)}[kind]


def _goal(signs: Signs, relation: str, left: Tree, right: Tree) -> str:
    """The term that proves the last relation, from a fact, from an identity or from signs."""
    gap = ("+", right, ("-", left))
    if relation == "==":
        sign = signs.is_zero(gap)
        return f"(less_z' {sign[1]})" if sign else signs.identity(left, right, divisors_of(gap))
    sign = signs.sign(gap)
    if sign is None or relation == "<" != sign[0]:
        return signs.shown(f"{coq(left)} {RELATIONS[relation]} {coq(right)}", "lra")
    return f"({LESS[relation]} {weak(sign) if relation == '<=' else sign[1]})"
