"""Where output goes: a terminal of 80 columns gets tables that fit, a pipe plain text, an ASCII stream ASCII."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from rich.cells import cell_len

from derive.cli.arguments import FORMATS

ROOT = Path(__file__).parents[1]
SETTINGS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM")
ESCAPE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")
ALWAYS = {name: value for name, value in os.environ.items() if name not in SETTINGS}


def on_terminal(*arguments: str, columns: int = 80, **environment: str) -> str:
    """What a person sees who runs the command in a terminal of so many columns, escape codes included."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {**ALWAYS, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment}
    command = [sys.executable, "-m", "derive", *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=variables, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert running.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def colours(shown: str) -> list[str]:
    """The escape codes that set a colour, in front or behind."""
    codes = [code for match in ESCAPE.finditer(shown) if match[2] == "m" for code in match[1].split(";")]
    return [code for code in codes if code.isdigit() and (30 <= int(code) <= 49 or 90 <= int(code) <= 107)]


VIEWS = [
    ("activations",), ("activations", "--model", "llama3-70b", "--plan", "tp=8"),
    ("flops-per-token", "--model", "gpt2"), ("list",),
    ("models",), ("notation",), ("sources",), ("explain", "activations", "34"),
]  # fmt: skip


@pytest.mark.parametrize("arguments", VIEWS, ids=map(" ".join, VIEWS))
def test_no_line_is_wider_than_80_columns(arguments):
    lines = ESCAPE.sub("", on_terminal(*arguments)).splitlines()
    assert len(lines) > 10
    assert [line for line in lines if cell_len(line) > 80] == []


def test_a_narrow_terminal_is_not_exceeded_either():
    lines = ESCAPE.sub("", on_terminal("activations", columns=50)).splitlines()
    assert [line for line in lines if cell_len(line) > 50] == []


def test_a_terminal_gets_tables_and_a_pipe_does_not():
    shown = on_terminal("activations")
    piped = subprocess.run(
        [sys.executable, "-m", "derive", "activations"], cwd=ROOT, env=ALWAYS, capture_output=True, check=True
    )
    assert "───" in shown
    assert "\x1b[1m" in shown  # heads are bold
    assert "───" not in piped.stdout.decode()
    words = " ".join(ESCAPE.sub("", shown).split())
    assert "s*b*h*(34 + 5*a*s/h) + 16*s*b [byte]" in words
    assert "■ 4 equalities were accepted by the proof checker" in words


def test_numbers_and_names_stay_whole_at_80_columns():
    words = ESCAPE.sub("", on_terminal("models")).split()
    wanted = ["llama3-405b", "gpt3-175b", "16384", "53248", "128256", "materialised"]
    assert [word for word in wanted if word not in words] == []


def test_colours_vanish_with_no_color():
    assert colours("\x1b[1;31mred\x1b[0m") == ["31"]
    assert colours(on_terminal("activations", "--model", "gpt2", NO_COLOR="1")) == []


def test_a_dumb_terminal_gets_no_escape_codes():
    assert "\x1b" not in on_terminal("activations", TERM="dumb")


def test_other_formats_are_the_same_on_a_terminal_and_in_a_pipe():
    for form in ("latex", "markdown", "json"):
        command = [sys.executable, "-m", "derive", "activations", f"--{form}"]
        piped = subprocess.run(command, cwd=ROOT, env={**ALWAYS, "PYTHONUTF8": "1"}, capture_output=True, check=True)
        assert on_terminal("activations", f"--{form}", columns=40) == piped.stdout.decode()


# ---- pipes and encodings ----


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """One run in a process of its own, its output captured."""
    return subprocess.run(
        [sys.executable, "-m", "derive", *arguments], cwd=ROOT, env={**ALWAYS, **environment}, capture_output=True,
        timeout=120, check=False,
    )  # fmt: skip


PRINTING = [("activations",), ("activations", "--json"), ("list",), ("models",), (), ("--help",), ("activations", "-h")]


@pytest.mark.parametrize("arguments", PRINTING, ids=map(" ".join, PRINTING))
def test_a_reader_that_is_gone_is_no_error(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "derive", *arguments], cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_head():
    line = f"set -o pipefail; {sys.executable} -m derive activations | head -1"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("activations: ")
    assert done.stdout.count("\n") == 1


def test_a_closed_or_full_output_is_one_line():
    for redirection, words in ((">&-", "standard output is closed"), (">/dev/full", "No space left on device")):
        line = f"{sys.executable} -m derive list {redirection}"
        done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("derive: error: ")
        assert done.stderr.count("\n") == 1
        assert words in done.stderr


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}], ids=str)
@pytest.mark.parametrize("name", ["activations", "models"])
def test_a_pipe_gets_no_escape_codes(name, environment):
    done = shell(name, TERM="xterm-256color", **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout


ASCII = [
    *(("activations", "--model", "gpt2", f"--{form}") for form in FORMATS), ("list",), ("models",), ("notation",),
    ("sources", "--json"), ("explain", "activations", "34"),
]  # fmt: skip


@pytest.mark.parametrize("arguments", ASCII, ids=map(" ".join, ASCII))
def test_an_ascii_stream_gets_ascii(arguments):
    done, full = shell(*arguments, PYTHONIOENCODING="ascii"), shell(*arguments, PYTHONIOENCODING="utf-8")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    if "--json" in arguments:
        assert json.loads(done.stdout) == json.loads(full.stdout)
    else:
        assert len(done.stdout.splitlines()) == len(full.stdout.splitlines())


def test_ascii_says_what_the_signs_say():
    shown = shell("activations", PYTHONIOENCODING="ascii").stdout.decode()
    assert "\n# 4 equalities were accepted by the proof checker; " in shown
    assert "?" not in shown


def test_an_error_on_an_ascii_stream_is_ascii():
    done = shell("activations", "--set", "s=é", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"derive: error: s must be a positive integer: got '\\xe9'\n"
