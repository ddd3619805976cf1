"""The search for proofs: what it finds is accepted and as short as it can be, and a false statement has no proof."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from derive.proof.checker import Rejected, check
from derive.proof.refute.counterexample import counterexample, holds_at
from derive.proof.search.linear import weights
from derive.proof.search.polynomials import added, as_tree, degree, product, remainder, times
from derive.proof.search.steps import as_lists, facts_of, pruned, renumbered
from derive.proof.search.tactics import steps_for
from derive.proof.statement import proved
from derive.tree import rational, to_lists
from tests.checking import GOOD, KINDS, certificate

# By what a proof needs: relations, each with its givens.
FOUND: dict[str, tuple[str, ...]] = {
    "signs": ("a + b <= a*b + 1",),
    "expanding": ("(a + b)^3 == a^3 + 3*a^2*b + 3*a*b^2 + b^3",),
    "a factor": ("1/x <= z + 1", "1 <= x*z"),
    "a chain": ("a <= z", "a <= k", "k <= z"),
    "a strict chain": ("a < z", "a <= k", "k < z"),
    "a chain times a letter": ("a*x <= b*x", "a <= b"),
    "a product of facts": ("a*z <= b*k", "a <= b", "z <= k", "0 <= z"),
    "an equation": ("z^2 == 4*k^2", "z == 2*k"),
    "an equation times a letter": ("a == b", "a*x == b*x"),
    "an equation the other way": ("z + k == 7", "k == 7 - z"),
    "a square": ("2*z <= z^2 + 1",),
    "a sum of squares": ("x*y + y*z + x*z <= x^2 + y^2 + z^2",),
    "a square of a product": ("4*a*b <= (a + b)^2",),
    "a root": ("2*sqrt(y) <= y + 1",),
    "roots and their mean": ("sqrt(x*y) <= (x + y)/2",),
    "roots in order": ("sqrt(x) < sqrt(y)", "x < y"),
    "roots of a product": ("sqrt(a*x) == sqrt(a)*sqrt(x)",),
    "a ceiling": ("a <= b*ceil(a/b)",),
    "a ceiling of integers": ("b*ceil(a/b) <= a + b - 1",),
    "a floor of integers": ("a - b + 1 <= b*floor(a/b)",),
    "a whole part of what is whole": ("ceil(a) == floor(a)",),
    "a maximum": ("max(a, b) <= a + b",),
    "a maximum and a minimum": ("max(a, z) + min(a, z) == a + z",),
    "extrema inside extrema": ("max(a, max(b, z)) == max(b, a, z)",),
    "extrema in order": ("max(a, z) <= max(b, z)", "a <= b"),
    "one of the operands": ("max(x, z) == x", "z <= x"),
    "integers apart": ("k + 1 <= a", "k < a"),
    "a divisor by a given": ("a/(a - k) >= 1", "k < a", "0 <= k"),
    "a root by a given": ("sqrt(z)^2 == z", "0 <= z"),
    "what is impossible in a branch": ("max(a, a + 1) == a + 1",),
}
WITNESS: dict[str, dict[str, int]] = {
    "a strict chain": {"z": 2}, "an equation": {"z": 2}, "an equation the other way": {"z": 6},
    "roots in order": {"y": 2}, "integers apart": {"k": 0}, "a divisor by a given": {"k": 0},
}  # fmt: skip
NOT_FOUND = [
    ("a <= 1",), ("a*b <= a + b",), ("z^2 <= z",), ("a < a*b",), ("max(a, b) <= a",), ("sqrt(x) <= x",),
    ("ceil(a/b) <= a/b",), ("b*ceil(a/b) <= a + b - 2",), ("a <= b", "a*z <= b*z"), ("z <= x", "z^2 <= x^2 + 1"),
    ("z == x", "z^2 == x^2"), ("a + 2 <= b", "a < b"), ("z + 1 <= x", "z < x"), ("2*x <= x^2 + 1/2",),
    ("sqrt(a + b) == sqrt(a) + sqrt(b)",),
    ("floor(a/b) == ceil(a/b) - 1",), ("min(a, z) <= max(a, z) - 1",),
]  # fmt: skip


def statement(text: str, *given: str, witness: Any = None) -> dict[str, Any]:
    data = certificate(text, given=given, witness=witness or {})
    return {key: value for key, value in data.items() if key != "steps"}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_true_is_proved(name: str):
    data = statement(*FOUND[name], witness=WITNESS.get(name))
    text, proof = proved(data)
    assert check(proof) == text
    assert {key: proof[key] for key in data} == data
    assert proof["steps"] == as_lists(proof["steps"])  # lists, as JSON has them


@pytest.mark.parametrize("name", FOUND)
def test_no_step_is_one_too_many(name: str):
    data = statement(*FOUND[name], witness=WITNESS.get(name))
    steps = proved(data)[1]["steps"]
    assert pruned(data, tuple(map(_frozen, steps))) == tuple(map(_frozen, steps))
    for place, step in enumerate(steps):
        if step[0] in ("of", "square"):
            shorter = as_lists([*steps[:place], *renumbered(steps[place + 1 :], 0, 0)])
            with pytest.raises(Rejected):
                check(data | {"steps": shorter})


def _frozen(data: Any) -> Any:
    return tuple(map(_frozen, data)) if isinstance(data, list) else data


@pytest.mark.parametrize("relations", NOT_FOUND, ids=[" if ".join(each) for each in NOT_FOUND])
def test_what_is_false_has_no_proof(relations: tuple[str, ...]):
    data = statement(*relations) | {"symbols": KINDS | {"k": "natural number"}}
    point = counterexample(data)
    assert point is not None
    data["witness"] = {name: to_lists(rational(value)) for name, value in point.items()}
    assert steps_for(data) is None
    with pytest.raises(Rejected, match=r"^the steps do not show the relation$"):
        proved(data)


def test_a_statement_that_the_checker_cannot_read_raises():
    with pytest.raises(Rejected, match="the divisor z is not shown to be positive"):
        proved(statement("z/z == 1"))
    with pytest.raises(Rejected, match="the divisor z is not shown to be positive"):
        proved(statement("1 == 1", "0 <= a/z"))


# ---- steps ----


@pytest.mark.parametrize("name", [name for name, data in GOOD.items() if data["steps"]])
def test_facts_are_counted_as_the_checker_counts_them(name: str):
    """A step more before all others: with every later fact renumbered by what it adds, the proof still holds."""
    data = GOOD[name]
    for extra in (["square", "z"], ["of", ["ceil", "z"]], ["of", ["min", "a", "b", "z"]]):
        moved = renumbered(data["steps"], len(data["given"]), facts_of(extra))
        assert check(data | {"steps": as_lists([extra, *moved])}) == check(data)
        assert as_lists(renumbered(moved, len(data["given"]), -facts_of(extra))) == data["steps"]
        shorter = pruned(data, (_frozen(extra), *map(_frozen, as_lists(moved))))
        assert as_lists(shorter) == data["steps"]


# ---- polynomials and programs ----

monomials = st.dictionaries(st.sampled_from("xyz"), st.integers(1, 3), max_size=3).map(
    lambda m: tuple(sorted(m.items()))
)
polynomials = st.dictionaries(monomials, st.integers(-4, 4).filter(bool), max_size=4)


@given(polynomials, polynomials, polynomials, st.sampled_from("xyz"))
def test_polynomials_are_a_ring_with_remainders(p: Any, q: Any, r: Any, name: str):
    assert times(p, added(q, r)) == added(times(p, q), times(r, p))
    assert product([p, q, r]) == times(times(r, q), p)
    if q:
        factor, quotient, rest = remainder(p, q, name)
        assert times(factor, p) == added(times(quotient, q), rest)
        assert degree(rest, name) < degree(q, name) or not rest


@given(polynomials, st.lists(st.integers(-3, 3), min_size=3, max_size=3))
def test_a_polynomial_as_a_tree_has_its_value(p: Any, values: list[int]):
    point = dict(zip("xyz", values, strict=True))
    value = sum(c * _value(monomial, point) for monomial, c in p.items())
    same = {"symbols": dict.fromkeys("xyz", "real"), "relation": "==", "left": as_lists(as_tree(p, {})), "right": value}
    assert holds_at(same, point)


def _value(monomial: Any, point: dict[str, int]) -> int:
    total = 1
    for name, exponent in monomial:
        total *= point[name] ** exponent
    return total


small = st.integers(-3, 3).map(Fraction)
columns = st.lists(st.dictionaries(st.sampled_from("uvw"), small.filter(bool), min_size=1), min_size=1, max_size=5)


def _sum(found: dict[int, Fraction], of: Any) -> dict[str, Fraction]:
    total = {row: sum((w * of[place].get(row, 0) for place, w in found.items()), Fraction(0)) for row in "uvw"}
    return {row: value for row, value in total.items() if value}


@given(columns, st.lists(st.integers(0, 3).map(Fraction), min_size=5, max_size=5))
def test_weights_are_found_where_there_are_some(of: Any, chosen: list[Fraction]):
    target = _sum(dict(enumerate(chosen[: len(of)])), of)
    found = weights(of, target)
    assert found is not None
    assert all(weight > 0 for weight in found.values())
    assert _sum(found, of) == target


@given(columns, st.dictionaries(st.sampled_from("uvw"), small.filter(bool)), st.lists(small, min_size=3, max_size=3))
def test_no_weights_are_found_where_a_plane_parts_columns_and_target(of: Any, target: Any, direction: list[Fraction]):
    def along(column: Any) -> Fraction:
        return sum((d * column.get(row, 0) for d, row in zip(direction, "uvw", strict=True)), Fraction(0))

    assume(along(target) != 0)
    above = [column if along(column) >= 0 else {row: -value for row, value in column.items()} for column in of]
    below = target if along(target) < 0 else {row: -value for row, value in target.items()}
    assert weights(above, below) is None


linear = st.lists(st.integers(-3, 3), min_size=3, max_size=3)
givens = st.lists(st.tuples(linear, st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(givens, linear, st.integers(0, 2), st.sampled_from(("<=", "<")))
def test_sums_of_givens_are_proved(chosen: Any, point: list[int], more: int, operator: str):
    """Of reals that satisfy linear relations: any sum of them with weights >= 0, and no more than that sum."""
    witness = dict(zip("xyz", point, strict=True))
    facts, total, strict = list[Any](), dict[Any, int](), more > 0
    for coefficients, slack, weight in chosen:
        form = {((name, 1),): c for name, c in zip("xyz", coefficients, strict=True) if c}
        form = added(form, {(): slack - sum(c * v for c, v in zip(coefficients, point, strict=True))})
        facts.append(["<" if slack else "<=", 0, as_lists(as_tree(form, {}))])
        total, strict = added(total, times(form, {(): weight})), strict or bool(slack and weight)
    goal = {"relation": operator, "left": 0, "right": as_lists(as_tree(added(total, {(): more}), {}))}
    data = statement("1 == 1") | {"symbols": dict.fromkeys("xyz", "real"), "given": facts, "witness": witness} | goal
    if operator == "<=" or strict:
        assert check(proved(data)[1])
    at = holds_at(data, witness)
    assert at or (operator == "<" and steps_for(data) is None)
