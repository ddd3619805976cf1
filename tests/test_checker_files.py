"""The checker as a program: files of certificates, one line for each, alone and with nothing installed."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from derive.proof.checker import MAX_FILE_BYTES, check, digest, main
from tests.checking import CHECKER, GOOD, certificate


def signed(data: Any) -> Any:
    """A certificate with its digest."""
    return data | {"digest": digest(data)}


def file_of(*certificates: Any) -> str:
    return json.dumps({"version": 1, "certificates": certificates})


ONE = signed(certificate("2*a == a + a", symbols={"a": "positive integer"}))
FALSE = signed(certificate("2*a == a + 1", symbols={"a": "positive integer"}))
ACCEPTED = "accepted: for every positive integer a: 2*a == a + a"
LEFT_OUT = "rejected, and what follows in it is not looked at"


def test_every_certificate_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "good.json"
    path.write_text(file_of(ONE, *map(signed, GOOD.values())))
    assert main([str(path)]) == 0
    expected = [f"{path}: {ACCEPTED}", *(f"{path}: accepted: {check(each)}" for each in GOOD.values())]
    assert capsys.readouterr().out.splitlines() == expected


def test_one_that_is_rejected_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    good, mixed = tmp_path / "good.json", tmp_path / "mixed.json"
    good.write_text(file_of(ONE))
    mixed.write_text(file_of(ONE, FALSE, ONE))
    expected = [f"{mixed}: {ACCEPTED}", f"{mixed}: {LEFT_OUT}: the steps do not show the relation"]
    assert main([str(mixed)]) == 1
    assert capsys.readouterr().out.splitlines() == expected
    assert main([str(mixed), str(good)]) == 1
    assert capsys.readouterr().out.splitlines() == [*expected, f"{good}: {ACCEPTED}"]


def test_no_file_shows_nothing(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 1
    assert capsys.readouterr().out == ""


TEXT = file_of(ONE)
FILES: list[tuple[bytes, str]] = [
    (b"", "Expecting value"),
    (b"\xff\xfe", "'utf-8' codec can't decode"),
    (b"\xef\xbb\xbf" + TEXT.encode(), "Unexpected UTF-8 BOM"),
    (TEXT.encode() + b"]", "Extra data"),
    (b"[]", "no certificates of version 1"),
    (b'[{"version": 1}]', "unhashable type: 'dict'"),
    (b"{}", "no certificates of version 1"),
    (b"1", "'int' object is not iterable"),
    (b'{"version": 1}', "no certificates of version 1"),
    (b'{"version": 1, "certificates": []}', "no certificates of version 1"),
    (b'{"version": 1, "certificates": [], "more": 1}', "no certificates of version 1"),
    (b'{"version": 2, "certificates": [1]}', "no certificates of version 1"),
    (b'{"version": "1", "certificates": [1]}', "no certificates of version 1"),
    (b'{"version": 1, "certificates": 1}', "object of type 'int' has no len()"),
    (b'{"version": 1, "certificates": [1]}', "'int' object is not subscriptable"),
    (b'{"version": 1, "certificates": {"a": 1}}', "string indices must be integers"),
    (b'{"version": 1, "certificates": [{}]}', "'digest'"),
    (b'{"left": 1, "left": 1}', "an object has one key twice"),
    (TEXT.replace('{"a": ', '{"a": "positive real", "a": ').encode(), "an object has one key twice"),
    (TEXT.replace('"==', '"<').encode(), "the digest is that of something else"),
    (TEXT.replace('"digest": "', '"digest": "0').encode(), "the digest is that of something else"),
    (TEXT.replace("2", "9" * 10_000).encode(), "Exceeds the limit"),
    (b"[" * 100_000 + b"]" * 100_000, "maximum recursion depth exceeded"),
    (TEXT.encode() + b" " * MAX_FILE_BYTES, "no certificates of version 1"),  # it may go on with anything
    *(
        (file_of(signed(ONE | {"left": value, "digest": ""})).encode(), "not readable: ")
        for value in (2.0, 2e300, float("nan"), float("inf"), True, None, {"a": 1}, 9**1_000)
    ),
    (file_of(signed(ONE | {"left": "\ud800", "digest": ""})).encode(), r"'\ud800' is not a symbol"),
    (file_of(signed(ONE | {"left": f"\n{ACCEPTED}", "digest": ""})).encode(), r"'\naccepted: for every"),
]


@pytest.mark.parametrize(("content", "text"), FILES, ids=range(len(FILES)))
def test_files_that_are_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, text: str):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    assert main([str(path)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{path}: {LEFT_OUT}: ")
    assert text in line


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(tmp_path / "none.json")]) == 1
    assert "No such file" in capsys.readouterr().out
    assert main([str(tmp_path)]) == 1
    assert "Is a directory" in capsys.readouterr().out


def test_the_digest_is_of_everything_but_itself():
    assert digest(ONE) == digest({key: ONE[key] for key in reversed(ONE) if key != "digest"})
    for key in ONE:
        assert (digest(ONE | {key: "other"}) == digest(ONE)) is (key == "digest")


# ---- alone ----


@pytest.mark.parametrize("flags", [["-I"], ["-I", "-S"], []])
def test_runs_as_a_plain_script(tmp_path: Path, flags: list[str]):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(file_of(ONE, ONE))
    bad.write_text(file_of(FALSE))
    copy = tmp_path / "alone.py"
    copy.write_bytes(CHECKER.read_bytes())
    for script, path, code, lines in (
        (CHECKER, good, 0, [f"{good}: {ACCEPTED}"] * 2),
        (copy, good, 0, [f"{good}: {ACCEPTED}"] * 2),
        (copy, bad, 1, [f"{bad}: {LEFT_OUT}: the steps do not show the relation"]),
    ):
        command = [sys.executable, *flags, str(script), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60)
        assert (done.returncode, done.stdout.splitlines(), done.stderr) == (code, lines, "")


def test_needs_neither_sympy_nor_this_package(tmp_path: Path):
    path = tmp_path / "good.json"
    path.write_text(file_of(*map(signed, GOOD.values())))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import checker; print(checker.main(sys.argv[2:])); "
        "print([name for name in sys.modules if name.split('.')[0] in ('sympy', 'derive', 'z3', 'mpmath')])"
    )
    command = [sys.executable, "-I", "-c", code, str(CHECKER.parent), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60)
    assert (done.returncode, done.stdout.splitlines()[-2:]) == (0, ["0", "[]"])


def test_imports_the_standard_library_only():
    nodes = list(ast.walk(ast.parse(CHECKER.read_text())))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names
    siblings = {path.stem for path in CHECKER.parent.glob("*")}
    assert not siblings & sys.stdlib_module_names  # run as a script, the checker would import them instead
