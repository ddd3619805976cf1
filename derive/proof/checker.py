"""Accepts true statements only: the trusted checker of certificates, which needs nothing but Python's standard library.

A certificate is JSON data: a statement, and the steps of its proof. This file alone decides; who found the steps, and
how, does not matter.

    {"symbols": {"h": "positive integer"}, "define": [["f", TREE]], "given": [[RELATION, TREE, TREE]], "witness": POINT,
     "relation": RELATION, "left": TREE, "right": TREE, "steps": [STEP]}
    TREE: an integer, a declared symbol, ["+", x, y, ...], ["*", x, y, ...], ["/", x, y], ["-", x], ["^", x, y],
          ["sqrt", x], ["ceil", x], ["floor", x], ["max", x, y, ...] or ["min", x, y, ...], where x and y are trees
    POINT: {"h": 2}; symbols that it does not name are 1           also there may be: "name", "equality", "digest"
    RELATION: one of == <= < >= >          kinds of symbols: `REALS` and `WHOLES`          STEP: see `follow`

What is proved: at every point, left and right have a value and the relation holds. A point gives each symbol that is
not defined a real number of its kind, such that all givens hold. A defined symbol is an abbreviation of its tree.

Why an accepted certificate proves it:

1. What is proved is what is printed. `frozen` copies the data into tuples, which nothing can change any more. The proof
   and the text that `check` returns are both made from these. Whatever is not as described raises: a rejection.
2. Something is proved. Definitions are of symbols before them, and shown to be positive: no point is excluded. Where
   there are givens, the witness is a point at which they hold: the trees are evaluated with numbers for the symbols.
3. Values. `evaluate` turns a tree into N/D, polynomials with integer coefficients such that at every point D > 0 and
   N/D is the value of the tree. By induction: each operation is a rule of school algebra for fractions, and D is a
   product of ones and of what was shown to be positive. An integer exponent <= 0 counts as a division: there is no 0^0.
   The value of a call (a root, any other power, ceil, floor, max, min) is one more variable of the polynomials. Its
   kind follows from what is shown of its operands; where that does not show that it has a value, it is rejected. Calls
   of one function whose operands are identically equal (those of max and min in any order, and as often as one likes)
   have one value, so they are one variable.
4. Signs. `sign` writes a polynomial in y >= 0, where x = 1 + y for every variable x >= 1, and in the other variables.
   If no coefficient is negative, and what may be negative stands in even powers only, it is a sum of terms >= 0. If
   one of them has no variables but those that are > 0 (or none at all), the sum is > 0. A fact may say it, too.
5. Facts. A fact is a difference N/D that is == 0, >= 0 or > 0 at every point, or at every point of a branch. The first
   are the givens. Each step adds what follows from those before it: why, stands at its rule in `follow`. A step with
   branches is the last one: its branches cover all points, and the goal is shown in each.
6. The goal. right - left is N/D too, D > 0: for == it is enough that N is identically 0 or a fact, for <= that N >= 0,
   for < that N > 0. In a branch in which a fact such as 0 < 0 holds there is no point, and nothing is left to show.

A rejection is not a refutation. Limits, which keep any input from using up time, memory or the stack, reject too. Of
name, digest and equality (a point at which the sides of an inequality are equal) nothing is claimed. Trusted besides
this file: Python's int, dict, tuple, json and hashlib.

    python derive/proof/checker.py FILE.json ...       files of {"version": 1, "certificates": [...]}; 0 if all hold
"""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import comb
from typing import Any

MAX_DEPTH, MAX_SYMBOLS, MAX_EXPONENT, MAX_DEGREE, MAX_MONOMIALS = 200, 200, 64, 1_000, 20_000
# Of an integer: 617 digits, as Python can be told to print no more than 640, but not fewer. Of a certificate: seconds.
VERSION, MAX_FILE_BYTES, MAX_BITS, MAX_WORK = 1, 2**24, 2_048, 3_000_000

NEEDED = {"symbols", "define", "given", "witness", "relation", "left", "right", "steps"}
OPTIONAL = {"name", "equality", "digest"}  # about which nothing is claimed
HOLDS = {"==": lambda value: value == 0, "<=": lambda value: value >= 0, "<": lambda value: value > 0}  # 0 to it
# Kinds of variables: three of real numbers and three of integers; each time any, those >= 0, and those > 0.
REALS, WHOLES = ("real", "nonnegative real", "positive real"), ("integer", "natural number", "positive integer")
# Of the operations that are not written as calls: how tightly each binds, and what stands between its operands.
PRINT = {"+": (1, " + "), "-": (1, ""), "*": (2, "*"), "/": (2, "/"), "^": (3, "^")}
NAME = re.compile(r"(?!(?:for|every|and|where|given|max|min|sqrt|ceil|floor)\Z)[A-Za-z][A-Za-z0-9_]{0,39}")

