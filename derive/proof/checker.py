"""Accepts true equalities and bounds only: the trusted checker, which needs nothing but Python's standard library.

A statement is JSON data: two trees, a relation between them, symbols with their kinds, and definitions, the givens:

    {"relation": "==", "left": TREE, "right": TREE, "symbols": {"h": "positive integer"}, "given": [["f", TREE]]}
    TREE: an integer, a declared symbol, ["+", x, y, ...], ["*", x, y, ...], ["/", x, y], ["-", x] or ["^", x, integer]

Why an accepted statement is true:

1. What is proved is what is printed. `read` copies the data into immutable trees and rejects all that it does not know.
   Both the proof and the text that `check` returns are made from these trees.
2. Points. A symbol that a given defines is an abbreviation; the others are free. A point gives each free symbol a real
   value, > 0 if it is a "positive real" and >= 1 if it is a "positive integer". So every choice of positive integers is
   a point, and what holds at all points holds for them. Each given defines one symbol, once, by an expression in free
   symbols alone that is shown to be positive. So the givens exclude no point and cannot contradict each other: nothing
   is proved by leaving nothing to prove. That a defined symbol is whole (d in d == h/a) is never used: where it is
   whole, the statement holds, and elsewhere too.
3. Values. `evaluate` turns a tree into N/D, polynomials with integer coefficients such that at every point D > 0 and
   N/D is the value of the tree. By induction: each operation is a rule of school algebra for fractions, and D is a
   product of ones and of what was shown to be positive. An exponent <= 0 counts as a division, so there is no 0^0.
4. Positive. `is_positive` accepts a polynomial that is not 0 and has no negative coefficient, as all symbols are > 0;
   or one that has no negative coefficient after x = 1 + y, y >= 0, for every "positive integer" x, and has a monomial
   without any such y: this one is > 0, the others are >= 0.
5. Equal. left - right = (N D' - N' D) / (D D'). `collect` adds like terms: if no term is left, the numerator is 0 at
   every point. (Whether that finds every true identity does not matter here.)

6. At most. With right - left = N/D as in 5, D > 0, it is enough that N >= 0: `shift` writes N in y >= 0 and in symbols
   > 0, so it is a sum of terms >= 0 if no coefficient is negative.

A rejection is not a refutation. Limits, which keep any input from using up time, memory or the stack, reject too, and
so does a divisor whose sign 4 does not see. Trusted besides this file: Python's int, dict, tuple, json.

    python derive/proof/checker.py FILE.json ...       each file a list of statements; the exit code is 0 if all hold
"""

import json
import re
import sys
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

MAX_DEPTH, MAX_SYMBOLS, MAX_EXPONENT = 200, 200, 64
MAX_BITS = 2_048  # of an integer: 617 digits. Python can be told to print no more than 640 digits, but not fewer
MAX_MONOMIALS, MAX_DEGREE = 20_000, 1_000  # of a polynomial
MAX_WORK = 3_000_000  # of a statement, in steps of `Domain.spend`: a few seconds
MAX_FILE_BYTES = 2**24

FIELDS = ("relation", "left", "right", "symbols", "given")
KINDS = {"positive integer": 1, "positive real": 0}  # a free symbol is at least this, and in any case more than 0
OPERANDS = {"+": (2, None), "*": (2, None), "/": (2, 2), "-": (1, 1), "^": (2, 2)}  # at least, at most
LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}  # how tightly an operation binds in print
NAME = re.compile(r"(?!(?:for|all|and|given)\Z)[A-Za-z][A-Za-z0-9_]{0,39}")  # no word of what `check` returns

Monomial = tuple[tuple[str, int], ...]  # symbols in alphabetical order, each with its exponent >= 1
Polynomial = dict[Monomial, int]  # no coefficient is 0
Ratio = tuple[Polynomial, Polynomial]  # N, D for the value N / D; D has been shown to be positive at every point
Tree = Any  # an int, a str, or a tuple (head, operand, ...)


class Rejected(Exception):
    """Why a statement was not accepted, in one line. This does not say that it is false."""


