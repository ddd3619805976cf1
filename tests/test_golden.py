"""Golden files: output as it was looked at and accepted, in every format, and the same under any seed of hashes.

Renew them with `DERIVE_RENEW_GOLDEN=1 python -m pytest tests/test_golden.py`, then read `git diff tests/golden`.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from derive.cli import main

GOLDEN = Path(__file__).with_name("golden")
RENEW = "DERIVE_RENEW_GOLDEN"

QUANTITIES = {
    "activations": ("activations",),
    "activations-tp": ("activations", "--plan", "tp=t"),
    "activations-llama3-70b": ("activations", "--model", "llama3-70b"),
    "flops-per-token-llama3-70b": ("flops-per-token", "--model", "llama3-70b"),
    "parameters-gpt2": ("parameters", "--model", "gpt2"),
    "matmul-flops": ("matmul-flops",),
    "states-sharded": ("states", "--recipe", "fp16-megatron", "--plan", "zero=1,dp=n"),
    "peak-memory-llama3-8b": ("peak-memory", "--model", "llama3-8b", "--plan", "tp=8,sp,recompute=layer"),
    "recompute-factor": ("recompute-factor", "--plan", "recompute=layer"),
    "training-time": ("training-time",),
    "chinchilla-parameters": ("chinchilla-parameters", "--set", "C=4.2e21"),
    "checkpoint-interval": ("checkpoint-interval",),
    "usable-memory-h100": ("usable-memory", "--gpu", "h100"),
}
RUN = ("--tokens", "15T", "--gpu", "h100", "--gpus", "1024")
LISTS = {
    "explain-activations-34": ("explain", "activations", "34"),
    "list": ("list",),
    "notation": ("notation",),
    "hardware": ("hardware",),
    "plan-llama3-70b": ("plan", "--model", "llama3-70b", *RUN, "--mfu", "40%"),
    "plan-laid-out": (
        "plan", "--model", "llama3-70b", *RUN, "--step-time", "4.5s", "--batch", "4Mi", "--price", "2.5",
        "--plan", "tp=8,sp,pp=4,zero=1", "--days", "200",
    ),
    "plan-7b": ("plan", "--params", "7B", "--tokens", "100B", "--gpu", "h100", "--gpus", "64", "--mfu", "35%"),
    "solve-devices": ("solve", "training-time=30d", "--for", "G", "--model", "llama3-70b", *RUN[:4], "--mfu", "40%"),
    "compare-flops-per-token": ("compare", "flops-per-token", "--model", "llama3-8b"),
}  # fmt: skip
ENDINGS = {"tex": ("--latex",), "txt": ("--text",), "md": ("--markdown",), "json": ("--json",)}
CASES: dict[str, tuple[str, ...]] = {
    **{f"{name}.{end}": (*case, *form) for name, case in QUANTITIES.items() for end, form in ENDINGS.items()},
    **{f"{name}.txt": case for name, case in LISTS.items()},
    **{f"{name}.json": (*case, "--json") for name, case in LISTS.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_golden(capsys, name):
    code = main(CASES[name])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    if os.environ.get(RENEW):
        (GOLDEN / name).write_text(out, encoding="utf-8", newline="\n")
    assert out == (GOLDEN / name).read_text(encoding="utf-8"), f"renew with {RENEW}=1 and read the difference"


def test_every_golden_file_has_its_case():
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(CASES)


def golden(name: str) -> str:
    """The text of a golden file."""
    return (GOLDEN / name).read_text(encoding="utf-8")


def test_the_activations_page_says_what_it_is_known_for():
    latex = golden("activations.tex")
    assert latex.startswith("\\begin{align*}\n")
    assert latex.endswith(" \\quad \\blacksquare\n\\end{align*}\n")
    lines = latex.splitlines()
    assert r" &= s b h \left(34 + \frac{5 a s}{h}\right) + 16 s b && " in lines[-3] + lines[-4]
    assert lines[-2].startswith(r" &\approx s b h \left(34 + \frac{5 a s}{h}\right) && ")
    assert "neglecting $16 s b$ (" in lines[-2]
    assert r"&= 11 s b h + 5 a s^{2} b &&" in latex
    assert r"&= 19 s b h &&" in latex
    assert r"\left(10 + \frac{24}{t} + \frac{5 a s}{h t}\right)" in golden("activations-tp.tex")


@pytest.mark.parametrize("name", [name for name in CASES if name.endswith(".md")])
def test_markdown_keeps_to_what_github_renders(name):
    text = golden(name)
    assert "$$" not in text
    assert r"\operatorname" not in text
    fences = [line for line in text.splitlines() if line.startswith("```")]
    assert fences
    assert fences == ["```math", "```"] * (len(fences) // 2)
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) > 4
    # Every dollar that is not escaped opens or ends a span of mathematics, and a bar in a cell is escaped.
    for line in tables:
        assert re.sub(r"\$`[^`|]*`\$", "", line.replace(r"\$", "")).count("$") == 0
    for head, *rows in split(text.splitlines()):
        assert {cells(row) for row in rows} == {cells(head)}


def split(lines: list[str]) -> list[list[str]]:
    """The tables among the lines."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("|"):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [table for table in found if table]


def cells(line: str) -> int:
    """How many cells a line of a table has."""
    return len(re.findall(r"(?<!\\)\|", line)) - 1


@pytest.mark.parametrize("name", CASES)
def test_lines_end_where_their_text_ends(name):
    assert [line for line in golden(name).splitlines() if line != line.rstrip()] == []
    assert golden(name).endswith("\n")
    assert not golden(name).endswith("\n\n")


EVERYTHING = """
from derive.cli import main
from derive.cli.arguments import FORMATS
from formulas import catalog
for name, formula in catalog().items():
    for form in FORMATS:
        main([name, "--" + form])
    if formula.takes_model:
        main([name, "--json", "--model", "llama3-70b"])
    if formula.needs_model:
        main([name, "--json", "--plan", "tp=t,sp,recompute=mlp+attention"])
for name in ("list", "models", "notation", "sources", "hardware"):
    main([name])
    main([name, "--json"])
main(["explain", "activations", "34"])
main(["activations", "--plan", "recompute=zzz"])
main(["activations", "--plan", "frozen=zzz"])
"""


def printed(seed: str) -> tuple[bytes, bytes]:
    """Everything that the command line prints in one process whose hashes have this seed."""
    done = subprocess.run(
        [sys.executable, "-c", EVERYTHING], cwd=GOLDEN.parents[1], capture_output=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
    )  # fmt: skip
    return done.stdout, done.stderr


def test_output_does_not_depend_on_the_seed_of_hashes():
    first = printed("1")
    assert first[0].count(b"\n") > 1000
    assert first[1].count(b"derive: error: ") == 2
    assert printed("4242") == first
