"""Nothing in a picture is in the way of anything else, whatever it is about."""

from functools import cache
from itertools import combinations
from math import hypot, log
from xml.etree import ElementTree as etree

import pytest

from derive.drawing.axes import short
from derive.drawing.svg import WIDE
from derive.errors import DeriveError
from formulas.figures import FIGURES, draw
from formulas.figures.roofline import DISC, DOT, operations
from formulas.figures.subject import brief, subject
from formulas.hardware import devices
from formulas.models import presets
from tests.pictures import SVG, boxes, crossings, dots, overlaps, struck, texts

PLANS = (
    "tp=1", "tp=2,sp,dp=8,zero=1,pad-vocab=128", "dp=64,zero=3,recompute=layer",
    "tp=4,sp,pp=2,dp=8,zero=2,pad-vocab=128", "recompute=core", "lora=8", "tp=4,pp=4,attention=flash,pad-vocab=128",
)  # fmt: skip
WITH_PLAN = tuple(name for name, figure in FIGURES.items() if "plan" in figure.takes)


@cache
def drawn(name: str, model: str | None = None, plan: str | None = None, gpu: str | None = None) -> etree.Element:
    return etree.fromstring(draw(name, subject(model, plan, gpu)).svg())


def check(root: etree.Element) -> None:
    assert overlaps(root) == []
    assert crossings(root) == []
    assert struck(root) == []
    height = float((root.get("viewBox") or "").split()[3])
    for box in boxes(root):
        assert min(box.left, box.top) >= -0.01, box
        assert box.right <= WIDE + 0.01, box
        assert box.bottom <= height + 0.01, box


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_in_the_way_in_the_default(name: str):
    check(drawn(name))


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("preset", presets())
def test_nothing_is_in_the_way_whatever_the_model_and_the_plan(preset: str, plan: str):
    for name in WITH_PLAN:
        if name == "gemms" and "lora" in plan:
            with pytest.raises(DeriveError, match="is not trained: it has no three products"):
                drawn(name, preset, plan)
            continue
        check(drawn(name, preset, plan))


@pytest.mark.parametrize("gpu", devices())
def test_nothing_is_in_the_way_whatever_the_device(gpu: str):
    for plan in PLANS[:2]:
        check(drawn("memory-step", "llama3-8b", plan, gpu))


# ---- the roofline ----


def scale(root: etree.Element, anchor: str, units: dict[str, float]):
    """An axis as a reader finds it: what value lies where, from its ticks, whose words are numbers."""
    found = []
    for each in root.iter(f"{SVG}text"):
        number_, _, unit = (each.text or "").partition(" ")
        if each.get("class") == "mute" and each.get("text-anchor") == anchor and unit in units and "," not in number_:
            try:
                value = float(number_) * units[unit]
            except ValueError:
                continue
            at = float(each.get("x" if anchor == "middle" else "y", "0")) - (0 if anchor == "middle" else 5)
            found.append((log(value), at))
    # The words of the last tick are moved where they would leave the picture.
    (low, start), *_, (high, end), _ = sorted(found)
    return lambda value: start + (log(value) - low) / (high - low) * (end - start)


SUBJECTS = [*((preset, "h100") for preset in presets()), *(("llama3-70b", gpu) for gpu in devices()),
            ("mixtral-8x7b", "tpu-v5e"), ("deepseek-v3", "b200"), ("gpt2", "rtx-4090")]  # fmt: skip


@pytest.mark.parametrize(("preset", "gpu"), SUBJECTS)
def test_every_point_stands_where_its_numbers_are(preset: str, gpu: str):
    about = subject(preset, None, gpu)
    if "bf16" not in about.device.peaks:
        with pytest.raises(DeriveError, match=f"{gpu} has no bf16 peak, so no roof"):
            draw("roofline", about)
        return
    root = drawn("roofline", preset, None, gpu)
    check(root)
    across = scale(root, "middle", {"": 1})
    up = scale(root, "end", {"M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18})
    points = [(x, y) for _, x, y, radius, name in dots(root) if (radius, name) == (DOT, "ink")]
    every = operations(about.of_one_device)
    assert len(points) == len(every)
    for (x, y), each in zip(points, every, strict=True):
        peak, bandwidth = about.device.peak("bf16"), about.device.bandwidth
        assert abs(x - across(each.intensity)) < 0.5, each
        assert abs(y - up(min(peak, bandwidth * each.intensity))) < 0.5, each


@pytest.mark.parametrize(
    ("preset", "gpu"), [(preset, gpu) for preset, gpu in SUBJECTS if "bf16" in devices()[gpu].peaks]
)
def test_every_number_is_led_to_from_its_point(preset: str, gpu: str):
    found = dots(root := drawn("roofline", preset, None, gpu))
    points = [(x, y) for _, x, y, _, name in found if name == "ink"]
    numbers = [(x, y) for _, x, y, radius, _ in found if radius == DISC]
    lines = [tuple(float(each.get(key, "0")) for key in ("x1", "y1", "x2", "y2")) for each in root.iter(f"{SVG}line")]
    for place, ((x, y), (a, b)) in enumerate(zip(points, numbers[: len(points)], strict=True), 1):
        (end,) = ((c, d) for *start, c, d in lines if start == [x, y] and hypot(a - c, b - d) < DISC + 0.3)
        assert hypot(end[0] - x, end[1] - y) - DOT >= 5, "a leader that is seen"
        words = [each.words for each in texts(root) if abs((each.left + each.right) / 2 - a) < 1
                 and abs(each.bottom - b) < 10]  # fmt: skip
        assert words == [str(place)]
    for one, other in combinations(numbers, 2):
        assert hypot(one[0] - other[0], one[1] - other[1]) > 2 * DISC


def test_decoding_has_the_flops_that_bandwidth_feeds():
    about = subject("llama3-70b", None, "h100").of_one_device
    (each,) = (each for each in operations(about) if each.name.startswith("decoding"))
    assert brief(each.intensity * about.device.bandwidth, "FLOP/second") == "3.79 TFLOP/s"
    assert short(each.intensity) == "1.13"
