"""What the search knows at one place of a proof: the checker's facts, and equations among them to divide by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from derive.proof.checker import Context, Polynomial, Tree, sign
from derive.proof.search.polynomials import (
    ONE,
    added,
    as_tree,
    coefficient_of,
    degree,
    product,
    remainder,
    times,
    variables,
)

MOST_MONOMIALS = 400
PASSES = 4  # until dividing by all equations in turn changes nothing


@dataclass(frozen=True)
class Term:
    """A summand that is not negative: a weight that the signs of its coefficients show to be so, times facts."""

    weight: Polynomial
    places: tuple[int, ...] = ()  # of facts
    squares: tuple[Polynomial, ...] = ()


@dataclass(frozen=True)
class Setting:
    """What the checker knows, and equations to divide by, each with the variable in which that is done."""

    context: Context
    trees: Mapping[str, Tree]  # the calls that variables are the values of
    thorough: bool  # whether to look further than single facts: not as long as cases can be told apart
    rules: tuple[tuple[int, str, int], ...] = ()  # place of a fact, the variable, 1 or -1 times its polynomial

    def divided(self, p: Polynomial) -> tuple[Polynomial, dict[int, Polynomial], Polynomial]:
        """A positive factor, quotients by place, and the rest: factor * p == sum of quotients * equations + rest."""
        factor, quotients, rest = ONE, dict[int, Polynomial](), p
        for _ in range(PASSES):
            before = rest
            for place, name, side in self.rules:
                equation = times(self.numerator(place), {(): side})
                if degree(rest, name) >= degree(equation, name):
                    more, quotient, rest = remainder(rest, equation, name)
                    quotients = {x: times(more, each) for x, each in quotients.items()}
                    quotients[place] = added(quotients.get(place, {}), times(quotient, {(): side}))
                    factor = times(factor, more)
            if rest == before or len(rest) > MOST_MONOMIALS:
                break
        return factor, quotients, rest

    def tree(self, p: Polynomial) -> Tree:
        """The polynomial as the checker reads it."""
        return as_tree(p, self.trees)

    def numerator(self, place: int) -> Polynomial:
        """What a fact says the sign of, above the fraction bar."""
        return self.context.facts[place][1][0]

    def product(self, term: Term) -> Polynomial:
        """The value of a term."""
        squares = [each for each in term.squares for _ in range(2)]
        return product([term.weight, *squares, *map(self.numerator, term.places)])


def settings(context: Context, trees: Mapping[str, Tree], thorough: bool) -> Iterator[Setting]:
    """Ways to use the equations among the facts: calls are replaced, or the symbols that calls are made of."""
    places = [place for place, (relation, (n, _)) in enumerate(context.facts) if relation == "==" and n]
    seen = []
    for calls_first in (True, False):
        setting = Setting(context, trees, thorough)
        for place in sorted(places, key=lambda place: -place):
            n = setting.numerator(place)
            names = sorted(variables(n), key=partial(_preference, n, list(trees), calls_first))
            usable = [
                (place, name, side)
                for name in names
                for side in (1, -1)
                if _leads(times(n, {(): side}), name, context) and not any(name == x for _, x, _ in setting.rules)
            ]
            setting = replace(setting, rules=(*setting.rules, *usable[:1]))
        if setting.rules not in seen:
            seen.append(setting.rules)
            yield setting


def _preference(n: Polynomial, calls: Sequence[str], calls_first: bool, name: str) -> tuple[Any, ...]:
    """Which variable to divide in: of a low degree, with a number in front, and the outermost call first."""
    leading = coefficient_of(n, name, degree(n, name))
    place = calls.index(name) if name in calls else -1
    return (place >= 0) != calls_first, degree(n, name), leading.keys() != {()}, -place, name


def _leads(equation: Polynomial, name: str, context: Context) -> bool:
    return sign(coefficient_of(equation, name, degree(equation, name)), context) == 2
