"""A quantity as an equation for one of its letters: its closed form, and the quantity along that letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NoReturn, cast

from sympy import Expr, Integer

from derive.errors import GrammarError, SolveError
from derive.evaluation import number
from derive.interval import Interval
from derive.inverse import Inverse, closed_forms, with_target
from derive.letters import Letter
from derive.model import Given, Model, apply_relations
from derive.plan import Plan
from derive.quantity import Formula
from derive.reading import to_tree
from derive.situation import situation
from derive.tree import Node, symbols_of, to_text
from derive.values import show


@dataclass(frozen=True)
class Question:
    """Which value of a letter gives a quantity its target, all else as the model, the plan and `options` say."""

    formula: Formula
    target: Fraction
    letter: Letter
    model: Model | None
    plan: Plan
    options: Mapping[str, Given]

    @property
    def wanted(self) -> str:
        """What is wanted, in words."""
        return f"{self.formula.name} = {self.amount(self.target)}"

    def amount(self, value: Fraction) -> str:
        """A value of the quantity for people."""
        return show(value, str(self.formula.unit))

    def given(self, at: Fraction | int) -> dict[str, Given]:
        """The options, with a value for the letter."""
        return {**self.options, self.letter.name: Given(int(at) if at == int(at) else at, "solved")}


@dataclass(frozen=True)
class Equation:
    """The quantity, called `symbol`, as a tree in the letter and in others, `known` or `free`; `closed` solves it."""

    question: Question
    symbol: str
    tree: Node
    known: Mapping[str, Given]
    free: tuple[str, ...]
    closed: Inverse | None = None

    def along(self, at: Fraction | int) -> Fraction | None:
        """The quantity where the letter has this value; None where a divisor is zero."""
        return self._number(self.tree, {**self.known, self.question.letter.name: Given(at, "tried")})

    def root(self, form: Inverse) -> Fraction | None:
        """The value of a closed form, or None where there is none: a root of a negative number, a division by zero."""
        return self._number(form.tree, self.target_known)

    @property
    def target_known(self) -> dict[str, Given]:
        """The values that a closed form takes: those that are known, and the target."""
        return {**self.known, self.symbol: Given(self.question.target, "target")}

    def _number(self, tree: Node, values: Mapping[str, Given]) -> Fraction | None:
        try:
            found = number(tree, values)
        except GrammarError:
            return None
        if isinstance(found, Interval):
            wide = ", ".join(x for x, given in values.items() if isinstance(given.value, Interval))
            raise SolveError(f"{self.question.formula.name} is only known to lie in an interval: set {wide}")
        return found

    def holds(self, form: Inverse) -> bool:
        """Whether a closed form is positive here and gives the target when it is put in."""
        root, target = self.root(form), self.question.target
        value = self.along(root) if root is not None and root > 0 else None
        return value is not None and abs(value - target) * 10**30 <= abs(target)

    def impossible(self, root: Fraction | None = None) -> NoReturn:
        """No value of the letter gives the target: where the equation's root is, or the quantity there or at 1."""
        name, at = self.question.letter.name, root or Fraction(1)
        value = self.along(at) if at > 0 else None
        why = f": it would have to be {show(at, '1')}" if at <= 0 else ""
        if value is not None:
            why = f": it is {self.question.amount(value)} at {name} = {show(at, '1')}"
        raise SolveError(f"no {name} gives {self.question.wanted}{why}")


