"""Stages of a pipeline through a model with layers of several kinds: slices of its list add up to the whole."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from derive import parse_plan, recipe
from derive.situation import situation
from formulas import formula_of
from formulas.configs import model_of_fields
from formulas.notation import common

WINDOW, FULL = "sliding_attention", "full_attention"
FIELDS = {
    "model_type": "gemma2", "vocab_size": 61, "hidden_size": 60, "intermediate_size": 34, "num_hidden_layers": 4,
    "num_attention_heads": 6, "num_key_value_heads": 3, "head_dim": 14, "sliding_window": 5,
}  # fmt: skip
s, b = 11, 2
TABLES = 2 * 2 * s * FIELDS["head_dim"]  # bytes of cos and sin, which every stage has
orders = pytest.mark.parametrize("order", [[WINDOW, FULL] * 2, [FULL, WINDOW, WINDOW, FULL]], ids=["window", "full"])


def amount(order: list[str], name: str, plan: str, stage: str = "", position: int = 0) -> Fraction:
    """A quantity of a stage, of one micro-batch."""
    model = model_of_fields({**FIELDS, "layer_types": order}, "gemma")
    asked = replace(parse_plan(plan, common.symbol, recipe("bf16")), stage=stage, position=position)
    options = {"s": s, "b": b} | ({"m": 1} if stage and name == "model-activations" else {})
    found = situation(formula_of(name), model, asked, options=options).value
    assert isinstance(found, Fraction)
    return found


def stages(order: list[str], name: str, plan: str, degree: int) -> list[Fraction]:
    """A quantity of all stages."""
    places = [("first", 0), *(("middle", index) for index in range(1, degree - 1)), ("last", 0)]
    return [amount(order, name, f"pp={degree}{plan}", *place) for place in places]


@orders
@pytest.mark.parametrize("degree", [2, 3, 4])
def test_stages_add_up(order: list[str], degree: int):
    """Parameters with the tied table twice, and what is kept with the rotary tables once a stage, of any kind."""
    table = amount(order, "embedding-parameters", "")
    assert sum(stages(order, "device-parameters", "", degree)) == amount(order, "parameters", "") + table
    kept = amount(order, "model-activations", "") + TABLES * (degree - 1)
    assert sum(stages(order, "model-activations", "", degree)) == kept


@orders
def test_first_layer_needs_no_gradient_of_its_input(order: list[str]):
    """With a frozen table the first layer of the list keeps less, whichever kind it is."""
    frozen, trained = (stages(order, "model-activations", plan, 4)[0] for plan in (",frozen=token table", ""))
    assert frozen < trained - 4 * b * s * FIELDS["hidden_size"]
