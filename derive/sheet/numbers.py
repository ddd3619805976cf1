"""The numbers of models: what their states, activations and tokens take, on the way to the time of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from derive.errors import DeriveError
from derive.interval import Interval
from derive.model import Given, Model
from derive.plan import Plan, parse_plan
from derive.precision import recipe
from derive.render.documents.blocks import Code, Grid, Paragraph, Section, text
from derive.report import report
from derive.situation import amount
from derive.values import show
from formulas import claims_about, formula_of
from formulas.hardware import Device
from formulas.notation import common

MISSING = "–"
STEP = {"B": Fraction(2**22), "G": Fraction(1024)}  # the step that the train-ledger article is about, chapter 6
AT_PEAK = {"G": Fraction(1), "eta": Fraction(1)}
GOOD = Fraction(2, 5)  # utilization that the same article calls good for a dense model on a thousand devices


@dataclass(frozen=True, eq=False)
class Asked:
    """A row: what it says, the quantity behind it, its recipe and plan, values of letters; or what a source states."""

    says: str
    quantity: str
    recipe: str = "bf16"
    plan: str = ""
    values: Mapping[str, Fraction] = field(default_factory=dict)
    sequence: bool = False  # whether the step is one sequence of the model
    source: tuple[str, str] | None = None  # key and text of a claim whose value is shown in place of the quantity's


ROWS = (
    Asked("parameters", "parameters"),
    Asked("parameters that one token uses", "active-parameters"),
    Asked("parameters of the tables", "embedding-parameters"),
    Asked("states, bf16 gradients", "states"),
    Asked("states, fp32 gradients", "states", recipe="bf16-fp32-grads"),
    Asked("activations of one layer", "activations"),
    Asked("the same, scores written out", "activations", plan="attention=materialised"),
    Asked("the same by 34sbh, which is about f = 4h and g = a", "activations", source=("train-ledger", "34*s*b*h")),
    Asked("activations of the model", "model-activations"),
    Asked("logits", "logits"),
    Asked("FLOPs of a token", "flops-per-token"),
    Asked("FLOPs of a token by 6N", "dense-flops-per-token"),
    Asked("a sequence on one device at its peak", "step-time", values=AT_PEAK, sequence=True),
    Asked("a step at the peak", "step-time", values={**STEP, "eta": Fraction(1)}),
    Asked(f"a step at MFU {GOOD * 100}%", "step-time", values={**STEP, "eta": GOOD}),
    Asked("cache of one sequence", "kv-cache"),
)  # fmt: skip


def numbers_section(models: tuple[Model, ...], device: Device) -> Section:
    """A table with a column for each model: b = 1 sequence, nothing sharded or recomputed unless a row says so."""
    values = {(asked, model.name): _value(asked, model, device) for asked in ROWS for model in models}
    rows = tuple(
        (text(asked.says), text(Code(asked.quantity)), *(text(values[asked, model.name][0]) for model in models))
        for asked in ROWS
    )
    reasons: dict[str, list[str]] = {}
    for (asked, _), (_, why) in values.items():
        reasons.setdefault(why, []).append(asked.says)
    missing = tuple(
        Paragraph(text(f"{MISSING} {', '.join(dict.fromkeys(says))}: {why}")) for why, says in reasons.items() if why
    )
    names = tuple(_name(model) for model in models)
    heads = ("", "quantity", *names)
    numeric = frozenset(range(2, len(heads)))
    sizes = tuple(letter for letter in common.order if any(letter in model.sizes for model in models))
    given = tuple(
        (text(letter), text(common[letter].meaning), *(text(_size(model, letter)) for model in models))
        for letter in sizes
    )
    step = f"A step is {STEP['B']} tokens on {STEP['G']} devices"
    return Section("Numbers of models", "numbers", (
        Paragraph(text(
            f"On the device {device.name} ({device.title}), bf16, one sequence, every layer on one device and nothing "
            f"recomputed. {step}. Attention's kernel and mask are the model's own unless a row says otherwise; ",
            Code("python -m derive QUANTITY --model MODEL"), " derives each, with the row's recipe, plan and values.",
        )),
        Grid(heads, rows, (5, 3, *(3 for _ in models)), numeric),
        *missing,
        Paragraph(text("Their sizes:")),
        Grid(("letter", "meaning", *names), given, (2, 6, *(3 for _ in models)), numeric),
    ))  # fmt: skip


def _name(model: Model) -> str:
    return model.name or model.architecture.name


def _size(model: Model, letter: str) -> str:
    return str(model.sizes[letter].value) if letter in model.sizes else ""


def _value(asked: Asked, model: Model, device: Device) -> tuple[str, str]:
    """The value of a row for a model, as text; a dash where it has none, and why."""
    formula = formula_of(asked.quantity)
    try:
        plan = parse_plan(asked.plan, formula.notation.symbol, recipe(asked.recipe))
        if asked.source is not None:
            value = _stated(asked, model, plan)
        else:
            values = {x: Given(value, "sheet") for x, value in asked.values.items()}
            if asked.sequence and "s" in model.sizes:
                values["B"] = model.sizes["s"]
            needed = formula.reached(model, model.complete(plan))
            values |= device.values([x for x in device.letters if x in needed], plan.recipe.compute.name, values)
            value = amount(formula, model, plan, values)
    except DeriveError as error:  # a kernel that the model does not have, a format that the device has no peak for
        return MISSING, str(error)
    if value is None:
        return MISSING, "a size that it depends on is not given"
    return show(value, str(formula.unit)).partition(" (")[0], ""


def _stated(asked: Asked, model: Model, plan: Plan) -> Fraction | Interval | None:
    assert asked.source is not None
    formula, (key, stated) = formula_of(asked.quantity), asked.source
    wanted = [claim for claim in claims_about(formula) if (claim.source.key, claim.text) == (key, stated)]
    made = report(formula, model, plan, claims=wanted[:1])
    return made.claims[0].value
