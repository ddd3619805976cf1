"""A script of Coq with the calls of a certificate named: what it knows of them, and the facts that its steps add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from derive.errors import ClaimError
from derive.proof.coq.ratios import Factor, Tree, difference
from derive.proof.coq.signs import NONNEGATIVE, ONE, POSITIVE, REAL, Fact, Sign, Signs, weak
from derive.proof.coq.text import RELATIONS, coq, is_call, read, substituted
from derive.tree import shown


@dataclass(frozen=True)
class Goal:
    """What is left to show: that each part has a value, and a relation."""

    conditions: tuple[tuple[str, Tree], ...]
    relation: str
    left: Tree
    right: Tree


@dataclass
class Script:
    """Where a script has got to: what it knows, the goal, and the calls that have got a name."""

    signs: Signs
    names: set[str]
    definitions: dict[str, Tree]
    values: dict[Tree, str] = field(default_factory=dict)  # calls, their operands without calls
    wholes: set[str] = field(default_factory=set)

    def tree(self, data: Any) -> Tree:
        """A tree of the certificate in free symbols and names of calls."""
        return self.after(read(data, self.names))

    def after(self, tree: Tree) -> Tree:
        """The same of a tree that has been read."""
        return self.plain(substituted(tree, self.definitions))

    def plain(self, tree: Tree) -> Tree:
        """The tree with its calls named."""
        if type(tree) is not tuple:
            return tree
        tree = (tree[0], *[self.plain(operand) for operand in tree[1:]])
        return self.name(tree) if is_call(tree) else tree

    def name(self, call: Tree) -> str:
        """The name of a call's value; calls of a function on equal operands have one."""
        if call in self.values:
            return self.values[call]
        signs = self.signs
        for other, name in self.values.items():
            if (equal := self._agreement(call, other)) is not None:
                same = signs.fresh("same")
                signs.emit(f"assert ({same} : {coq(call)} = {name}) by ({equal}symmetry; exact call'{name}).")
                signs.emit(f"try rewrite {same} in *.")
                self.values[call] = name
                return name
        name = signs.fresh("q")
        signs.emit(f"remember {coq(call)} as {name} eqn:call'{name} in *.")
        self.values[call] = name
        self._sign_of_call(name, call)
        return name

    def _agreement(self, call: Tree, other: Tree) -> str | None:
        """The rewriting that makes one call another, if their operands are equal, two of max or min in any order."""
        if call[0] != other[0] or len(call) != len(other):
            return None
        if (found := self._in_order(call, other)) is not None or call[0] not in ("max", "min") or len(call) != 3:
            return found
        head, one, two = call
        swapped = self._in_order((head, two, one), other)
        return None if swapped is None else f"rewrite (R{head}_comm {coq(one)} {coq(two)}); {swapped}"

    def _in_order(self, call: Tree, other: Tree) -> str | None:
        rewriting = ""
        for one, another in zip(call[1:], other[1:], strict=True):
            divisors: set[Factor] = set()
            if one == another:
                continue
            if difference(one, another, divisors).numerator or not self.signs.all_positive(divisors, assume=False):
                return None
            rewriting += f"rewrite {self.signs.identity(one, another, divisors)}; "
        return rewriting

    def _sign_of_call(self, name: str, call: Tree) -> None:
        head, *operands = call
        known, signs = f"call'{name}", self.signs
        sign = CALL_SIGNS[head](known, [signs.sign(operand) for operand in operands])
        signs.kinds[name] = REAL if sign is None else POSITIVE if sign[0] == "<" else NONNEGATIVE
        if head in ("ceil", "floor"):
            signs.emit(f"pose proof ({head}_whole' {known}) as whole'{name}.")
            self.wholes.add(name)
        if head == "ceil" and sign is not None and sign[0] == "<":
            signs.kinds[name] = ONE
            signs.emit(f"pose proof {sign[1]} as one'{name}; pose proof (one_p' one'{name}) as pos'{name}.")
        elif sign is not None:
            signs.emit(f"pose proof {sign[1]} as {'pos' if sign[0] == '<' else 'nonneg'}'{name}.")

    def fact(self, relation: str, left: Tree, right: Tree, proof: str) -> None:
        """A new fact from the term that proves it."""
        name = self.signs.fresh("fact")
        text = f"{coq(left)} {RELATIONS[relation]} {coq(right)}"
        self.signs.emit(f"assert ({name} : {text}) by {proof}.")
        self.signs.facts.append(Fact(relation, left, right, name))

    def call(self, data: Any) -> tuple[str, Tree]:
        """The name of a call that a step names, and the call."""
        tree = substituted(read(data, self.names), self.definitions)
        if not is_call(tree):
            raise ClaimError(f"{shown(str(data))} is not a call")
        call = (tree[0], *[self.plain(operand) for operand in tree[1:]])
        return self.name(call), call

    def branch(self) -> Script:
        """The script in a branch, which may name calls of its own."""
        return replace(self, signs=self.signs.branch(), values=dict(self.values), wholes=set(self.wholes))


# Signs of calls


def _sqrt_sign(known: str, own: list[Sign]) -> Sign:
    if (sign := own[0]) is not None and sign[0] == "<":
        return "<", f"(sqrt_p' {known} {sign[1]})"
    return "<=", f"(sqrt_n' {known})"


def _ceil_sign(known: str, own: list[Sign]) -> Sign:
    """The ceiling of what is positive is at least 1: that is what the term shows."""
    if (sign := own[0]) is None:
        return None
    return ("<", f"(ceil_one' {known} {sign[1]})") if sign[0] == "<" else ("<=", f"(ceil_n' {known} {weak(sign)})")


def skipped(head: str, place: int, number: int) -> str:
    """The term for an operand of nested maxima or minima beside their value."""
    inner = f"{head}_first'" if place < number - 1 else f"{head}_last'"
    skips = place if place < number - 1 else place - 1
    return reduce(lambda term, _: f"({head}_later' {term})", range(skips), inner)


def _max_sign(known: str, own: list[Sign]) -> Sign:
    above = [f"(max_value' {known} {skipped('max', place, len(own))})" for place in range(len(own))]
    signs: list[Sign] = [("<", f"(above_p' {a} {s[1]})") for a, s in zip(above, own, strict=True) if s and s[0] == "<"]
    signs += [("<=", f"(above_n' {a} {weak(s)})") for a, s in zip(above, own, strict=True) if s is not None]
    return next(iter(signs), None)


def _min_sign(known: str, own: list[Sign]) -> Sign:
    signs = [sign for sign in own if sign is not None]
    if len(signs) < len(own):
        return None
    strict = all(relation == "<" for relation, _ in signs)
    *terms, last = [term if strict else weak((relation, term)) for relation, term in signs]
    which = "p" if strict else "n"
    term = reduce(lambda inner, outer: f"(min_{which}' {outer} {inner})", reversed(terms), last)
    return "<" if strict else "<=", f"(named_{which}' {known} {term})"


CALL_SIGNS: dict[str, Callable[[str, list[Sign]], Sign]] = {
    "sqrt": _sqrt_sign,
    "ceil": _ceil_sign,
    "floor": lambda known, own: None if own[0] is None else ("<=", f"(floor_n' {known} {weak(own[0])})"),
    "max": _max_sign,
    "min": _min_sign,
    "^": lambda known, _: ("<", f"(power_value_p' {known})"),
}
