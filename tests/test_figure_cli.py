"""`derive figure`: files whole or not at all, and every mistake in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as etree

import pytest

from derive.cli import main
from derive.drawing import png as png_module
from formulas.figures import FIGURES

ROOT = Path(__file__).parents[1]


def refused(capsys, *arguments: str) -> str:
    assert main(["figure", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err.removeprefix("derive: error: ").rstrip("\n")


@pytest.mark.parametrize("name", FIGURES)
def test_both_forms_are_written(tmp_path: Path, capsys, name: str):
    for form, start in (("svg", b"<svg "), ("png", b"\x89PNG\r\n\x1a\n"), ("SVG", b"<svg ")):
        place = tmp_path / f"x.{form}"
        assert main(["figure", name, "-o", str(place)]) == 0
        assert place.read_bytes().startswith(start)
    assert capsys.readouterr().out == ""
    assert (tmp_path / "x.svg").read_bytes() == (tmp_path / "x.SVG").read_bytes()


def test_without_a_file_it_is_printed(capsys):
    assert main(["figure", "roofline"]) == 0
    assert etree.fromstring(capsys.readouterr().out).get("role") == "img"


def test_an_ascii_stream_gets_the_same_picture():
    def printed(encoding: str) -> bytes:
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        command = [sys.executable, "-m", "derive", "figure", "bytes-per-parameter"]
        return subprocess.run(command, check=True, capture_output=True, env=environment).stdout

    ascii_, utf8 = printed("ascii"), printed("utf-8")
    assert ascii_.isascii()
    assert etree.canonicalize(ascii_.decode()) == etree.canonicalize(utf8.decode())


def test_alone_it_lists_the_figures(capsys):
    assert main(["figure"]) == 0
    out = capsys.readouterr().out
    assert all(name in out and each.title in out for name, each in FIGURES.items())


@pytest.mark.parametrize(("theme", "ground"), [("light", "#ffffff"), ("dark", "#10161d")])
def test_a_theme_can_be_chosen(tmp_path: Path, theme: str, ground: str):
    place = tmp_path / "x.svg"
    assert main(["figure", "gemms", "--theme", theme, "-o", str(place)]) == 0
    text = place.read_text()
    assert f".bg{{fill:{ground}}}" in text
    assert "prefers-color-scheme" not in text


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["rooflin"], "unknown figure 'rooflin': did you mean 'roofline'?"),
        (["-o", "x.svg"], f"which figure? known are {', '.join(FIGURES)}"),
        (["roofline", "-o", "x.pdf"], "cannot write 'x.pdf': unknown extension '.pdf', a figure is .svg or .png"),
        (["roofline", "-o", "x.svgz"], "cannot write 'x.svgz': unknown extension '.svgz', did you mean .svg?"),
        (["roofline", "-o", "x"], "cannot write 'x': it has no extension, a figure is .svg or .png"),
        (["roofline", "-o", "no/x.svg"], "cannot write 'no/x.svg': there is no folder 'no'"),
        (["roofline", "-o", "."], "cannot write '.': it is a folder"),
        (["roofline", "--plan", "tp=8"], "figure roofline does not take --plan: it takes --model --gpu --dtype"),
        (["gemms", "--gpu", "h100"], "figure gemms does not take --gpu: it takes --model --plan"),
        (["bytes-per-parameter", "--set", "s=1"], "figure bytes-per-parameter does not take --set: it takes --plan"),
        (["memory-step", "--model", "gpt"], "figure memory-step is drawn of numbers, and gpt has no sizes: "
         "name a preset, such as --model gpt2, or a config.json"),
        (["layer", "--model", "gpt3"], "unknown model 'gpt3': did you mean 'gpt'?"),
        (["roofline", "--gpu", "h1000"], "unknown device 'h1000': did you mean 'h100'?"),
        (["roofline", "--gpu", "v100"], "v100 has no bf16 peak, so no roof: choose --dtype among fp64, fp32, fp16"),
        (["memory-step", "--plan", "pp=p"], "plan pp=p: a picture needs a number of stages"),
        (["bytes-per-parameter", "--plan", "dp=n"], "plan dp=n: a picture needs a number of devices"),
        (["gemms", "--model", "gpt2", "--plan", "frozen=mlp"],
         "under this plan up weight is not trained: it has no three products"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(tmp_path: Path, monkeypatch, capsys, arguments: list[str], line: str):
    monkeypatch.chdir(tmp_path)
    assert refused(capsys, *arguments) == line
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_is_named_before_anything_is_drawn(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(png_module, "find_spec", lambda _: None)
    place = tmp_path / "x.png"
    place.write_bytes(b"old")
    line = refused(capsys, "roofline", "-o", str(place))
    assert line == "PNG needs typst, which is not installed: pip install 'shapeproof[pdf]'"
    assert place.read_bytes() == b"old"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_disk_is_said(capsys):
    assert refused(capsys, "roofline", "-o", "/dev/full") == "cannot write '/dev/full': the disk is full"


def test_a_model_is_a_file_too_and_its_name_is_text(tmp_path: Path):
    fields = {
        "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 128,
        "intermediate_size": 96, "max_position_embeddings": 32,
    }  # fmt: skip
    place = tmp_path / "<b onload='x'>&.json"
    place.write_text(json.dumps(fields))
    out = tmp_path / "x.svg"
    for name, figure in FIGURES.items():
        if "model" in figure.takes:
            assert main(["figure", name, "--model", str(place), "--set", "s=16", "-o", str(out)]) == 0
            assert not [each for each in etree.parse(out).iter() if each.tag.endswith("}b")]


def test_the_picture_of_the_readme_is_the_one_that_is_drawn(capsys):
    assert main(["figure", "layer"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == (ROOT / "docs" / "layer.svg").read_text(encoding="utf-8").rstrip(
        "\n"
    )
