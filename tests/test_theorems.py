"""Every theorem by exact evaluation of its statement, at drawn points and at real ones; views as they really are."""

import json
from array import array
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from checks.oracles import obstacle
from checks.theorems import ACCUMULATED, THEOREMS, VIEWS, Of, Theorem, collected
from checks.theorems.evaluation import at, claim, sides, true_at
from checks.theorems.points import points, real_point
from derive.errors import DeriveError
from derive.letters import Letter
from derive.tree import to_text
from tests.asking import value

NO_TORCH = obstacle("torch")
EVERY = pytest.mark.parametrize("theorem", THEOREMS, ids=lambda each: f"{each.topic}/{each.name}")
BOUNDED = pytest.mark.parametrize(
    "theorem", [each for each in THEOREMS if each.hypotheses], ids=lambda each: f"{each.topic}/{each.name}"
)
NUMBERS = st.fractions(-5, 5, max_denominator=7)


KINDS: dict[str, Callable[[Fraction], bool]] = {
    "positive integer": lambda x: x >= 1 and x.denominator == 1,
    "natural number": lambda x: x >= 0 and x.denominator == 1,
    "positive real": lambda x: x > 0,
    "nonnegative real": lambda x: x >= 0,
    "real": lambda _: True,
}


@cache
def statement(theorem: Theorem) -> dict[str, Any]:
    return theorem.statement()


def is_valid(stated: dict[str, Any], values: dict[str, Fraction]) -> bool:
    """Whether every letter, defined ones too, is of its kind, and all that is given holds."""
    of_kind = all(KINDS[kind](values[name]) for name, kind in stated["symbols"].items())
    return of_kind and all(true_at(relation, values) for relation in stated["given"])


# ---- the theorems ----


@EVERY
@settings(max_examples=30)
@given(data=st.data())
def test_it_holds_wherever_its_hypotheses_do(theorem: Theorem, data: st.DataObject):
    stated, values = statement(theorem), data.draw(points(theorem))
    assert is_valid(stated, values)
    assert true_at(claim(stated), values), theorem.text()
    if isinstance(stated.get("equality"), str):  # there is said to be no point of equality
        assert true_at(["<", stated["left"], stated["right"]], values)


@EVERY
@pytest.mark.parametrize("name", ["gpt3-175b", "llama3-70b"])
def test_it_holds_for_a_real_model(theorem: Theorem, name: str):
    stated, values = statement(theorem), real_point(theorem, name)
    assert is_valid(stated, values)
    assert true_at(claim(stated), values), theorem.text()


@EVERY
def test_it_is_about_something(theorem: Theorem):
    stated = statement(theorem)
    values = at(stated, stated["witness"])
    assert is_valid(stated, values)
    assert true_at(claim(stated), values)


@EVERY
def test_a_bound_that_may_be_reached_is_reached_or_has_a_reason(theorem: Theorem):
    stated = statement(theorem)
    assert ("equality" in stated) == (stated["relation"] in ("<=", ">=")) == bool(theorem.equality)
    if isinstance(point := stated.get("equality"), dict):
        values = at(stated, point)
        assert is_valid(stated, values)
        left, right, exact = sides(claim(stated), values)
        assert exact
        assert left == right


@BOUNDED
def test_every_hypothesis_is_needed(theorem: Theorem):
    """Where one fails and all others hold, the theorem is false."""
    stated = statement(theorem)
    assert theorem.needed.keys() == theorem.hypotheses.keys()
    for place, text in enumerate(theorem.hypotheses):
        values, others = theorem.point(theorem.needed[text]), list(stated["given"])
        assert not true_at(others.pop(place), values)
        assert is_valid(stated | {"given": others}, values)
        assert not true_at(claim(stated), values)


@EVERY
def test_a_statement_is_data(theorem: Theorem):
    stated = statement(theorem)
    assert json.loads(json.dumps(stated)) == stated == theorem.statement()
    assert theorem.statement()["left"] is not stated["left"] or not isinstance(stated["left"], list)
    assert theorem.notation.letters.keys() == stated["symbols"].keys()
    free = stated["symbols"].keys() - {name for name, _ in stated["define"]}
    named = [point for point in (stated["witness"], stated.get("equality")) if isinstance(point, dict)]
    assert {name for point in named for name in point} <= free


