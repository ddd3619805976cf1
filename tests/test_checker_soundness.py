"""Whatever the checker accepts is true: random proofs, and real ones with something changed, against exact values."""

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from derive.proof.checker import Rejected, check
from derive.proof.refute.counterexample import counterexample, holds_at
from tests.checking import changed, paths

FOLDER = Path(__file__).parent.parent / "checks" / "certificates"
CERTIFICATES = [each for path in sorted(FOLDER.glob("*.json")) for each in json.loads(path.read_text())["certificates"]]
HALF = ["/", 1, 2]
KINDS = ("positive integer", "natural number", "positive real", "nonnegative real", "real")
RELATIONS = ("==", "<=", "<", ">=", ">")
WHOLE, PART = [0, 1, 2, 3, 5, -1, -2], [Fraction(1, 2), Fraction(7, 3), Fraction(-5, 2)]
POINTS = st.fixed_dictionaries({name: st.sampled_from([*WHOLE, *PART]) for name in "abxyz"})


def accepted(data: Any) -> bool:
    """Whether the checker accepts a certificate; anything but its own exception is an error."""
    try:
        check(data)
    except Rejected:
        return False
    return True


# ---- random proofs: steps whose identities hold, so that signs and kinds alone decide ----

leaves = st.sampled_from(["a", "b", "x", "y", "z", "a", "x", 0, 1, 2, -1])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(("+", "*", "max", "min")), inner, inner).map(list),
        st.tuples(st.sampled_from(("-", "ceil", "floor", "sqrt")), inner).map(list),
        st.tuples(st.just("/"), inner, st.sampled_from([2, "a", "x", "z", ["+", "y", 1]])).map(list),
        st.tuples(st.just("^"), inner, st.sampled_from([2, 2, 3])).map(list),
        st.tuples(st.just("^"), st.sampled_from("axy"), st.sampled_from([0, -1, HALF, ["/", 2, 3], "z"])).map(list),
    ),
    max_leaves=4,
)
kinds = st.fixed_dictionaries({name: st.sampled_from(KINDS) for name in "abxyz"})


def negative(tree: Any) -> Any:
    return ["-", tree]


def laws(call: list[Any]) -> list[tuple[str, Any]]:
    """What the step `of` adds, as relations of 0 to trees, written again."""
    head, first = call[0], call[1]
    differences = {
        "max": [("<=", ["+", call, negative(x)]) for x in call[1:]],
        "min": [("<=", ["+", x, negative(call)]) for x in call[1:]],
        "ceil": [("<=", ["+", call, negative(first)]), ("<", ["+", first, 1, negative(call)])],
        "floor": [("<=", ["+", first, negative(call)]), ("<", ["+", call, 1, negative(first)])],
        "sqrt": [("==", ["+", first, negative(["^", call, 2])])],
    }
    return differences[head]


class Proof:
    """Steps drawn at random, and the facts that they add, as relations of 0 to trees."""

    def __init__(self, draw: Any, givens: list[Any]) -> None:
        self.draw, self.steps = draw, list[Any]()
        self.facts = [(relation, ["+", right, negative(left)]) for relation, left, right in givens]
        for _ in range(draw(st.integers(0, 4))):
            draw(st.sampled_from((self.call, self.square, self.combine, self.combine, self.whole)))()

    def call(self) -> None:
        head = self.draw(st.sampled_from(("max", "min", "ceil", "floor", "sqrt")))
        call = [head, *(self.draw(trees) for _ in range(2 if head in ("max", "min") else 1))]
        self.steps.append(["of", call])
        self.facts += laws(call)

    def square(self) -> None:
        root = self.draw(trees)
        self.steps.append(["square", root])
        self.facts.append(("<=", ["^", root, 2]))

    def combine(self) -> None:
        weights = st.sampled_from([1, 2, "a", "x", "z", ["^", "z", 2], -1]) | trees
        places = st.lists(st.integers(0, max(len(self.facts) - 1, 0)), max_size=2 if self.facts else 0)
        terms = self.draw(st.lists(st.tuples(weights, places), min_size=1, max_size=3))
        parts = [["*", weight, 1, *(self.facts[place][1] for place in chosen)] for weight, chosen in terms]
        total, factor = ["+", 0, *parts], self.draw(st.sampled_from([1, 1, "x", "a", "z", ["+", "y", 1]]))
        relation = self.draw(st.sampled_from(("==", "<=", "<")))
        right = total if factor == 1 else ["/", total, factor]
        self.steps.append(["combine", relation, 0, right, factor, [[weight, *chosen] for weight, chosen in terms]])
        self.facts.append((relation, right))

    def whole(self) -> None:
        strict = [place for place, (relation, _) in enumerate(self.facts) if relation == "<"]
        if strict:
            place = self.draw(st.sampled_from(strict))
            self.steps.append(["whole", 1, self.facts[place][1], place])
            self.facts.append(("<=", ["+", self.facts[place][1], -1]))


