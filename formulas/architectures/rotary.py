"""Rotary positions on a part of each head: the rest passes as it is."""

from dataclasses import dataclass, field
from functools import partial

from derive import add, concat, constant, copy, identity, multiply, part, rotate_half
from derive.config import ConfigError
from derive.model import Given


@dataclass(frozen=True)
class Rotary:
    """How much of a head is rotated: sizes, letters and axes, none of them where it is all of it."""

    sizes: dict = field(default_factory=dict)
    letters: str = ""
    axes: dict = field(default_factory=dict)


SHARE = "partial_rotary_factor"
WHOLE = "proportional"  # the type of rotary positions whose share is of the angles that are not zero: heads stay whole


def rotary(fields, d, default, *, above=SHARE):
    """What the share of a head says that a file has: in its rotary parameters, or else at its top, where it is `above`.

    The rotary parameters are rope_scaling, or, where that is missing or empty, rope_parameters.
    """
    inner = fields.section("rope_parameters")
    if (older := fields.section("rope_scaling")).values:
        inner = older
    fields.ignores(above)
    share = inner.share(SHARE) if inner.has(SHARE) else fields.share(above, default=default)
    if inner.values.get("rope_type") == WHOLE:
        return Rotary()
    name = inner.prefix + SHARE if inner.has(SHARE) else above
    width = Given(int(d.value * share), f"head width * {name}")
    if width.value == d.value:
        return Rotary()
    if not width.value or width.value % 2:
        raise ConfigError(f"{name} = {share} rotates {width.value} of {d.value}: an even number is needed")
    return Rotary({"d_rope": width}, " d_rope", {"d_pass": "d - d_rope"})


def tables_of(letters):
    """Cosines and sines, which the whole model shares."""
    return tuple(constant(name, letters) for name in ("cos", "sin"))


def new_tables_of(letters):
    """Cosines and sines laid out anew, for pairs of neighbours, where they are used."""
    return tuple(copy(table) for table in tables_of(letters))


def turned(x, cos, sin):
    """`x` rotated by these angles."""
    return add(multiply(x, cos), multiply(rotate_half(x), sin), name=f"rotated {x.name}")


def turned_part(x, cos, sin):
    """The first d_rope of every head rotated, and the rest beside it."""
    first, passed = part(x, "d -> d_rope"), part(x, "d -> d_pass")
    return concat("d_rope d_pass -> d", turned(first, cos, sin), passed, name=f"rotated {x.name}")


def together(q, k, letters, turn, tables):
    """Queries and keys rotated by the same tables."""
    angles = tables(letters)
    return turn(q, *angles), turn(k, *angles)


def apart(q, k, letters, turn, tables):
    """Queries and keys rotated, each by tables of its own."""
    return turn(q, *tables(letters)), turn(k, *tables(letters))


def laid(heads):
    """What lays tokens before heads again: nothing where there is one head."""
    return identity if heads.value == 1 else copy


def relaid(out, heads):
    """An output layer that copies what attention gives: a kernel lays its result out as the queries are laid out.

    Queries that were put together from parts have heads before tokens, the output layer tokens before heads.
    """
    again = laid(heads)
    return lambda y, pattern, **settings: out(again(y), pattern, **settings)


def partly(rotary, tables=tables_of, how=together):
    """What rotates queries and keys: all of each head, or a part."""
    whole = not rotary.axes
    return partial(how, letters="s d" if whole else "s d_rope", turn=turned if whole else turned_part, tables=tables)
