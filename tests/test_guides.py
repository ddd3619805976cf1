"""The README and the guides are true: every block of code in them is run, in order, in a copy of the project."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from derive.cli import main
from derive.plan import KEYS
from formulas.configs import model_types
from tests.guides import IN_CI, Block, _compare, blocks, run_all

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
FILES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in FILES.items()}
GUIDES = [name for name in FILES if name.startswith("docs/") and name != "docs/README.md"]
every = pytest.mark.parametrize("name", FILES)
# What stands behind `path/to/config.json` in the texts.
CONFIGURATION = {
    "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
    "tie_word_embeddings": True,
}  # fmt: skip
COPIED = ("derive", "formulas", "checks", "tests", "docs", "README.md", "pyproject.toml")


@pytest.fixture
def copy(tmp_path):
    """The project as a reader has it, and a configuration where the texts say that theirs is."""
    for name in COPIED:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        else:
            shutil.copy(place, tmp_path / name)
    (tmp_path / "path/to").mkdir(parents=True)
    (tmp_path / "path/to/config.json").write_text(json.dumps(CONFIGURATION), encoding="utf-8")
    return tmp_path


@every
def test_every_block_does_what_it_says(name, copy):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {key: os.environ[key] for key in ("HOME", "CI") if key in os.environ}
    run_all(FILES[name], copy, {**kept, "PATH": path, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"})


@pytest.mark.parametrize("name", ["README.md", *GUIDES])
def test_there_is_something_to_run(name):
    assert len(blocks(TEXTS[name])) >= 3


@every
def test_links_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", TEXTS[name]):
        if "://" not in target:
            assert (FILES[name].parent / target).exists(), target


def test_the_index_has_every_guide():
    for name in GUIDES:
        assert f"({Path(name).name})" in TEXTS["docs/README.md"]
    assert "(docs/README.md)" in TEXTS["README.md"]


@every
def test_texts_are_short(name):
    assert len(TEXTS[name].splitlines()) < (250 if name == "README.md" else 150)


@pytest.mark.parametrize("mark", IN_CI)
def test_set_up_commands_are_run_in_ci(mark):
    (block,) = [block for block in blocks(TEXTS["README.md"]) if block.mark == mark]
    assert re.fullmatch(r"python3 -m venv \.venv && .*\n", block.text)
    assert f"readme_command {mark}" in (ROOT / ".ci/run").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ["3261136896", "411312128"])
def test_numbers_in_the_text(key, capsys):
    assert key in TEXTS["README.md"]
    plan = {"411312128": ["--plan", "tp=8,sp"]}.get(key, [])
    main(["activations", "--model", "llama3-70b", *plan])
    assert key in capsys.readouterr().out


def test_the_readme_names_every_model_type():
    (listed,) = re.findall(r"Read are the types (.*?), and the language model", TEXTS["README.md"], flags=re.DOTALL)
    assert sorted(re.split(r",\s+|\s+and\s+", listed)) == list(model_types())


def test_the_table_of_plans_has_every_key():
    text = TEXTS["docs/commands.md"]
    assert [key for key in KEYS if f"`{key}`" not in text and f"`{key}=" not in text] == []


def test_a_block_that_nobody_runs_is_seen(tmp_path):
    path = tmp_path / "it.md"
    for text, words in [
        ("```toml\na = 1\n```\n", "nobody runs this toml block"),
        ("```\nls\n```\n", "nobody runs this  block"),
        ("<!-- typo: x.py -->\n```python\na\n```\n", "nobody knows what <!-- typo: x.py --> is"),
        ("<!-- below: it.md: no such line -->\n```python\na\n```\n", "it.md has no line no such line"),
        ("```console\n$ true\n```\n", "true prints nothing"),
        ("```console\n$ echo 1\n2\n```\n", "echo 1 prints"),
        ("```console\n$ false; echo 1\n1\n$ sh -c 'echo 1; exit 3'\n1\n```\n", "ends with 3"),
        ("```sh\nfalse\n```\n", "false ends with 1"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Failed example"),
        ("```sh\ntrue\n", "a fence is not closed"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(AssertionError, match=re.escape(words)):
            run_all(path, tmp_path, {"PATH": os.environ["PATH"]})


def test_output_may_leave_lines_out():
    _compare("it", "a\nb\nc\nd\n", ["a", "...", "d"])
    with pytest.raises(AssertionError, match=r"^it prints"):
        _compare("it", "a\nb\nc\n", ["a", "...", "d"])


def test_blocks_are_read():
    text = "words\n<!-- new: a.py -->\n```python\nx = 1\n```\n- a list\n  ```sh\n  ls\n  ```\n"
    assert blocks(text) == [Block("new: a.py", "python", "x = 1\n"), Block("", "sh", "ls\n")]
