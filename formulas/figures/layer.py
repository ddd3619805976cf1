"""One layer as a data flow: a lane for every tensor that is under way, its operations, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from derive.drawing import svg
from derive.drawing.svg import Picture, number
from derive.drawing.words import fitted, together, width
from formulas.figures.flow import SPLIT, TOKENS, WHOLE, Held, Step, depths, flow
from formulas.figures.subject import Subject, brief

KINDS = {WHOLE: 1, SPLIT: 2, TOKENS: 3}
ROW, LANE, FIRST, RIGHT = 23.0, 19.0, 28.0, 462.0
BAR = 84.0


@dataclass(frozen=True)
class Line:
    """One line of the picture: a block's heading, a step, or a tensor that is kept of the step above it."""

    block: str = ""
    step: int = -1
    held: Held | None = None
    depth: int = 0


def lanes(steps: Sequence[Step]) -> list[int]:
    """For each step the lane of what it makes: one that its inputs leave, or the first that is free.

    >>> of = lambda *inputs: Step("", (), inputs, ())
    >>> lanes([of(), of(0), of(1), of(1), of(2, 3), of(0, 4)])
    [0, 1, 2, 1, 1, 0]
    """
    until = {}
    for index, each in enumerate(steps):
        until |= dict.fromkeys(each.inputs, index)
    taken: dict[int, int] = {}  # lane -> step whose output is on it
    found: list[int] = []
    for index, each in enumerate(steps):
        ended = sorted(lane for lane, step in taken.items() if step in each.inputs and until[step] == index)
        for lane in ended:
            del taken[lane]
        lane = ended[0] if ended else next(x for x in range(len(steps) + 1) if x not in taken)
        if until.get(index, -1) > index:
            taken[lane] = index
        found.append(lane)
    return found


def listed(steps: Sequence[Step]) -> list[Line]:
    """The lines from top to bottom; a block has a heading where its first step is."""
    made: list[Line] = []
    around: tuple[str, ...] = ()
    for index, (step, blocks) in enumerate(zip(steps, depths(list(steps)), strict=True)):
        shared = 0
        while shared < min(len(around), len(blocks)) and around[shared] == blocks[shared]:
            shared += 1
        made += [Line(block=blocks[depth], depth=depth + 1) for depth in range(shared, len(blocks))]
        made.append(Line(step=index, depth=len(blocks)))
        made += [Line(held=each, step=index, depth=len(blocks)) for each in step.held]
        around = blocks
    return made


def layer(about: Subject) -> Picture:
    """The picture; of an architecture without sizes, bytes are in its letters."""
    steps, case = flow(about)
    lines, column = listed(steps), lanes(steps)
    held = [each for step in steps for each in step.held]
    total = case.value if isinstance(case.value, Fraction) else None
    title = f"What one layer of {together(about.name)} keeps for its backward pass"
    title += f": {brief(total, 'byte')}" if total is not None else ", in bytes"
    kind = "; ".join(each for each in case.assumptions if "layers" in each)
    made, y = svg.heading(title, " · ".join([about.laid_out, *([kind] if kind else [])]))
    entries = [(KINDS[how], f"{how}{_sum(held, how)}") for how in KINDS if any(each.how == how for each in held)]
    keyed, y = svg.legend(entries, y + 10)
    made += keyed
    top = y + 8
    rows = {index: top + (place + 0.5) * ROW for place, (index, _) in enumerate(_places(lines))}
    start = FIRST + (max(column) + 1) * LANE
    made += _panes(lines, top)
    made += _edges(steps, column, rows)
    most = max((each.bytes for each in held if each.bytes is not None), default=Fraction(1))
    for place, each in enumerate(lines):
        if not each.block:
            at = _x(column[each.step]), top + (place + 0.5) * ROW
            made += _line(each, steps[each.step], at, start, most)
    words = ", ".join(f"{each.name} {_amount(each)} ({each.how})" for each in held)
    said = f"The operations of one layer from top to bottom, with the tensors that it keeps: {words}."
    return Picture("layer", title, said, top + len(lines) * ROW + 12, tuple(made))


