"""Ledgers: the value is the sum of the rows, arithmetic keeps them, and units that differ are never added."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Integer, Symbol, symbols

from derive import Ledger, Role, Row, byte, flop, token
from derive.errors import UnitError
from derive.units import Unit, parameter

s, b, h = symbols("s b h", positive=True, integer=True)

BLOCKS = ["layer", "attention", "core", "mlp"]
values = st.builds(lambda n, letter: n * letter, st.integers(0, 9), st.sampled_from([s, b, h, Integer(1)]))
rows = st.builds(
    lambda blocks, value, role: Row(tuple(blocks), "x", (s, b), "bf16", value, "because", role),
    st.lists(st.sampled_from(BLOCKS), max_size=3, unique=True),
    values,
    st.sampled_from(Role) | st.none(),
)
ledgers = st.builds(lambda rows: Ledger(tuple(rows), byte), st.lists(rows, max_size=6))


def row(path: str, value: Expr, role: Role | None = None) -> Row:
    return Row(tuple(path.split("/")) if path else (), "x", (), None, value, "", role)


def total(ledger: Ledger) -> Expr:
    """The sum of the rows, not by the ledger's own hand."""
    result: Expr = Integer(0)
    for each in ledger.rows:
        result = result + each.value
    return result


@given(ledgers)
def test_the_value_is_the_sum_of_the_rows(ledger: Ledger):
    assert ledger.value == total(ledger)
    assert list(ledger) == list(ledger.rows)
    assert ledger.letters == {str(letter) for each in ledger.rows for letter in each.value.atoms(Symbol)}


def test_an_empty_ledger_is_nothing():
    empty = Ledger((), byte)
    assert (empty.value, empty.letters, empty.paths(), empty.groups()) == (0, set(), (), {})


@given(ledgers, ledgers)
def test_addition_keeps_the_rows_in_order(left: Ledger, right: Ledger):
    both = left + right
    assert both.rows == left.rows + right.rows
    assert both.unit == byte
    assert both.value == left.value + right.value


UNITS = [byte, flop, token, parameter, flop / token]


@pytest.mark.parametrize(("left", "right"), list(pairwise([*UNITS, byte])))
def test_units_that_differ_are_not_added(left: Unit, right: Unit):
    with pytest.raises(UnitError) as error:
        _ = Ledger((), left) + Ledger((), right)
    assert str(error.value) == f"cannot add a ledger in {right} to one in {left}"


def test_the_text_of_a_unit_error():
    with pytest.raises(UnitError) as error:
        _ = Ledger((), flop / token) + Ledger((), byte)
    assert str(error.value) == "cannot add a ledger in byte to one in FLOP/token"


@given(ledgers)
def test_per_divides_every_row_and_the_unit(ledger: Ledger):
    each = ledger.per(s * b, token)
    assert [new.value * s * b for new in each.rows] == [old.value for old in ledger.rows]
    assert each.unit == byte / token
    assert [new.tensor for new in each.rows] == [old.tensor for old in ledger.rows]


@given(ledgers, st.sampled_from(BLOCKS))
def test_within_and_the_rest_make_the_whole(ledger: Ledger, block: str):
    inside = ledger.within(block)
    outside = ledger.select(lambda each: block not in each.blocks)
    assert all(block in each.blocks for each in inside)
    assert inside.unit == outside.unit == byte
    assert len(inside.rows) + len(outside.rows) == len(ledger.rows)
    assert inside.value + outside.value == ledger.value


@given(ledgers, st.sets(st.sampled_from(Role), max_size=3))
def test_of_takes_the_rows_of_these_roles(ledger: Ledger, roles: set[Role]):
    assert ledger.of(roles).rows == tuple(each for each in ledger.rows if each.role in roles)


PATHS = [
    ([], ()),
    (["layer/norm"], (("norm",),)),
    (["", "layer"], (("",), ("layer",))),
    (["layer/norm", "layer/attention/core"], (("norm",), ("attention", "core"))),
    (["layer", "layer/mlp"], (("layer",), ("mlp",))),
    (["layer/mlp", "layer/mlp"], (("mlp",), ("mlp",))),
    (["layer/mlp", "head"], (("layer", "mlp"), ("head",))),
]


@pytest.mark.parametrize(("blocks", "paths"), PATHS)
def test_paths_leave_out_what_all_rows_share(blocks: list[str], paths: tuple[tuple[str, ...], ...]):
    assert Ledger(tuple(row(path, s) for path in blocks), byte).paths() == paths


@given(ledgers)
def test_groups_make_the_whole(ledger: Ledger):
    groups = ledger.groups()
    assert sum((part.value for part in groups.values()), Integer(0)) == ledger.value
    assert sum(len(part.rows) for part in groups.values()) == len(ledger.rows)
    assert list(groups) == list(dict.fromkeys(path[0] for path in ledger.paths()))
    assert all(part.unit == byte and part.rows for part in groups.values())


def test_groups_are_in_order_of_appearance():
    ledger = Ledger((row("layer/norm", s), row("layer/mlp", b), row("layer/norm", h)), byte)
    assert {name: part.value for name, part in ledger.groups().items()} == {"norm": s + h, "mlp": b}
    assert list(ledger.groups()) == ["norm", "mlp"]
