"""Folds: what is kept, computed and trained, against polynomials written out here and laws that every model obeys."""

import pytest
from sympy import Expr, Integer, expand

from derive import (
    Ledger,
    Mesh,
    Plan,
    Role,
    flops,
    parameters,
    parse_plan,
    pointwise,
    recipe,
    saved,
    tensors,
)
from derive.errors import UnknownName
from derive.folds import shard
from derive.tensor import Axis
from derive.units import byte, dimensionless, flop, parameter
from formulas.models import architectures
from formulas.notation import common

a, g, s, b, d, h, f, V, S, t, L = map(common.symbol, "agsbdhfVStL")
ALL = architectures()
EVERY = pytest.mark.parametrize("name", ALL)
gpt = ALL["gpt"]


def plan(text: str, name: str = "bf16") -> Plan:
    return parse_plan(text, common.symbol, recipe(name))


def paper(expression: Expr) -> Expr:
    """In the letters of the GPT papers: f = 4h, g = a, d = h/a, S = s."""
    return expand(expression.subs({f: 4 * h, g: a, d: h / a, S: s}, simultaneous=True))


def layer(name: str, text: str = "", numbers: str = "bf16") -> Expr:
    return saved(ALL[name].layer_trace, plan(text, numbers)).value.expand()


def computed(name: str, text: str, *passes: str, block: str = "layer") -> Expr:
    return flops(ALL[name].layer_trace, plan(text), *passes).within(block).value.expand()


def row(ledger: Ledger, tensor: str) -> Expr:
    (found,) = [each.value for each in ledger if each.tensor == tensor]
    return found


# ---- saved ----

TABLE_2 = {
    "": 34 * s * b * h + 5 * a * s**2 * b + 16 * s * b,
    "tp=t": (10 + 24 / t) * s * b * h + 5 * a * s**2 * b / t + 16 * s * b,
    "tp=t,sp": (34 * s * b * h + 5 * a * s**2 * b + 16 * s * b) / t,
    "tp=t,recompute=core": (10 + 24 / t) * s * b * h + 16 * s * b,
    "tp=t,sp,recompute=core": (34 * s * b * h + 16 * s * b) / t,
    "tp=t,recompute=layer": 2 * s * b * h,
}


@pytest.mark.parametrize("text", TABLE_2)
def test_table_2_of_korthikanti_with_its_statistics(text: str):
    assert paper(layer("gpt", text)) == TABLE_2[text].expand()
    statistics = saved(gpt.layer_trace, plan(text)).of({Role.STATISTICS}).value
    assert statistics == (0 if "layer" in text else 16 * s * b / (t if "sp" in text else 1))


PLAIN_GPT = 10 * s * b * h + 4 * s * b * a * d + 4 * s * b * g * d + 4 * s * b * f
PLAIN_LLAMA = 16 * s * b * h + 8 * s * b * f + 4 * s * b * a * d + 4 * s * b * g * d + 8 * s * b + 4 * s * d
KEPT: list[tuple[str, str, str, Expr]] = [
    ("gpt", "", "bf16", PLAIN_GPT + 5 * a * s**2 * b + 16 * s * b),
    ("gpt", "", "bf16-cpu", PLAIN_GPT + 5 * a * s**2 * b + 8 * s * b),
    ("gpt", "", "fp32", 2 * PLAIN_GPT - 2 * s * b * h + 9 * a * s**2 * b + 16 * s * b),  # masks stay one byte
    ("gpt", "attention=flash", "bf16", PLAIN_GPT + 4 * a * b * s + 16 * s * b),
    ("gpt", "attention=cuda_flash", "bf16", PLAIN_GPT + 4 * a * b * s + 16 * s * b + 24),
    ("gpt", "frozen=projection weight", "bf16", PLAIN_GPT - 2 * s * b * a * d + 5 * a * s**2 * b + 16 * s * b),
    ("gpt", "frozen=projection weight,attention=flash", "bf16", PLAIN_GPT + 4 * a * b * s + 16 * s * b),  # output stays
    ("gpt", "recompute=layer,attention=cuda_flash", "bf16", 2 * s * b * h),  # nothing of the kernel outlives forward
    ("gpt", "recompute=core,attention=flash", "bf16", PLAIN_GPT + 16 * s * b),
    ("gpt", "recompute=attention+mlp", "bf16", 8 * s * b * h + 16 * s * b),
    ("gpt-unfused", "", "bf16", PLAIN_GPT + 5 * a * s**2 * b + 16 * s * b + s**2 + 8),
    ("gpt-unfused", "recompute=core", "bf16", PLAIN_GPT + 16 * s * b),
    ("llama", "", "bf16", PLAIN_LLAMA + 2 * a * s**2 * b),
    ("llama", "attention=flash", "bf16", PLAIN_LLAMA + 4 * a * b * s),
    ("llama", "recompute=core", "bf16", PLAIN_LLAMA),
    ("llama", "recompute=layer", "bf16", 2 * s * b * h + 4 * s * d),
    ("llama-repeat-kv", "attention=flash", "bf16", PLAIN_LLAMA + 4 * s * b * a * d - 4 * s * b * g * d + 4 * a * b * s),
]