@pytest.mark.parametrize(
    "false",
    [
        Theorem("one", "", "A == 34*s*b*h + 21*s*b", {"A": Of("activations", about="gpt")}),
        Theorem("one", "", "s <= 10^5*h"),
        Theorem("one", "", "sqrt(C)^2 < C"),
        Theorem("one", "", "L/p == 1", given=("L == p*n",)),
        Theorem("one", "", "eta < 1", given=("eta <= 1",), witness={"eta": "1/2"}),
    ],
    ids=lambda each: each.relation,
)
def test_a_false_theorem_is_found_out(false: Theorem):
    stated = false.statement()
    assert find(points(false), lambda values: not true_at(claim(stated), values))


def test_hypotheses_bound_letters_one_after_the_other():
    with pytest.raises(DeriveError, match=r"^theorem one: what is given bounds a, g by one another$"):
        real_point(Theorem("one", "", "g <= a", given=("g <= a", "a >= g")), "gpt2")
    with pytest.raises(DeriveError, match=r"^theorem one: write 'a > 1' with a free letter, then <=, < or >=$"):
        real_point(Theorem("one", "", "1 <= a", given=("a > 1",)), "gpt2")


def test_theorems_are_told_apart():
    stated = [
        json.dumps([claim(statement(each)), statement(each)["given"], statement(each)["define"]]) for each in THEOREMS
    ]
    names = [statement(each)["name"] for each in THEOREMS]
    assert len(THEOREMS) >= 90
    assert len(set(names)) == len({each.words for each in THEOREMS}) == len(set(stated)) == len(THEOREMS)
    with pytest.raises(DeriveError, match=r"^two theorems are called views/slicing$"):
        collected(VIEWS, (VIEWS[1],))


# ---- how theorems are made ----


def test_terms_are_derived():
    assert to_text(Of("states").tree) == "16*N"
    assert to_text(Of("states", optimizer="sgd").tree) == "8*N"
    assert to_text(Of("activations", "tp=t,sp", "gpt").tree) == "s*b*(16 + 34*h + 5*a*s)/t"
    assert to_text(Of("layer-flops", "mask=full", "gpt", within="core").tree) == "4*s^2*b*h"
    assert to_text(Of("mfu", keep="F").tree) == "F*B/(T*G*P)"
    assert to_text(Theorem("one", "", "x == 1", {"x": Of("float-epsilon", at={"m": "3"})}).claim.left) == "1/8"


def test_a_term_may_use_the_ones_before_it():
    theorem = Theorem("one", "", "y == 1", {"x": Of("states"), "y": Of("overtraining", at={"D": "x"})})
    assert theorem.text() == "16*N/(20*N) == 1"


def test_definitions_are_resolved_and_hypotheses_are_not_definitions():
    theorem = Theorem("one", "", "f <= s", given=("f == 4*h", "h == a*d", "a*d <= s"), witness={"s": 4})
    assert theorem.text() == "f <= s given a*d <= s, f == 4*(a*d), h == a*d"
    assert theorem.free == ("a", "s", "d")
    assert theorem.point()["f"] == 4


@pytest.mark.parametrize(
    ("theorem", "error"),
    [
        (Theorem("one", "", "q == h"), "unknown symbol 'q'"),
        (Theorem("one", "", "x == 1", {"x": Of("statse")}), "unknown quantity 'statse'"),
        (Theorem("one", "", "x == 1", {"x": Of("states", at={"m": "1"})}), "states has no letter m: it has"),
        (
            Theorem("one", "", "x == 1", {"x": Of("layer-flops", about="gpt", within="mpl")}),
            "layer-flops: no row is in a block 'mpl'",
        ),
        (
            Theorem("one", "", "x == y", {"x": Of("pipeline-bubble"), "y": Of("float-epsilon")}),
            "theorem one: the letter m is both micro-batches a step and bits of the mantissa that are stored",
        ),
        (Theorem("one", "", "h <= h", witness={"f": 1}), "theorem one: a point names f, no free letter of it"),
    ],
)
def test_errors(theorem: Theorem, error: str):
    with pytest.raises(DeriveError) as raised:
        theorem.statement()
    assert error in str(raised.value)


