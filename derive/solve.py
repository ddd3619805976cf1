"""Solving: the value of one letter at which a quantity has a value; closed form, number, and the check beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, islice, pairwise
from math import ceil, floor

from derive.equation import Equation, Question, equation
from derive.errors import GrammarError, ModelError, PlanError, SolveError
from derive.evaluation import exact_text, limits
from derive.model import Given, Model
from derive.monotone import crossing, direction, last_whole
from derive.plan import Plan
from derive.quantity import Formula
from derive.report import Report, report
from derive.situation import situation
from derive.values import LARGEST, show

MOST_TRIED = 4096  # values beside the root that are tried until one fits the model and the plan
MOST_BEYOND = 256  # values beyond the answer of which the first that fits is shown
PRECISE = 10**30  # what an irrational root is known to, in parts of itself
DOUBLINGS = 80  # from 1, of the letter, at which a quantity is looked at that its form does not tell the direction of


@dataclass(frozen=True, slots=True)
class Check:
    """A whole value of the letter and the quantity there, or why there is none."""

    at: int
    value: Fraction | None
    reason: str = ""


@dataclass(frozen=True)
class Solution:
    """A quantity's equation, solved for one letter.

    `root` is the exact solution, to some fifty digits where it is irrational, and None where only whole numbers were
    looked at; `value` that root, or for a letter that counts things the whole number next to it on the safe side, with
    `checks` at it and at the next one. `reached` says which side is safe: the quantity must reach its target, or not
    exceed it. Where letters have no value, all of these are None.
    """

    equation: Equation
    reached: bool
    root: Fraction | None = None
    value: Fraction | None = None
    exact: str | None = None
    checks: tuple[Check, ...] = ()
    report: Report | None = None  # of the quantity at the answer

    def keeps(self, value: Fraction) -> bool:
        """Whether a value of the quantity is on the safe side of its target."""
        target = self.equation.question.target
        return value >= target if self.reached else value <= target


def must_reach(formula: Formula) -> bool:
    """Whether a target is a least value (a throughput, an intensity, a utilization) or a most (bytes, seconds, ...)."""
    powers = dict(formula.unit.powers)
    rate = powers.get("second", 0) < 0 or powers.get("FLOP", 0) > 0 > powers.get("byte", 0)
    return rate or (not powers and formula.symbol.startswith("eta"))


def solve(
    formula: Formula,
    target: Fraction,
    name: str,
    model: Model | None = None,
    plan: Plan | None = None,
    *,
    options: Mapping[str, Given] | None = None,
) -> Solution:
    """Solve `formula` = `target` for the letter `name`, all else as the model, the plan and `options` say.

    Raises `UnknownName` for no letter, `SolveError` where the quantity does not depend on it, where no value of it or
    more than one gives the target, or where the letter has a value already; whatever `situation` raises besides.
    """
    question = Question(formula, target, formula.notation[name], model, plan or Plan(), options or {})
    found = Solution(equation(question), must_reach(formula))
    if found.equation.free:
        return found
    return _whole(found) if question.letter.kind == "positive integer" else _real(found)


def _rises(made: Equation, root: Fraction | None) -> bool:
    """Whether the quantity rises or falls with the letter: by the equation's form, by its only root, or as it is seen.

    Raises `SolveError` where it does both.
    """
    question = made.question
    if found := direction(made.tree, question.letter.name):
        return found > 0
    points = [root * Fraction(part, 4) for part in (3, 5)] if root is not None else [2**n for n in range(DOUBLINGS)]
    values = [each for at in points if (each := made.along(at)) is not None]
    moves = {(other > one) - (other < one) for one, other in pairwise(values)} - {0}
    if len(moves) != 1:
        raise SolveError(
            f"{question.formula.name} neither only rises nor only falls with {question.letter.name}: "
            f"no single one can be found for {question.amount(question.target)}"
        )
    return moves.pop() > 0


def _real(found: Solution) -> Solution:
    """The solution for a letter that is a real number: the root itself."""
    made, question = found.equation, found.equation.question
    letter = question.letter
    root = made.root(made.closed) if made.closed is not None else _bisected(made)
    if root is None:
        made.impossible()
    if letter.most is not None and root > letter.most:
        raise SolveError(
            f"{question.wanted} would take {letter.name} = {show(root, '1')}, which is above its most, {letter.most}"
        )
    there = _there(made, root)
    if there is not None and made.along(root) != there:
        where = f"{letter.name} = {show(root, '1')}"
        raise SolveError(f"{question.formula.name} is {question.amount(there)} at {where}, not what was solved")
    exact = exact_text(made.closed.tree, made.target_known) if made.closed is not None else str(root)
    return _reported(replace(found, root=root, value=root, exact=exact))


def _bisected(made: Equation) -> Fraction | None:
    """The root by exact bisection: the simplest fraction in a narrow bracket where that is it."""
    target, rises = made.question.target, _rises(made, None)

    def before(at: Fraction) -> bool:
        value = made.along(at)
        return value is not None and (value <= target if rises else value > target)

    bracket = crossing(before)
    if bracket is None:
        return None
    low, high = bracket
    simple = ((low + high) / 2).limit_denominator(10**12)
    return simple if made.along(simple) == target else low


def _whole(found: Solution) -> Solution:
    """The solution for a letter that counts things: on the safe side of the root, fitting the model and the plan."""
    made, question = found.equation, found.equation.question
    root = made.root(made.closed) if made.closed is not None else None
    down = _rises(made, root) != found.reached  # the largest that keeps to the target, not the smallest
    step = -1 if down else 1
    if root is None:
        start = _searched(found, down)
    elif abs(root - round(root)) * PRECISE < root:  # a whole number, seen through an irrational one
        start = round(root)
    else:
        start = floor(root) if down else ceil(root)
    start = min([start, *_limits(made)]) if down else start
    answer = _first(found, start, step)
    if answer is not None and answer.value != made.along(answer.at):
        answer = _scanned(found, down)  # the equation is another one where the plan cannot split an axis
    if answer is None:
        first = check(made, max(start, 1))
        value = question.amount(first.value) if first.value is not None else "nothing"
        why = first.reason or f"it is {value} at {question.letter.name} = {first.at}"
        raise SolveError(
            f"no {question.letter.name} {'reaches' if found.reached else 'keeps to'} {question.wanted}: {why}"
        )
    beyond = _first(found, answer.at - step, -step, MOST_BEYOND, safe=False)
    if beyond is None and answer.at > step:
        beyond = check(made, answer.at - step)
    checks = (answer, beyond) if beyond is not None else (answer,)
    return _reported(replace(found, root=root, value=Fraction(answer.at), exact=str(answer.at), checks=checks))


def check(made: Equation, at: int) -> Check:
    """The quantity at a whole number as everybody who sets it would get it: the model and the plan must fit."""
    try:
        return Check(at, _there(made, at))
    except (ModelError, PlanError, GrammarError) as error:
        return Check(at, None, str(error))


def _there(made: Equation, at: Fraction | int) -> Fraction | None:
    question = made.question
    value = situation(question.formula, question.model, question.plan, options=question.given(at)).value
    if value is None:  # a letter behind it has no value, but cancels: devices in what a run costs
        value = made.along(at)
    return value if isinstance(value, Fraction) else None


def _first(found: Solution, start: int, step: int, most: int = MOST_TRIED, *, safe: bool = True) -> Check | None:
    """The first value that fits the model and the plan and, if it is to be `safe`, that keeps to the target."""
    for at in islice(count(start, step), most):
        if at < 1:
            return None
        tried = check(found.equation, at)
        if tried.value is not None and (not safe or found.keeps(tried.value)):
            return tried
    return None


def _scanned(found: Solution, down: bool) -> Check | None:
    """The last value from 1 upwards that keeps to the target before one that does not, or the first that does."""
    last = None
    for at in range(1, MOST_TRIED):
        tried = check(found.equation, at)
        if tried.value is None:
            continue
        if found.keeps(tried.value):
            last = tried
        if last is not None and (not down or last is not tried):
            return last
    return last


def _searched(found: Solution, down: bool) -> int:
    """The last whole number that keeps to the target, or the first, by bisection."""

    def before(at: int) -> bool:
        value = found.equation.along(at)
        return value is not None and found.keeps(value) == down

    last = last_whole(before)
    if last == LARGEST and down:
        question = found.equation.question
        word = "reaches" if found.reached else "keeps to"
        raise SolveError(f"every {question.letter.name} up to 10^40 {word} {question.wanted}: there is no largest one")
    if last == LARGEST:
        found.equation.impossible()
    return (last or 0) + (not down)


def _limits(made: Equation) -> list[int]:
    """What the model's sizes say that the letter may not exceed."""
    model, name = made.question.model, made.question.letter.name
    return [floor(most) for x, _, most in limits(model, made.known) if x == name] if model is not None else []


def _reported(found: Solution) -> Solution:
    question = found.equation.question
    made = report(question.formula, question.model, question.plan, options=question.given(found.value or Fraction(0)))
    return replace(found, report=made)