@pytest.mark.parametrize(("name", "text", "numbers", "kept"), KEPT)
def test_what_a_layer_keeps(name: str, text: str, numbers: str, kept: Expr):
    assert layer(name, text, numbers) == kept.expand()


@EVERY
@pytest.mark.parametrize("text", ["", "sp", "recompute=core", "recompute=mlp", "attention=flash", "recompute=layer"])
def test_one_device_is_the_serial_step(name: str, text: str):
    assert layer(name, f"tp=t,{text}").xreplace({t: Integer(1)}) == layer(name, f"tp=1,{text}") == layer(name, text)
    assert layer(name, f"tp=t,{text}").xreplace({t: Integer(8)}) == layer(name, f"tp=8,{text}")


@EVERY
def test_with_sequence_parallelism_the_shards_sum_to_the_whole(name: str):
    shared = saved(ALL[name].layer_trace, plan("tp=t,sp")).of({Role.CONSTANT}).value  # cos, sin and masks are not split
    assert ((layer(name, "tp=t,sp") - shared) * t + shared).expand() == layer(name)


@EVERY
def test_a_storage_has_one_row(name: str):
    ledger = saved(ALL[name].layer_trace, plan(""))
    assert ledger.unit == byte
    assert all(each.value != 0 and each.why for each in ledger)
    (shared,) = [each for each in ledger if "query weight" in each.why]
    assert shared.why == "gradient of query weight, key weight, value weight"
    assert (shared.blocks, shared.shape, shared.dtype) == (("layer", "attention"), (s, b, h), "bf16")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recompute=cor", "unknown block 'cor': did you mean 'core'?"),
        ("frozen=upweight", "unknown parameter 'upweight': did you mean 'up weight'?"),
    ],
)
def test_plans_that_do_not_fit_the_layer(text: str, message: str):
    with pytest.raises(UnknownName) as error:
        layer("gpt", text)
    assert str(error.value) == message


# ---- FLOPs ----

ADH, GDH, FH = a * d * h, g * d * h, f * h
FORWARD = {"gpt": 4 * (ADH + GDH + FH), "llama": 4 * (ADH + GDH) + 6 * FH}
FORWARD |= {"gpt-unfused": FORWARD["gpt"], "llama-repeat-kv": FORWARD["llama"]}
PAIRS = {"full": s**2, "causal": s**2 / 2 + s / 2}
SCORES = 4 * a * b * d  # FLOPs of both score products for each pair of tokens


@EVERY
@pytest.mark.parametrize("mask", PAIRS)
def test_forward(name: str, mask: str):
    assert computed(name, f"mask={mask}", "forward") == (s * b * FORWARD[name] + SCORES * PAIRS[mask]).expand()
    assert computed(name, f"mask={mask}", "forward", block="core") == (SCORES * PAIRS[mask]).expand()


