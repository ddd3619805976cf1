"""Files are written whole or not at all, and what stops it is said in one line that names the path."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from derive import files
from derive.errors import DeriveError
from derive.files import check_writable, write_whole

ROOT_USER = os.geteuid() == 0


@pytest.mark.parametrize(
    ("data", "expected"), [("s·b·h\r\n", "s·b·h\r\n".encode()), (b"\x89PNG\r\n\0", b"\x89PNG\r\n\0")]
)
def test_what_is_written_is_what_is_there(tmp_path: Path, data, expected):
    place = tmp_path / "new.svg"
    write_whole(place, data)
    assert place.read_bytes() == expected
    assert [each.name for each in tmp_path.iterdir()] == ["new.svg"]


def test_a_new_file_has_the_permissions_that_any_new_file_has(tmp_path: Path):
    (tmp_path / "touched").touch()
    write_whole(tmp_path / "new", "x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "touched").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_an_existing_file_keeps_its_permissions(tmp_path: Path, mode):
    place = tmp_path / "old"
    place.write_text("a much longer text than the new one")
    place.chmod(mode)
    write_whole(place, "new")
    assert place.read_text() == "new"
    assert stat.S_IMODE(place.stat().st_mode) == mode


def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(Path("folder") / "target")
    for text in ("made", "again"):  # where the link leads to nothing yet, and where to a file
        write_whole(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert os.listdir(tmp_path / "folder") == ["target"]


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_where_writing_fails_the_old_file_is_as_it_was(tmp_path: Path, monkeypatch, step, error):
    place = tmp_path / "old"
    place.write_text("old")

    def fails(*_):
        raise error

    monkeypatch.setattr(files.os, step, fails)
    with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else DeriveError) as raised:
        write_whole(place, "new")
    monkeypatch.undo()
    assert place.read_text() == "old"
    assert os.listdir(tmp_path) == ["old"]
    if raised.type is DeriveError:
        assert str(raised.value) == f"cannot write {str(place)!r}: the disk is full"


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path):
    place = tmp_path / "shared"
    texts = {"a" * 300_000, "b" * 200_000}
    write_whole(place, "a" * 300_000)
    seen, done = set(), threading.Event()

    def read():
        while not done.is_set():
            seen.add(place.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(30):
        for text in texts:
            write_whole(place, text)
    done.set()
    reader.join()
    assert seen <= texts


def refusals(folder: Path) -> dict[str, tuple[str, str]]:
    (folder / "file").write_text("x")
    (folder / "loop").symlink_to("loop")
    (folder / "hanging").symlink_to("missing/there")
    long = "n" * 300
    return {
        "a folder": (f"{folder}", "it is a folder"),
        "a folder to be": (f"{folder}/new/", "it is a folder"),
        "no such folder": (f"{folder}/missing/a.svg", f"there is no folder '{folder}/missing'"),
        "below a file": (f"{folder}/file/a.svg", "a part of its path is a file, not a folder"),
        "a loop of links": (f"{folder}/loop", "its links lead back to themselves"),
        "a long name": (f"{folder}/{long}", "its name is too long"),
        "no name": ("", "it names no file"),
        "a name that no file has": ("a\0b", "it names no file"),
    }


@pytest.mark.parametrize("case", [
    "a folder", "a folder to be", "no such folder", "below a file", "a loop of links", "a long name", "no name",
    "a name that no file has",
])  # fmt: skip
@pytest.mark.parametrize("ask", [check_writable, lambda path: write_whole(path, "x")])
def test_what_cannot_be_written_is_said_in_one_line(tmp_path: Path, case, ask):
    path, reason = refusals(tmp_path)[case]
    shown = repr(path if len(path) <= 200 else "..." + path[-197:])
    with pytest.raises(DeriveError) as raised:
        ask(path)
    assert str(raised.value) == f"cannot write {shown}: {reason}"
    assert "\n" not in str(raised.value)


def test_a_link_into_a_missing_folder_is_refused(tmp_path: Path):
    (tmp_path / "hanging").symlink_to("missing/there")
    with pytest.raises(DeriveError, match="there is no folder"):
        write_whole(tmp_path / "hanging", "x")


@pytest.mark.parametrize("what", ["file", "folder"])
def test_without_permission_nothing_is_written(tmp_path: Path, monkeypatch, what):
    place = tmp_path / "old"
    place.write_text("old")
    closed = place if what == "file" else tmp_path
    closed.chmod(0o555 if what == "folder" else 0o444)
    if ROOT_USER:  # root may write everywhere: what the system would say to anybody else
        allowed = os.access
        monkeypatch.setattr(files.os, "access", lambda path, mode: str(path) != str(closed) and allowed(path, mode))
    try:
        with pytest.raises(DeriveError) as raised:
            write_whole(place, "new")
        assert str(raised.value) == f"cannot write {str(place)!r}: there is no permission to write there"
        assert place.read_text() == "old"
    finally:
        closed.chmod(0o755)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_device_is_said():
    with pytest.raises(DeriveError, match=r"^cannot write '/dev/full': the disk is full$"):
        write_whole("/dev/full", "x")


def test_a_pipe_is_written_to_directly(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "x" * 200_000)  # more than a pipe holds
    reader.join()
    assert read == [b"x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="a name of Unix")
@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_standard_output_is_not_replaced(tmp_path: Path, mode):
    place = tmp_path / "out"
    place.write_bytes(b"before ")
    code = "from derive.files import write_whole; print('one '); write_whole('/dev/stdout', 'two '); print('three')"
    with place.open(mode) as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert place.read_text().split() == ["before"] * (mode == "ab") + ["one", "two", "three"]