def equation(question: Question) -> Equation:
    """The equation of a question and its closed form, the only one that holds where all other letters have values.

    Raises `SolveError` where the letter has a value already, where the quantity does not depend on it, and where none
    of the closed forms holds, or more than one.
    """
    formula, name = question.formula, question.letter.name
    model, plan = _opened(question)
    case = situation(formula, model, plan, options=question.options)
    standing = formula.standing(case.model, formula.rows(case.model, case.plan).letters)
    # The letter may have a default inside a quantity that another letter stands for: that is no number yet.
    moving = {x for x, each in standing.items() if name in set(each.reached(case.model, case.plan))}
    known = {x: given for x, given in case.known.items() if x != name and (x not in moving or x in question.options)}
    # As in reports: with a model's sizes, what letters stand for is a number; without, it is written out.
    keep = {name, *(known if case.model is not None else question.options)}
    expression = formula.ledger(case.model, case.plan, keep).value
    if case.model is not None:
        relations = {x: tree for x, tree in case.model.relations.items() if x not in keep}
        expression = apply_relations(expression, relations, formula.notation)
    nothing = {formula.notation.symbol(x): Integer(0) for x, given in known.items() if given.value == 0}
    expression = cast(Expr, expression.xreplace(nothing))
    tree = to_tree(expression, formula.notation.order)
    letters = symbols_of(tree)
    if name not in letters:
        others = f"its letters are {', '.join(letters)}" if letters else "it has no letters"
        raise SolveError(f"{formula.name} does not depend on {name} ({question.letter.meaning}) here: {others}")
    symbol = formula.symbol if formula.symbol not in letters else f"{formula.symbol}_0"
    table = with_target(formula.notation, symbol, formula.title, str(formula.unit))
    forms = closed_forms(expression, question.letter.symbol, symbol, table)
    made = Equation(question, symbol, tree, known, tuple(x for x in letters if x != name and x not in known))
    return replace(made, closed=_in_letters(made, forms) if made.free else _in_force(made, forms))


def _opened(question: Question) -> tuple[Model | None, Plan]:
    """The model and the plan without a value for the letter; `SolveError` where a person has set one."""
    letter, model, plan = question.letter, question.model, question.plan
    if letter.name in question.options:
        value = question.options[letter.name].value
        raise SolveError(f"{letter.name} is what is solved for: leave out its value, {value}")
    if letter.plan_key:
        degree = getattr(plan, letter.plan_key)
        if degree not in (1, letter.symbol):
            raise SolveError(f"{letter.name} is what is solved for: leave out {letter.plan_key}={degree}")
        plan = replace(plan, **{letter.plan_key: letter.symbol})
    if model is not None:
        model = replace(model, sizes={x: given for x, given in model.sizes.items() if x != letter.name})
    return model, plan


def _in_letters(made: Equation, forms: tuple[Inverse, ...]) -> Inverse:
    """The only closed form, where numbers are missing that could choose among several."""
    name, missing = made.question.letter.name, f"give values for {', '.join(made.free)} (--set, or --model)"
    if not forms:
        raise SolveError(f"no closed form for {name}: {missing}")
    first, *others = forms
    if others:
        texts = " or ".join(to_text(form.tree) for form in forms)
        raise SolveError(f"more than one closed form for {name}, {texts}: {missing}")
    return first


def _in_force(made: Equation, forms: tuple[Inverse, ...]) -> Inverse | None:
    """The only closed form that holds at the numbers; None where there is no closed form at all."""
    roots = {made.root(form): form for form in forms if made.holds(form)}
    if len(roots) > 1:
        texts = " and ".join(show(root, "1") for root in roots if root is not None)
        raise SolveError(f"more than one {made.question.letter.name} gives {made.question.wanted}: {texts}")
    for root, form in roots.items():
        if form.branches and root is not None:
            _only(made, root)
    if forms and not roots:
        tried = [root for form in forms if (root := made.root(form)) is not None]
        made.impossible(tried[0] if len(tried) == 1 else None)
    return next(iter(roots.values()), None)


def _only(made: Equation, root: Fraction) -> None:
    """A minimum or maximum may stay at its other argument on one side of the root: then every value there is one."""
    question = made.question
    for at, words in ((root * 2, "from {} on"), (root / 2, "up to {}")):
        if made.along(at) == question.target:
            every = words.format(show(root, "1"))
            raise SolveError(f"more than one {question.letter.name} gives {question.wanted}: all {every}")