def test_half_the_diagonal_is_a_row_of_its_own():
    ledger = flops(gpt.layer_trace, plan("mask=causal"), "forward")
    assert ledger.unit == flop
    assert [(each.tensor, each.value) for each in ledger.of({Role.DIAGONAL})] == [
        ("scores", a * b * d * s),
        ("attention output", a * b * d * s),
    ]
    assert not flops(gpt.layer_trace, plan("mask=full"), "forward").of({Role.DIAGONAL}).rows


@EVERY
@pytest.mark.parametrize("mask", PAIRS)
@pytest.mark.parametrize("whole", [False, True])
def test_backward_costs_twice_the_forward_pass(name: str, mask: str, whole: bool):
    traced = ALL[name].model_trace if whole else ALL[name].layer_trace
    forward, backward = (flops(traced, plan(f"mask={mask}"), each).value for each in ("forward", "backward"))
    assert (backward - 2 * forward).expand() == 0 != forward


@EVERY
@pytest.mark.parametrize(
    ("text", "products"), [("", 4), ("recompute=core", 6), ("attention=flash", 5), ("recompute=core,early-stop", 5)]
)
def test_products_of_core_in_the_backward_pass(name: str, text: str, products: int):
    """8, 12, 10 and 10 bs²h: flash and early stop skip the product whose result is kept, or needed by nobody."""
    found = computed(name, f"mask=full,{text}", "backward", "recompute", block="core")
    assert found == products * 2 * a * b * d * s**2


@EVERY
@pytest.mark.parametrize("mask", PAIRS)
@pytest.mark.parametrize("block", ["layer", "attention", "core", "mlp"])
def test_recomputing_a_block_costs_its_forward_pass(name: str, mask: str, block: str):
    again = computed(name, f"mask={mask},recompute={block}", "recompute")
    assert again == computed(name, f"mask={mask}", "forward", block=block)
    assert computed(name, f"mask={mask}", "recompute") == 0


@EVERY
@pytest.mark.parametrize("block", ["layer", "mlp"])
def test_early_stop_leaves_out_the_last_product_unless_a_mask_is_needed_after_it(name: str, block: str):
    whole, early = (computed(name, f"recompute={block}{end}", "recompute") for end in ("", ",early-stop"))
    assert whole - early == (0 if ALL[name].drops else 2 * s * b * f * h)


@EVERY
@pytest.mark.parametrize(("text", "again"), [("recompute=layer", 2), ("recompute=layer,attention=flash", 3)])
def test_a_kernel_in_a_recomputed_block_runs_again_and_recomputes_again(name: str, text: str, again: int):
    found = computed(name, f"mask=full,{text}", "recompute", block="core")
    assert found == again * 2 * a * b * d * s**2


def test_a_frozen_weight_needs_no_gradient_and_frees_its_input():
    assert layer("gpt") - layer("gpt", "frozen=up weight") == 2 * s * b * h
    assert computed("gpt", "mask=full,frozen=up weight", "backward") == (
        computed("gpt", "mask=full", "backward") - 2 * s * b * h * f
    )
    assert computed("gpt", "mask=full,frozen=up weight", "forward") == computed("gpt", "mask=full", "forward")


# ---- parameters ----

WEIGHTS = 2 * ADH + 2 * GDH
LAYER = {"gpt": WEIGHTS + 2 * FH + a * d + 2 * g * d + f + 6 * h, "llama": WEIGHTS + 3 * FH + 2 * h}
LAYER |= {"gpt-unfused": LAYER["gpt"], "llama-repeat-kv": LAYER["llama"]}


@EVERY
def test_parameters_count_a_tied_table_once(name: str):
    tied = name.startswith("gpt")
    tables = {"lookup": V * h + (S * h if tied else 0), "einsum": L * s * b * FORWARD[name] / (2 * s * b) + V * h}
    whole = parameters(ALL[name].model_trace, plan(""))
    assert whole.unit == parameter
    assert whole.value.expand() == (L * LAYER[name] + (V * h + S * h + 2 * h if tied else 2 * V * h + h)).expand()
    assert parameters(ALL[name].layer_trace, plan("")).value.expand() == LAYER[name].expand()
    for op, expected in tables.items():
        assert parameters(ALL[name].model_trace, plan(""), used_in=op).value.expand() == expected.expand()


