"""Relations of polynomials from facts about them: equations divided out, what is left shown by its sign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import gcd

from derive.proof.checker import WHOLES, Context, Polynomial, Tree, difference, follow, sign
from derive.proof.search.nonnegative import shown, without_content
from derive.proof.search.polynomials import ONE, added, as_tree, negated, product, times, variables
from derive.proof.search.setting import Setting, Term, settings
from derive.proof.search.steps import facts_of, renumbered

Goal = tuple[str, Tree, Tree]


def combination(context: Context, goal: Goal, trees: Mapping[str, Tree], thorough: bool = True) -> list[Tree] | None:
    """Steps that add the goal, or what the checker needs for it, to the facts; None if none were found."""
    context = replace(context, facts=[*context.facts])
    steps = strengthened(context, trees)
    relation, value = difference(context, *goal)
    for setting in settings(context, trees, thorough):
        found = _combined(setting, relation, goal, value)
        if found is not None:
            return [*steps, *found]
    return None


def strengthened(context: Context, trees: Mapping[str, Tree]) -> list[Tree]:
    """Steps that add, for each fact N > 0 about integers alone, N - 1 >= 0; the context has these facts from now on."""
    steps: list[Tree] = []
    for place, (relation, (n, _)) in enumerate(tuple(context.facts)):
        if relation == "<" and all(context.kinds[name] in WHOLES for name in variables(n)):
            content, smaller = without_content(n, context)
            source = place  # the fact that is strengthened
            if content != ONE:  # t*x > 0 is x > 0, and then x >= 1
                below = as_tree(context.facts[place][1][1], trees)
                divided = ("combine", "<", 0, as_tree(smaller, trees), as_tree(content, trees), ((below, place),))
                context.facts.append(("<", (smaller, ONE)))
                steps.append(divided)
                source = len(context.facts) - 1
            less = added(smaller, {(): -1})
            context.facts.append(("<=", (less, ONE)))
            steps.append(("whole", 0, as_tree(less, trees), source))
    return steps


def _combined(setting: Setting, relation: str, goal: Goal, value: tuple[Polynomial, Polynomial]) -> list[Tree] | None:
    n, _ = value
    for factor in factors(n, setting):
        of_factor, _, rest = setting.divided(times(n, factor))
        if relation == "==":
            if not rest:
                return _steps(setting, goal, value, times(factor, of_factor), [])
            continue
        terms = shown(rest, relation == "<", setting)
        if terms is not None:
            more, found = terms
            return _steps(setting, goal, value, product([factor, of_factor, more]), found)
    if relation == "==" and setting.thorough and any(each != "==" for each, _ in setting.context.facts):
        sides = [_combined(setting, "<=", ("<=", 0, setting.tree(p)), (p, ONE)) for p in (n, negated(n))]
        if None in sides:
            return None
        first, second = sides
        assert first is not None
        assert second is not None
        return [*first, *renumbered(second, len(setting.context.facts), sum(map(facts_of, first)))]
    return _whole(setting, goal, value) if relation == "<=" else None


def _whole(setting: Setting, goal: Goal, value: tuple[Polynomial, Polynomial]) -> list[Tree] | None:
    """N >= 0 from N + 1 > 0, where what the equations leave of N is a whole number, or a multiple of one."""
    factor, _, rest = setting.divided(value[0])
    if not rest or any(setting.context.kinds[name] not in WHOLES for name in variables(rest)):
        return None
    content = gcd(*rest.values())
    less = {monomial: c // content for monomial, c in rest.items()}
    more = added(less, ONE)
    steps = _combined(setting, "<", ("<", 0, setting.tree(more)), (more, ONE))
    if steps is None:
        return None
    context = replace(setting.context, facts=[*setting.context.facts])
    steps.append(("whole", 0, setting.tree(less), len(context.facts) + sum(map(facts_of, steps)) - 1))
    follow(steps, context, ("==", 0, 0))
    terms = [Term({(): content}, (len(context.facts) - 1,))]
    last = _steps(replace(setting, context=context), goal, value, factor, terms)
    return None if last is None else [*steps, *last]


def factors(n: Polynomial, setting: Setting) -> Iterator[Polynomial]:
    """What may be multiplied with: nothing; for p - q also p + q, which squares roots; a divisor of what is rounded."""
    yield ONE
    called = [name for name in variables(n) if name in setting.trees]
    if not setting.thorough or not called:
        return
    conjugate = {monomial: abs(c) for monomial, c in n.items()}
    if conjugate != n and sign(conjugate, setting.context) == 2:
        yield conjugate
    if any(setting.trees[name][0] in ("ceil", "floor") for name in called):
        beside = variables(*(numerator for _, (numerator, _) in setting.context.facts))
        yield from ({((name, 1),): 1} for name in beside if "positive" in setting.context.kinds[name])


def _steps(
    setting: Setting, goal: Goal, value: tuple[Polynomial, Polynomial], factor: Polynomial, terms: Sequence[Term]
) -> list[Tree] | None:
    """The step `combine` for factor * N == terms + multiples of equations, after the squares that it needs."""
    facts = setting.context.facts
    n, d = value
    missing = added(times(factor, n), *(negated(setting.product(term)) for term in terms))
    more, quotients, rest = setting.divided(missing)
    if rest:
        return None
    squares = list(dict.fromkeys(setting.tree(square) for term in terms for square in term.squares))
    places = {square: len(facts) + number for number, square in enumerate(squares)}
    written: list[Tree] = []
    for term in terms:
        below = product(facts[place][1][1] for place in term.places)
        used = (*term.places, *(places[setting.tree(square)] for square in term.squares))
        written.append((setting.tree(product([more, term.weight, below])), *used))
    for place, quotient in quotients.items():
        if quotient:
            written.append((setting.tree(times(quotient, facts[place][1][1])), place))
    relation, left, right = goal
    if relation in (">=", ">"):
        relation, left, right = relation.replace(">", "<"), right, left
    step = ("combine", relation, left, right, setting.tree(product([factor, more, d])), tuple(written))
    return [*(("square", square) for square in squares), step]
