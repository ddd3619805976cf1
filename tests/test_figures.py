"""Pictures: well-formed, nothing outside or on top of one another, and their numbers are the formulas'."""

import re
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree as etree

import pytest

from checks.configurations import configuration
from derive.drawing.axes import short
from derive.drawing.png import png
from derive.drawing.svg import SIZE, WIDE
from derive.drawing.theme import FILLS, ON_FILL, ROOT, THEMES
from derive.drawing.words import width
from derive.errors import DeriveError
from derive.interval import Interval
from derive.model import Given
from formulas.configs import model_of_fields
from formulas.figures import FIGURES, draw
from formulas.figures.attention_share import SIZES, share, shares
from formulas.figures.bytes_per_parameter import by_recipe, by_stage
from formulas.figures.flow import flow
from formulas.figures.gemms import PASSES, gemms_of, heaviest
from formulas.figures.moments import moments
from formulas.figures.roofline import operations
from formulas.figures.subject import Subject, brief, subject
from formulas.models import model
from tests.asking import value as exact
from tests.pictures import boxes, overlaps, texts

NAMES = tuple(FIGURES)
SVG = "{http://www.w3.org/2000/svg}"
CASES = {
    "default": (None, None),
    "gpt2": ("gpt2", None),
    "gpt2-pipeline": ("gpt2", "pp=4,dp=2,zero=2"),
    "gpt3-175b": ("gpt3-175b", "tp=8,sp,pp=8,recompute=core,pad-vocab=128"),
    "llama3-8b": ("llama3-8b", "dp=8,zero=3,recompute=layer"),
    "llama3-405b": ("llama3-405b", "tp=8,sp,pp=2,dp=64,zero=1,attention=cuda_flash"),
}
KINDS = ("mixtral", "deepseek_v3", "mamba2", "gemma2", "gpt_oss", "falcon")


def about(case: str) -> Subject:
    name, plan = CASES[case]
    return subject(name, plan)


def of_type(model_type: str, name: str = "config.json") -> Subject:
    fields = configuration(model_type, 3)
    read = model_of_fields(fields, name)
    return subject(read=replace(read, sizes={"s": Given(64, "test"), **read.sizes}))  # Mamba's file says no length


def subjects():
    for case in CASES:
        yield pytest.param(lambda case=case: about(case), id=case)
    for kind in KINDS:
        yield pytest.param(lambda kind=kind: of_type(kind), id=kind)
    for name in ("gpt", "llama"):
        yield pytest.param(lambda name=name: subject(name, "tp=t"), id=f"letters-{name}")


def drawn(name: str, subject_: Subject):
    """The picture, or none where it is one of numbers and there are none."""
    if not subject_.model.sizes and not FIGURES[name].letters and "model" in FIGURES[name].takes:
        with pytest.raises(DeriveError, match="has no sizes: name a preset"):
            draw(name, subject_)
        return None
    return draw(name, subject_)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", list(subjects()))
def test_a_picture_is_one_file_with_nothing_outside_and_no_text_on_text(name: str, make):
    picture = drawn(name, make())
    if picture is None:
        return
    text = picture.svg()
    root = etree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox") == f"0 0 {WIDE:g} {picture.height:g}"
    assert root.get("role") == "img"
    assert [each.tag for each in root][:3] == [f"{SVG}title", f"{SVG}desc", f"{SVG}style"]
    title, desc = (root.find(f"{SVG}{tag}") for tag in ("title", "desc"))
    assert title is not None
    assert desc is not None
    assert len(desc.text or "") > 40
    assert set((root.get("aria-labelledby") or "").split()) == {title.get("id"), desc.get("id")}
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    for box in boxes(root):
        assert min(box.left, box.top) >= -0.01, box
        assert box.right <= WIDE + 0.01, box
        assert box.bottom <= picture.height + 0.01, box
    assert overlaps(root) == []
    assert min(each.size for each in texts(root)) >= 14.5  # at the 360 pixels of a phone, 11 pixels


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_the_same_every_time(name: str):
    first = draw(name, about("default")).svg()
    assert first == draw(name, subject()).svg()
    assert png(draw(name, about("default"))) == png(draw(name, subject()))


