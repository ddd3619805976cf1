"""The search for the steps of a proof: what must have a value, cases, then relations of polynomials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from derive.proof.checker import LAWS, Context, Rejected, Tree, difference, evaluate, follow, frozen, sign
from derive.proof.search.arithmetic import combination
from derive.proof.search.polynomials import ONE
from derive.proof.search.roots import squared
from derive.proof.search.steps import Step, as_lists, pruned

Goal = tuple[str, Tree, Tree]
MOST_CASES = 6  # maxima and minima inside one another or side by side
NOTHING: Goal = ("==", 0, 0)


@dataclass(frozen=True)
class Found:
    """Where the search stands: what the checker knows after the steps so far, and the calls behind variables."""

    context: Context
    steps: tuple[Step, ...] = ()
    calls: Mapping[str, Tree] = field(default_factory=dict)

    def after(self, *steps: Step) -> Found:
        """The same after more steps, which the checker follows: `Rejected` if they do not hold."""
        context = _copied(self.context)
        follow(steps, context, NOTHING)
        return replace(self, context=context, steps=(*self.steps, *steps))

    def meeting(self, trees: Sequence[Tree]) -> Found:
        """The same with the calls in some trees known, and what their functions' definitions say of them."""
        calls = dict(self.calls)
        for call in (call for tree in trees for call in _calls(tree)):
            ((monomial, _),) = evaluate(call, self.context)[0].items()
            calls.setdefault(monomial[0][0], call)
        laws = [("of", call) for call in calls.values() if _has_laws(call) and ("of", call) not in self.steps]
        return replace(self, calls=calls).after(*laws)


def steps_for(statement: Mapping[str, Any]) -> list[Any] | None:
    """The steps of a proof of a statement, as nested lists; None if none were found.

    Raises `Rejected` where its definitions or givens are not shown to have a value, or where it is too large.

    >>> at_most = {"symbols": {"t": "positive integer"}, "define": [], "given": [["<=", 2, "t"]], "witness": {"t": 2},
    ...            "relation": "<", "left": ["/", 34, "t"], "right": ["+", 10, ["/", 24, "t"]]}
    >>> steps_for(at_most)
    [['combine', '<', ['/', 34, 't'], ['+', 10, ['/', 24, 't']], 't', [[['*', 5, 't']], [5, 0]]]]
    """
    defined = {name for name, _ in statement["define"]}
    free = {name: kind for name, kind in statement["symbols"].items() if name not in defined}
    context = Context({name: ({((name, 1),): 1}, ONE) for name in free}, free)
    define, given = frozen(statement["define"]), frozen(statement["given"])
    goal = frozen([statement["relation"], statement["left"], statement["right"]])
    for name, tree in define:
        context.values[name] = evaluate(tree, context)
    context.facts.extend(difference(context, *each) for each in given)
    scene = tuple(tree for _, tree in define) + tuple(side for each in given for side in each[1:])
    steps = proof(Found(context), goal, scene)
    return None if steps is None else as_lists(pruned(statement, steps))


def proof(found: Found, goal: Goal, scene: Sequence[Tree], cases: int = MOST_CASES) -> tuple[Step, ...] | None:
    """The steps so far and those to the goal; `scene` are the trees beside it in which calls stand, too."""
    if closes(found, goal):
        return found.steps
    defined = with_values(found, goal[1:])
    if defined is None:
        return None
    if closes(defined, goal):
        return defined.steps
    if (rooted := _rooted(defined, goal)) is not None:
        return rooted
    found = defined.meeting((*goal[1:], *scene))
    extrema = [each for each in found.calls.values() if each[0] in ("max", "min") and not _decided(found, each)]
    steps = combination(found.context, goal, found.calls, thorough=not extrema)
    if steps is not None:
        return found.after(*steps).steps
    if extrema and cases:
        call, branches = extrema[0], []
        for x in call[1:]:
            inside = proof(_branch(found, call, x), goal, scene, cases - 1)
            if inside is None:
                return None
            branches.append(inside[len(found.steps) :])
        return (*found.steps, ("cases", call, *branches))
    return None


def _rooted(found: Found, goal: Goal) -> tuple[Step, ...] | None:
    """The steps by squaring both sides, where the checker follows them to the goal."""
    steps = squared(goal, len(found.context.facts))
    if steps is None:
        return None
    try:
        after = found.after(*steps)
    except Rejected:
        return None
    return after.steps if closes(after, goal) else None


def _branch(found: Found, call: Tree, x: Tree) -> Found:
    context = _copied(found.context)
    context.facts.append(difference(context, "==", call, x))
    return replace(found, context=context)


def _decided(found: Found, call: Tree) -> bool:
    """Whether this is a branch in which the call has the value of one of its operands."""
    zero = [value for relation, value in found.context.facts if relation == "=="]
    return any(difference(found.context, "==", call, x)[1] in zero for x in call[1:])


def closes(found: Found, goal: Goal) -> bool:
    """Whether the checker accepts the goal as it stands."""
    try:
        follow((), _copied(found.context), goal)
    except Rejected:
        return False
    return True


def with_values(found: Found, trees: Sequence[Tree]) -> Found | None:
    """The same after the steps that show divisors and bases to be positive where signs do not; None if that fails."""
    for what, part in (each for tree in trees for each in _needing(tree)):
        n, _ = evaluate(part, found.context)
        if sign(n, found.context) < {"<=": 1, "<": 2}[what]:
            found = found.meeting((part,))
            steps = combination(found.context, (what, 0, part), found.calls)
            if steps is None:
                return None
            found = found.after(*steps)
    return found


def _needing(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """The parts that must be positive, or not negative, for a tree to have a value: the inner ones first."""
    if isinstance(tree, tuple):
        for operand in tree[1:]:
            yield from _needing(operand)
        if tree[0] == "/":
            yield "<", tree[2]
        elif tree[0] == "sqrt":
            yield "<=", tree[1]
        elif tree[0] == "^" and not (isinstance(tree[2], int) and tree[2] > 0):
            yield "<", tree[1]


def _calls(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, tuple):
        for operand in tree[1:]:
            yield from _calls(operand)
        if tree[0] in LAWS and not (tree[0] == "^" and isinstance(tree[2], int)):
            yield tree


def _has_laws(call: Tree) -> bool:
    """Whether its function's definition says something of it: not of a power with a symbol in its exponent."""
    return call[0] != "^" or (isinstance(call[2], tuple) and call[2][0] == "/" and {*map(type, call[2][1:])} == {int})


def _copied(context: Context) -> Context:
    return replace(context, kinds={**context.kinds}, calls=[*context.calls], facts=[*context.facts])
