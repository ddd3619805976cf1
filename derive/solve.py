"""Solving: the value of one letter at which a quantity has a value; closed form, number, and the check beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count, islice
from math import ceil, floor

from derive.errors import GrammarError, ModelError, PlanError, SolveError
from derive.evaluation import exact_text, number
from derive.interval import Interval
from derive.inverse import Inverse, closed_forms, with_target
from derive.letters import Letter
from derive.model import Given, Model, apply_relations
from derive.monotone import crossing, direction, last_whole
from derive.plan import Plan
from derive.quantity import Formula
from derive.reading import to_tree
from derive.report import Report, report
from derive.situation import Situation, situation
from derive.tree import Node, symbols_of, to_text
from derive.values import LARGEST, show

MOST_TRIED = 4096  # values beside the root that are tried until one fits the model and the plan
MOST_BEYOND = 256  # values beyond the answer of which the first that fits is shown


@dataclass(frozen=True, slots=True)
class Check:
    """A value of the letter and the quantity there, or why there is none."""

    at: int
    value: Fraction | None
    reason: str = ""


@dataclass(frozen=True)
class Solution:
    """A quantity's equation for one of its letters, solved.

    `symbol` is what the quantity is called in `equation` and `closed`, `root` the exact solution, to some fifty digits
    where it is irrational; `value` that root, or for a letter that counts things the whole number nearest to it on the
    safe side, with `check` at it and at the next one. `reached` says which side that is.
    """

    formula: Formula
    letter: Letter
    target: Fraction
    symbol: str
    equation: Node
    closed: Inverse | None
    reached: bool
    root: Fraction | None = None
    value: Fraction | None = None
    exact: str | None = None
    check: tuple[Check, ...] = ()
    report: Report | None = None  # of the quantity at the answer
    free: tuple[str, ...] = ()


def must_reach(formula: Formula) -> bool:
    """Whether a target is a least value (a throughput, a utilization) and not a most (bytes, seconds, dollars, FLOPs)."""
    powers = dict(formula.unit.powers)
    return powers.get("second", 0) < 0 or (powers.get("FLOP", 0) > 0 > powers.get("byte", 0)) or (
        not powers and formula.symbol.startswith("eta")
    )  # fmt: skip


def solve(
    formula: Formula,
    target: Fraction,
    name: str,
    model: Model | None,
    plan: Plan,
    *,
    options: Mapping[str, Given] | None = None,
) -> Solution:
    """Solve `formula` = `target` for the letter `name`, everything else as `options`, the model and the plan say.

    Raises `UnknownName` for no letter, `SolveError` where the quantity does not depend on it, where no value of it or
    more than one gives the target, or where the letter has a value already.
    """
    task = _task(formula, target, name, model, plan, options or {})
    found = task.unsolved
    if found.free:
        if found.closed is None:
            raise SolveError(f"no closed form for {name}: give values for {', '.join(found.free)} (--set, or --model)")
        return found
    return task.numbers(found)


def _task(
    formula: Formula, target: Fraction, name: str, model: Model | None, plan: Plan, options: Mapping[str, Given]
) -> _Task:
    letter = formula.notation[name]
    if name in options:
        raise SolveError(f"{name} is what is solved for: leave out its value, {options[name].value}")
    if letter.plan_key:
        degree = getattr(plan, letter.plan_key)
        if degree not in (1, letter.symbol):
            raise SolveError(f"{name} is what is solved for: leave out {letter.plan_key}={degree}")
        plan = replace(plan, **{letter.plan_key: letter.symbol})
    open_model = model
    if model is not None:
        open_model = replace(model, sizes={x: given for x, given in model.sizes.items() if x != name})
    # Without relations of the letter itself, which its value overrides.
    case = situation(formula, open_model, plan, options=options)
    return _Task(formula, target, letter, model, plan, options, case)


@dataclass(frozen=True)
class _Task:
    """What is asked, with `case` all that is known without the letter."""

    formula: Formula
    target: Fraction
    letter: Letter
    model: Model | None
    plan: Plan
    options: Mapping[str, Given]
    case: Situation

    @cached_property
    def known(self) -> dict[str, Given]:
        return {x: given for x, given in self.case.known.items() if x != self.letter.name}

    @cached_property
    def unsolved(self) -> Solution:
        """The equation and its closed form."""
        formula, name, case = self.formula, self.letter.name, self.case
        keep = {name, *(self.known if case.model is not None else self.options)}
        expression = formula.ledger(case.model, case.plan, keep).value
        if case.model is not None:
            relations = {x: tree for x, tree in case.model.relations.items() if x not in keep}
            expression = apply_relations(expression, relations, formula.notation)
        equation = to_tree(expression, formula.notation.order)
        letters = symbols_of(equation)
        if name not in letters:
            others = ", ".join(letters) or "none"
            raise SolveError(
                f"{formula.name} does not depend on {name} ({self.letter.meaning}) here: its letters are {others}"
            )
        symbol = formula.symbol if formula.symbol not in letters else f"{formula.symbol}_0"
        table = with_target(formula.notation, symbol, formula.title, str(formula.unit))
        forms = closed_forms(expression, self.letter.symbol, symbol, table)
        free = tuple(x for x in letters if x != name and x not in self.known)
        if forms and not free:
            roots = [root for form in forms if (root := self.root_of(form, symbol)) is not None]
            forms = self.holding(forms, symbol, equation)
            if not forms:
                raise self.impossible(self.along(equation), roots[0] if len(roots) == 1 else None)
        if len(forms) > 1 and not free:
            roots = " and ".join(_brief(self.root_of(form, symbol)) for form in forms)
            raise SolveError(f"more than one {name} gives {formula.name} = {self.amount(self.target)}: {roots}")
        closed = forms[0] if len(forms) == 1 else None
        if len(forms) > 1:
            texts = " or ".join(to_text(form.tree) for form in forms)
            raise SolveError(f"more than one closed form for {name}, {texts}: give values for {', '.join(free)}")
        return Solution(formula, self.letter, self.target, symbol, equation, closed, must_reach(formula), free=free)

    def holding(self, forms: tuple[Inverse, ...], symbol: str, equation: Node) -> tuple[Inverse, ...]:
        """The forms that are positive here and give the target when they are put in."""
        kept = {}
        for form in forms:
            root = self.root_of(form, symbol)
            if root is None or root <= 0:
                continue
            value = self.along(equation)(root)
            if value is not None and abs(value - self.target) * 10**30 <= abs(self.target):
                kept.setdefault(root, form)
        return tuple(kept.values())

    def root_of(self, form: Inverse, symbol: str) -> Fraction | None:
        """The value of a closed form, or None where there is none: a root of a negative number, a division by zero."""
        try:
            root = number(form.tree, {**self.known, symbol: Given(self.target, "target")})
        except GrammarError:
            return None
        if isinstance(root, Interval):
            self.refuse_interval()
        return root

    def refuse_interval(self) -> None:
        wide = ", ".join(x for x, given in self.known.items() if isinstance(given.value, Interval))
        raise SolveError(f"{self.formula.name} is only known to lie in an interval: set {wide}")

    def along(self, equation: Node) -> Callable[[Fraction | int], Fraction | None]:
        """The quantity as a function of the letter, by its equation."""

        def value(at: Fraction | int) -> Fraction | None:
            try:
                found = number(equation, {**self.known, self.letter.name: Given(at, "tried")})
            except GrammarError:
                return None
            if isinstance(found, Interval):
                self.refuse_interval()
            return found

        return value

    def check(self, at: int) -> Check:
        """The quantity at a whole number as everybody who sets it would get it: the model and the plan must fit."""
        try:
            found = situation(self.formula, self.model, self.plan, options=self.given(at)).value
        except (ModelError, PlanError, GrammarError) as error:
            return Check(at, None, str(error))
        if found is None:  # a letter behind it has no value, but cancels: devices in what a run costs
            found = self.along(self.unsolved.equation)(at)
        return Check(at, found if isinstance(found, Fraction) else None)

    def given(self, at: Fraction | int) -> dict[str, Given]:
        whole = int(at) if at == int(at) else at
        return {**self.options, self.letter.name: Given(whole, "solved")}

    def amount(self, value: Fraction) -> str:
        return show(value, str(self.formula.unit))

    def numbers(self, found: Solution) -> Solution:
        """The solution with its number."""
        counts = self.letter.kind == "positive integer"
        value = self.along(found.equation)
        rises = direction(found.equation, self.letter.name)
        if found.closed is not None:
            root = self.root_of(found.closed, found.symbol)
            assert root is not None  # it holds
            rises = rises or self.slope(value, root)
            return self.whole(found, root, rises) if counts else self.real(found, root)
        rises = rises or self.sampled(value)
        return self.whole(found, None, rises) if counts else self.real(found, self.bisected(value, rises))

    def slope(self, value: Callable[[Fraction | int], Fraction | None], root: Fraction) -> int:
        """Whether the quantity rises or falls through its only root."""
        near = [value(root * Fraction(step, 4)) for step in (5, 3)]
        above, below = (each if each is not None else self.target for each in near)
        return 1 if above > below else -1

    def sampled(self, value: Callable[[Fraction | int], Fraction | None]) -> int:
        """The same where there is no closed form: seen at powers of two, since the form of the equation does not tell."""
        values = [each for each in (value(2**n) for n in range(80)) if each is not None]
        steps = {(other > one) - (other < one) for one, other in zip(values, values[1:], strict=False)} - {0}
        if len(steps) != 1:
            raise SolveError(
                f"{self.formula.name} neither only rises nor only falls with {self.letter.name}: "
                f"no {self.letter.name} is the one for {self.amount(self.target)}"
            )
        return steps.pop()

    def bisected(self, value: Callable[[Fraction | int], Fraction | None], rises: int) -> Fraction:
        """The root by exact bisection: the simplest fraction in a narrow bracket where that is it."""

        def below(at: Fraction) -> bool:
            found = value(at)
            return found is not None and (found <= self.target if rises > 0 else found > self.target)

        bracket = crossing(below)
        if bracket is None:
            raise self.impossible(value)
        low, high = bracket
        simple = ((low + high) / 2).limit_denominator(10**12)
        return simple if value(simple) == self.target else low

    def impossible(
        self, value: Callable[[Fraction | int], Fraction | None], root: Fraction | None = None
    ) -> SolveError:
        """No value of the letter gives the target: what it is at one end, or the root that is not allowed."""
        name, wanted = self.letter.name, f"{self.formula.name} = {self.amount(self.target)}"
        if root is not None:
            return SolveError(f"no {name} gives {wanted}: it would have to be {_brief(root)}")
        ends = [f"{self.amount(each)} at {name} = {at}" for at in (1, LARGEST) if (each := value(at)) is not None]
        return SolveError(
            f"no {name} gives {wanted}: it is {', '.join(ends[:1])}" if ends else f"no {name} gives {wanted}"
        )

    def real(self, found: Solution, root: Fraction) -> Solution:
        if self.letter.most is not None and root > self.letter.most:
            raise SolveError(
                f"{self.formula.name} = {self.amount(self.target)} would take {self.letter.name} = {_brief(root)}, "
                f"which is above its most, {self.letter.most}"
            )
        return self.answered(found, root, root, ())

    def whole(self, found: Solution, root: Fraction | None, rises: int) -> Solution:
        """The whole number on the safe side of the root that fits the model and the plan, and its neighbour."""
        down = (rises > 0) != found.reached  # the largest that holds, not the smallest
        step = -1 if down else 1
        start = self.searched(found, down) if root is None else floor(root) if down else ceil(root)
        if down:
            start = self.within_bounds(start)
        answer = self.first(start, step, MOST_TRIED, found)
        if answer is not None and answer.value != self.along(found.equation)(answer.at):
            answer = self.first(1, 1, MOST_TRIED, found)  # the equation is another one where a plan cannot split
        if answer is None:
            first = self.check(max(start, 1))
            why = first.reason or f"it is {self.amount(first.value or Fraction(0))} at {self.letter.name} = {first.at}"
            verb = "reaches" if found.reached else "keeps to"
            wanted = f"{self.formula.name} = {self.amount(self.target)}"
            raise SolveError(f"no whole {self.letter.name} {verb} {wanted}: {why}")
        beyond = self.first(answer.at - step, -step, MOST_BEYOND) or self.check(max(answer.at - step, 1))
        return self.answered(found, root, Fraction(answer.at), (answer, beyond)[: 1 + (answer.at > step)])

    def searched(self, found: Solution, down: bool) -> int:
        """The last whole number that holds, or the first, by bisection."""
        value = self.along(found.equation)

        def holds(at: int) -> bool:
            here = value(at)
            return here is not None and self.holds(found, here) == down

        last = last_whole(holds)
        if last == LARGEST:
            raise self.impossible(value)
        return (last or 0) + (0 if down else 1)

    def within_bounds(self, start: int) -> int:
        """The start, or a size of the model that the letter may not exceed."""
        bounds = self.model.architecture.bounds if self.model is not None else ()
        limits = [self.known[limit].value for x, limit in bounds if x == self.letter.name and limit in self.known]
        return min([start, *limits])

    def first(self, start: int, step: int, most: int, found: Solution | None = None) -> Check | None:
        """The first value that fits the model and the plan, and, for a solution, that keeps to the target."""
        for at in islice(count(start, step), most):
            if at < 1:
                return None
            tried = self.check(at)
            if tried.value is not None and (found is None or self.holds(found, tried.value)):
                return tried
        return None

    def holds(self, found: Solution, value: Fraction) -> bool:
        return value >= self.target if found.reached else value <= self.target

    def answered(self, found: Solution, root: Fraction, value: Fraction, check: tuple[Check, ...]) -> Solution:
        made = report(self.formula, self.model, self.plan, options=self.given(value))
        exact = str(value)
        if not check and found.closed is not None:
            exact = exact_text(found.closed.tree, {**self.known, found.symbol: Given(self.target, "target")})
        return replace(found, root=root, value=value, exact=exact, check=check, report=made)


def _brief(value: Fraction | None) -> str:
    return show(value, "1") if value is not None else ""
