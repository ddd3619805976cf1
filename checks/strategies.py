"""Hypothesis strategies: sizes, plans and cases that are valid by construction; nothing is drawn and thrown away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from hypothesis import strategies as st

from checks.laws import Case, case
from derive import Architecture, Plan
from derive.exact import evaluate
from derive.model import Model
from derive.tree import Node, symbols_of

Draw = st.DrawFn
SPLIT = frozenset("agfVs")  # letters that tensor parallelism divides, s with sequence parallelism
RECOMPUTED = ("norm", "core", "attention", "mlp", "layer")


def counts(most: int) -> st.SearchStrategy[int]:
    """A size from 1 to `most`."""
    return st.integers(1, most)


def divisors(*sizes: int) -> tuple[int, ...]:
    """What divides all of these sizes, upwards: the tensor parallel degrees that they allow."""
    common = gcd(*sizes)
    return tuple(degree for degree in range(1, common + 1) if common % degree == 0)


@st.composite
def sizes_of(draw: Draw, architecture: Architecture, degree: int = 1, *, few_heads: bool = False) -> dict[str, int]:
    """Sizes of an architecture that `degree` devices can share: g drawn, a = gq, h = ad where heads make up h, S >= s.

    With `few_heads`, g divides the degree instead of being divided by it, so that devices share key/value heads.
    """
    letters = architecture.letters.split()
    g = draw(st.sampled_from(divisors(degree))) if few_heads else degree * draw(counts(4))
    sizes: dict[str, int] = {"g": g, "a": lcm(g, degree) * draw(counts(4)), "d": draw(counts(16))}
    sizes |= {
        "s": degree * draw(counts(64)),
        "V": degree * draw(counts(99)),
        "b": draw(counts(8)),
        "L": draw(counts(12)),
    }
    sizes["h"] = sizes["a"] * sizes["d"] if "d" in architecture.relations else draw(counts(256))
    usual = "f" in architecture.relations and draw(st.booleans())
    sizes["f"] = 4 * sizes["h"] if usual else degree * draw(counts(99))
    if "S" in letters:
        sizes["S"] = sizes["s"] + draw(st.integers(0, 64))
    return {letter: sizes[letter] for letter in letters}


@st.composite
def plans(draw: Draw, degree: Any = 1) -> Plan:
    """A plan of that degree: sequence parallelism, attention, mask, recomputed blocks, early stop."""
    attention = draw(st.sampled_from(("materialised", "flash", "cuda_flash")))
    blocks = draw(st.lists(st.sampled_from(RECOMPUTED), unique=True, max_size=3))
    return Plan(
        tp=degree,
        sp=draw(st.booleans()),
        recompute=tuple(blocks),
        early_stop=draw(st.booleans()),
        kernels=(("attention", attention),),
        mask=draw(st.sampled_from(("causal", "full"))),
    )


@st.composite
def cases(draw: Draw, architectures: Sequence[Architecture], *, few_heads: bool = False) -> Case:
    """An architecture with sizes and a plan that divides them."""
    architecture, degree = draw(st.sampled_from(architectures)), draw(counts(6))
    sizes = draw(sizes_of(architecture, degree, few_heads=few_heads))
    return case(architecture, draw(plans(degree)), sizes)


@st.composite
def cases_of(draw: Draw, model: Model) -> Case:
    """A real model, its vocabulary padded as frameworks do, with a plan whose degree divides what it splits."""
    architecture = model.architecture
    sizes = full_sizes({letter: given.value for letter, given in model.sizes.items()}, architecture.relation_trees)
    sizes["V"] = -(-sizes["V"] // 1024) * 1024
    degree = draw(st.sampled_from(divisors(*(sizes[letter] for letter in sorted(SPLIT)))))
    return case(architecture, draw(plans(degree)), sizes)


def full_sizes(sizes: Mapping[str, Any], relations: Mapping[str, Node]) -> dict[str, Any]:
    """Sizes together with those that relations give, whole ones as integers."""
    known = dict(sizes)
    for letter, tree in relations.items():
        if letter not in known:
            value = evaluate(tree, known)
            known[letter] = int(value) if value.denominator == 1 else value
    return known


@st.composite
def points(draw: Draw, letters: Iterable[str], relations: Mapping[str, Node]) -> dict[str, int]:
    """Sizes for these letters where the relations hold, all whole, t a divisor of what it splits.

    Only the letters that are needed are drawn. The relations are linear in h, the only letter that they divide, so h is
    a multiple of the denominators at h = 1.
    """
    defined = {letter: tree for letter, tree in relations.items() if letter in set(letters)}
    needed = {name for tree in defined.values() for name in symbols_of(tree)} | set(letters) - set(defined)
    degree = draw(counts(6)) if "t" in needed else 1
    point = {"t": degree} if "t" in needed else {}
    shared = degree if "g" not in needed else degree * draw(counts(4))
    for letter in sorted(needed - {"t", "h", "S"}):
        step = {"g": 1, "a": shared}.get(letter, degree if letter in SPLIT else 1)
        point[letter] = shared if letter == "g" else step * draw(counts(24))
    if "S" in needed:
        point["S"] = point.get("s", 1) + draw(st.integers(0, 64))
    if "h" in needed:
        ones: dict[str, Fraction | int] = {**point, "h": 1}
        steps = [evaluate(tree, ones).denominator for tree in defined.values()]
        point["h"] = lcm(*steps) * draw(counts(24))
    return point | {letter: int(evaluate(tree, point)) for letter, tree in defined.items()}
