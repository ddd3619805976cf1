"""Devices: every value has a source, dense peaks are half of sparse ones, and a peak that is missing is not guessed."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from derive.cli import main
from derive.errors import DeriveError
from derive.plan import Plan
from derive.precision import COMPUTE_DTYPES, recipe
from derive.situation import situation
from formulas.hardware import COLUMNS, PRINTED, device, devices, tera
from formulas.roofline import machine_balance

ROOT = Path(__file__).parent.parent
EVERY = pytest.mark.parametrize("name", devices())
NAMES = (
    "v100", "a100-40gb", "a100-80gb", "h100", "h100-pcie", "h200", "b200", "gb200", "rtx-4090", "l40s", "mi300x",
    "tpu-v4", "tpu-v5e", "tpu-v5p",
)  # fmt: skip
TRAIN = ["training-time", "--params", "7B", "--tokens", "1T", "--gpus", "64", "--mfu", "40%"]


def value(dtype: str, **letters: object) -> Fraction:
    found = situation(machine_balance, None, Plan(recipe=recipe(dtype=dtype)), options=letters).value  # pyright: ignore[reportArgumentType]
    assert isinstance(found, Fraction)
    return found


def error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert not shown.out
    (line,) = shown.err.splitlines()
    return line.removeprefix("derive: error: ")


# ---- the records ----


def test_the_devices_that_are_promised_are_there():
    assert set(NAMES) == set(devices())
    assert (device("a100").name, device("h100-sxm").name) == ("a100-80gb", "h100")


@EVERY
def test_a_record_is_complete(name: str):
    known = devices()[name]
    assert known.title
    assert set(known.sources) == {"peaks", "memory", "link"}
    assert all(known.sources.values())
    assert known.link_about
    assert known.peaks
    assert set(known.peaks) <= set(COLUMNS)
    assert set(known.sparse) <= set(known.peaks)
    assert known.link < known.bandwidth


@EVERY
def test_a_dense_peak_is_half_of_the_sparse_figure_as_printed(name: str):
    known = devices()[name]
    for printed, figure in known.sparse.items():
        assert abs(known.peaks[printed] / figure - Fraction(1, 2)) <= Fraction(1, 80), printed  # l40s: 362.05 of 733


@EVERY
def test_narrower_formats_are_no_slower(name: str):
    known = devices()[name]
    rates = [known.peaks[x] for x in ("fp32", "tf32", "bf16", "fp8", "fp4") if x in known.peaks]
    assert rates == sorted(rates)


@EVERY
def test_the_driver_never_reports_much_more_or_less_than_is_sold(name: str):
    known = devices()[name]
    if known.reported is not None:
        assert known.memory <= known.reported < known.memory * Fraction(1075, 1000)  # GB are sold, often GiB are there


def test_the_h100_is_the_sxm_part_without_sparsity():
    h100 = device("h100")
    assert {x: int(h100.peak(x)) for x in ("fp32", "bf16", "fp16", "e4m3", "e5m2")} == {
        "fp32": 67 * 10**12, "bf16": 989 * 10**12, "fp16": 989 * 10**12, "e4m3": 1979 * 10**12, "e5m2": 1979 * 10**12,
    }  # fmt: skip
    assert (h100.memory, h100.reported) == (80 * 10**9, Fraction(796, 10) * 2**30)
    assert h100.bandwidth == 335 * 10**10


@EVERY
def test_letters_say_where_their_values_come_from(name: str):
    known = devices()[name]
    for dtype in COMPUTE_DTYPES:
        if PRINTED.get(dtype, dtype) in known.peaks:
            assert known.value("P", dtype).origin == f"{name}, {dtype} dense"
            assert known.value("P", dtype).value / known.value("W", dtype).value == known.balance(
                PRINTED.get(dtype, dtype)
            )
    assert known.letters == ("P", "W", "M")
    assert known.value("M", "bf16").value == (known.reported or known.memory)
    assert ("as sold" in known.value("M", "bf16").origin) == (known.reported is None)


# ---- what is refused ----


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("--gpu v100", "v100 has no bf16 peak: it has fp64, fp32, fp16; or set --peak"),
        (
            "--gpu a100 --dtype e4m3",
            "a100-80gb has no e4m3 peak: it has fp64, fp32, tf32, bf16, fp16, int8; or set --peak",
        ),
        ("--gpu tpu-v5e --dtype fp32", "tpu-v5e has no fp32 peak: it has bf16, int8; or set --peak"),
        ("--gpu h10", "unknown device 'h10': did you mean 'h100'?"),
    ],
)
def test_a_peak_that_is_missing_is_no_guess(arguments: str, text: str, capsys: pytest.CaptureFixture[str]):
    assert error([*TRAIN, *arguments.split()], capsys) == text


@pytest.mark.parametrize(
    ("arguments", "figure", "dense"),
    [
        ("--gpu h100 --peak 1979e12", "1979e12 is h100's bf16", "989e12"),
        ("--gpu h100 --set P=1978.9e12", "1978.9e12 is h100's bf16", "989e12"),
        ("--gpu h100 --peak 989e12 --dtype tf32", "989e12 is h100's tf32", "494.5e12"),
        ("--gpu b200 --peak 18e15 --dtype nvfp4", "18000e12 is b200's nvfp4", "9000e12"),
    ],
)
def test_a_figure_with_sparsity_is_refused(arguments: str, figure: str, dense: str, capsys):
    text = f"{figure} figure with 2:4 sparsity; dense it is {dense}: leave out --peak"
    assert error([*TRAIN, *arguments.split()], capsys) == text


def test_a_quantity_without_a_device_refuses_one(capsys):
    assert (
        error(["float-max", "--gpu", "h100"], capsys) == "float-max does not depend on the device: leave out --gpu h100"
    )


def test_a_sparse_figure_of_one_format_is_the_dense_one_of_another(capsys):
    assert main([*TRAIN, "--gpu", "h100", "--peak", "1979e12", "--dtype", "e4m3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["given"]["P"]["from"] == "option"


def test_a_peak_that_is_set_is_taken_and_shown_as_set(capsys):
    assert main([*TRAIN, "--gpu", "v100", "--peak", "100e12", "--json"]) == 0  # the missing bf16 peak is not asked for
    peak = json.loads(capsys.readouterr().out)["given"]["P"]
    assert (peak["value"], peak["from"]) == (10**14, "option")


def test_the_peak_follows_the_format(capsys):
    assert main([*TRAIN, "--gpu", "h100", "--dtype", "fp32"]) == 0
    shown = capsys.readouterr()
    assert "h100, fp32 dense" in shown.out
    assert not shown.err  # the format changes the peak: it is not said to change nothing


@pytest.mark.parametrize(
    ("number", "text"), [("989.5e12", "989.5e12"), ("9e15", "9000e12"), ("123456789", "0.000123456789e12")]
)
def test_peaks_are_shown_as_data_sheets_print_them(number: str, text: str):
    assert tera(Fraction(number)) == text


# ---- facts ----


def test_machine_balance():
    h100 = {"P": Fraction("989.5e12"), "W": Fraction("3.35e12")}
    assert value("bf16", **h100) == Fraction(19790, 67)
    assert value("fp32", **h100 | {"P": Fraction("67.5e12")}) == Fraction(1350, 67)
    assert value("e4m3", **h100 | {"P": Fraction("1979e12")}) == Fraction(39580, 67)
    assert device("h100").balance("bf16") == Fraction(19780, 67)


# ---- the listing ----


def test_the_listing(capsys):
    assert main(["hardware"]) == 0
    shown = capsys.readouterr().out
    tables = shown.split("\n\n")
    assert [table.splitlines()[0] for table in tables] == [
        "Devices", "Memory", "Peaks without sparsity, TFLOP/s", "Balance, peak over bandwidth, FLOP/byte", "Sources",
    ]  # fmt: skip
    assert max(len(line) for table in tables[:-1] for line in table.splitlines()) <= 80
    for name in NAMES:
        assert shown.count(f"\n  {name} ") >= 5


def test_the_listing_as_json(capsys):
    assert main(["hardware", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert list(listed) == list(devices())
    h100 = listed["h100"]
    assert (h100["memory"], h100["reported"], h100["bandwidth"]) == (80000000000, "427349245952/5", 3350000000000)
    assert (h100["peaks"]["bf16"], h100["balance"]["bf16"]) == (989 * 10**12, "19780/67")
    assert listed["v100"]["reported"] is None


def test_the_listing_costs_no_sympy():
    code = (
        "import sys\nfrom derive.cli import main\n"
        "code = main(['hardware'])\nprint(code, 'sympy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "0 False\n"


def test_a_missing_peak_names_those_that_are_there():
    with pytest.raises(DeriveError) as caught:
        device("h100").peak("int4")
    assert str(caught.value).startswith("h100 has no int4 peak: it has fp64, fp32, tf32, bf16, fp16, fp8, int8")