@st.composite
def proofs(draw: Any) -> dict[str, Any]:
    """A statement that random steps show, if they are sound: the last fact, under givens."""
    relations = st.sampled_from(("==", "<=", "<="))
    sides = st.tuples(relations, leaves, leaves) | st.tuples(st.just("<"), leaves, leaves.map(lambda x: ["+", x, 2]))
    givens = [[*draw(sides)] for _ in range(draw(st.integers(0, 2)))]
    proof = Proof(draw, givens)
    relation, right = draw(st.sampled_from(proof.facts)) if proof.facts else ("<=", draw(trees))
    witness = {name: draw(st.sampled_from([1, 1, 1, 2])) for name in "abxyz"}
    data = {"symbols": draw(kinds), "define": [], "given": givens, "witness": witness, "steps": proof.steps}
    return data | {"relation": relation, "left": 0, "right": right}


@settings(max_examples=250, deadline=None)
@given(proofs(), st.lists(POINTS, min_size=12, max_size=12))
def test_what_random_steps_show_is_true(data: dict[str, Any], points: list[dict[str, Any]]):
    if accepted(data):
        assert not any(holds_at(data, point) is False for point in points)


@settings(max_examples=100, deadline=None)
@given(proofs(), st.tuples(trees, st.sampled_from(RELATIONS), trees), st.lists(POINTS, min_size=12, max_size=12))
def test_random_steps_show_no_other_statement_that_is_false(
    data: dict[str, Any], goal: Any, points: list[dict[str, Any]]
):
    left, relation, right = goal
    other = data | {"relation": relation, "left": left, "right": right}
    for each in (other, other | {"steps": []}, data | {"relation": relation}, data | {"right": right, "left": right}):
        if accepted(each):
            assert not any(holds_at(each, point) is False for point in points)


@settings(max_examples=100, deadline=None)
@given(
    proofs(), proofs(), st.tuples(st.sampled_from(("max", "min")), trees, trees).map(list),
    st.lists(POINTS, min_size=12, max_size=12),
)  # fmt: skip
def test_cases_show_what_is_true(one: dict[str, Any], other: dict[str, Any], call: Any, points: list[dict[str, Any]]):
    """A goal about an extremum, of which each branch has steps of its own."""
    _, x, y = call
    inside = [[["combine", "<=", each, call, 1, [[-1, len(one["given"])]]]] for each in (x, y)]  # it is this operand
    for steps in ([], one["steps"], other["steps"]):
        for left, right in ((x, call), (call, y), (["*", call, call], ["*", x, y]), (["+", call, call], ["+", x, y])):
            step = ["cases", call, [*inside[0], *steps], [*inside[1], *steps]]
            for relation in ("<=", "=="):
                data = one | {"relation": relation, "left": left, "right": right, "steps": [step]}
                if accepted(data):
                    assert not any(holds_at(data, point) is False for point in points)


# ---- real certificates, with something changed ----

SWAPS = (RELATIONS, ("+", "*", "max", "min", "/"), ("sqrt", "ceil", "floor", "-"))


def variants(part: Any, symbols: list[str], rng: random.Random) -> Any:
    """Something else in the place of a part of a certificate."""
    if isinstance(part, int):
        return rng.choice([part - 1, part + 1, -part, 0, 1])
    if isinstance(part, str):
        swap = next((each for each in SWAPS if part in each), symbols)
        return rng.choice([*swap]) if swap else part
    if len(part) > 2 and rng.random() < 0.5:
        place = rng.randrange(1, len(part))
        return part[:place] + part[place + 1 :]
    return rng.choice(part) if part else part


def test_there_are_certificates():
    assert len(CERTIFICATES) > 200
    assert all(map(accepted, CERTIFICATES[::10]))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32).map(random.Random))
def test_a_changed_certificate_is_rejected_or_true(rng: random.Random):
    for _ in range(6):
        data = rng.choice(CERTIFICATES)
        symbols = [*data["symbols"]]
        for _ in range(rng.choice((1, 1, 2))):
            field = rng.choice(("left", "right", "relation", "given", "define", "steps", "steps", "symbols"))
            if field == "symbols" and symbols:
                data = changed(data, ("symbols", rng.choice(symbols)), rng.choice(KINDS))
            elif field != "symbols":
                path, part = rng.choice([*paths(data[field])])
                data = changed(data, (field, *path), variants(part, symbols, rng))
        if accepted(data):
            assert counterexample(data, 100, 0.3) is None
