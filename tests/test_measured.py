"""Layers as PyTorch really keeps them, to the byte: compositions of primitives against measured storages."""

import tomllib
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sympy import Add, Expr, expand

from checks import laws
from derive import (
    Role,
    block,
    boolean,
    cast,
    compute,
    dropout,
    einsum,
    fp32,
    fp64,
    generated,
    identity,
    linear,
    mean,
    multiply,
    parameter,
    recipe,
    relu,
    repeat_heads,
    rsqrt,
    saved,
    softmax,
    square,
    trace,
)
from derive.grammar import parse
from derive.plan import parse_plan
from derive.reading import to_sympy
from formulas.architectures import decoder, gpt, llama
from formulas.notation import common

MEASURED = tomllib.loads(Path(laws.__file__).with_name("measured.toml").read_text(encoding="utf-8"))["layer"]


# Compositions: what the measured layers do, where no architecture of the catalog does it


def noise(x):
    """Dropout as torch's functional one: a product with noise in the format of x, not a mask of a byte an element."""
    return multiply(x, generated("noise", x.axes, compute, Role.DROPOUT_MASK))


@block(name="core", fused_by="attention")
def unmasked_core(q, k, v, drop=dropout):
    scores = einsum("q b a d, k b a d -> b a q k", q, k)
    scores = multiply(scores, generated("scale", (), fp64, Role.CONSTANT))
    return einsum("b a q k, k b a d -> q b a d", drop(softmax(scores)), v)


@block(name="attention")
def llama_written_out(x):
    q = llama.rope(linear(x, "h -> a d", name="query"))
    k = llama.rope(linear(x, "h -> g d", name="key"))
    v = linear(x, "h -> g d", name="value")
    y = gpt.unfused_core(q, repeat_heads(k, "g -> a"), repeat_heads(v, "g -> a"), identity)
    return linear(y, "a d -> h")


@block(name="norm")
def torch_norm(x):
    """torch's rms_norm: its weight is multiplied in fp32, before the cast back."""
    y = cast(x, fp32)
    y = multiply(y, rsqrt(mean(square(y))))
    return cast(multiply(y, parameter("norm weight", x.axes[-1:], Role.GAIN)), compute)


def llama_layer(x, attention: Callable = llama.attention, norm: Callable = llama.norm):
    """The Llama layer with another attention or another norm."""
    x = x + attention(norm(x))
    return x + llama.mlp(norm(x))


repeated = partial(llama.attention, share=repeat_heads)
LAYERS: dict[str, Callable[..., Any]] = {
    "gpt": gpt.gpt.layer,
    "gpt without dropout": partial(gpt.layer, drop=identity),
    "gpt written out": gpt.gpt_unfused.layer,
    "gpt written out without dropout": partial(gpt.layer, core=gpt.unfused_core, drop=identity),
    "gpt written out with noise": partial(gpt.layer, core=gpt.unfused_core, drop=noise),
    "gpt written out without mask": partial(gpt.layer, core=unmasked_core),
    "gpt written out with relu": partial(gpt.layer, core=gpt.unfused_core, activation=relu),
    "llama": llama.llama.layer,
    "llama repeated": llama.llama_repeat_kv.layer,
    "llama written out": partial(llama_layer, attention=llama_written_out),
    "llama with torch's norm": partial(llama_layer, norm=torch_norm),
    "llama repeated with torch's norm": partial(llama_layer, attention=repeated, norm=torch_norm),
}


def polynomial(text: str) -> Expr:
    """Measured bytes as an expression in our letters."""
    return expand(to_sympy(parse(text, common.letters), common.symbol))


def derived(entry: dict[str, Any]) -> list[tuple[str, str, Expr]]:
    """What our layer keeps: name, format and bytes of each row, multi-head for a GPT as it was measured."""
    sizes = {letter: common.symbol(letter) for letter in gpt.gpt.letters.split()}
    traced = trace(LAYERS[entry["layer"]], decoder.layer_input, sizes=sizes)
    plan = parse_plan(entry["plan"], common.symbol, recipe(entry["recipe"]))
    heads = {sizes["g"]: sizes["a"], sizes["d"]: sizes["h"] / sizes["a"]} if entry["layer"].startswith("gpt") else {}
    return [
        (row.tensor, str(row.dtype), expand(row.value.xreplace(heads).xreplace(heads))) for row in saved(traced, plan)
    ]


def one_storage(rows: list[tuple[str, str, Expr]]) -> list[tuple[str, str, Expr]]:
    """Query, key and value as the views that they are of one projection's result."""
    views = [row for row in rows if row[0] in ("query", "key", "value")]
    assert len(views) == 3
    together = ("query, key and value", "bf16", expand(sum(size for _, _, size in views)))
    return [row for row in rows if row not in views] + [together]


@pytest.mark.parametrize("entry", MEASURED, ids=lambda entry: entry["name"])
def test_total_bytes(entry):
    sizes = [size for _, _, size in derived(entry)]
    sizes += [count * polynomial(size) for _, size, count in entry.get("beside", [])]
    assert Add(*sizes) == polynomial(entry["total"])  # both multiplied out, so that equal means the same


@pytest.mark.parametrize("entry", MEASURED, ids=lambda entry: entry["name"])
def test_storages(entry):
    measured = Counter({(dtype, polynomial(size)): count for dtype, size, count in entry["kept"]})
    measured.subtract({(dtype, polynomial(size)): count for dtype, size, count in entry.get("beside", [])})
    rows = derived(entry)
    if ("bf16", polynomial("6*s*b*h")) in measured:
        rows = one_storage(rows)
    ours = Counter((dtype, size) for _, dtype, size in rows)
    assert ours == +measured


@pytest.mark.parametrize("entry", MEASURED, ids=lambda entry: entry["name"])
def test_the_measured_storages_make_the_measured_total(entry):
    total = Add(*(count * polynomial(size) for _, size, count in entry["kept"]))
    assert total == polynomial(entry["total"])


def test_every_composition_is_measured():
    assert {entry["layer"] for entry in MEASURED} == set(LAYERS)
    assert len({entry["name"] for entry in MEASURED}) == len(MEASURED)
    assert {entry["recipe"] for entry in MEASURED} == {"bf16", "bf16-cpu"}


def test_a_mask_is_one_row_of_a_byte_a_pair():
    rows = {name: (dtype, size) for name, dtype, size in derived(MEASURED[0])}
    assert rows["causal mask"] == (boolean.name, polynomial("s^2"))
    assert rows["scale"] == (fp64.name, polynomial("8"))


# Totals stated for layers in general, of which no single measurement is the source

LLAMA = "16*s*b*h + 8*s*b*f + 4*a*s*b + 8*s*b + 4*s*d"


@pytest.mark.parametrize(("layer", "plan", "total"), [
    ("llama", "attention=flash", LLAMA + " + 4*s*b*a*d + 4*s*b*g*d"),
    ("llama repeated", "attention=flash", LLAMA + " + 8*s*b*a*d"),
    ("gpt written out", "", "18*s*b*h + 4*s*b*f + 5*a*s^2*b + 16*s*b + s^2 + 8"),
    ("gpt", "", "18*s*b*h + 4*s*b*f + 5*a*s^2*b + 16*s*b"),
    ("gpt", "attention=flash", "18*s*b*h + 4*s*b*f + 4*a*s*b + 16*s*b"),
])  # fmt: skip
def test_total_of_a_kind_of_layer(layer, plan, total):
    rows = derived({"layer": layer, "plan": plan, "recipe": "bf16"})
    assert Add(*(size for _, _, size in rows)) == polynomial(total)
