"""Theorems in letters of their own: each is accepted, no mutant of one is; views and gradients as they really are."""

from array import array
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.oracles import obstacle
from checks.theorems import ACCUMULATED, THEOREMS, VIEWS
from derive.errors import ClaimError
from tests.asking import value

NO_TORCH = obstacle("torch")
EVERY = pytest.mark.parametrize("theorem", THEOREMS, ids=lambda each: each.name)
NUMBERS = st.fractions(-5, 5, max_denominator=7)


@EVERY
def test_theorem(theorem):
    assert theorem.proof()


@EVERY
def test_mutant(theorem):
    """One more on the side that is too large already, or on either side of an equality, is not accepted."""
    with pytest.raises(ClaimError, match="not shown"):
        replace(theorem, left=f"{theorem.left} + 1").proof()
    if theorem.relation == "==":
        with pytest.raises(ClaimError, match="not shown"):
            replace(theorem, right=f"{theorem.right} + 1").proof()


def test_theorems_are_told_apart():
    assert len({each.name for each in THEOREMS}) == len({each.statement for each in THEOREMS}) == len(THEOREMS)


# ---- gradient accumulation ----


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
    with pytest.raises(ClaimError, match="not shown"):  # the next micro-batch is larger than the ones before
        replace(ACCUMULATED[1], left="S/B + (G/(c + 1))/k").proof()


def test_a_loss_that_is_not_divided_by_k_gives_a_multiple():
    with pytest.raises(ClaimError, match="not shown"):
        replace(ACCUMULATED[1], left="S/B + G/c").proof()


# ---- views ----


def test_a_transposed_matrix_is_no_vector():
    """Not flat without a copy: no one stride goes through the rows of a transposed matrix."""
    (flat,) = (each for each in VIEWS if each.name == "flattening")
    with pytest.raises(ClaimError, match="not shown"):
        replace(flat, given={"s_0": "1", "s_1": "m"}).proof()


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
