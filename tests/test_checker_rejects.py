"""What the checker rejects: every rule misused, values that may be missing, witnesses of nothing, and nonsense."""

from typing import Any

import pytest

from derive.proof.checker import Rejected, check
from derive.proof.refute.counterexample import counterexample
from tests.checking import GOOD, KINDS, cases, certificate, changed, combine, of, paths, reason, tree, whole

# ---- divisors, bases and operands that may have no value ----

NOT_POSITIVE = ["a - b", "a - 1", "x - 1", "k", "i", "y", "z^2", "-a", "0", "0*a", "floor(a/b)", "max(k, z)",
                "min(a, y)", "z + 1", "sqrt(y)", "x^2 - 2*x + 1", "-2"]  # fmt: skip


@pytest.mark.parametrize("text", NOT_POSITIVE)
def test_divisors_and_bases_that_may_not_be_positive(text: str):
    for data in (["/", 1, tree(text)], ["^", tree(text), -2], ["^", tree(text), 0]):
        for left, right in ((data, data), (["*", 0, data], 0), (0, ["*", 0, data])):
            assert "is not shown to be positive" in reason(certificate("1 == 1", left=left, right=right))
    for exponent in (["/", 1, 3], ["/", 2, 4], ["/", -1, 2], "a", "z", 65, -65, ["-", 1]):
        data = ["^", tree(text), exponent]
        found = reason(certificate("1 == 1", left=data, right=data))
        assert found.endswith(" is not shown to be positive")


@pytest.mark.parametrize("text", NOT_POSITIVE)
def test_definitions_that_may_not_be_positive(text: str):
    data = certificate("f == f", symbols=KINDS | {"f": "real"}, define=[["f", tree(text)]])
    assert reason(data) == "f is not shown to be positive"


@pytest.mark.parametrize("text", ["z", "k", "z^3", "a - b", "-y", "min(a, z)", "floor(z)", "ceil(z)", "0 - x", "-1"])
def test_roots_of_what_may_be_negative(text: str):
    root = tree(f"sqrt({text})")
    assert reason(certificate("1 == 1", left=root, right=root)).endswith(" is not shown to be positive")
    for step in (["of", root], ["square", root], combine("0 <= 1", (f"sqrt({text})",)), of(f"max(1, sqrt({text}))")):
        assert reason(certificate("1 == 1", step)).endswith(" is not shown to be positive")


def test_a_fact_of_one_branch_is_none_of_another():
    """In the first branch z is the maximum and positive, so that z/z has a value; in the second it may be 0."""
    positive = [of("max(z, a)"), combine("0 < z", ("1", 2), ("a",), ("1", 0))]
    for goal in ("z/z == 1", "1 == 1"):
        found = reason(certificate(goal, cases("max(z, a)", positive, [["square", tree("1/z")]])))
        assert found == "the divisor z is not shown to be positive"
    assert check(certificate("1 == 1", cases("max(z, a)", [*positive, ["square", tree("1/z")]], [])))


# ---- rules ----