@dataclass
class Domain:
    """The lower bound of each free symbol, and how much work may still be done."""

    lower: dict[str, int]
    work: int = MAX_WORK

    def spend(self, steps: int) -> None:
        self.work -= steps
        require(self.work >= 0, "the statement takes too much work")


ONE: Polynomial = {(): 1}
MINUS_ONE: Ratio = ({(): -1}, ONE)


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Rejected(reason)


def shown(data: object) -> str:
    """Any data in a few characters of one line."""
    if type(data) is str:
        return ascii(data[:40])
    return repr(data) if data is None or type(data) in (bool, float) else f"a {type(data).__name__}"


# Polynomials


def collect(terms: Iterable[tuple[Monomial, int]], domain: Domain) -> Polynomial:
    """The sum of the terms. Every polynomial that is computed is made here, so that the limits hold for all."""
    total: Polynomial = {}
    for monomial, coefficient in terms:
        bits = coefficient.bit_length()
        domain.spend(1 + len(monomial) + bits // 64)
        require(bits <= MAX_BITS, f"a coefficient gets more than {MAX_BITS} bits")
        require(sum(exponent for _, exponent in monomial) <= MAX_DEGREE, f"a degree gets higher than {MAX_DEGREE}")
        value = total.pop(monomial, 0) + coefficient
        if value:
            total[monomial] = value
        require(len(total) <= MAX_MONOMIALS, f"a polynomial gets more than {MAX_MONOMIALS} monomials")
    return total


def multiply(p: Polynomial, q: Polynomial, domain: Domain) -> Polynomial:
    return collect(((join(m, n), c * d) for m, c in p.items() for n, d in q.items()), domain)


def join(m: Monomial, n: Monomial) -> Monomial:
    exponents = dict(m)
    for name, exponent in n:
        exponents[name] = exponents.get(name, 0) + exponent
    return tuple(sorted(exponents.items()))


def shift(p: Polynomial, domain: Domain) -> Polynomial:
    """p with lower + y in the place of each symbol; y goes by the name of the symbol."""
    terms: list[tuple[Monomial, int]] = []
    for monomial, coefficient in p.items():
        term: Polynomial = {(): coefficient}
        for name, exponent in monomial:
            binomial = collect([(((name, 1),), 1), ((), domain.lower[name])], domain)
            for _ in range(exponent):
                term = multiply(term, binomial, domain)
        terms.extend(term.items())
    return collect(terms, domain)


def is_positive(p: Polynomial, domain: Domain) -> bool:
    """Whether signs of coefficients show that p > 0 at every point: see 4 above."""
    if all(coefficient > 0 for coefficient in p.values()):
        return bool(p)
    shifted = shift(p, domain)
    some = any(all(domain.lower[name] == 0 for name, _ in monomial) for monomial in shifted)
    return some and all(coefficient > 0 for coefficient in shifted.values())


def first_terms(p: Polynomial) -> str:
    """Some of p, for a message."""
    ordered = sorted(p, key=lambda m: (-sum(exponent for _, exponent in m), m))
    terms = ["*".join([str(p[m]), *(name if e == 1 else f"{name}^{e}" for name, e in m)]) for m in ordered[:4]]
    return " + ".join(terms)[:200] + (f" + ... ({len(p)} terms)" if len(p) > 4 else "")


# Trees


def read(data: Any, names: Container[str], domain: Domain, depth: int = 1) -> Tree:
    """The tree that the data is, if its symbols are among the names."""
    domain.spend(100)  # bounds the number of nodes
    require(depth <= MAX_DEPTH, f"an expression is nested more than {MAX_DEPTH} deep")
    if type(data) is int:  # exactly: True is an instance of int
        require(data.bit_length() <= MAX_BITS, f"an integer has more than {MAX_BITS} bits")
        return data
    if type(data) is str:
        require(data in names, f"{shown(data)} is not a {'free' if names is domain.lower else 'declared'} symbol")
        return data
    require(type(data) is list and len(data) > 0, f"{shown(data)} is not an expression")
    items: list[Any] = data
    head, operands = items[0], items[1:]
    require(type(head) is str and head in OPERANDS, f"unknown operation {shown(head)}")
    least, most = OPERANDS[head]
    require(least <= len(operands) <= (most or len(operands)), f"{head!r} with {len(operands)} operands")
    if head == "^":
        base, exponent = operands
        valid = type(exponent) is int and abs(exponent) <= MAX_EXPONENT
        require(valid, f"an exponent is not an integer from -{MAX_EXPONENT} to {MAX_EXPONENT}")
        return (head, read(base, names, domain, depth + 1), exponent)
    return (head, *[read(operand, names, domain, depth + 1) for operand in operands])


def text(tree: Tree, level: int = 0) -> str:
    """The tree in the usual notation, in parentheses if it binds less tightly than `level`."""
    if type(tree) is not tuple:
        return f"({tree})" if type(tree) is int and tree < 0 and level else str(tree)
    head, first, *rest = tree
    own = LEVELS[head]
    result = "-" + text(first, own + 1) if head == "-" else text(first, own + (head == "^"))
    for operand in rest:
        if head == "+" and type(operand) is tuple and operand[0] == "-":
            result += " - " + text(operand[1], own + 1)
        else:
            result += (" + " if head == "+" else head) + text(operand, own + 1)
    return f"({result})" if own < level else result


def evaluate(tree: Tree, values: dict[str, Ratio], domain: Domain) -> Ratio:
    """The value of the tree, from those of its symbols: see 3 above."""
    if type(tree) is int:
        return {(): tree} if tree else {}, ONE
    if type(tree) is str:
        return values[tree]
    head, first, *rest = tree
    value = evaluate(first, values, domain)
    if head == "-":
        return times(MINUS_ONE, value, domain)
    if head == "^":
        factor = value if rest[0] > 0 else inverse(value, first, domain)
        value = (ONE, ONE)
        for _ in range(abs(rest[0])):
            value = times(value, factor, domain)
        return value
    for operand in rest:
        other = evaluate(operand, values, domain)
        if head == "/":
            other = inverse(other, operand, domain)
        value = (plus if head == "+" else times)(value, other, domain)
    return value


def times(x: Ratio, y: Ratio, domain: Domain) -> Ratio:
    return multiply(x[0], y[0], domain), multiply(x[1], y[1], domain)


def plus(x: Ratio, y: Ratio, domain: Domain) -> Ratio:
    (n, d), (m, e) = x, y
    if d != e:  # n/d + m/e = (n e + m d) / (d e)
        n, m, d = multiply(n, e, domain), multiply(m, d, domain), multiply(d, e, domain)
    return collect(chain(n.items(), m.items()), domain), d


def inverse(x: Ratio, tree: Tree, domain: Domain) -> Ratio:
    """1 / x, the value of the tree: the only place where a denominator other than 1 comes from."""
    n, d = x
    if not is_positive(n, domain):  # the text is made only then: it may be long
        raise Rejected(f"the divisor {text(tree)[:80]} is not shown to be positive")
    return d, n


# Statements


def show_equal(left: Ratio, right: Ratio, domain: Domain) -> None:
    """See 5 above."""
    difference, _ = plus(left, times(MINUS_ONE, right, domain), domain)
    require(not difference, f"the sides differ: left - right has the numerator {first_terms(difference)}")


def show_at_most(left: Ratio, right: Ratio, domain: Domain) -> None:
    """See 6 above."""
    difference, _ = plus(right, times(MINUS_ONE, left, domain), domain)
    negative = {monomial: c for monomial, c in shift(difference, domain).items() if c < 0}
    require(not negative, f"right - left has negative terms, {first_terms(negative)}, beyond the least values")


# Each raises unless the relation is shown.
RELATIONS: dict[str, Callable[[Ratio, Ratio, Domain], None]] = {"==": show_equal, "<=": show_at_most}


def check(statement: Any) -> str:
    """The statement as text, made from what was read, if it is proved; raises `Rejected` with the reason if not.

    >>> layer = {"relation": "==", "left": ["*", 2, "h", "f"], "right": ["*", 8, ["^", "h", 2]],
    ...          "symbols": {"h": "positive integer", "f": "positive integer"}, "given": [["f", ["*", 4, "h"]]]}
    >>> check(layer)
    'for all positive integers h: 2*h*f == 8*h^2 given f == 4*h'
    >>> try: check(layer | {"right": ["*", 9, ["^", "h", 2]]})
    ... except Rejected as reason: print(reason)
    the sides differ: left - right has the numerator -1*h^2
    """
    try:
        return prove(statement)
    except RecursionError:  # only if the caller has used up the stack: MAX_DEPTH levels need few frames
        raise Rejected("no stack is left to read the statement") from None


def prove(data: Any) -> str:
    require(type(data) is dict, f"{shown(data)} is not a statement")
    for field in chain(data, FIELDS):
        require(field in FIELDS, f"unknown field {shown(field)}")
        require(field in data, f"missing field {shown(field)}")
    relation, symbols, given = data["relation"], data["symbols"], data["given"]
    require(type(relation) is str and relation in RELATIONS, f"unknown relation {shown(relation)}")
    require(type(symbols) is dict, "'symbols' is not an object")
    symbols = dict(symbols)  # ours from here on, whoever else holds the data
    require(len(symbols) <= MAX_SYMBOLS, f"more than {MAX_SYMBOLS} symbols")
    for name, kind in symbols.items():
        require(type(name) is str and bool(NAME.fullmatch(name)), f"{shown(name)} cannot be the name of a symbol")
        require(type(kind) is str and kind in KINDS, f"symbol {name} is of the unknown kind {shown(kind)}")
    require(type(given) is list, "'given' is not a list")
    given = list(given)
    require(all(type(pair) is list and len(pair) == 2 for pair in given), "a given is not a symbol and its expression")
    given = [tuple(pair) for pair in given]
    defined = [name for name, _ in given]
    for place, name in enumerate(defined):
        require(type(name) is str and name in symbols, f"'given' defines {shown(name)}, which is not declared")
        require(name not in defined[:place], f"'given' defines {name} twice")

    domain = Domain({name: KINDS[kind] for name, kind in symbols.items() if name not in defined})
    values: dict[str, Ratio] = {name: ({((name, 1),): 1}, ONE) for name in domain.lower}
    definitions = []
    for name, expression in given:
        tree = read(expression, domain.lower, domain)
        definitions.append(f"{name} == {text(tree)}")
        values[name] = evaluate(tree, values, domain)
        require(is_positive(values[name][0], domain), f"{definitions[-1][:80]} is not shown to be positive")
    left, right = (read(data[side], symbols, domain) for side in ("left", "right"))
    RELATIONS[relation](evaluate(left, values, domain), evaluate(right, values, domain), domain)

    free = {kind: [name for name in domain.lower if symbols[name] == kind] for kind in KINDS}
    scope = " and ".join(f"{kind}s {', '.join(names)}" for kind, names in free.items() if names)
    proved = f"{text(left)} {relation} {text(right)}" + (" given " if given else "") + " and ".join(definitions)
    return f"for all {scope}: {proved}" if scope else proved


# Files


def load(path: str) -> list[object]:
    """The statements of a JSON file. Numbers with a point, NaN and the like become floats, which `read` rejects."""
    with open(path, "rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    require(len(content) <= MAX_FILE_BYTES, f"more than {MAX_FILE_BYTES} bytes")
    statements = json.loads(content.decode("utf-8"), object_pairs_hook=unique)
    require(type(statements) is list and len(statements) > 0, "not a list of one statement or more")
    return statements


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        require(key not in result, f"duplicate key {shown(key)}")
        result[key] = value
    return result


def main(paths: Sequence[str]) -> int:
    """Prints one line a statement; 0 if there are files and all that they state is accepted, else 1."""
    failures = 0 if paths else 1
    for path in paths:
        try:
            statements = load(path)
        except (Rejected, OSError, ValueError, RecursionError) as reason:
            failures += 1
            print(f"{path}: rejected: {reason}")
            continue
        for place, statement in enumerate(statements):
            try:
                print(f"{path}[{place}]: accepted: {check(statement)}")
            except Rejected as reason:
                failures += 1
                print(f"{path}[{place}]: rejected: {reason}")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
