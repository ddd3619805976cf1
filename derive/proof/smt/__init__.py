"""Z3 as a referee of statements and as a finder of counterexamples: a second opinion, never a proof."""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from subprocess import DEVNULL, PIPE, Popen
from threading import Lock, Timer
from typing import Any

from derive.errors import DeriveError
from derive.proof.smt.refereeing import UNKNOWN, Answer

SECONDS = 2.0
GRACE = 0.5  # seconds after its time that Z3, which does not always look at the clock, still has to answer
MOST_PROCESSES = 2


def available() -> bool:
    """Whether Z3 is installed.

    >>> available() in (True, False)
    True
    """
    return find_spec("z3") is not None


def referee(statement: Mapping[str, Any], seconds: float = SECONDS) -> str:
    """Whether Z3 agrees with a statement: "agrees", "disagrees" or "unknown"; `explained` says why.

    It agrees with one whose givens exclude every point, too: the checker's witness is there for those.

    Raises `DeriveError` where Z3 is not installed.
    """
    return explained(statement, seconds)[0]


def explained(statement: Mapping[str, Any], seconds: float = SECONDS) -> Answer:
    """Whether Z3 agrees with a statement, and if not, why.

    It agrees if no point is left where the givens hold and a part has no value, a definition that has to be positive is
    not, or the relation fails: first among reals in the place of the integers, then among integers. It disagrees if it
    finds a point where the relation fails, and exact arithmetic confirms that.
    Raises `DeriveError` where Z3 is not installed.
    """
    return _single().answer(statement, seconds)


def refute(statement: Mapping[str, Any], seconds: float = SECONDS) -> dict[str, Fraction] | None:
    """A point, found by Z3 and confirmed by exact arithmetic, where the statement fails; None if none was found.

    Integers are sought within small bounds first, then anywhere.
    Raises `DeriveError` where Z3 is not installed.
    """
    found = _single().ask("failure", statement, seconds)
    return None if found is None else {name: Fraction(*value) for name, value in found.items()}


def referee_all(
    statements: Sequence[Mapping[str, Any]], seconds_each: float = SECONDS, processes: int = MOST_PROCESSES
) -> dict[str, Answer]:
    """What Z3 says of each statement, by name, with the reason where it does not agree; by several processes.

    Raises `DeriveError` where Z3 is not installed.
    """
    count = max(1, min(processes, os.cpu_count() or 1, len(statements)))
    workers: SimpleQueue[_Worker] = SimpleQueue()
    for _ in range(count):
        workers.put(_Worker())

    def judged(statement: Mapping[str, Any]) -> Answer:
        worker = workers.get()
        try:
            return worker.answer(statement, seconds_each)
        finally:
            workers.put(worker)

    with ThreadPoolExecutor(count) as pool:
        found = dict(zip([each["name"] for each in statements], pool.map(judged, statements), strict=True))
    for _ in range(count):
        workers.get().end()
    return found


class _Worker:
    """A process that asks Z3: it is ended where it takes too long, and started again for the next question.

    Raises `DeriveError` where Z3 is not installed.
    """

    def __init__(self) -> None:
        if not available():
            raise DeriveError("Z3 is not installed, which the level smt needs; pip install 'shapeproof[smt]'")
        self.process: Popen[str] | None = None
        self.lock = Lock()

    def answer(self, statement: Mapping[str, Any], seconds: float) -> Answer:
        """What Z3 says of a statement; unknown if its process had to be ended."""
        found = self.ask("answer", statement, seconds)
        return (UNKNOWN, f"Z3 gave no answer in {seconds:g} s") if found is None else (found[0], found[1])

    def ask(self, task: str, statement: Mapping[str, Any], seconds: float) -> Any:
        """The answer of `derive.proof.smt.refereeing.serve`, or None."""
        with self.lock:
            if self.process is None:
                self.process = _started()
            process = self.process
            assert process.stdin is not None
            assert process.stdout is not None
            timer = Timer(seconds + GRACE, process.kill)
            timer.start()
            try:
                print(json.dumps([task, statement, seconds]), file=process.stdin, flush=True)
                line = process.stdout.readline()
            except BrokenPipeError:
                line = ""
            finally:
                timer.cancel()
            if not line:
                self.end()
            return json.loads(line) if line else None

    def end(self) -> None:
        """End the process, if there is one."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def _started() -> Popen[str]:
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "derive.proof.smt.refereeing"]
    return Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, env={**os.environ, "PYTHONPATH": paths})


@cache
def _single() -> _Worker:
    worker = _Worker()
    atexit.register(worker.end)
    return worker