MISUSED: list[tuple[str, Any, str]] = [
    ("of no call", ["of", ["+", "a", "b"]], "not of the form of a certificate: KeyError: '+'"),
    ("of a symbol", ["of", "a"], "unknown step"),
    ("of a square", ["of", ["^", "x", 2]], "not of the form of a certificate: TypeError"),
    ("of a power", ["of", ["^", "x", ["-", ["/", 1, 2]]]], "not of the form of a certificate: ValueError"),
    ("of a root of two operands", ["of", ["sqrt", "x", "x"]], "not of the form of a certificate: TypeError"),
    ("of a maximum of one", ["of", ["max", "x"]], "not an expression: ('max', 'x')"),
    ("of nothing", ["of", []], "unknown step ('of', ())"),
    ("square of two", ["square", "x", "x"], "unknown step"),
    ("a step of no rule", ["assume", "x"], "unknown step ('assume', 'x')"),
    ("no step", [], "unknown step ()"),
    ("a step that is text", "square", "unknown step 'square'"),
    ("a step that is a number", 7, "unknown step 7"),
    ("a relation that combine does not have", combine("a >= 1", ("1", 0)), "unknown step ('combine', '>='"),
    ("a fact that there is not", combine("0 <= a", ("1", 7)), "not of the form of a certificate: IndexError"),
    ("a fact that is no number", combine("0 <= a", ("1", "x")), "not of the form of a certificate: TypeError"),
    ("no weight", ["combine", "<=", 0, "a", 1, [[]]], "not of the form of a certificate: ValueError"),
    ("terms that add up to less", combine("0 <= z", ("x",)), "the terms do not add up to the fact: 2 monomials are"),
    ("terms that add up to more", combine("k <= z + 1", ("1", 0)), "the terms do not add up to the fact: 1 monomials"),
    ("a negative weight", combine("z <= k", ("-1", 0)), "the term with -1 may have a wrong sign"),
    ("a weight that may be negative", combine("z*k <= z*z", ("z", 0)), "the term with z may have a wrong sign"),
    ("no fact that is an equation", combine("k == z", ("1", 0)), "the term with 1 may have a wrong sign"),
    ("an equation of weights alone", combine("0 == x", ("x",)), "the term with x may have a wrong sign"),
    ("strict, from a fact that is not", combine("k < z", ("1", 0)), "no term is shown to be positive"),
    ("strict, with a weight that may be 0", combine("y*k < y*x", ("y", 1)), "no term is shown to be positive"),
    ("strict, from a product", combine("0 < (x - k)*(z - k)", ("1", 0, 1)), "no term is shown to be positive"),
    ("strict, from nothing", combine("0 < 0"), "no term is shown to be positive"),
    ("strict, from an equation", combine("i < 2*z", ("1", 2)), "no term is shown to be positive"),
    ("a factor that may be negative", combine("k <= z", ("z", 0), times="z"), "divisor z is not shown to be positive"),
    ("a factor that may be 0", combine("1 <= 0", times="y"), "the divisor y is not shown to be positive"),
    ("a factor of 0", combine("1 <= 0", times="0"), "the divisor 0 is not shown to be positive"),
    ("whole, of a real", whole("k", "z - 1", 0), "z - 1 minus k may not be whole"),
    ("whole, of a half", whole("k/2", "a", 1), "a minus k/2 may not be whole"),
    ("whole, of what is not strict", whole("k", "i - 1", 3), "i - 1 minus k may not be whole"),
    ("whole, of another fact", whole("k", "a", 4), "fact 4 is not about one more"),
    ("whole, of two more", whole("k + 2", "a", 4), "fact 4 is not about one more"),
    ("whole, of an extremum", whole("max(a, b)", "a", 4), "a minus max(a, b) may not be whole"),
    ("whole, of a fact by name", ["whole", "k", "a", "4"], "unknown step"),
    ("cases of no extremum", ["cases", ["ceil", "z"], [], []], "unknown step"),
    ("cases without operands", ["cases", ["max"]], "'cases' lacks a branch or is not last"),
    ("cases of one operand", ["cases", ["min", "x"], []], "'cases' lacks a branch or is not last"),
    ("cases without branches", ["cases", ["max", "a", "b"]], "'cases' lacks a branch or is not last"),
    ("one branch of two", ["cases", ["max", "a", "b"], []], "'cases' lacks a branch or is not last"),
    ("a branch too many", ["cases", ["max", "a", "b"], [], [], []], "'cases' lacks a branch or is not last"),
    ("a branch that is no proof", ["cases", ["max", "a", "b"], 1, 2], "not of the form of a certificate: TypeError"),
]  # fmt: skip
GIVEN = ("k <= z", "k < x", "i == 2*z", "k <= i - 1", "k < a")
WITNESS = {"z": 1, "k": 0, "i": 2}


@pytest.mark.parametrize(("step", "text"), [each[1:] for each in MISUSED], ids=[each[0] for each in MISUSED])
def test_a_rule_that_is_misused(step: Any, text: str):
    assert text in reason(certificate("1 <= 0", step, given=GIVEN, witness=WITNESS))
    assert text in reason(certificate("1 <= 1", step, given=GIVEN, witness=WITNESS))


@pytest.mark.parametrize("head", ["+", "*", "^", "max", "min"])
def test_only_of_quotients_in_the_exponent_something_is_known(head: str):
    """x^(1/2) squared is x; of no other operation on 1 and 2 this is true, and none adds a fact."""
    call = ["^", "x", [head, 1, 2]]
    data = certificate("1 == 1", ["of", call], left=["^", call, 2], right="x")
    assert reason(data) == "the steps do not show the relation"
    assert check(changed(data, ("steps", 0, 1, 2, 0), "/") | {"left": ["^", ["^", "x", ["/", 1, 2]], 2]})
    fact = certificate("1 == 1", ["of", call], combine("1 <= 1", ("1", 0)))
    assert reason(fact).startswith("not of the form of a certificate: IndexError")


def test_cases_come_last():
    both = cases("max(a, b)", [], [])
    assert check(certificate("1 == 1", both))
    assert reason(certificate("1 == 1", both, ["square", "a"])) == "'cases' lacks a branch or is not last"
    assert (
        reason(certificate("1 == 1", cases("max(a, b)", [], [both, both]))) == "'cases' lacks a branch or is not last"
    )


