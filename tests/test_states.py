"""States: every recipe with every optimizer, sharded or not, by sums over the tables and by hand; laws of ZeRO."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from derive import Model, Plan, Role, claims, parse_plan
from derive.errors import DeriveError
from derive.interval import Interval
from derive.model import Given
from derive.precision import OPTIMIZERS, RECIPES, Factoring, optimizer, recipe
from derive.roles import PERSISTENT
from derive.situation import situation
from formulas.models import model
from formulas.sources.rajbhandari2020 import rajbhandari2020
from formulas.states import (
    bytes_per_parameter,
    checkpoint_bytes,
    gradients,
    notation,
    optimizer_bytes,
    resident_states,
    states,
    zero_1,
    zero_2,
    zero_3,
)

STAGES = {1: zero_1, 2: zero_2, 3: zero_3}
EQUAL = [name for name, each in OPTIMIZERS.items() if all(state.of is Factoring.ALL for state in each.states)]
UNEQUAL = [name for name in OPTIMIZERS if name not in EQUAL]
PAIRS = list(product(RECIPES, EQUAL))
MODELS = ("gpt2", "llama3-8b", "llama3-70b")
every_pair = pytest.mark.parametrize(("held", "kind"), PAIRS, ids=[" ".join(pair) for pair in PAIRS])


def plan(text: str = "", held: str = "bf16", kind: str = "adamw") -> Plan:
    return parse_plan(text, notation.symbol, recipe(held), optimizer(kind))


def found(formula, about: Plan, preset: str | None = None, **letters: int) -> Fraction | Interval | None:
    return situation(formula, model(preset) if preset else None, about, options=letters).value


def value(formula, about: Plan, preset: str | None = None, **letters: int) -> Fraction:
    exact = found(formula, about, preset, **letters)
    assert isinstance(exact, Fraction)
    return exact


def widths(held: str, kind: str, *roles: Role) -> Fraction:
    """Bytes a parameter, from the tables: what the formulas must sum to."""
    own = [(each.role, each.dtype.bytes) for each in recipe(held).persistent]
    own += [(each.role, each.dtype.bytes / each.every) for each in optimizer(kind).states]
    return sum((width for role, width in own if not roles or role in roles), Fraction(0))


# ---- the tables ----

GRID = {
    "fp32": (16, 12, 8),
    "bf16": (16, 12, 8),
    "bf16-fp32-grads": (18, 14, 10),
    "bf16-no-master": (12, 8, 4),
    "fp16": (16, 12, 8),
    "fp16-megatron": (20, 16, 12),
    "torchtitan": (16, 12, 8),
    "deepspeed": (16, 12, 8),
}


@pytest.mark.parametrize("held", GRID)
def test_bytes_per_parameter_of_the_recipes(held: str):
    assert [value(bytes_per_parameter, plan("", held, kind)) for kind in ("adamw", "momentum", "sgd")] == [*GRID[held]]


def test_every_recipe_is_in_the_grid():
    assert set(RECIPES) - {"bf16-cpu"} == set(GRID)
    assert RECIPES["bf16-cpu"].persistent == RECIPES["bf16"].persistent


@pytest.mark.parametrize("kind", ["momentum", "adagrad", "rmsprop"])
def test_optimizers_with_one_slot(kind: str):
    assert value(bytes_per_parameter, plan("", "bf16-no-master", kind)) == 8
    assert value(optimizer_bytes, plan("", "bf16", kind)) == 8


@every_pair
def test_states_are_the_sum_of_the_tables(held: str, kind: str):
    about = plan("", held, kind)
    assert value(states, about, N=7) == 7 * widths(held, kind) == 7 * value(bytes_per_parameter, about)
    assert value(optimizer_bytes, about) == widths(held, kind, Role.MASTER, Role.OPTIMIZER, Role.SCALES)
    assert value(gradients, about, N=7) == 7 * widths(held, kind, Role.GRADIENTS)
    assert value(gradients, about, N=7) + value(resident_states, about, N=7) == value(states, about, N=7)


def test_recipes_are_well_formed():
    for each in RECIPES.values():
        stages = {held.role: held.stage for held in each.persistent}
        assert stages[Role.MODEL_WEIGHTS] == 3
        assert {held.stage for held in each.persistent} <= {1, 2, 3}
        assert next(held.stage for held in each.persistent if held.name == "gradients") == 2
        assert set(stages) <= PERSISTENT
    assert {state.role for each in OPTIMIZERS.values() for state in each.states} <= PERSISTENT


def test_the_default_is_16_bytes_row_by_row():
    assert [(row.tensor, row.dtype, str(row.value)) for row in states.ledger(None, Plan())] == [
        ("weights", "bf16", "2*N"),
        ("gradients", "bf16", "2*N"),
        ("master weights", "fp32", "4*N"),
        ("first moment", "fp32", "4*N"),
        ("second moment", "fp32", "4*N"),
    ]


def test_the_format_of_products_is_no_state():
    fp8 = replace(plan(), recipe=recipe("bf16", "e4m3"))
    assert states.ledger(None, fp8) == states.ledger(None, plan())


@pytest.mark.parametrize(
    ("held", "n", "wanted"),
    [
        ("bf16-fp32-grads", (1, 2, 8, 64), ("18", "12", "15/2", "99/16")),
        ("fp16-megatron", (1, 2, 8, 64), ("20", "12", "6", "17/4")),
        ("fp32", (1, 2, 8, 64), ("16", "12", "9", "65/8")),
    ],
)
def test_megatrons_distributed_optimizer(held: str, n: tuple[int, ...], wanted: tuple[str, ...]):
    assert [value(bytes_per_parameter, plan("zero=1,dp=n", held), n=x) for x in n] == [Fraction(x) for x in wanted]


def test_eight_bit_moments_have_scales():
    assert value(bytes_per_parameter, plan("", "bf16", "adam-8bit")) == 10 + Fraction(2 * 4, 256)
    assert value(bytes_per_parameter, plan("", "bf16-no-master", "adam-8bit")) == 6 + Fraction(2 * 4, 256)


# ---- a model ----


def test_states_of_the_presets():
    assert [value(states, plan(), name) for name in ("llama3-8b", "llama3-70b", "llama3-405b")] == [
        128484179968,
        1128859303936,
        6493654220800,
    ]
    assert value(states, plan("", "bf16-fp32-grads"), "llama3-70b") == 1269966716928


def shapes(preset: str) -> tuple[dict[str, tuple[int, int]], list[int], list[tuple[int, int]], list[int]]:
    """By hand: the matrices of a layer, the vectors of a layer, the tables and the vectors outside the layers."""
    known = {letter: given.value for letter, given in situation(states, model(preset), plan()).known.items()}
    h, a, g, d, f, V = (known[letter] for letter in "hagdfV")
    matrices = {"q": (h, a * d), "k": (h, g * d), "v": (h, g * d), "o": (a * d, h), "up": (h, f), "down": (f, h)}
    if preset.startswith("gpt"):
        return matrices, [a * d, g * d, g * d, h, f, h, *(4 * [h])], [(V, h), (known["S"], h)], [h, h]
    return matrices | {"gate": (h, f)}, [h, h], [(V, h), (V, h)], [h]


@pytest.mark.parametrize("preset", MODELS)
def test_adafactor_and_muon_by_hand(preset: str):
    layers = situation(states, model(preset), plan()).known["L"].value
    matrices, vectors, tables, outside = shapes(preset)
    inner = layers * sum(map(prod, matrices.values()))
    total = inner + layers * sum(vectors) + sum(map(prod, tables)) + sum(outside)
    assert value(states, plan(), preset) == 16 * total

    factors = layers * (sum(map(sum, matrices.values())) + sum(vectors)) + sum(map(sum, tables)) + sum(outside)
    assert value(states, plan("", "bf16", "adafactor"), preset) == 8 * total + 4 * factors
    assert value(states, plan("", "bf16", "muon"), preset) == 8 * total + 4 * inner + 8 * (total - inner)


def test_tensor_parallelism_cuts_rows_or_columns():
    """Each device keeps the factors of its own shards: the side that is not split is whole on all of them."""
    ledger = states.ledger(model("llama3-8b").bare, plan("tp=t", "bf16", "adafactor"))
    rows = {row.tensor.removeprefix("factored second moment of "): str(row.value) for row in ledger}
    assert rows["query weight"] == "4*L*(a*d/t + h)"
    assert rows["projection weight"] == "4*L*(a*d/t + h)"
    assert rows["logits weight"] == "4*V/t + 4*h"


@pytest.mark.parametrize("kind", ["adamw", "muon"])
def test_shards_of_a_device_count(kind: str):
    whole, part = (value(states, plan(text, "bf16", kind), "llama3-70b") for text in ("", "tp=8"))
    assert whole / 8 < part < whole / 7


def test_frozen_parameters_are_only_weights():
    whole = value(states, plan(), "llama3-8b")
    frozen = 32 * 4096 * 4096
    assert value(states, plan("frozen=query weight"), "llama3-8b") == whole - 14 * frozen
    muon = value(states, plan("", "bf16", "muon"), "llama3-8b")
    assert value(states, plan("frozen=query weight", "bf16", "muon"), "llama3-8b") == muon - (2 + 4 + 4) * frozen


# ---- checkpoints ----


@pytest.mark.parametrize(
    ("preset", "low", "high"),
    [
        ("llama3-8b", 96363134976, 112423657472),
        ("llama3-70b", 846644477952, 987751890944),
        ("llama3-405b", 4870240665600, 5681947443200),
    ],
)
def test_a_checkpoint_has_the_weights_or_not(preset: str, low: int, high: int):
    assert found(checkpoint_bytes, plan(), preset) == Interval(Fraction(low), Fraction(high))
    assert found(checkpoint_bytes, plan("tp=8,zero=3,dp=64"), preset) == Interval(Fraction(low), Fraction(high))
    assert value(checkpoint_bytes, plan(), preset, w=1) == high


@every_pair
def test_a_checkpoint_leaves_out_gradients(held: str, kind: str):
    saved = found(checkpoint_bytes, plan("", held, kind), N=3)
    high = 3 * (widths(held, kind) - widths(held, kind, Role.GRADIENTS))
    if Role.MASTER in {each.role for each in recipe(held).persistent}:
        assert saved == Interval(high - 3 * widths(held, kind, Role.MODEL_WEIGHTS), high)
    else:
        assert saved == high


# ---- what is refused ----

REFUSED = [
    (lambda: recipe("bf15"), "unknown recipe 'bf15': did you mean 'bf16'?"),
    (lambda: optimizer("adamx"), "unknown optimizer 'adamx': did you mean 'adamw'?"),
    (
        lambda: value(states, plan("", "bf16", "muon"), N=7),
        "optimizer muon does not hold the same for every parameter (momentum: weights of the layers' products): "
        "it takes a model, not a number of parameters alone",
    ),
    (
        lambda: value(zero_1, plan("", "bf16", "adafactor"), N=7),
        "optimizer adafactor does not hold the same for every parameter (factored second moment: a row and a column of "
        "each matrix, and every parameter of a vector): it takes a model, not a number of parameters alone",
    ),
    (
        lambda: value(states, plan("frozen=query weight"), N=7),
        "frozen=query weight names parameters of a model: name one, or leave it out",
    ),
    (
        lambda: claims(rajbhandari2020, states, "a test", rows={"": "N"}, recipe="fp17"),
        "rajbhandari2020, a test: unknown recipe 'fp17': did you mean 'fp16'?",
    ),
]


@pytest.mark.parametrize(("act", "text"), REFUSED, ids=[text[:40] for _, text in REFUSED])
def test_refused_in_one_line(act, text: str):
    with pytest.raises(DeriveError) as error:
        act()
    assert str(error.value) == text


def test_a_number_of_parameters_may_stand_in_for_the_model():
    assert value(states, plan(), "llama3-8b", N=7) == 7 * 16
    assert situation(states, model("llama3-8b"), plan()).known["N"] == Given(8030261248, "device-parameters")
    assert isinstance(model("llama3-8b"), Model)
