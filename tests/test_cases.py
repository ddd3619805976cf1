"""Reports of people who were given wrong numbers: each case gives ours and what is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import memory, parameters, products, utilization

COLLECTION = Path(__file__).parents[2] / "shared" / "cases" / "cases.json"
CASES = {
    case.__name__.replace("_", "-").upper(): case
    for topic in (parameters, products, utilization, memory)
    for case in topic.CASES
}
# Identities and conventions that claims, theorems and facts decide: units, h = ad, what counts as compute, dense peaks,
# moments in another format, Chinchilla's constraint.
ELSEWHERE = ("FLO-15", "FLO-25", "FLO-30", "MFU-06", "MFU-07", "MFU-08", "MEM-08", "MEM-11", "SCA-02", "UNI-02")
# Two numbers of a program beside one another, of which nothing is derived: its factor, its label, its divisor.
OF_OTHERS = (
    "FLO-28", "MFU-03", "MFU-09", "MFU-11", "MFU-16", "MFU-17", "MFU-18", "MEM-04", "MEM-12", "MEM-13", "MEM-15",
)  # fmt: skip
BEYOND = ("FLO-19", "MFU-13", "PP-04")  # images, a mixture of peaks, an open question


@pytest.mark.parametrize("name", CASES)
def test_case(name: str):
    for here, right in CASES[name]():
        assert here == right


def test_every_case_is_somewhere():
    if not COLLECTION.exists():
        pytest.skip("the collection of reports is not beside this checkout")
    names = {each["id"] for each in json.loads(COLLECTION.read_text(encoding="utf-8"))}
    assert {*CASES, *ELSEWHERE, *OF_OTHERS, *BEYOND} == names