def test_parameters_of_one_device():
    split = WEIGHTS + 2 * FH + a * d + 2 * g * d + f  # but not the biases after a reduce, nor the norms
    assert parameters(gpt.layer_trace, plan("tp=t")).value.expand() == (split / t + 6 * h).expand()


def test_a_device_has_one_key_head_where_there_are_fewer_heads_than_devices():
    split = Plan(tp=16, replicated=("g",))
    assert shard(Axis("g", g, Mesh.TP), split) == 1
    assert shard(Axis("a", a, Mesh.TP), split) == a / 16
    assert shard(Axis("g", g), split) == g
    ledger = saved(ALL["llama"].layer_trace, split)
    assert row(ledger, "rotated key") == row(ledger, "value") == 2 * s * b * d
    assert row(saved(ALL["llama"].layer_trace, Plan(tp=4)), "value") == 2 * s * b * g * d / 4
    assert row(parameters(ALL["llama"].layer_trace, split), "key weight") == h * d


# ---- the whole model ----

ENDS = {
    "gpt": 5 * s * b * h + 4 * s * b * V + 24 * s * b + 8 * s,  # two of ids, a norm's statistics; position ids
    "llama": 8 * s * b * h + 4 * s * b * V + 20 * s * b,
}
ENDS |= {"gpt-unfused": ENDS["gpt"], "llama-repeat-kv": ENDS["llama"]}


@EVERY
@pytest.mark.parametrize("text", ["", "recompute=layer", "attention=cuda_flash", "recompute=core"])
def test_a_model_keeps_its_layers_and_its_ends(name: str, text: str):
    def once(each):  # made once for the whole model: the rotary tables
        return each.tensor in ("cos", "sin")

    model, one = (saved(traced, plan(text)) for traced in (ALL[name].model_trace, ALL[name].layer_trace))
    inside = model.within("layer").select(lambda each: not once(each))
    assert [each.value for each in inside] == [L * each.value for each in one if not once(each)]
    assert [each.shape for each in inside] == [(L, *each.shape) for each in one if not once(each)]
    assert model.select(once).value == one.select(once).value == (4 * s * d if name.startswith("llama") else 0)
    assert model.select(lambda each: "layer" not in each.blocks).value.expand() == ENDS[name].expand()


@EVERY
def test_flops_of_a_model_are_those_of_its_layers_and_its_head(name: str):
    total = flops(ALL[name].model_trace, plan(""), "forward").value
    assert total.expand() == (L * computed(name, "", "forward") + 2 * s * b * h * V).expand()


@EVERY
def test_logits_live_in_two_formats(name: str):
    ledger = tensors(ALL[name].model_trace, plan(""), ("logits", "logits in fp32"), "while the loss is computed")
    rows = [(each.tensor, each.dtype, each.value, each.why) for each in ledger]
    assert rows == [
        ("logits", "bf16", 2 * s * b * V, "while the loss is computed"),
        ("logits in fp32", "fp32", 4 * s * b * V, "while the loss is computed"),
    ]
    assert tensors(ALL[name].model_trace, plan("tp=t"), ("logits",), "").value == 2 * s * b * V / t
    assert tensors(ALL[name].model_trace, plan(""), ("no such tensor",), "").rows == ()


@EVERY
def test_pointwise_counts_what_products_leave_out(name: str):
    ledger = pointwise(ALL[name].layer_trace, plan(""))
    assert ledger.unit == dimensionless
    assert row(ledger, "softmax output") == a * s**2 * b  # not sbh
    assert not {each.why for each in ledger} & {"einsum", "gather", "reduce", "expand", "log-sum-exp"}
    model = pointwise(ALL[name].model_trace, plan("")).within("layer")
    assert [(each.value, each.shape) for each in model] == [(L * each.value, (L, *each.shape)) for each in ledger]
