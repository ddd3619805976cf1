"""The peak of a model whose layers are of several kinds, against a backward pass gone through layer by layer."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checks.configurations import configuration
from derive import saved
from derive.evaluation import number
from derive.model import Given
from derive.persistent import gradients_within
from derive.plan import parse_plan
from derive.reading import to_tree
from derive.report import report
from derive.situation import Situation, situation
from formulas import formula_of
from formulas.configs import model_of_fields
from formulas.notation import common

SEVERAL = pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3", "gemma2", "gpt_oss"])
PLANS = ("", "zero=1,dp=2", "zero=3,dp=2", "recompute=layer", "recompute=mlp", "frozen=mlp")
DEEPSEEK = {
    "n_group": 1,
    "topk_group": 1,
    "num_hidden_layers": 3,
    "first_k_dense_replace": 2,
    "intermediate_size": 4,
    "n_routed_experts": 512,
}


def case(fields: dict[str, Any], name: str, plan: str = "", **sizes: int) -> Situation:
    options = {letter: Given(size, "option") for letter, size in {"s": 8, **sizes}.items()}
    return situation(formula_of(name), model_of_fields(fields, "it"), parse_plan(plan, common.symbol), options=options)


def value(fields: dict[str, Any], name: str, plan: str, **sizes: int) -> Fraction:
    found = case(fields, name, plan, **sizes).value
    assert isinstance(found, Fraction)
    return found


def layers(fields: dict[str, Any], plan: str, **sizes: int) -> dict[str, list[Fraction]]:
    """Of each layer in its order: what it keeps, its gradients, and what its backward pass has beside them."""
    found = case(fields, "model-activations", plan, **sizes)
    model = found.model
    assert model is not None
    transient = {each.kind: each.value for each in case(fields, "layer-transient", plan, **sizes).layers}
    made: dict[str, list[Fraction]] = {"kept": [], "gradients": [], "beside": []}
    for kind in model.order:
        rows = {
            "kept": saved(model.whole, found.plan).within(kind),
            "gradients": gradients_within(model.whole, found.plan, kind),
        }
        for what, ledger in rows.items():
            amount = number(to_tree(ledger.value), found.known)
            assert isinstance(amount, Fraction)
            made[what].append(amount / found.known[model.architecture.kinds[kind].number].value)
        beside = transient[kind]
        assert isinstance(beside, Fraction)
        made["beside"].append(beside)
    return made


def moments(fields: dict[str, Any], plan: str, **sizes: int) -> list[Fraction]:
    """What is there beside the states that stay: at the loss, in each layer's backward pass, at the end.

    What is before and behind the layers is taken to be there throughout.
    """
    of = layers(fields, plan, **sizes)
    kept, gradients, loss = (
        value(fields, name, plan, **sizes) for name in ("model-activations", "gradients", "loss-transient")
    )
    ends = kept + gradients - sum(of["kept"]) - sum(of["gradients"])
    passes = [
        ends + sum(of["kept"][: i + 1]) + sum(of["gradients"][i + 1 :]) + beside
        for i, beside in enumerate(of["beside"])
    ]
    return [kept + loss, *passes, gradients]


@SEVERAL
@pytest.mark.parametrize("plan", PLANS)
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6), s=st.sampled_from([2, 8, 64]))
def test_no_moment_is_beyond_the_peak(model_type: str, plan: str, seed: int, s: int):
    fields = configuration(model_type, seed)
    assume(len(set(model_of_fields(fields, "it").order)) > 1)
    peak, states = (value(fields, name, plan, s=s) for name in ("peak-memory", "resident-states"))
    assert max(moments(fields, plan, s=s)) <= peak - states
    assert peak <= value(fields, "memory-sum", plan, s=s)


@pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3"])
@pytest.mark.parametrize(("plan", "s"), [("", 64), ("recompute=layer", 1024), ("zero=3,dp=2", 64)])
def test_the_peak_is_between_the_kinds(model_type: str, plan: str, s: int):
    """Few activations and many gradients in the layers behind, the other way round in those before: it is there."""
    fields = configuration(model_type, 0) | DEEPSEEK
    of = layers(fields, plan, s=s)
    assert of["kept"][0] > of["gradients"][0]
    assert of["kept"][2] < of["gradients"][2]
    peak, states = (value(fields, name, plan, s=s) for name in ("peak-memory", "resident-states"))
    found = moments(fields, plan, s=s)
    last_dense = found[2]
    assert peak - states == last_dense - of["beside"][1] + max(of["beside"]) > max(found[0], found[-1])


@pytest.mark.parametrize("plan", ["", "recompute=router", "zero=3,dp=2"])
def test_what_only_one_kind_has_is_counted(plan: str):
    """A block that is run again in some layers only, the others first."""
    fields = configuration("deepseek_v3", 0) | DEEPSEEK
    beside = {each.kind: each.value for each in case(fields, "layer-transient", plan).layers}
    assert value(fields, "layer-transient", plan) == max(x for x in beside.values() if isinstance(x, Fraction))
    found = report(
        formula_of("memory-sum"), model_of_fields(fields, "it"), parse_plan(plan, common.symbol),
        options={"s": Given(8, "option")},
    )  # fmt: skip
    assert ("U" in found.given) == bool(plan)
    (line,) = [step for step in found.derivation.steps if step.relation == "≤"]
    assert line.proof
