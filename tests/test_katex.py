"""KaTeX in strict mode reads all mathematics that the Markdown has."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from derive.cli import main
from derive.render.documents.markdown import markdown
from derive.sheet.document import sheet
from derive.sheet.selection import selection
from derive.sheet.stored import held

FOLDER = os.environ.get("SHAPEPROOF_KATEX")  # a folder that has node_modules/katex


@pytest.fixture
def refused():
    """A function that gives what KaTeX refuses of some LaTeX."""
    node = shutil.which("node") or ""
    if FOLDER is None:
        reason = "SHAPEPROOF_KATEX does not say where KaTeX is: npm install --prefix FOLDER katex"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    assert node, "node is not installed"

    folder = FOLDER

    def read(latex: list[str]) -> list:
        script = Path(__file__).with_name("katex.mjs")
        done = subprocess.run(
            [node, script, folder], input=json.dumps(latex), capture_output=True, text=True, timeout=120, check=True
        )
        return json.loads(done.stdout)

    return read


def mathematics(text: str) -> list[str]:
    """What is between dollar and backtick, and in `math` fences."""
    return [*re.findall(r"\$`(.*?)`\$", text), *re.findall(r"^```math\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)]


def test_katex_reads_the_sheet(refused):
    found = mathematics(markdown(sheet(selection([], None, None), held())))
    assert len(found) > 700
    assert refused(found) == []


@pytest.mark.parametrize("arguments", [("activations",), ("states", "--plan", "zero=1,dp=n"), ("peak-memory",)])
def test_katex_reads_a_quantity(capsys, refused, arguments):
    assert main([*arguments, "--markdown"]) == 0
    found = mathematics(capsys.readouterr().out)
    assert found
    assert refused(found) == []


def test_katex_refuses_what_is_wrong(refused):
    assert [latex for latex, _ in refused([r"\frac{1}{2}", r"\nonsense", r"\frac{1}"])] == [r"\nonsense", r"\frac{1}"]