@pytest.mark.parametrize("name", NAMES)
def test_the_names_in_a_picture_are_text(name: str):
    evil = "<script>alert(1)</script>\"'&\x00]]>"
    made = replace(model("gpt2"), name=evil, title=evil)
    text = draw(name, replace(about("gpt2"), model=made, chosen=frozenset({"model"}))).svg()
    root = etree.fromstring(text)
    assert not [each for each in root.iter() if each.tag.endswith("script")]
    if name not in ("bytes-per-parameter",):
        assert "&lt;script&gt;" in text


@pytest.mark.parametrize("name", NAMES)
def test_pictures_beside_one_another_share_no_ids(name: str):
    one, other = (re.findall(r' id="([^"]+)"', draw(name, about(case)).svg()) for case in ("default", "gpt2"))
    if name != "bytes-per-parameter":
        assert not set(one) & set(other)
    assert len(set(one)) == len(one)
    text = draw(name, about("default")).svg()
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(one)


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        return sum(
            w * (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4)
            for w, x in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
        )

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_colours_are_told_from_their_ground(theme: str):
    colours = THEMES[theme]
    for name in ("ink", "mute"):
        assert min(contrast(colours[name], colours[ground]) for ground in ("bg", "pane")) >= 4.5
    for number in range(1, 7):
        assert contrast(colours[f"l{number}"], colours["bg"]) >= 3
    assert min(contrast(ON_FILL, fill) for fill in FILLS.values()) >= 7


@pytest.mark.parametrize("name", ["roofline", "memory-step", "attention-share"])
def test_axes_have_labels_with_units(name: str):
    words = " ".join(each.words for each in texts(etree.fromstring(draw(name, about("default")).svg())))
    wanted = {
        "roofline": ("arithmetic intensity, FLOP/byte", "FLOP/s a device"),
        "memory-step": ("memory of a device, GB", "FLOPs of the step, %"),
        "attention-share": ("sequence length s, tokens", "share of FLOPs, %"),
    }
    assert all(label in words for label in wanted[name])


# ---- numbers ----


def words_of(name: str, subject_: Subject) -> list[str]:
    return [each.words for each in texts(etree.fromstring(draw(name, subject_).svg()))]


def test_the_roofline_has_the_seeds_numbers():
    found = {each.name: each.intensity for each in operations(about("default"))}
    assert found["ReLU"] == Fraction(1, 4)
    assert found["GELU"] == 5
    assert found["dot product"] == Fraction(2 * 1024 - 1, 4 * 1024 + 2)
    assert found["matrix product, n = 1024"] == Fraction(2 * 1024 - 1, 6)
    assert abs(found["matrix times vector"] - 1) < Fraction(1, 100)
    assert 1 < found["decoding, b = 1, s = 8192"] < 2
    assert list(found.values()) == sorted(found.values())
    shown = words_of("roofline", about("default"))
    assert all(short(each) in shown for each in found.values())


@pytest.mark.parametrize(
    ("name", "plan", "stage"),
    [("deepseek-v3", "pp=16,dp=128,ep=64,zero=1", "stage 2 of 16"), ("gpt2", "pp=4,dp=16", "the first stage")],
)
def test_a_pipeline_is_drawn_at_the_stage_that_has_most(name: str, plan: str, stage: str):
    """Of DeepSeek-V3's sixteen the second: the first has its dense layers. As `peak-memory` says."""
    text = " ".join(words_of("memory-step", subject(name, plan))).replace("\u00a0", " ")
    assert stage in text
    assert f"{brief(exact('peak-memory', name, plan), 'byte')} at the peak" in text


@pytest.mark.parametrize("case", CASES)
def test_the_parts_of_the_memory_are_the_formulas(case: str):
    subject_ = about(case)
    if subject_.plan.pp != 1:
        subject_ = replace(subject_, plan=replace(subject_.plan, stage="first"))
    there = moments(subject_)
    m = there.micro_batches
    older = there.gradients if m > 1 else 0
    assert there.resident == subject_.exact("resident-states")
    assert there.resident + there.activations + there.at_loss + older == subject_.exact("forward-end", m=m)
    assert there.resident + there.gradients == subject_.exact("backward-end", m=m)
    peak = subject_.exact("peak-memory", m=m)
    ends = there.activations + max(there.at_loss, there.of_layer) + older, there.gradients + there.of_layer
    assert peak == there.resident + max(ends)
    usable = subject_.value("usable-memory", M=subject_.device.value("M", "").value)
    assert isinstance(usable, Interval)
    text = " ".join(words_of("memory-step", about(case))).replace("\u00a0", " ")
    for value in (peak, usable.low, usable.high, there.activations, there.gradients, there.weights):
        assert brief(value, "byte") in text


