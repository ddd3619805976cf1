"""Plans: every key of the text sets its field, order does not matter, and what cannot be read is refused."""

from dataclasses import fields, replace
from fractions import Fraction

import pytest
from sympy import Symbol

from derive import Input, Mesh, Plan, block, flops, gelu, linear, parse_plan, recipe, trace
from derive.errors import DeriveError, PlanError, UnknownName
from derive.plan import KERNELS, KEYS, Kernel
from derive.precision import COMPUTE_DTYPES, OPTIMIZERS, RECIPES, Slot, optimizer
from derive.tensor import BlockCall
from formulas.notation import common

t, p, n = (common.symbol(letter) for letter in "tpn")


def read(text: str) -> Plan:
    return parse_plan(text, common.symbol)


# Each key of a plan with texts that set it and the plans that they mean.
READ: dict[str, dict[str, Plan]] = {
    "tp": {"tp=8": Plan(tp=8), "tp=1": Plan(), "tp=t": Plan(tp=t), "tp=2^3": Plan(tp=8)},
    "sp": {"sp": Plan(sp=True)},
    "pp": {"pp=4": Plan(pp=4), "pp=1": Plan(), "pp=p": Plan(pp=p)},
    "cp": {"cp=2": Plan(cp=2), "cp=1": Plan()},
    "stage": {"stage=first": Plan(stage="first"), "stage=last": Plan(stage="last")},
    "dp": {"dp=64": Plan(dp=64), "dp=2^6": Plan(dp=64), "dp=n": Plan(dp=n)},
    "ep": {"ep=8": Plan(ep=8), "ep=1": Plan()},
    "zero": {f"zero={stage}": Plan(zero=stage) for stage in (0, 1, 2, 3)},
    "recompute": {
        "recompute=core": Plan(recompute=("core",)),
        "recompute=attention+mlp": Plan(recompute=("attention", "mlp")),
    },
    "early-stop": {"early-stop": Plan(early_stop=True)},
    "attention": {f"attention={choice}": Plan(kernels=(("attention", choice),)) for choice in KERNELS["attention"]},
    "scan": {f"scan={choice}": Plan(kernels=(("scan", choice),)) for choice in KERNELS["scan"]},
    "mask": {
        "mask=causal": Plan(mask="causal"),
        "mask=full": Plan(mask="full"),
        "mask=packed": Plan(mask="packed", squares=common.symbol("q_2")),
    },
    "frozen": {"frozen=up weight": Plan(frozen=("up weight",)), "frozen=x+y": Plan(frozen=("x", "y"))},
    "lora": {"lora=16": Plan(lora=16), "lora=1": Plan(lora=1), "lora=r": Plan(lora=common.symbol("r"))},
    "adapted": {"adapted=query": Plan(adapted=("query",)), "adapted=value+query": Plan(adapted=("query", "value"))},
    "mtp": {"mtp": Plan(compose=("mtp",))},
    "absorbed": {"absorbed": Plan(compose=("absorbed",))},
    "pad-vocab": {"pad-vocab=128": Plan(padding=128)},
}
TEXTS = [(text, plan) for table in READ.values() for text, plan in table.items()]


# What an option of its own sets, and what the sizes of the model decide.
DECIDED_ELSEWHERE = {"recipe", "optimizer", "replicated", "uneven", "sequence", "position", "slices"}


def test_every_key_is_in_the_table():
    assert list(READ) == list(KEYS)
    settable = {field.name for field in fields(Plan)} - DECIDED_ELSEWHERE
    changed = {name for _, plan in TEXTS for name in settable if getattr(plan, name) != getattr(Plan(), name)}
    assert changed == settable


@pytest.mark.parametrize(("text", "plan"), TEXTS, ids=[text for text, _ in TEXTS])
def test_a_key_sets_its_field_and_no_other(text: str, plan: Plan):
    assert read(text) == plan
    assert read(f" , {text} ,") == plan


@pytest.mark.parametrize("key", KEYS)
def test_a_key_has_a_form_that_names_it(key: str):
    assert KEYS[key].form.split("=")[0] == key
    assert KEYS[key].about


def test_the_empty_text_is_one_device_without_recomputation():
    assert read("") == Plan()
    assert Plan().degree(Mesh.TP) == Plan().degree(Mesh.SP) == Plan().degree(None) == 1


def test_a_degree_stays_the_symbol_of_its_letter():
    assert read("tp=t").tp is t
    assert (read("pp=p").pp, read("dp=n").dp) == (p, n)
    assert parse_plan("tp=t", Symbol).tp == Symbol("t")


@pytest.mark.parametrize(("text", "tp", "sp"), [("tp=8", 8, 1), ("tp=8,sp", 8, 8), ("tp=t,sp", t, t), ("sp", 1, 1)])
def test_sequence_parallelism_has_the_degree_of_tensor_parallelism(text: str, tp, sp):
    plan = read(text)
    assert (plan.degree(Mesh.TP), plan.degree(Mesh.SP), plan.degree(None)) == (tp, sp, 1)


