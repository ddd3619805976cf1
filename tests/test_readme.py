"""The README is true: its sessions print what they say, its Python runs, its code is the project's."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from derive.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"```console\n\$ python -m derive (.*?)\n(.*?)```", README, flags=re.DOTALL)


def test_there_are_sessions():
    assert len(SESSIONS) == README.count("```console") >= 3


@pytest.mark.parametrize(("command", "output"), SESSIONS)
def test_session(command, output, capsys):
    assert main(shlex.split(command)) == 0
    printed = capsys.readouterr().out
    assert printed
    if output:
        assert printed == output


def test_python():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 5
    assert failed == 0


def test_quoted_code_is_the_projects():
    (quoted,) = re.findall(r"```python\n(@block.*?)```", README, flags=re.DOTALL)
    assert quoted in (ROOT / "formulas/architectures/gpt.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("mark", ["run", "tests"])
def test_set_up_commands_are_marked_for_ci(mark):
    assert re.search(rf"<!-- {mark} -->\n```sh\npython3 -m venv .venv && .*\n```", README)


@pytest.mark.parametrize("key", ["3261136896", "411312128"])
def test_numbers_in_the_text(key, capsys):
    plan = {"411312128": ["--plan", "tp=8,sp"]}.get(key, [])
    main(["activations", "--model", "llama3-70b", *plan])
    assert key in capsys.readouterr().out
