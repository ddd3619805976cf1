"""Bytes that training holds for each parameter: by recipe, and by the stage of ZeRO."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from derive.drawing import svg
from derive.drawing.axes import short
from derive.drawing.svg import Picture
from derive.drawing.words import fitted, width
from derive.errors import PlanError
from derive.evaluation import number
from derive.plan import STAGES, Plan
from derive.precision import RECIPES
from derive.reading import to_tree
from derive.roles import Role
from formulas.figures.subject import Subject
from formulas.notation import notation_of
from formulas.states import bytes_per_parameter as formula

ORDER = notation_of("states").order
DEGREE = 8  # of data parallelism, where the plan names none
KINDS = {
    Role.MODEL_WEIGHTS: (1, "weights"),
    Role.GRADIENTS: (3, "gradients"),
    Role.MASTER: (4, "master weights"),
    Role.OPTIMIZER: (2, "optimizer"),
    Role.SCALES: (5, "scales"),
}
LEFT, RIGHT, HIGH = 14.0, 466.0, 26.0
Parts = tuple[tuple[Role, Fraction], ...]  # bytes for each parameter, by what they are


def parts(plan: Plan) -> Parts:
    """What a device holds for each parameter under a plan, added up by role."""
    found: dict[Role, Fraction] = {}
    for row in formula.ledger(None, plan):
        value = number(to_tree(row.value, ORDER), {})
        if row.role is None or not isinstance(value, Fraction):
            raise PlanError(
                f"{row.tensor} of {plan.optimizer.name} depends on the model's shapes: "
                "this picture is of optimizers that hold the same for every parameter"
            )
        found[row.role] = found.get(row.role, Fraction(0)) + value
    return tuple((role, found[role]) for role in KINDS if role in found)


def by_recipe(plan: Plan) -> dict[str, Parts]:
    """The parts of every recipe, on one device; recipes that hold the same are one bar."""
    bars: dict[Parts, list[str]] = {}
    for name, recipe in RECIPES.items():
        bars.setdefault(parts(Plan(recipe=recipe, optimizer=plan.optimizer)), []).append(name)
    return {", ".join(names): each for each, names in bars.items()}


def by_stage(plan: Plan) -> dict[str, Parts]:
    """The parts of the plan's recipe under each stage of ZeRO."""
    degree = _degree(plan)
    return {
        f"zero={stage}": parts(Plan(recipe=plan.recipe, optimizer=plan.optimizer, dp=degree, zero=int(stage)))
        for stage in STAGES
    }


def _degree(plan: Plan) -> int:
    if not isinstance(plan.dp, int):
        raise PlanError(f"plan dp={plan.dp}: a picture needs a number of devices")
    return plan.dp if plan.dp != 1 else DEGREE


def bytes_per_parameter(about: Subject) -> Picture:
    """Stacked bars, whose lengths are bytes; each part has its number in it where there is room."""
    plan = replace(about.plan, tp=1, pp=1)
    recipes, stages = by_recipe(plan), by_stage(plan)
    most = max(_total(each) for each in (*recipes.values(), *stages.values()))
    title = "What training holds for each parameter, in bytes"
    made, y = svg.heading(title, f"optimizer {plan.optimizer.name}: {plan.optimizer.about}")
    roles = [role for role in KINDS if any(role == x for each in recipes.values() for x, _ in each)]
    keyed, y = svg.legend([KINDS[role] for role in roles], y + 10)
    made += keyed
    sections = {
        "by recipe, on one device (bytes/parameter)": recipes,
        f"{plan.recipe.name} by ZeRO stage, {_degree(plan)} devices (bytes/parameter)": stages,
    }
    for words, bars in sections.items():
        y += 10
        made.append(svg.text(LEFT, y + 15, words, bold=True))
        y += 26
        for name, each in bars.items():
            drawn, y = _bar(name, each, most, y)
            made += drawn
    listed = "; ".join(f"{name} {short(_total(each))}" for bars in sections.values() for name, each in bars.items())
    said = f"Stacked bars of bytes for each parameter, by recipe and by ZeRO stage. In total: {listed}."
    return Picture("bytes-per-parameter", title, said, y + 4, tuple(made))


def _total(each: Parts) -> Fraction:
    return sum((value for _, value in each), Fraction(0))


def _bar(name: str, each: Parts, most: Fraction, y: float) -> tuple[list[str], float]:
    """A bar with its name above it and its total behind it."""
    total = short(_total(each), 4)
    room = RIGHT - LEFT - width(short(most, 4), svg.SIZE, bold=True) - 10
    made = [svg.text(LEFT, y + 14, fitted(name, RIGHT - LEFT, svg.SIZE))]
    x = LEFT
    for role, value in each:
        wide = float(value / most) * room
        kind, words = KINDS[role]
        made += svg.filled(kind, x, y + 20, wide, HIGH, note=f"{words}: {short(value)} bytes/parameter")
        label = short(value)
        box = width(label, svg.SIZE, bold=True) + 8
        if box <= wide:  # a plain box below the number: a hatch behind figures is hard to read
            made.append(svg.rect(x + wide / 2 - box / 2, y + 24, box, HIGH - 8, f"f{kind}", round_=4))
            made.append(svg.text(x + wide / 2, y + 38.5, label, name="on", anchor="middle", bold=True))
        x += wide
        if wide > 6:
            made.append(svg.line(x, y + 20, x, y + 20 + HIGH, "rim", 1.5))
    made.append(svg.text(x + 8, y + 38.5, total, bold=True))
    return made, y + HIGH + 30