REFUSED = [
    (
        "tq=8",
        UnknownName,
        f"unknown plan key 'tq': did you mean 'tp'? known are {', '.join(KEYS)}",
    ),
    ("zz", UnknownName, f"unknown plan key 'zz': known are {', '.join(KEYS)}"),
    ("tp=8,tp=8", PlanError, "plan 'tp=8,tp=8': 'tp' is given twice"),
    ("sp,sp", PlanError, "plan 'sp,sp': 'sp' is given twice"),
    ("tp", PlanError, "plan 'tp': write tp=8 or tp=t"),
    ("tp=", PlanError, "plan 'tp=': write tp=8 or tp=t"),
    ("sp=1", PlanError, "plan 'sp=1': write sp"),
    ("sp=", PlanError, "plan 'sp=': write sp"),
    ("early-stop=yes", PlanError, "plan 'early-stop=yes': write early-stop"),
    ("recompute", PlanError, "plan 'recompute': write recompute=core"),
    ("attention", PlanError, "plan 'attention': write attention=materialised|flash|cuda_flash"),
    ("mask", PlanError, "plan 'mask': write mask=causal|full|packed"),
    ("frozen", PlanError, "plan 'frozen': write frozen=NAME"),
    ("mask=ful", UnknownName, "unknown value of mask= 'ful': did you mean 'full'?"),
    ("mask=window", UnknownName, "unknown value of mask= 'window': known are causal, full, packed"),
    ("attention=flsh", UnknownName, "unknown value of attention= 'flsh': did you mean 'flash'?"),
    ("tp=h", PlanError, "plan tp=h: write tp=8 or tp=t"),
    ("pp=t", PlanError, "plan pp=t: write pp=4 or pp=p"),
    ("dp=0", PlanError, "plan dp=0: dp must be a positive integer: got '0'"),
    ("dp=10^41", PlanError, "plan dp=10^41: dp must be a positive integer of at most 10^40: got '10^41'"),
    ("zero", PlanError, "plan 'zero': write zero=0|1|2|3"),
    ("zero=4", UnknownName, "unknown value of zero= '4': known are 0, 1, 2, 3"),
    ("zero=1.0", UnknownName, "unknown value of zero= '1.0': known are 0, 1, 2, 3"),
    ("stage=second", UnknownName, "unknown value of stage= 'second': known are first, last"),
    ("tp=0", PlanError, "plan tp=0: tp must be a positive integer: got '0'"),
    ("tp=1.5", PlanError, "plan tp=1.5: tp must be a positive integer: got '1.5'"),
]


