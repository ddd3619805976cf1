"""What a reader of the page chooses from: plans, presets, devices, values of examples, letters by group."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from derive.errors import DeriveError
from derive.grammar import parse
from derive.model import Given, Model
from derive.plan import KERNELS, STAGES, parse_plan
from derive.render.page.live import Choice, Follows, Group, Input, Kind, Picker, Preset, Room
from derive.situation import amount
from derive.tree import symbols_of
from derive.values import parse_value
from formulas import formula_of
from formulas.hardware import Device, device, devices
from formulas.models import presets
from formulas.notation import common

DEGREE = "t"
DEGREES = ("t", "n")
PLANNED = {
    "t": "tp",
    "n": "dp",
    "sp": "sp",
    "zero": "zero",
    "recompute": "recompute",
    "attention": "attention",
    "mask": "mask",
}
CHOICES = (
    Choice("sp", "Sequence parallelism", (("0", "off"), ("1", "on")), needs="t"),
    Choice("zero", "ZeRO stage", tuple((stage, stage) for stage in STAGES), needs="n"),
    Choice("recompute", "Recomputation", (("", "none"), ("core", "attention core"), ("layer", "whole layer"))),
    Choice(
        "attention", "Attention kernel", tuple((x, x) for x in KERNELS["attention"] if x in ("materialised", "flash"))
    ),
    Choice("mask", "Mask", (("causal", "causal"), ("full", "full"))),
)
HEADLINE = (
    ("parameters", "size of the model"), ("states", "states per device"),
    ("model-activations", "activations per device"),
    ("peak-memory", "peak per device"), ("usable-memory", "memory for tensors"), ("flops-per-token", "FLOPs per token"),
    ("training-flops", "FLOPs of the run"), ("training-time", "time of the run"), ("cost", "price of the run"),
    ("kv-cache", "key/value cache"),
)  # fmt: skip

_TEXTS = {
    "D": "15T", "B": "4Mi", "eta": "40%", "R": "2.5", "N": "7B",
    "p": "8", "v": "2", "w": "4096", "d_rope": "64", "r_kv": "512", "m": "1",
    "gemm.m": "4096", "gemm.n": "4096", "gemm.p": "4096", "roofline.n": "4096",
    "memory.x_r": "3MB", "recompute.k_s": "4", "utilization.u": "90%",
    "time.delta": "1min", "time.tau": "12h", "time.x": "30min", "scaling.z": "1T", "scaling.U": "1T",
    "parallelism.t_f": "1s", "parallelism.t_b": "2s", "parallelism.t_w": "1s", "parallelism.t_o": "2s",
    "data.l": "1B", "data.n": "1000", "init.d": "4096", "init.d_in": "4096", "init.d_out": "16384",
    "init.tau": "0.00048828125",
}  # fmt: skip
EXAMPLES = {key: Given(parse_value(text).number, "an example") for key, text in _TEXTS.items()} | {
    "b": Given(Fraction(1), "default"), "t": Given(Fraction(1), "default"), "n": Given(Fraction(1), "default"),
}  # fmt: skip

# What a run's other numbers already say: so the page has one run, and not several examples.
BEHIND = {"C": "training-flops", "T": "training-time", "utilization.T": "step-time", "N": "parameters"}

# What follows from the rest of a run as `derive plan` has it, and what is said where it cannot.
_FOLLOWS = (
    (
        "m", "B/(s*b*n)",
        "a step of B = {B}, b = {b} has {} micro-batches on each of dp={n} replicas, which is not whole: choose B as a "
        "multiple of s*b*dp tokens",
        "m = {m} is set, but B = {B} makes {} micro-batches on each replica",
    ),
    ("G", "t*n", "", "G = {G} is set, but the plan has tp*dp = {t}*{n} = {} devices: set G or the plan"),
)  # fmt: skip
FOLLOWS = tuple(
    Follows(key, tree, {x: x for x in symbols_of(tree)}, refused, contradicted)
    for key, text, refused, contradicted in _FOLLOWS
    for tree in (parse(text, common.letters),)
)
FITS = (Room("peak-memory", "usable-memory", "states", ("fits", "may fit", "does not fit")),)

# What people search for under another name: words, and the quantities or sections that they mean.
ALIASES = {
    "adam optimizer memory": ("states", "bytes-per-parameter"), "optimizer states": ("states", "bytes-per-parameter"),
    "fsdp zero-3 zero3 sharding": ("states", "peak-memory"),
    "throughput tokens per second": ("tokens-per-second",), "oom out of memory vram": ("peak-memory", "usable-memory"),
    "kv cache": ("kv-cache",), "mfu utilization": ("mfu", "hfu"), "llama gpt models": ("numbers",),
    "h100 a100 gpu devices": ("hardware",), "gradient accumulation": ("accumulation",),
    "checkpointing": ("recompute-factor", "model-activations"), "price money": ("cost",),
    "days duration": ("training-time",),
}  # fmt: skip

# A plan to open with: what states do not fit one device is on many, over tensor parallelism where that divides it.
GPU = "h100"
LARGE = (({"t": 8, "n": 128}, {"sp": "1", "zero": "1"}), ({"t": 1, "n": 1024}, {"sp": "0", "zero": "3"}))
SMALL = ({"t": 1, "n": 8}, {"sp": "0", "zero": "0"})
BARE = {"t": 1, "n": 1024}


# What is said below the list of models, and how long the name of a file is there.
OTHERS = "Others, or a config.json: `derive cheatsheet --model NAME -o page.html`"
LONGEST = 40


def opening(about: Model) -> tuple[dict[str, Given], dict[str, str]]:
    """The degrees and the choices that a model opens with, as an example that can be run."""
    degrees, chosen = SMALL
    if _value("states", about, "") > device(GPU).value("M", "bf16").value:
        degrees, chosen = next(each for each in LARGE if each[0]["t"] == 1 or _divides(about, each[0]["t"]))
    n, tokens = degrees["n"], about.sizes["s"].value if "s" in about.sizes else 1
    while n > 1 and Fraction(EXAMPLES["B"].value) / (tokens * n) % 1:
        n //= 2
    return {x: Given(value, "example") for x, value in ({**degrees, "n": n}).items()}, chosen


def _divides(about: Model, degree: int) -> bool:
    try:
        return all(_value(name, about, f"tp={degree},sp") for name in ("states", "model-activations"))
    except DeriveError:
        return False


def _value(name: str, about: Model, text: str) -> Fraction | int:
    formula = formula_of(name)
    found = amount(formula, about, parse_plan(text, formula.notation.symbol), {})
    return found if isinstance(found, Fraction) else 0


def models_picker(named: list[Model], kinds: Mapping[str, str], added: tuple[Model, ...]) -> Picker:
    """The presets of models, and none: then a run is known by its number of parameters. What was added is first."""
    alone = {x: Given(value, "example") for x, value in BARE.items()}
    found = [Preset("none", "no model: N parameters", alone, "none")]
    for each in named:
        kernels = dict(each.kernels or each.architecture.kernels)
        chosen = {"attention": kernels.get("attention", "materialised"), "mask": each.mask or each.architecture.mask}
        values = {x: Given(Fraction(given.value), given.origin) for x, given in each.sizes.items()}
        degrees, plan = opening(each)
        kind = kinds[each.name or ""]
        found.append(Preset(each.name or "", _title(each), {**values, **degrees}, kind, {**chosen, **plan}))
    first = (added[0].name or "") if added else "llama3-70b"
    return Picker("model", "Model", tuple(found[1:] + found[:1]), first, OTHERS)


def _title(about: Model) -> str:
    """What a model is called in the list: one from a file by the end of its path, and its type."""
    name = about.name or ""
    if about.origin != "config" or name in presets():
        return about.title or name
    short = "/".join(re.split(r"[/\\]+", name)[-2:])
    return f"{short if len(short) <= LONGEST else '…' + short[-LONGEST:]} ({about.title})"


def devices_picker(dtype: str = "bf16") -> Picker:
    """The devices that have a peak in the format that the page counts in, with the letters that each gives a value."""
    found = []
    for each in devices().values():
        letters = [x for x in each.letters if x != "P" or dtype in each.peaks]
        values = {x: each.value(x, dtype) for x in letters}
        without = {} if "P" in letters else {"P": _refusal(each, dtype)}
        found.append(Preset(each.name, each.title, values, without=without, aliases=each.aliases))
    return Picker("gpu", "Device", tuple(found), GPU)


def _refusal(each: Device, dtype: str) -> str:
    """Why a device has no peak in a format, as it says itself."""
    try:
        each.value("P", dtype)
    except DeriveError as error:
        return str(error).replace("--peak", "P")
    return ""


def groups(
    inputs: Mapping[str, Input], kinds: tuple[Kind, ...], topics: Mapping[str, tuple[str, ...]]
) -> tuple[Group, ...]:
    """The inputs in the order of the notation: a model's sizes, the device, the run, and what one topic alone uses."""
    order = {name: place for place, name in enumerate(common.order)}
    sizes = sorted({key for kind in kinds for key in kind.inputs} - {"b"}, key=order.__getitem__)
    device = [key for key in ("P", "W", "M") if key in inputs]
    rest = [key for key in order if key in inputs and key not in {*sizes, *device, *DEGREES}]
    run = [key for key in rest if len(topics[key]) > 1 or common[key].option]
    found = [Group("Model", tuple(sizes)), Group("Device", tuple(device)), Group("Run", tuple(run))]
    own = {key: topics[key][0] for key in inputs if key in topics and key not in {*sizes, *device, *run, *DEGREES}}
    return (*found, *(Group(topic, tuple(x for x in own if own[x] == topic)) for topic in dict.fromkeys(own.values())))