def _places(lines: list[Line]) -> list[tuple[int, Line]]:
    """Lines by the step that they show, in a list as long as there are lines; what is no step has a negative one."""
    return [
        (each.step if each.held is None and not each.block else -2 - place, each) for place, each in enumerate(lines)
    ]


def _sum(held: list[Held], how: str) -> str:
    amounts = [each.bytes for each in held if each.how == how]
    known = [each for each in amounts if each is not None]
    return f" {brief(sum(known, Fraction(0)), 'byte')}" if len(known) == len(amounts) else ""


def _amount(each: Held) -> str:
    return brief(each.bytes, "byte") if each.bytes is not None else each.text


def _panes(lines: list[Line], top: float) -> list[str]:
    """A pane behind the lines of each block, its name at its right edge."""
    made = []
    for place, each in enumerate(lines):
        if not each.block:
            continue
        end = next((later for later in range(place + 1, len(lines)) if _leaves(lines[later], each)), len(lines))
        y, inset = top + place * ROW, 5.0 * (each.depth - 1)
        shape = svg.rect(8 + inset, y + 1, 464 - 2 * inset, (end - place) * ROW - 2, "pane edge", round_=7)
        made.append(shape)
        made.append(svg.text(RIGHT - inset, y + 17, each.block, name="mute", anchor="end", bold=True))
    return made


def _leaves(later: Line, block: Line) -> bool:
    return later.depth < block.depth or (bool(later.block) and later.depth == block.depth)


def _x(lane: int) -> float:
    return FIRST + lane * LANE


def _edges(steps: Sequence[Step], column: list[int], rows: dict[int, float]) -> list[str]:
    """From each step down its lane, and over to the lanes of the steps that read it."""
    readers: dict[int, list[int]] = {}
    for index, each in enumerate(steps):
        for read in each.inputs:
            readers.setdefault(read, []).append(index)
    made = []
    for index in range(len(steps)):
        x, y = _x(column[index]), rows[index]
        for reader in readers.get(index, ()):
            to_x, to_y = _x(column[reader]), rows[reader]
            name = "axis"
            if to_x == x:
                made.append(svg.line(x, y, x, to_y, name, 2))
                continue
            bend = to_y - ROW
            down = f"M{number(x)} {number(y)}V{number(bend)}"
            over = f"C{number(x)} {number(bend + ROW * 0.7)} {number(to_x)} {number(bend + ROW * 0.3)} "
            made.append(svg.curve(f"{down}{over}{number(to_x)} {number(to_y)}", name, 2))
    return made


def _line(each: Line, step: Step, at: svg.Point, start: float, most: Fraction) -> list[str]:
    x, y = at
    if each.held is None:
        inset = RIGHT - 5 * each.depth
        name = fitted(step.name, inset - start, svg.SIZE, bold=True)
        return [svg.circle(x, y, 6, "ink"), svg.text(start, y + 5, name, bold=True)]
    held, kind = each.held, KINDS[each.held.how]
    note = f"{held.name}: {held.dtype} {held.text} bytes, {held.how}"
    amount = _amount(held)
    right = RIGHT - 10
    made = svg.filled(kind, x - 6.5, y - 6.5, 13, 13, round_=3, note=note)
    room = right - width(amount, svg.SIZE) - 10 - start - 10
    if held.bytes is not None:
        wide = float(held.bytes / most) * BAR
        left = right - 78 - BAR
        made += svg.filled(kind, left, y - 6, max(wide, 1), 12, round_=2)
        room = left - start - 18
    made.append(svg.text(start + 10, y + 5, fitted(held.name, room, svg.SIZE), name="ink"))
    made.append(svg.text(right, y + 5, amount, anchor="end"))
    return made