@pytest.mark.parametrize(("text", "kind", "message"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_what_cannot_be_read_is_refused(text: str, kind: type[DeriveError], message: str):
    with pytest.raises(kind) as error:
        read(text)
    assert str(error.value) == message


def test_a_long_plan_is_quoted_short():
    with pytest.raises(PlanError) as error:
        read("sp," + "recompute=core," + "frozen=" + "w" * 200 + ",sp")
    assert str(error.value) == "plan 'sp,recompute=core,frozen=" + "w" * 55 + "': 'sp' is given twice"


SAME = [
    ("tp=8,sp,recompute=core", "recompute=core,sp,tp=8"),
    ("recompute=attention+mlp", "recompute=mlp+attention"),
    ("frozen=x+y", "frozen=y+x"),
    ("recompute=core+core", "recompute=core"),
    ("attention=flash,mask=full", "mask=full,attention=flash"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_settings_do_not_depend_on_order(left: str, right: str):
    assert read(left) == read(right)


@pytest.mark.parametrize(("text", "plan"), [each for each in TEXTS if each[1] != Plan()])
def test_every_key_counts_in_the_settings(text: str, plan: Plan):
    assert plan != Plan()
    assert read(text) == plan


def test_settings_differ_in_the_recipe():
    assert replace(Plan(), recipe=RECIPES["fp32"]) != Plan()


def test_the_whole_plan_is_the_same_step_on_one_device():
    plan = read("tp=8,sp,recompute=core,early-stop,attention=flash,mask=full,frozen=x")
    assert plan.whole == replace(plan, tp=1, sp=False)
    assert plan.whole == read("recompute=core,early-stop,attention=flash,mask=full,frozen=x")


MODEL = (("attention", "flash"),)


@pytest.mark.parametrize(
    ("text", "kernel", "mask"),
    [
        ("", "flash", "causal"),
        ("mask=full", "flash", "full"),
        ("attention=materialised", "materialised", "causal"),
        ("attention=cuda_flash,mask=full", "cuda_flash", "full"),
    ],
)
def test_a_plan_is_filled_from_the_model_where_it_says_nothing(text: str, kernel: str, mask: str):
    filled = read(text).filled(MODEL, "causal")
    assert (dict(filled.kernels), filled.mask) == ({"attention": kernel}, mask)
    assert filled.filled((("attention", "materialised"),), "full") == filled


CORE = BlockCall("core", 1, fused_by="attention")
PLAIN = BlockCall("mlp", 2)


@pytest.mark.parametrize(
    ("text", "kernel"), [("", None), *((f"attention={name}", kernel) for name, kernel in KERNELS["attention"].items())]
)
def test_a_kernel_runs_the_blocks_that_are_made_for_it(text: str, kernel: Kernel | None):
    plan = read(text)
    assert plan.kernel(CORE) == kernel
    assert plan.kernel(PLAIN) is None
    assert plan.recomputes(CORE) == (kernel is not None)
    assert not plan.recomputes(PLAIN)


def test_recomputed_blocks_are_found_by_name():
    assert read("recompute=mlp").recomputes(PLAIN)
    assert not read("recompute=mlp").recomputes(CORE)


@block
def projected(x):
    return linear(gelu(linear(x, "h -> f", name="up")), "f -> h", name="down")


@block
def activated(x):
    return gelu(linear(x, "h -> f", name="up"))


@pytest.mark.parametrize(("function", "whole"), [(projected, ["up again", "down again"]), (activated, ["up again"])])
def test_an_early_stop_comes_after_the_last_tensor_that_is_needed(function, whole: list[str]):
    traced = trace(function, Input("x", "s h"), sizes={letter: common.symbol(letter) for letter in "shf"})
    again = {text: [row.tensor for row in flops(traced, read(text), "recompute")] for text in (
        "", f"recompute={function.__name__}", f"recompute={function.__name__},early-stop")}  # fmt: skip
    assert list(again.values()) == [[], whole, ["up again"]]


# ---- recipes ----


COMPUTING = {
    "bf16": ("bf16", "fp32"),
    "bf16-cpu": ("bf16", "bf16"),
    "bf16-fp32-grads": ("bf16", "fp32"),
    "bf16-no-master": ("bf16", "fp32"),
    "fp16": ("fp16", "fp32"),
    "fp16-megatron": ("fp16", "fp32"),
    "fp32": ("fp32", "fp32"),
    "torchtitan": ("bf16", "fp32"),
    "deepspeed": ("bf16", "fp32"),
}


@pytest.mark.parametrize(("name", "computing", "statistics"), [(name, *both) for name, both in COMPUTING.items()])
def test_recipes(name: str, computing: str, statistics: str):
    chosen = recipe(name)
    assert (chosen.dtype(Slot.COMPUTE).name, chosen.dtype(Slot.STATISTICS).name) == (computing, statistics)
    assert parse_plan("sp", common.symbol, chosen) == Plan(sp=True, recipe=chosen)


def test_every_recipe_is_tested_and_the_default_is_bf16():
    assert set(RECIPES) == set(COMPUTING)
    assert recipe() == RECIPES["bf16"] == Plan().recipe
    assert optimizer() == OPTIMIZERS["adamw"] == Plan().optimizer


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_goes_with_any_recipe_and_changes_no_other_setting(name: str):
    chosen = optimizer(name)
    assert (chosen.name, chosen) == (name, OPTIMIZERS[name])
    assert parse_plan("tp=8", common.symbol, recipe("fp32"), chosen) == replace(
        Plan(tp=8), recipe=RECIPES["fp32"], optimizer=chosen
    )


def test_an_unknown_optimizer_is_refused():
    with pytest.raises(UnknownName) as error:
        optimizer("adamv")
    assert str(error.value) == "unknown optimizer 'adamv': did you mean 'adamw'?"


@pytest.mark.parametrize("dtype", COMPUTE_DTYPES)
def test_a_dtype_replaces_what_is_computed_in_and_nothing_else(dtype: str):
    chosen = recipe("bf16", dtype)
    assert chosen == replace(RECIPES["bf16"], compute=COMPUTE_DTYPES[dtype])
    assert chosen.dtype(COMPUTE_DTYPES["fp64"]).bytes == 8  # a fixed format is what it is


def test_widths():
    widths = {name: dtype.bytes for name, dtype in COMPUTE_DTYPES.items()}
    narrow = {"e2m1": Fraction(1, 2), "nvfp4": Fraction(9, 16)}
    assert widths == {"fp64": 8, "fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "e4m3": 1, "e5m2": 1} | narrow


@pytest.mark.parametrize(
    ("name", "dtype", "message"),
    [
        ("bf-16", None, "unknown recipe 'bf-16': did you mean 'bf16'?"),
        ("bf16", "f32", "unknown dtype 'f32': did you mean 'fp32'?"),
        ("bf16", "int8", "unknown dtype 'int8': known are fp64, fp32, tf32, bf16, fp16, e4m3, e5m2, e2m1, nvfp4"),
    ],
)
def test_unknown_recipes_and_dtypes(name: str, dtype: str | None, message: str):
    with pytest.raises(UnknownName) as error:
        recipe(name, dtype)
    assert str(error.value) == message
