"""Writing files that people asked for: a file is there whole, or it is left as it was."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from contextlib import suppress

from derive.errors import DeriveError

# What went wrong, in words that say where to look; any other reason is the system's own text.
REASONS = {
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EACCES: "there is no permission to write there",
    errno.EPERM: "there is no permission to write there",
    errno.EROFS: "it is on a file system that can only be read",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is full",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ELOOP: "its links lead back to themselves",
}


def write_whole(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write `data` (text as UTF-8, its ends of lines as they are) to `path`: the whole of it, or nothing at all.

    Readers of an existing file see it as it was until the new one is complete. It keeps its permissions, and a link
    its target. What is no plain file (a pipe, `/dev/stdout`) is written to directly.
    Raises `DeriveError`, one line that names the path, if that is not possible; `BrokenPipeError` if a reader is gone.

    >>> import tempfile
    >>> place = os.path.join(tempfile.mkdtemp(), "a.svg")
    >>> write_whole(place, "first")
    >>> write_whole(place, "second")
    >>> open(place).read(), os.listdir(os.path.dirname(place))
    ('second', ['a.svg'])
    >>> write_whole("missing/a.svg", "")
    Traceback (most recent call last):
    derive.errors.DeriveError: cannot write 'missing/a.svg': there is no folder 'missing'
    """
    name = os.fspath(path)
    content = data.encode() if isinstance(data, str) else data
    try:
        _write(name, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DeriveError(f"cannot write {_quoted(name)}: {_reason(name, error)}") from None


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the error that `write_whole` would raise, as far as it is seen without writing: before long work.

    >>> check_writable(".")
    Traceback (most recent call last):
    derive.errors.DeriveError: cannot write '.': it is a folder
    """
    name = os.fspath(path)
    try:
        _target(name)
    except OSError as error:
        raise DeriveError(f"cannot write {_quoted(name)}: {_reason(name, error)}") from None


def _write(name: str, content: bytes) -> None:
    target, found = _target(name)
    if found is not None and _is_output(found):
        sys.stdout.flush()
        _put(1, content)  # opened again, a redirected file would be written over from its start
    elif found is not None and not stat.S_ISREG(found.st_mode):
        handle = os.open(name, os.O_WRONLY)
        try:
            _put(handle, content)
        finally:
            os.close(handle)
    else:
        _replace(target, content, found)


def _target(name: str) -> tuple[str, os.stat_result | None]:
    """The file that the name leads to, and what is there now; `OSError` if that cannot be written."""
    if not name or "\0" in name:
        raise OSError(errno.EINVAL, "it names no file")
    try:
        found = os.stat(name)
    except FileNotFoundError:
        found = None
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    if (found is not None and stat.S_ISDIR(found.st_mode)) or (found is None and name.endswith(os.sep)):
        raise OSError(errno.EISDIR, "")
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "", folder)
    plain = found is None or (stat.S_ISREG(found.st_mode) and not _is_output(found))
    # A file that its owner protected is refused, though a new one could take its place.
    wanted = [name] if found is not None else []
    if not all(os.access(each, os.W_OK) for each in [*wanted, *([folder] if plain else [])]):
        raise PermissionError(errno.EACCES, "")
    return target, found


def _is_output(found: os.stat_result) -> bool:
    try:
        return os.path.samestat(found, os.fstat(1))
    except OSError:  # standard output is closed
        return False


def _replace(target: str, content: bytes, found: os.stat_result | None) -> None:
    """Write a file beside the target and give it the target's name once it is complete."""
    beside = os.path.join(os.path.dirname(target), f".derive-{os.getpid()}-{secrets.token_hex(4)}.part")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        try:
            if found is not None:
                with suppress(OSError):  # another's file: its owner where that is allowed
                    os.chown(handle, found.st_uid, found.st_gid)
                os.chmod(handle, stat.S_IMODE(found.st_mode))
            _put(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _put(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _reason(name: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"there is no folder {_quoted(os.path.dirname(name) or os.path.dirname(os.path.realpath(name)))}"
    return REASONS.get(error.errno or 0) or error.strerror or str(error)


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 200 else "..." + name[-197:])
