"""`derive plan`: a training run in one view: FLOPs, memory, time, money, and what would make it fit."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derive.cli import load_sympy, say
from derive.cli.case import values_of
from derive.cli.show import emit, present
from derive.errors import DeriveError
from derive.render.table import Table
from derive.values import parse_amount, parse_value, show

if TYPE_CHECKING:
    from derive.model import Given, Model
    from derive.plan import Plan
    from formulas.planner import Run

FAILED = 1
DAY = 86400  # seconds
COMPUTED = ("F", "C", "H")  # letters of quantities that the view shows: they have one value in a run


def run(_name: str, options: Namespace) -> int:
    """Print the run."""
    load_sympy()
    from derive.layout import with_degrees
    from derive.plan import parse_plan
    from derive.precision import optimizer, recipe
    from formulas.models import model
    from formulas.notation import common
    from formulas.planner import OBSERVED
    from formulas.planner import run as planned

    formats = recipe(options.recipe, options.dtype)
    plan = parse_plan(",".join(options.plan), common.symbol, formats, optimizer(options.optimizer))
    about = model(options.model) if options.model is not None else None
    for notice in about.notices if about is not None else ():
        say(f"derive: note: {notice}")
    deadline = _deadline(options.days) if options.days is not None else None
    sizes = values_of(common, options)
    plan = with_degrees(plan, {x: given for x, given in sizes.items() if common[x].plan_key}, common)
    values = _values(options, about, plan, deadline)
    made = planned(about, plan, values)
    for letter in sizes:
        if letter not in made.used and letter not in OBSERVED and not common[letter].plan_key:
            say(f"derive: note: {letter} changes nothing of this run")
    if options.json:
        emit(json.dumps(_data(made, deadline), indent=2, ensure_ascii=False), data=True)
    else:
        present(_parts(made, deadline))
    return FAILED if options.must_fit and not made.fits else 0


def _values(options: Namespace, model: Model | None, plan: Plan, deadline: Fraction | None) -> dict[str, Given]:
    """The letters that the options give, and those of the device."""
    from derive.model import Given
    from formulas.hardware import device
    from formulas.notation import common
    from formulas.planner import fewest_devices

    if model is None and options.letter_N is None:
        raise DeriveError("what is trained? give --model llama3-70b, or --params 7B where only the size is known")
    if model is not None and options.letter_N is not None:
        raise DeriveError(f"--params {options.letter_N[:40]} contradicts --model {options.model}: give one of them")
    if model is not None and not model.sizes:
        raise DeriveError(f"--model {options.model} has no sizes: give a preset, see `derive models`")
    values = {x: given for x, given in values_of(common, options).items() if not common[x].plan_key}
    if model is not None and "N" in values:
        raise DeriveError(f"N = {values['N'].value} contradicts --model {options.model}: give one of them")
    for letter in COMPUTED:
        if letter in values:
            raise DeriveError(f"{letter} ({common[letter].meaning}) is computed from the run: leave out --set {letter}")
    if "D" not in values:
        raise DeriveError("how many tokens? give --tokens 15T")
    if options.gpu is None:
        raise DeriveError("on which device? give --gpu h100; see `derive hardware`")
    chosen = device(options.gpu)
    values = chosen.values(chosen.letters, plan.recipe.compute.name, values) | values
    if options.step_time is not None:
        values["T"] = Given(parse_amount(options.step_time, "--step-time", "second"), "option")
    if options.tflops is not None:
        values["Q"] = Given(parse_amount(options.tflops, "--tflops", "1") * 10**12, "option")
    if "G" not in values and deadline is None:
        raise DeriveError("how many devices? give --gpus 1024, or --days 30 for the fewest that are fast enough")
    if "G" not in values and deadline is not None:
        values["G"] = Given(fewest_devices(model, plan, values, deadline), "the fewest that --days allows")
    return values


def _deadline(text: str) -> Fraction:
    """What `--days` says, in seconds: days, or a time with its own suffix such as 30d."""
    days = parse_value(text).unit is None
    return parse_amount(text, "--days", "1" if days else "second") * (DAY if days else 1)


def _amount(made: Run, name: str) -> dict[str, Any]:
    from derive.render.json import number
    from formulas import formula_of

    value, unit = made.value(name), str(formula_of(name).unit)
    return {"value": number(value), "unit": unit, "value_text": None if value is None else show(value, unit)}


def _data(made: Run, deadline: Fraction | None) -> dict[str, Any]:
    from derive.render.json import number, plain
    from derive.report import plan_items
    from formulas.levers import levers
    from formulas.planner import SECTIONS

    data: dict[str, Any] = {name: _amount(made, name) for names in SECTIONS.values() for name in names}
    data["fits"] = made.fits
    data["levers"] = [
        {"change": each.change, "peak-memory": number(each.peak), "fits": each.run.fits}
        for each in (levers(made) if made.fits is False else ())
    ]
    data["seconds-a-point-of-mfu"] = number(made.seconds_a_point_buys)
    data["in-time"] = None if deadline is None else made.value("training-time") <= deadline  # pyright: ignore
    data["model"] = made.model.name if made.model is not None else None
    data["plan"] = plan_items(made.plan)
    data["given"] = {x: {"value": plain(given.value), "from": given.origin} for x, given in made.used.items()}
    return data


def _parts(made: Run, deadline: Fraction | None) -> Iterator[str | Table]:
    from derive.report import plan_text
    from formulas import formula_of
    from formulas.levers import levers
    from formulas.notation import common
    from formulas.planner import SECTIONS

    model, values = made.model, made.values
    what = f"{model.name} ({model.title})" if model is not None else show(values["N"].value, "parameter")
    tokens, devices = show(values["D"].value, "token"), show(values["G"].value, "device")
    yield f"{what}, {tokens}, {devices}"
    if model is not None:
        yield f"layer  {model.architecture.name}: {model.architecture.about}"
    layout = plan_text(made.plan)
    settings = f"recipe {made.plan.recipe.name}, optimizer {made.plan.optimizer.name}"
    yield f"plan   {layout + ', ' if layout else ''}{settings}"
    shown = [common[x] for x in common.order if x in made.used]
    yield Table("\nGiven", ("", "", "value", "from"), [
        (x.name, re.split("[:,]| as ", x.meaning)[0], show(values[x.name].value, x.unit), values[x.name].origin)
        for x in shown
    ])  # fmt: skip
    for heading, names in SECTIONS.items():
        rows = []
        for name in names:
            value = made.value(name)
            if value is not None and not (name == "active-parameters" and value == made.value("parameters")):
                rows.append((name, show(value, str(formula_of(name).unit)), _formula(made, name)))
        yield Table(f"\n{heading}", ("", "", ""), rows)
        if heading.startswith("Memory"):
            if made.plan.pp != 1:
                yield "  of a pipeline, each is that of the stage that has most of it"
            peak, more = made.value("peak-memory"), made.accumulated
            open_ = made.fits is None and model is not None and peak is None
            yield f"  {NO_PEAK if open_ else FITS[peak is not None, made.fits]}"
            if "B" not in values and values["m"].value == 1 and peak is not None and more not in (None, peak):
                yield f"  for one micro-batch a step; with more (--batch) the peak is {show(more, 'byte')}"
    yield from _remarks(made, deadline)
    if made.fits is False:
        peak = "peak of a device" if model is not None else "states of a device"
        yield Table("\nWhat would make it fit", ("change", peak, "fits"), [
            (each.change, show(each.peak, "byte") if each.peak is not None else "", FIT_WORDS[each.run.fits])
            for each in levers(made)
        ])  # fmt: skip


# By whether the peak has a value, and whether the run fits.
FITS = {
    (True, True): "it fits: the peak is below the low end of what is left for tensors",
    (True, False): "it does not fit: the peak is above what is left for tensors at best",
    (True, None): "whether it fits is open: the peak is between both ends of what is left for tensors",
    (False, False): "it does not fit: the states alone are more than is left for tensors at best",
    (False, None): "whether it fits depends on the activations, which need --model",
}
NO_PEAK = "whether it fits is open: a letter of the peak has no value"
FIT_WORDS = {True: "yes", False: "no", None: "perhaps"}
ROOM = 30


def _formula(made: Run, name: str) -> str:
    """The formula in the letters of other quantities, where it is short enough to stand beside its value."""
    from derive.reading import sum_to_tree
    from derive.tree import to_text
    from formulas import formula_of

    found = formula_of(name)
    if found.needs_model and made.model is None:
        return ""
    plan = made.model.complete(made.plan) if made.model is not None else made.plan
    rows = found.rows(made.model, plan)
    text = to_text(sum_to_tree([row.value for row in rows], found.notation.order))
    return text if len(text) <= ROOM and rows.letters else ""


def _remarks(made: Run, deadline: Fraction | None) -> Iterator[str | Table]:
    time = made.value("training-time")
    if made.seconds_a_point_buys is not None:
        yield f"\nOne more point of MFU makes it {show(made.seconds_a_point_buys, 'second')} shorter."
    if deadline is not None and isinstance(time, Fraction):
        words = "in time" if time <= deadline else "too late"
        yield f"Asked for within {show(deadline, 'second')}: {words}."
    if made.values["eta"].origin.endswith("observed"):
        from formulas.utilization import ANCHORS

        rows = [(each.run, each.counted, _share(each.low, each.high), each.source) for each in ANCHORS]
        yield Table("\nUtilization that others report", ("run", "", "", "source"), rows)


def _share(low: Fraction, high: Fraction) -> str:
    """A utilization, or the range of one, in percent."""
    return " to ".join(f"{show(each * 100, '1')}%" for each in dict.fromkeys((low, high)))