@pytest.mark.parametrize("goal", ["1 == 2", "a <= 1", "z < z", "0 < y", "a == b", "max(a, b) <= a", "1 >= a"])
@pytest.mark.parametrize(
    "steps",
    [(), (cases("max(a, b)", [], []),), (["square", "z"],), (of("max(a, b)"), of("ceil(z)")), (combine("0 <= 0"),)],
)
def test_true_steps_do_not_show_what_is_false(goal: str, steps: Any):
    assert reason(certificate(goal, *steps)) == "the steps do not show the relation"


@pytest.mark.parametrize("name", GOOD)
def test_no_change_of_one_part_makes_a_false_statement_accepted(name: str):
    """Every number one more and one less, every symbol another, every relation and operation another."""
    tried = 0
    for path, part in paths({key: GOOD[name][key] for key in ("relation", "left", "right", "given", "steps")}):
        for value in others(part):
            data = changed(GOOD[name], path, value)
            tried += 1
            try:
                check(data)
            except Rejected:
                continue
            kinds = data["symbols"] | {"k": "natural number"}  # the search for points has no integers of both signs
            assert counterexample(data | {"symbols": kinds}, 200, 2.0) is None
    assert tried > 10


HEADS = (("==", "<=", "<", ">="), ("+", "*", "max", "min", "/"), ("sqrt", "ceil", "floor", "-"), tuple(KINDS))


def others(part: Any) -> list[Any]:
    """What may stand in the place of a part of a certificate."""
    if isinstance(part, int):
        return [part - 1, part + 1, -part]
    if isinstance(part, str):
        return [each for heads in HEADS if part in heads for each in heads if each != part]
    return []


# ---- givens and their witness ----

WITNESSES: list[tuple[tuple[str, ...], dict[str, Any], str]] = [
    (("a <= 0",), {}, "a given does not hold at the witness"),
    (("a < b",), {}, "a given does not hold at the witness"),
    (("a < b",), {"b": 0}, "b is not of its kind"),
    (("a < b", "b < a"), {"b": 2}, "a given does not hold at the witness"),
    (("a == 2*b",), {"b": ["/", 1, 2]}, "b is not of its kind"),
    (("a^2 == 2",), {"a": ["sqrt", 2]}, "a is not of its kind"),
    (("a/sqrt(2) == 1",), {"a": ["sqrt", 2]}, "a is not of its kind"),
    (("i == -1",), {"i": -1}, "i is not of its kind"),
    (("y == -1",), {"y": -1}, "y is not of its kind"),
    (("x == 0",), {"x": 0}, "x is not of its kind"),
    (("z == 1/2",), {"z": 0.5}, "not readable: 0.5"),
    (("z == 1/2",), {"z": [1, 2]}, "not an expression: (1, 2)"),
    (("z == 1/2",), {"z": "1/2"}, "'1/2' is not a symbol that may stand here"),
    (("z == 1",), {"z": True}, "not readable: True"),
    (("z == 1",), {"q": 1}, "not of the form of a certificate: KeyError: 'q'"),
    (("z == 1",), {"z": ["/", 1, 0]}, "the divisor 0 is not shown to be positive"),
    (("floor(z) == 2",), {"z": ["/", 5, 2]}, "a given does not hold at the witness"),  # no call is computed
]


@pytest.mark.parametrize(("given", "witness", "text"), WITNESSES)
def test_a_witness_of_nothing(given: tuple[str, ...], witness: dict[str, Any], text: str):
    assert reason(certificate("1 == 1", given=given, witness=witness)) == text


def test_a_witness_may_be_irrational_where_the_symbol_may():
    assert check(certificate("1 == 1", given=("z/sqrt(2) == 1",), witness={"z": ["sqrt", 2]}))


def test_a_witness_does_not_replace_a_definition():
    data = certificate(
        "f == 4*a", given=("f <= 3",), symbols=KINDS | {"f": "positive integer"}, define=[["f", ["*", 4, "a"]]],
        witness={"f": 3},
    )  # fmt: skip
    assert reason(data) == "a given does not hold at the witness"
    assert reason(changed(data, ("define", 0, 1), ["/", "a", 2])) == "f is not of its kind"


def test_contradictory_givens_show_nothing():
    """Whatever follows from them, no witness is accepted."""
    given = ("z < k", "k < z")
    steps = (combine("0 < 0", ("1", 0), ("1", 1)),)
    for witness in ({}, {"z": 2}, {"k": 2}, {"z": ["sqrt", 2]}):
        data = certificate("1 == 2", *steps, given=given, witness=witness)
        assert reason(data) == "a given does not hold at the witness"
