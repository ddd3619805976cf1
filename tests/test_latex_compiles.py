"""The LaTeX compiles as it stands, with amsmath and amssymb and nothing else, and loses no character."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from derive.cli import main
from formulas import catalog

WAYS: dict[str, tuple[str, ...]] = {
    "default": (),
    "llama3-70b": ("--model", "llama3-70b"),
    "tp": ("--plan", "tp=t,sp"),
}
MARGIN = 115  # points between the text of an article and the right edge of A4 paper
DOCUMENT = r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
%s
\end{document}
"""


@pytest.fixture
def pdflatex(tmp_path):
    """A function that compiles a body and gives the log; where pdflatex is missing, a skip, and a failure under CI."""
    program = shutil.which("pdflatex")
    if program is None:
        reason = "pdflatex is not installed (Debian: texlive-latex-base)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)

    def compile_(body: str, document: str = DOCUMENT) -> tuple[int, str, Path]:
        (tmp_path / "page.tex").write_text(document.replace("%s", body), encoding="utf-8")
        done = subprocess.run(
            [program, "-halt-on-error", "-interaction=nonstopmode", "page.tex"], cwd=tmp_path, capture_output=True,
            timeout=120, check=False,
        )  # fmt: skip
        log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
        return done.returncode, log, tmp_path / "page.pdf"

    return compile_


def printed(capsys, *arguments: str) -> str:
    """What the command line prints as LaTeX."""
    code = main([*arguments, "--latex"])
    out = capsys.readouterr().out
    assert code == 0
    return out


def faults(log: str) -> list[str]:
    """Errors of the log, and characters that the fonts do not have: LaTeX only drops those."""
    return [line for line in log.splitlines() if line.startswith("!") or "Missing character" in line]


def test_activations_compile_alone(capsys, pdflatex):
    code, log, page = pdflatex(printed(capsys, "activations"))
    assert (code, faults(log)) == (0, [])
    assert page.read_bytes().startswith(b"%PDF")
    assert "(1 page," in log


@pytest.fixture
def everything(capsys, pdflatex):
    """The log of one document with every quantity in every way, a line `@@ name way` before each."""
    bodies = [
        f"\\typeout{{@@ {name} {way}}}\n" + printed(capsys, name, *options)
        for name, formula in catalog().items()
        for way, options in WAYS.items()
        if way == "default" or formula.needs_model
    ]
    code, log, _ = pdflatex("\n".join(bodies))
    assert (code, log.count("@@ ")) == (0, len(bodies))
    return log


def test_every_quantity_compiles(everything):
    assert everything.count("@@ ") > 30
    assert faults(everything) == []


def test_no_line_leaves_the_paper(everything):
    too_wide = []
    for part in everything.split("@@ ")[1:]:
        name = part.splitlines()[0]
        widths = re.findall(r"Overfull \\hbox \(([0-9.]+)pt too wide\)", part)
        too_wide += [f"{name}: {width} pt" for width in widths if float(width) > MARGIN]
    assert too_wide == []


def test_the_compiler_refuses_what_is_wrong(pdflatex):
    code, log, _ = pdflatex(r"\begin{align*} \undefined \end{align*}")
    assert code != 0
    assert faults(log) != []


@pytest.mark.parametrize("arguments", [(), ("--short",), ("--topic", "memory,scaling"), ("--model", "gpt2")])
def test_the_sheet_compiles_without_a_word_about_boxes(pdflatex, tmp_path, arguments):
    place = tmp_path / "sheet.tex"
    assert main(["cheatsheet", *arguments, "-o", str(place)]) == 0
    code, log, _ = pdflatex(place.read_text(encoding="utf-8"), "%s")
    assert code == 0
    assert faults(log) == []
    assert [line for line in log.splitlines() if re.match(r"(Over|Under)full", line)] == []
