"""Attention's share of a model's FLOPs, as sequences get longer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.drawing import svg
from derive.drawing.axes import Axis, Frame, binary, short
from derive.drawing.svg import Picture
from derive.drawing.words import fitted
from derive.errors import DeriveError
from derive.evaluation import number
from derive.model import Given, Model
from derive.situation import situation
from formulas import formula_of
from formulas.figures.subject import Subject
from formulas.models import model

SIZES = ("llama3-8b", "llama3-70b", "llama3-405b")
SHORTEST, LONGEST, EACH_OCTAVE = 2**10, 2**20, 2
DASHES = ("", "9 4", "3 3", "10 3 2 3")


@dataclass(frozen=True)
class Curve:
    """A model's share at each length, and the length from which on half of its FLOPs are attention's."""

    name: str
    points: tuple[tuple[int, Fraction], ...]
    half: int | None


def lengths() -> list[int]:
    """Lengths of sequences that are even on a logarithmic axis, whole numbers of tokens."""
    steps = (LONGEST // SHORTEST).bit_length() - 1
    halves = [SHORTEST * 2**octave for octave in range(steps + 1)]
    between = [each * 181 // 128 for each in halves[:-1]]  # 181/128 is close to the root of two
    return sorted([*halves, *between])


def shares(about: Model, subject: Subject) -> Curve:
    """The share at every length that the model allows: attention's FLOPs for each token over all of them."""
    most = min((about.sizes[x].value for low, x in about.architecture.bounds if low == "s" and x in about.sizes),
               default=LONGEST)  # fmt: skip
    points = tuple((s, share(about, subject, s)) for s in lengths() if s <= most)
    if len(points) < 2:
        points = tuple((s, share(about, subject, s)) for s in (most // 2, most) if s)
    half = None
    if points[-1][1] > Fraction(1, 2):
        low, high = points[0][0], points[-1][0]
        while high - low > 1:  # the share rises with s
            middle = (low + high) // 2
            low, high = (low, middle) if share(about, subject, middle) >= Fraction(1, 2) else (middle, high)
        half = high
    return Curve(about.title or about.name or about.architecture.name, points, half)


def share(about: Model, subject: Subject, s: int) -> Fraction:
    """The share at one length."""
    found = []
    for name in ("attention-flops", "flops-per-token"):
        case = situation(formula_of(name), about, subject.plan)
        value = number(case.expression, {**case.known, "s": Given(s, "figure")})
        if not isinstance(value, Fraction):
            which = about.name or about.architecture.name
            raise DeriveError(f"{name} has no value for {which}: sizes are missing, such as --set h=4096")
        found.append(value)
    return found[0] / found[1]


def attention_share(about: Subject) -> Picture:
    """One curve a model: three sizes of Llama, or the model that was named beside them."""
    models = [model(name) for name in SIZES]
    if "model" in about.chosen and about.model.name not in SIZES:
        models = [about.model, *models]
    curves = [shares(each, about) for each in models]
    mask = about.plan.mask or about.model.mask or about.model.architecture.mask
    title = "Attention's share of the FLOPs grows with the sequence"
    below = f"FLOPs of the score products over FLOPs of the whole model, forward and backward, {mask} mask"
    made, top = svg.heading(title, below)
    top += 34
    first = min(x for each in curves for x, _ in each.points)
    frame = Frame(Axis(min(first, SHORTEST), LONGEST, 62, 460, 2), Axis(0, 100, top + 290, top))
    made += frame.below(frame.x.powers(2), binary, "sequence length s, tokens")
    made += frame.beside(frame.y.steps(5), lambda each: f"{short(each)}%", "share of FLOPs, %")
    for index, each in enumerate(curves):
        points = [frame.at(s, 100 * y) for s, y in each.points]
        made.append(svg.path(points, f"l{index + 1}", 2.6, DASHES[index]))
    y = top + 290 + 60
    for index, each in enumerate(curves):
        ends = (
            f"half at s = {each.half}"
            if each.half
            else f"{short(100 * each.points[-1][1])}% at s = {each.points[-1][0]}"
        )
        made.append(svg.line(14, y + 10, 50, y + 10, f"l{index + 1}", 2.6, DASHES[index]))
        made.append(svg.text(60, y + 15, fitted(each.name, 220, svg.SIZE)))
        made.append(svg.text(466, y + 15, ends, name="mute", anchor="end"))
        y += 23
    said = "; ".join(
        f"{each.name}: {short(100 * each.points[0][1])}% at s = {each.points[0][0]}, "
        f"{short(100 * each.points[-1][1])}% at s = {each.points[-1][0]}"
        + (f", half at {each.half}" if each.half else "")
        for each in curves
    )
    words = f"Curves over sequence length on a logarithmic axis. {said}."
    return Picture("attention-share", title, words, y + 12, tuple(made))
