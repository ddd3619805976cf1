"""ZeRO: each stage holds less than the one before, all the same on one device; claims that leave out rows by role."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from derive import Role, claims
from derive.citation import UP_TO
from derive.precision import RECIPES
from derive.tree import to_text
from derive.verdict import judge
from formulas.sources.rajbhandari2020 import rajbhandari2020
from formulas.states import bytes_per_parameter, gradients, resident_states, states, zero_1, zero_2, zero_3
from tests.test_states import MODELS, PAIRS, UNEQUAL, every_pair, plan, value

STAGES = {1: zero_1, 2: zero_2, 3: zero_3}

sizes = st.integers(1, 10**15)
degrees = st.integers(1, 4096)


@settings(max_examples=200)
@given(pair=st.sampled_from(PAIRS), N=sizes, n=degrees)
@example(pair=("bf16-no-master", "sgd"), N=7, n=2)
@example(pair=("fp16-megatron", "adamw"), N=7, n=1)
def test_each_stage_holds_less(pair: tuple[str, str], N: int, n: int):
    held, kind = pair
    about = plan("", held, kind)
    totals = [value(states, about, N=N), *(value(STAGES[stage], about, N=N, n=n) for stage in STAGES)]
    stages = {each.stage for each in about.recipe.persistent} | ({1} if about.optimizer.states else set())
    for stage in STAGES:
        if n == 1 or stage not in stages:  # without master weights and with plain SGD, stage 1 has nothing to shard
            assert totals[stage] == totals[stage - 1]
        else:
            assert totals[stage] < totals[stage - 1]
    assert totals[3] * n == totals[0]


@pytest.mark.parametrize("held", RECIPES)
@pytest.mark.parametrize("kind", UNEQUAL)
@pytest.mark.parametrize("preset", MODELS)
def test_each_stage_holds_less_where_parameters_differ(held: str, kind: str, preset: str):
    about = plan("", held, kind)
    plain = value(states, about, preset)
    for n in (1, 2, 64):
        totals = [plain, *(value(STAGES[stage], about, preset, n=n) for stage in STAGES)]
        assert len(set(totals)) == (1 if n == 1 else 4)
        assert totals == sorted(totals, reverse=True)
        assert totals[3] * n == plain


@every_pair
@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_the_states_under_its_plan(held: str, kind: str, stage: int):
    for dp, said in (("", "dp=n"), ("dp=8", "dp=8")):
        wanted = states.ledger(None, plan(f"zero={stage},{said}", held, kind))
        assert STAGES[stage].ledger(None, plan(dp, held, kind)) == wanted


@given(N=sizes, n=degrees)
def test_what_the_stages_cut(N: int, n: int):
    rest = 1 - Fraction(1, n)
    plain, *totals = value(states, plan(), N=N), *(value(each, plan(), N=N, n=n) for each in STAGES.values())
    assert [plain - each for each in totals] == [12 * N * rest, 14 * N * rest, 16 * N * rest]


def test_gradients_and_the_rest_follow_the_plan():
    assert value(gradients, plan("zero=1,dp=8"), N=8) == 16
    assert value(gradients, plan("zero=2,dp=8"), N=8) == 2
    assert value(resident_states, plan("zero=1,dp=8"), N=8) == 16 + 12
    assert value(resident_states, plan("zero=3,dp=8"), N=8) == 14


def test_without_a_stage_data_parallel_changes_no_value():
    assert states.ledger(None, plan("dp=8")).value == states.ledger(None, plan()).value
    assert [row.why for row in states.ledger(None, plan("zero=1,dp=8"))][1:3] == [
        "all of it on each of 8: only ZeRO-2 shards it",
        "1/8 of it: ZeRO-1 shards it",
    ]


# ---- claims that leave rows out by their role ----


@pytest.mark.parametrize(
    ("formula", "text", "neglected", "left_out"),
    [
        (zero_1, "4*N + 8*N/n", {Role.MASTER}, "4*N/n"),
        (zero_1, "8*N/n", {Role.MASTER, Role.MODEL_WEIGHTS, Role.GRADIENTS}, "4*N*(1 + 1/n)"),
        (zero_2, "(8*N + 2*N)/n", {Role.MASTER, Role.MODEL_WEIGHTS}, "2*N*(1 + 2/n)"),
        (zero_3, "(8*N + 2*N + 2*N)/n", {Role.MASTER}, "4*N/n"),
    ],
)
def test_a_convention_without_the_master(formula, text: str, neglected: set[Role], left_out: str):
    (claim,) = claims(rajbhandari2020, formula, "a test", rows={"": text}, neglect=neglected)
    judged = judge(claim)
    assert judged.verdict == UP_TO
    assert judged.neglected is not None
    assert to_text(judged.neglected) == left_out


def test_scales_can_be_neglected():
    (claim,) = claims(
        rajbhandari2020, bytes_per_parameter, "a test", rows={"": "2 + 2 + 4 + 1 + 1"}, neglect={Role.SCALES},
        optimizer="adam-8bit",
    )  # fmt: skip
    judged = judge(claim)
    assert (judged.verdict, to_text(judged.neglected) if judged.neglected else "") == (UP_TO, "1/32")
    assert claim.plan_text == "optimizer=adam-8bit"
