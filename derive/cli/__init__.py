"""The command line: finds the verb, runs it, and turns every error into one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module, util
from pathlib import Path

from derive.errors import DeriveError

MISUSE = 2
FOLDERS = ("formulas", "checks")  # also the names of other distributions' packages


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code: 0 done, 1 a check failed, 2 misuse."""
    try:
        try:
            if sys.stdout is None:
                raise DeriveError("standard output is closed")
            _refuse_strangers()
            code = _run(list(sys.argv[1:] if arguments is None else arguments))
            sys.stdout.flush()
        except ImportError as error:
            name = (error.name or "").partition(".")[0]
            if name in FOLDERS:  # at its place, but overwritten by a distribution that has a package of that name too
                say(f"derive: error: {_stranger(name, f'another distribution has overwritten it ({error.msg})')}")
                return MISUSE
            raise
        except DeriveError as error:
            say(f"derive: error: {error}")
            return MISUSE
    except BrokenPipeError:
        # The reader has what it wanted; without this the interpreter complains when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # a full disk, a file of the installation that cannot be read
        where = f"{error.filename!r}" if error.filename is not None else "standard output"
        say(f"derive: error: cannot use {where}: {error.strerror or error}")
        return MISUSE
    except Exception as error:
        if os.environ.get("DERIVE_TRACEBACK"):
            raise
        say(f"derive: error: this is a fault of derive itself ({type(error).__name__}: {error}); please report it")
        return MISUSE
    return code


def say(line: str) -> None:
    """Print one line on standard error, whatever the text holds and whatever the stream can carry."""
    if sys.stderr is None:  # closed; print would then take standard output
        return
    # Ends of lines and escapes that an argument holds are shown, not sent to the terminal.
    text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in line)
    print(text.encode("ascii", "backslashreplace").decode() if _ascii(sys.stderr) else text, file=sys.stderr)


def _ascii(stream: object) -> bool:
    return "utf" not in (getattr(stream, "encoding", None) or "").lower()


def _refuse_strangers() -> None:
    """`formulas` and `checks` are common names: a foreign package of that name would break things in strange ways."""
    home = Path(__file__).resolve().parents[2]
    for name in FOLDERS:
        spec = util.find_spec(name)
        place = Path(spec.origin).resolve() if spec is not None and spec.origin else None
        if place is None:
            raise _stranger(name, "it was not found")
        if place != home / name / "__init__.py":
            where = place.parent if place.name == "__init__.py" else place
            raise _stranger(name, f"another package of that name is at {where}")


def _stranger(name: str, found: str) -> DeriveError:
    here = Path(__file__).resolve().parents[1]
    return DeriveError(
        f"the package {name!r} beside {here} is needed, but {found}: "
        "install shapeproof into a virtual environment of its own"
    )


def _run(arguments: list[str]) -> int:
    from derive.cli.arguments import VERBS, parser_of, top_level

    if not arguments or arguments[0].startswith("-"):
        return top_level(arguments)
    name, *rest = arguments
    parser = parser_of(name)
    options = parser.parse_args(rest)
    module = VERBS[name].module if name in VERBS else "derive.cli.quantity"
    return import_module(module).run(name, options)


def load_sympy() -> None:
    """Import SymPy with the garbage collector out of the way, which saves a third of the time that it takes."""
    import gc

    gc.disable()
    import sympy  # noqa: F401

    gc.freeze()
    gc.set_threshold(200_000)  # a command makes few cycles: looking for them often takes a tenth of its time
    gc.enable()