def test_bars_are_the_formulas():
    plan = about("default").plan
    for bars in (by_recipe(plan), by_stage(plan)):
        for name, parts in bars.items():
            total = sum((value for _, value in parts), Fraction(0))
            assert total > 0, name
            assert short(total, 4) in words_of("bytes-per-parameter", about("default"))
    totals = {name: sum(value for _, value in parts) for name, parts in by_stage(plan).items()}
    assert totals == {
        "zero=0": 16, "zero=1": 4 + Fraction(12, 64), "zero=2": 2 + Fraction(14, 64), "zero=3": Fraction(16, 64),
    }  # fmt: skip


@pytest.mark.parametrize("make", list(subjects()))
def test_what_a_layer_keeps_adds_up_to_its_activations(make):
    subject_ = make()
    steps, case = flow(subject_)
    for index, step in enumerate(steps):
        assert all(each < index for each in step.inputs), step
    assert all(
        index in {i for each in steps for i in each.inputs} or steps[index].held for index in range(len(steps) - 1)
    )
    held = [each for step in steps for each in step.held]
    if subject_.model.sizes:
        assert sum(each.bytes for each in held if each.bytes is not None) == case.value
        shown = words_of("layer", subject_)
        assert all(brief(each.bytes, "byte") in shown for each in held if each.bytes is not None)
    else:
        assert all(each.text in words_of("layer", subject_) for each in held)


def test_the_layer_of_the_paper_reads_as_in_the_paper():
    steps, _ = flow(subject("gpt", "tp=t"))
    held = [(each.name, each.text, each.how) for step in steps for each in step.held]
    assert ("layer input", "2sbh", "whole on every device") in held
    assert ("up", "8sbh/t", "split by tensor parallelism") in held
    assert ("softmax output", "2as²b/t", "split by tensor parallelism") in held
    assert [step.name for step in steps] == [
        "layer input", "norm", "query", "key", "value", "scores", "softmax output", "dropped softmax output",
        "attention output", "dropped projection", "residual sum", "norm", "up", "gelu output", "dropped down",
        "residual sum",
    ]  # fmt: skip


def test_the_three_products_are_those_of_differentiation():
    _, case = flow(subject("llama3-8b"))
    product = heaviest(case)
    assert product.name == "gate"
    three = gemms_of(product)
    assert [each.pattern for each in three] == ["s b h, h f -> s b f", "s b f, h f -> s b h", "s b h, s b f -> h f"]
    assert [each.name for each in three] == list(PASSES)
    assert any("2sbhf FLOPs = 962 GFLOP" in each for each in words_of("gemms", subject("llama3-8b")))


@pytest.mark.parametrize("name", SIZES)
def test_the_share_of_attention_is_a_quotient_of_formulas(name: str):
    subject_ = about("default")
    curve = shares(model(name), subject_)
    for s, value in (curve.points[0], curve.points[-1]):
        whole, part = (subject_.exact(each, model(name), s=s) for each in ("flops-per-token", "attention-flops"))
        assert value == part / whole
    assert [value for _, value in curve.points] == sorted(value for _, value in curve.points)
    assert curve.half is not None
    assert share(model(name), subject_, curve.half - 1) < Fraction(1, 2) <= share(model(name), subject_, curve.half)


def test_a_width_is_that_of_the_text():
    assert width("WWW", SIZE) > width("iii", SIZE) > 0


def test_a_style_sheet_reaches_its_picture_alone_and_follows_the_page_before_the_system():
    root = etree.fromstring(draw("gemms", about("default")).svg())
    sheet = (root.find(f"{SVG}style") or root[2]).text or ""
    dark = ";".join(f"--{ROOT}-{name}:{value}" for name, value in THEMES["dark"].items())
    assert f"@media (prefers-color-scheme:dark){{.{ROOT}{{{dark};}}}}" in sheet
    assert f"[data-theme=dark] .{ROOT}{{{dark};}}" in sheet
    assert all(f"[data-theme={name}] .{ROOT}{{" in sheet for name in THEMES)
    selectors = re.findall(r"([^{}]+)\{", sheet.replace("@media (prefers-color-scheme:dark){", ""))
    assert all(f".{ROOT}" in each for each in selectors)
    used = {name for each in root.iter() for name in (each.get("class") or "").split()}
    assert used <= {ROOT, *re.findall(r"\.([a-z0-9]+)\{", sheet)}
