"""The picture of three matrix products: FLOPs, bytes, letters and words are all of one device of the plan it names."""

import re
from fractions import Fraction
from xml.etree import ElementTree as etree

import pytest

from derive import flops
from derive.evaluation import number
from derive.reading import to_tree
from derive.situation import situation
from formulas import formula_of
from formulas.figures import draw
from formulas.figures.gemms import gemms_of, heaviest
from formulas.figures.subject import brief, subject
from formulas.models import presets
from formulas.notation import common
from tests.pictures import texts

PLANS = ("", "tp=2", "tp=4,sp,dp=2,zero=1", "tp=2,cp=2,attention=flash")
CASES = [(None, None), *((name, plan) for name in presets() for plan in PLANS)]
BYTES = 2  # of an element in bf16


def drawn(name: str | None, plan: str | None) -> tuple[str, list[str]]:
    """The picture's description, and its lines of text."""
    picture = draw("gemms", subject(name, plan))
    return picture.about, [each.words for each in texts(etree.fromstring(picture.svg()))]


def whole(name: str | None, plan: str | None) -> tuple[dict[str, Fraction], Fraction, int]:
    """Elements of the three matrices and FLOPs of a product on all devices together, and how many those are."""
    about = subject(name, plan)
    case = situation(formula_of("activations"), about.model, about.plan, evaluated=False)
    assert case.model is not None
    forward, *_ = gemms_of(heaviest(case))
    axes = heaviest(case).op.contraction.axes  # pyright: ignore[reportOptionalMemberAccess]

    def value(amount) -> Fraction:
        found = number(to_tree(amount, common.order), case.known)
        assert isinstance(found, Fraction)
        return found

    elements = {}
    for each in (*forward.reads, forward.writes):
        elements[each.name] = Fraction(1)
        for axis in (*each.rows, *each.columns):
            elements[each.name] *= value(axes[axis].size)
    rows = flops(case.model.layer, case.model.bare.of_layer(case.plan.whole), "forward").rows
    counted = next(row.value for row in rows if row.why == f"forward: {forward.pattern}")
    return elements, value(counted), about.plan.tp * about.plan.cp  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize(("name", "plan"), CASES)
def test_flops_and_bytes_are_of_one_device(name: str | None, plan: str | None):
    said, lines = drawn(name, plan)
    elements, of_all, devices = whole(name, plan)
    cp = subject(name, plan).plan.cp
    assert any(f"FLOPs = {brief(of_all / devices, 'FLOP')}" in line for line in lines)
    shown = dict(re.findall(r"\b([XWY]) \S+ × \S+ of ([0-9.]+ [A-Za-z]+)", said))
    # Of three letters two are split over tensor parallelism, the sequence's two over context parallelism.
    split = {"X": cp, "W": 1, "Y": cp}
    letters = dict(re.findall(r"\b([XWY]) (\S+ × \S+) of ", said))
    for key, count in elements.items():
        over = split[key] * (devices // cp if re.search(r"/\(?(2·)?t", letters[key]) else 1)
        assert shown[key] == brief(BYTES * count / over, "byte"), key
    tensor_parallel = sum("t" in re.split(r"[^a-z_]+", text) for text in letters.values())
    assert tensor_parallel == (2 if devices // cp > 1 else 0)
    assert all(f"{verb} {amount}" in lines for verb, amount in (("reads", shown["X"]), ("reads", shown["W"])))
    assert f"writes {shown['Y']}" in lines


@pytest.mark.parametrize(("name", "plan"), CASES)
def test_the_plan_is_named_where_there_is_one(name: str | None, plan: str | None):
    said, lines = drawn(name, plan)
    about = subject(name, plan)
    named = f"One device of {about.laid_out}" if plan != "" else "One device"
    assert said.startswith(f"{named}. ")
    assert " ".join(lines).count(named) == 1
    assert (f", t = {about.plan.tp}." in said) == (about.plan.tp != 1)


def test_letters_are_of_one_device_too():
    said, lines = drawn("gpt", "tp=t")
    assert "2sbhf/t FLOPs." in said
    assert ["h × f/t" in lines, "reads 2hf/t bytes" in lines] == [True, True]
    assert drawn("gpt", "tp=8")[0].replace("tp=8", "tp=t").replace(", t = 8.", ".") == said


def test_the_default_says_each_number_of_one_eighth():
    said, _ = drawn(None, None)
    assert said.startswith("One device of tp=8, sp, dp=64, zero=1. Each product: 2sbhf/t FLOPs = 481 GFLOP, t = 8.")
    assert "W h × f/t of 58.7 MB" in said
    assert "Kept from forward: X, split along the sequence." in said


@pytest.mark.parametrize("lora", ["lora=8"])
def test_a_weight_that_is_not_trained_has_no_three_products(lora: str):
    from derive.errors import DeriveError

    with pytest.raises(DeriveError, match="is not trained: it has no three products"):
        draw("gemms", subject("llama3-8b", lora))
