"""Markdown whose code is run: its blocks in order, in a copy of the project that they may change."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]+) -->\n)?(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
IN_CI = ("run", "tests")  # marks of blocks with installations: .ci/run runs these, literally
ANY = "..."  # a line of output that stands for any lines
DOCTEST = (
    "import doctest, sys; found = doctest.testfile(sys.argv[1], module_relative=False, encoding='utf-8', "
    "optionflags=doctest.ELLIPSIS); sys.exit(bool(found.failed or not found.attempted))"
)


@dataclass(frozen=True)
class Block:
    """A fenced block: the mark in the comment above it, its language, its text."""

    mark: str
    language: str
    text: str

    @property
    def is_doctest(self) -> bool:
        """Whether it is a session of Python's prompt."""
        return self.language == "python" and self.text.startswith(">>> ")

    @property
    def sessions(self) -> list[tuple[str, list[str]]]:
        """Of a console: each command, and the lines that it prints."""
        found: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
        return found


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a Markdown file, in order; a fence that none of them has is an error."""
    found = [
        Block(each["mark"] or "", each["language"], textwrap.dedent(each["text"])) for each in BLOCK.finditer(text)
    ]
    fences = len(re.findall(r"^ *```", text, flags=re.MULTILINE))
    assert fences == 2 * len(found), "a fence is not closed, or not as it was opened"
    return found


def run_all(path: Path, copy: Path, environment: dict[str, str]) -> None:
    """Run a Markdown file in a copy of the project: blocks in order, then its sessions of Python's prompt together."""
    found = blocks(path.read_text(encoding="utf-8"))
    for block in found:
        _run(block, copy, environment)
    if any(block.is_doctest for block in found):
        done = _done([sys.executable, "-c", DOCTEST, str(path)], copy, environment)
        assert done.returncode == 0, done.stdout


def _run(block: Block, copy: Path, environment: dict[str, str]) -> None:
    if block.mark:
        key, _, rest = block.mark.partition(": ")
        assert key in (*IN_CI, *MARKS), f"nobody knows what <!-- {block.mark} --> is"
        if key in MARKS:
            MARKS[key](rest, block.text, copy)
    elif block.language == "console":
        code = 0
        for command, expected in block.sessions:
            assert code == 0 or command == "echo $?", f"{command}: what comes before it ends with {code}"
            done = _done(["bash", "-c", f"(exit {code}); {command}"], copy, environment)
            _compare(command, done.stdout, expected)
            code = done.returncode
        assert code == 0, f"the last command of {block.text.strip()} ends with {code}"
    elif block.language == "sh":
        done = _done(["bash", "-euo", "pipefail", "-c", block.text], copy, environment)
        assert done.returncode == 0, f"{block.text.strip()} ends with {done.returncode}: {done.stdout}"
    else:
        assert block.is_doctest, f"nobody runs this {block.language} block:\n{block.text}"


def _done(command: list[str], copy: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=copy, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        check=False, timeout=600,
    )  # fmt: skip


def _compare(command: str, printed: str, expected: list[str]) -> None:
    """What is printed is what is expected; where nothing is, anything but nothing will do."""
    if not expected:
        assert printed, f"{command} prints nothing"
        return
    parts = ["(?:.*\n)*" if line == ANY else re.escape(line) + "\n" for line in expected]
    assert re.fullmatch("".join(parts), printed), f"{command} prints\n{printed}\nand not\n" + "\n".join(expected)


def _new(name: str, text: str, copy: Path) -> None:
    """A file that a reader makes."""
    path = copy / name
    assert not path.exists(), f"{name} is there already"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _append(name: str, text: str, copy: Path) -> None:
    """Lines that a reader adds at the end of a file."""
    path = copy / name
    path.write_text(path.read_text(encoding="utf-8") + "\n\n" + text, encoding="utf-8")


def _below(what: str, text: str, copy: Path) -> None:
    """Lines that a reader adds below one that is there: `FILE: LINE`."""
    name, _, line = what.partition(": ")
    path = copy / name
    before, found, after = path.read_text(encoding="utf-8").partition(f"\n{line}\n")
    assert found, f"{name} has no line {line}"
    path.write_text(f"{before}{found}{text}{after}", encoding="utf-8")


def _quoted(name: str, text: str, copy: Path) -> None:
    """Lines that are in a file as they stand."""
    assert text in (copy / name).read_text(encoding="utf-8"), f"{name} has not\n{text}"


MARKS = {"new": _new, "append": _append, "below": _below, "quoted": _quoted}