def test_an_own_letter_wins():
    theorem = Theorem("one", "", "n <= n", letters=(Letter("n", "index", least=0),))
    assert theorem.statement()["symbols"] == {"n": "natural number"}


# ---- gradient accumulation ----


def fails_somewhere(theorem: Theorem) -> bool:
    """Whether a theorem is false at one of a few points."""
    places = product((2, 3), repeat=len(theorem.free))
    return any(
        not true_at(claim(theorem.statement()), theorem.point(dict(zip(theorem.free, each, strict=True))))
        for each in places
    )


@given(st.integers(1, 5).flatmap(lambda c: st.lists(st.lists(NUMBERS, min_size=c, max_size=c), min_size=1, max_size=5)))
def test_accumulated_gradients_are_the_full_batchs(micro_batches):
    """The induction of the theorem, run: each loss divided by k, gradients of any sign added up."""
    k, examples = len(micro_batches), [each for batch in micro_batches for each in batch]
    held = Fraction(0)
    for batch in micro_batches:
        held += sum(batch) / len(batch) / k
    assert held == sum(examples) / len(examples)


def test_unequal_micro_batches_do_not_add_up():
    held = (Fraction(1 + 2) / 2 + Fraction(6)) / 2
    assert held != Fraction(1 + 2 + 6, 3)
    assert not fails_somewhere(ACCUMULATED[1])
    unequal = replace(ACCUMULATED[1], relation="S/B + (G/(c + 1))/k == (S + G)/B")  # the next one is larger
    assert fails_somewhere(unequal)


def test_a_loss_that_is_not_divided_by_k_gives_a_multiple():
    assert fails_somewhere(replace(ACCUMULATED[1], relation="S/B + G/c == (S + G)/B"))


# ---- views ----


def test_a_transposed_matrix_is_no_vector():
    """Not flat without a copy: no one stride goes through the rows of a transposed matrix."""
    (flat,) = (each for each in VIEWS if each.name == "flattening")
    assert not fails_somewhere(flat)
    element = Of("strided-offset", keep="s_0 s_1", at={"s_0": "1", "s_1": "m"})
    assert fails_somewhere(replace(flat, terms={**flat.terms, "element": element}))


def test_strides_of_a_buffer():
    """Python's own strided views of twelve elements, three rows of four: no byte is moved."""
    storage = array("b", range(12))
    matrix = memoryview(storage).cast("B").cast("b", (3, 4))
    assert matrix.strides == (value("row-stride", m=3, n=4), value("column-stride", m=3, n=4)) == (4, 1)
    for i, j in product(range(3), range(4)):
        assert matrix[i, j] == value("strided-offset", n=4, i=i, j=j) == 4 * i + j
    every_second = memoryview(storage)[3::2]
    assert every_second.strides == (2,)
    assert [every_second[j] for j in range(4)] == [value("strided-offset", s_0=0, s_1=2, o=3, j=j) for j in range(4)]
    storage[3] = -1
    assert (matrix[0, 3], every_second[0]) == (-1, -1)


@pytest.mark.oracle
@pytest.mark.skipif(bool(NO_TORCH), reason=NO_TORCH)
def test_views_of_torch():
    torch = pytest.importorskip("torch")  # never skips here: where it is missing, the mark above says so or CI fails
    x = torch.arange(12).view(3, 4)

    def follows(view, *, rows: int, columns: int) -> bool:
        """A view of the same storage, whose elements lie where its own strides and offset say."""
        (s_0, s_1), o = view.stride(), view.storage_offset()
        return view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() and all(
            int(view[i, j]) == value("strided-offset", o=o, s_0=s_0, s_1=s_1, i=i, j=j)
            for i, j in product(range(rows), range(columns))
        )

    assert x.stride() == (4, 1)
    assert x.t().stride() == (1, 4)
    assert follows(x, rows=3, columns=4)
    assert follows(x.t(), rows=4, columns=3)
    assert follows(x[1:, ::2], rows=2, columns=2)
    assert follows(x[2:].expand(5, 4), rows=5, columns=4)
    assert x.view(3, 2, 2).stride() == (4, 2, 1)  # a split axis: heads
    assert x.view(12).stride() == (1,)
    copied = x.t().contiguous()
    assert copied.stride() == (3, 1)
    assert copied.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
    with pytest.raises(RuntimeError):
        x.t().view(12)