Monomial = tuple[tuple[str, int], ...]  # variables in alphabetical order, each with its exponent >= 1
Polynomial = dict[Monomial, int]  # no coefficient is 0
Ratio = tuple[Polynomial, Polynomial]  # N, D for the value N / D; D has been shown to be positive at every point
Tree = Any  # an int, a str, or a tuple (head, operand, ...)


class Rejected(Exception):
    """Why a certificate was not accepted, in one line. This does not say that its statement is false."""


@dataclass
class Context:
    """What is known: values of symbols, kinds of variables, the calls that have a variable, and facts."""

    values: dict[str, Ratio] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, list[Ratio], Ratio]] = field(default_factory=list)  # function, operands, its variable
    facts: list[tuple[str, Ratio]] = field(default_factory=list)  # ==, <= or < between 0 and the value
    work: list[int] = field(default_factory=lambda: [MAX_WORK])  # that is left, for all branches

    def spend(self, steps: int) -> None:
        self.work[0] -= steps
        require(self.work[0] >= 0, "the statement takes too much work")


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Rejected(reason)


# Polynomials


def collect(terms: Iterable[tuple[Monomial, int]], context: Context) -> Polynomial:
    """The sum of the terms. Every polynomial that is computed is made here, so that the limits hold for all."""
    total: Polynomial = {}
    context.spend(4)
    for monomial, coefficient in terms:
        bits, degree = coefficient.bit_length(), sum(exponent for _, exponent in monomial)
        context.spend(1 + len(monomial) + bits // 64)
        require(bits <= MAX_BITS and degree <= MAX_DEGREE and len(total) <= MAX_MONOMIALS, "a polynomial is too large")
        if value := total.pop(monomial, 0) + coefficient:
            total[monomial] = value
    return total


def multiply(p: Polynomial, q: Polynomial, context: Context) -> Polynomial:
    return collect(((join(m, n), c * d) for m, c in p.items() for n, d in q.items()), context)


def join(m: Monomial, n: Monomial) -> Monomial:
    one, other = dict(m), dict(n)
    return tuple(sorted((name, one.get(name, 0) + other.get(name, 0)) for name in {*one, *other}))


def shift(p: Polynomial, context: Context) -> Polynomial:
    """p with 1 + y in the place of each variable >= 1; y goes by the name of the variable."""
    for name in sorted({name for m in p for name, _ in m if context.kinds[name] == "positive integer"}):
        terms = [(tuple(pair for pair in m if pair[0] != name), dict(m).get(name, 0), c) for m, c in p.items()]
        powers = ((m, ((name, k),) if k else (), c * comb(e, k)) for m, e, c in terms for k in range(e + 1))
        p = collect(((join(m, n), c) for m, n, c in powers), context)
    return p


def sign(p: Polynomial, context: Context) -> int:
    """2 if p > 0 at every point, 1 if p >= 0, as signs of coefficients or facts show it, else 0: see 4 above."""
    context.spend((1 + len(context.facts)) * (1 + sum(map(len, p))))
    if p and all(c > 0 and all("positive" in context.kinds[name] for name, _ in m) for m, c in p.items()):
        return 2  # without the work of shifting
    shifted = shift(p, context)
    stated = [1 + (relation == "<") for relation, (n, _) in context.facts if n == p and relation != "=="]
    odd = any(context.kinds[name] in (REALS[0], WHOLES[0]) and exponent % 2 for m in shifted for name, exponent in m)
    if odd or any(c < 0 for c in shifted.values()):
        return max(stated, default=0)
    return max([1 + any(all(context.kinds[name] == "positive real" for name, _ in m) for m in shifted), *stated])


# Trees


def frozen(data: Any, context: Context | None = None, depth: int = 1) -> Any:
    """The data with tuples for lists: integers, strings and these alone. True is no integer here."""
    (context := context or Context()).spend(10)  # bounds the copy, which one list may be in many times
    if type(data) is list and depth <= MAX_DEPTH:
        return tuple([frozen(each, context, depth + 1) for each in data])
    require(type(data) is str or (type(data) is int and data.bit_length() <= MAX_BITS), f"not readable: {data!a:.60}")
    return data


def text(tree: Tree, level: int = 0) -> str:
    """The tree in the usual notation, in parentheses if it binds less tightly than `level`."""
    if type(tree) is not tuple:
        return f"({tree})" if type(tree) is int and tree < 0 and level else str(tree)
    own, between = PRINT.get(tree[0], (0, ", "))
    joined = between.join(map(text, tree[1:], [own + (tree[0] in "-^"), *[own + (tree[0] != "+")] * len(tree)]))
    if not own:
        return f"{tree[0]}({joined})"
    joined = "-" + joined if tree[0] == "-" else joined.replace(" + -", " - ")
    return f"({joined})" if own < level else joined


ONE: Polynomial = {(): 1}
MINUS_ONE: Ratio = ({(): -1}, ONE)


def evaluate(tree: Tree, context: Context) -> Ratio:
    """The value of the tree: see 3 above."""
    context.spend(100)  # bounds the number of nodes
    match tree:
        case int():
            return {(): tree} if tree else {}, ONE
        case str():
            require(tree in context.values, f"{tree!a:.60} is not a symbol that may stand here")
            return context.values[tree]
        case ("-", x):
            return times(MINUS_ONE, evaluate(x, context), context)
        case ("/", x, y):
            return times(evaluate(x, context), inverse(y, context), context)
        case ("^", x, int(exponent)) if abs(exponent) <= MAX_EXPONENT:
            factor = evaluate(x, context) if exponent > 0 else inverse(x, context)
            return reduce(lambda v, _: times(v, factor, context), range(abs(exponent)), (ONE, ONE))
        case ("+" | "*" as head, _, _, *_):
            operation = plus if head == "+" else times
            return reduce(lambda v, w: operation(v, w, context), [evaluate(x, context) for x in tree[1:]])
        case ("sqrt", x):
            return call(context, "^", x, ("/", 1, 2))
        case ("ceil" | "floor", _) | ("^", _, _) | ("max" | "min", _, _, *_):
            return call(context, *tree)
    raise Rejected(f"not an expression: {tree!a:.60}")


def times(x: Ratio, y: Ratio, context: Context) -> Ratio:
    return multiply(x[0], y[0], context), multiply(x[1], y[1], context)


def plus(x: Ratio, y: Ratio, context: Context) -> Ratio:
    (n, d), (m, e) = x, y
    context.spend(len(d) + len(e))
    if d != e:  # n/d + m/e = (n e + m d) / (d e)
        n, m, d = multiply(n, e, context), multiply(m, d, context), multiply(d, e, context)
    return collect([*n.items(), *m.items()], context), d


def minus(x: Ratio, y: Ratio, context: Context) -> Ratio:
    return plus(x, times(MINUS_ONE, y, context), context)


def inverse(tree: Tree, context: Context) -> Ratio:
    """1 / the value of the tree: the only place where a denominator other than 1 comes from."""
    n, d = evaluate(tree, context)
    if sign(n, context) < 2:  # the text is made only then: it may be long
        raise Rejected(f"the divisor {text(tree)[:80]} is not shown to be positive")
    return d, n


def call(context: Context, head: str, *trees: Tree) -> Ratio:
    """The value of a call, a variable: that of the same call before, or a new one."""
    values = [evaluate(tree, context) for tree in trees]
    for _, others, known in [each for each in context.calls if each[0] == head]:
        same = [[not minus(x, y, context)[0] for y in others] for x in values]
        # Base and exponent; or, as sets, all operands: to max and min their order and number do not matter.
        if all(map(any, [*same, *zip(*same, strict=True)]) if head != "^" else (same[0][0], same[1][1])):
            return known
    signs = [sign(n, context) for n, _ in values]
    # A root of 0 is 0; any other power needs a positive base.
    require(head != "^" or signs[0] > (trees[1] != ("/", 1, 2)), f"{text(trees[0])[:60]} is not shown to be positive")
    shown = {"max": max(signs), "min": min(signs), "floor": min(1, signs[0])}.get(head, signs[0])
    name = f"[{len(context.calls)}]"  # the name of no symbol
    context.kinds[name] = (WHOLES if head in ("ceil", "floor") else REALS)[shown]
    context.calls.append((head, values, ({((name, 1),): 1}, ONE)))
    return context.calls[-1][2]


# What the value v of a call obeys, by the definition of its function. A square root is x^(1/2), and v^q == x^p.
LAWS: dict[str, Callable[..., list[tuple[str, Tree, Tree]]]] = {
    "max": lambda v, *operands: [("<=", x, v) for x in operands],
    "min": lambda v, *operands: [("<=", v, x) for x in operands],
    "ceil": lambda v, x: [("<=", x, v), ("<", v, ("+", x, 1))],
    "floor": lambda v, x: [("<=", v, x), ("<", x, ("+", v, 1))],
    "sqrt": lambda v, x: [("==", ("^", v, 2), x)],
    "^": lambda v, x, power: [("==", ("^", v, q), ("^", x, p)) for head, p, q in [power] if head == "/"],
}


# Proofs


def difference(context: Context, relation: str, left: Tree, right: Tree) -> tuple[str, Ratio]:
    """What the relation says of 0: that it is == or <= or < a value."""
    require(relation in ("==", "<=", "<", ">=", ">"), f"unknown relation {relation!a:.60}")
    x, y = evaluate(left, context), evaluate(right, context)
    return relation.replace(">", "<"), minus(x, y, context) if ">" in relation else minus(y, x, context)


def combine(context: Context, factor: Tree, terms: Sequence[Any], relation: str, value: Ratio) -> None:
    """A positive factor times the value is a sum of terms, each a tree times facts, whose signs are known."""
    inverse(factor, context)  # which raises unless it is positive
    rest, above = times(value, evaluate(factor, context), context), False
    for tree, *places in terms:
        term, facts = evaluate(tree, context), [context.facts[place] for place in places]
        signed, zero = sign(term[0], context), any(each == "==" for each, _ in facts)
        require(zero or (relation != "==" and signed > 0), f"the term with {text(tree)[:80]} may have a wrong sign")
        above |= not zero and signed == 2 and all(each == "<" for each, _ in facts)
        rest = minus(rest, reduce(lambda x, fact: times(x, fact[1], context), facts, term), context)
    require(above or relation != "<", "no term is shown to be positive")
    require(not rest[0], f"the terms do not add up to the fact: {len(rest[0])} monomials are left over")
    context.facts.append((relation, value))


def follow(steps: Sequence[Any], context: Context, goal: tuple[str, Tree, Tree]) -> None:
    """Raises unless the steps show the goal. Each adds a fact that follows from those that there are."""
    for step in steps:
        context.spend(1_000)
        match step:
            case ("of", (head, *operands) as v):  # the definition of the function
                context.facts += [difference(context, *law) for law in LAWS[head](v, *operands)]
            case ("square", x):  # is not negative
                context.facts.append(("<=", evaluate(("^", x, 2), context)))
            case ("combine", "==" | "<=" | "<" as relation, left, right, factor, terms):  # a sum of terms >= 0
                combine(context, factor, terms, *difference(context, relation, left, right))
            case ("whole", left, right, int(place)):  # where N is an integer, N + 1 > 0 says N >= 0
                (_, (n, d)), (relation, (m, _)) = difference(context, "<=", left, right), context.facts[place]
                integers = d == ONE and all(context.kinds[name] in WHOLES for monomial in n for name, _ in monomial)
                require(integers and relation == "<", f"{text(right)[:80]} minus {text(left)[:80]} may not be whole")
                require(m == plus((n, ONE), (ONE, ONE), context)[0], f"fact {place} is not about one more")
                context.facts.append(("<=", (n, d)))
            case ("cases", ("max" | "min", *operands) as v, *proofs):  # a maximum is one of its operands
                require(1 < len(proofs) == len(operands) and step is steps[-1], "'cases' lacks a branch or is not last")
                for x, proof in zip(operands, proofs, strict=True):
                    branch = replace(context, kinds={**context.kinds}, calls=[*context.calls], facts=[*context.facts])
                    branch.facts.append(difference(branch, "==", v, x))
                    follow(proof, branch, goal)
                return
            case _:
                raise Rejected(f"unknown step {step!a:.60}")
    relation, (n, d) = difference(context, *goal)
    zero = not n or ("==", (n, d)) in context.facts
    signed = sign(n, context) if n else 1
    both = relation == "==" and signed > 0 and sign(multiply(n, {(): -1}, context), context) > 0
    nowhere = any({*m} <= {()} and not HOLDS[each](m.get((), 0)) for each, (m, _) in context.facts)
    reached = nowhere or {"==": zero or both, "<=": zero or signed > 0, "<": signed > 1}[relation]
    require(reached, "the steps do not show the relation")


# Certificates


def witnessed(point: dict[str, Tree], symbols: dict[str, str], define: Tree, given: Tree) -> None:
    """Raises unless all givens hold at a point; numbers stand for the symbols, 1 for one that it does not name."""
    context = Context(dict.fromkeys(symbols, (ONE, ONE)))
    for name, tree in (*frozen([[*each] for each in point.items()], context), *define):
        context.values[name] = evaluate(tree, context)
    for name, (n, d) in context.values.items():
        i = (REALS + WHOLES).index(symbols[name])
        whole = {*n, *d} <= {()} and n.get((), 0) % d[()] == 0
        require(i % 3 <= sign(n, context) and (i < 3 or whole), f"{name} is not of its kind")
    for relation, (n, _) in [difference(context, *each) for each in given]:
        require({*n} <= {()} and HOLDS[relation](n.get((), 0)), "a given does not hold at the witness")


def check(data: Any) -> str:
    """The statement as text, made from what was read, if it is proved; raises `Rejected` with the reason if not.

    >>> layer = {"symbols": {"h": "positive integer", "f": "positive integer"}, "define": [["f", ["*", 4, "h"]]],
    ...          "given": [], "witness": {}, "relation": "==", "left": ["*", 2, "h", "f"],
    ...          "right": ["*", 8, ["^", "h", 2]], "steps": []}
    >>> check(layer)
    'for every positive integer h: 2*h*f == 8*h^2 given f == 4*h'
    >>> try: check(layer | {"right": ["*", 9, ["^", "h", 2]]})
    ... except Rejected as reason: print(reason)
    the steps do not show the relation
    """
    try:
        require({*data} | OPTIONAL == NEEDED | OPTIONAL, f"not the fields of a certificate: {sorted(data)!a:.200}")
        context = Context()
        symbols = dict(frozen([[*each] for each in data["symbols"].items()], context))
        define, given, steps = (frozen(data[field], context) for field in ("define", "given", "steps"))
        goal = frozen([data["relation"], data["left"], data["right"]], context)
        free = {name: kind for name, kind in symbols.items() if name not in dict(define)}
        require(len(symbols) == len(free) + len(define) <= MAX_SYMBOLS, "what is defined is not declared, or twice")
        for name, kind in symbols.items():
            require(bool(NAME.fullmatch(name)) and kind in REALS + WHOLES, f"{name!a:.60} cannot be a {kind!a:.60}")
        context.values, context.kinds = {name: ({((name, 1),): 1}, ONE) for name in free}, dict(free)
        for name, tree in define:
            context.values[name] = evaluate(tree, context)
            require(sign(context.values[name][0], context) == 2, f"{name} is not shown to be positive")
        context.facts.extend(difference(context, *each) for each in given)
        if given:
            witnessed(data["witness"], symbols, define, given)
        follow(steps, context, goal)
        said = [f"{text(x)} {each} {text(y)}" for each, x, y in (goal, *[("==", *pair) for pair in define], *given)]
        scope = " and ".join(f"{k} {', '.join(x for x in free if free[x] == k)}" for k in dict.fromkeys(free.values()))
        proved = " given ".join(filter(None, [said[0], " and ".join(said[1:])]))
        return f"for every {scope}: {proved}" if scope else proved
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise Rejected(f"not of the form of a certificate: {type(error).__name__}: {error!s:.60}") from None


# Files


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len({key for key, _ in pairs}) == len(pairs), "an object has one key twice")
    return dict(pairs)


def digest(certificate: dict[str, Any]) -> str:
    """SHA-256 of everything in a certificate but the digest itself."""
    content = {key: value for key, value in certificate.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def main(paths: Sequence[str]) -> int:
    """Prints a line for each certificate; 0 if there are files and all in them is accepted, else 1."""
    failed = not paths
    for path in paths:
        try:
            with open(path, "rb") as file:  # numbers with a point, NaN and the like become floats, which are rejected
                data = json.loads(file.read(MAX_FILE_BYTES).decode("utf-8"), object_pairs_hook=unique)
                valid = not file.read(1) and {*data} == {"version", "certificates"} and data["version"] == VERSION
            require(valid and len(data["certificates"]) > 0, f"no certificates of version {VERSION}")
            for certificate in data["certificates"]:
                require(certificate["digest"] == digest(certificate), "the digest is that of something else")
                print(f"{path}: accepted: {check(certificate)}")
        except (Rejected, OSError, ValueError, TypeError, LookupError, RecursionError) as reason:
            print(f"{path}: rejected, and what follows in it is not looked at: {reason}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
