"""Certificates as lemmas that Coq's kernel accepts or rejects: the last level of a proof."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from derive.errors import ClaimError, DeriveError
from derive.proof.coq.lemma import lemma
from derive.proof.coq.text import lemma_name

PREAMBLE = Path(__file__).with_name("preamble.v")
AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)  # of the real numbers of Coq's standard library
TIMEOUT = 20  # seconds that one tactic of a script may take
HEAD = f"Require Import Reals Lra preamble.\nOpen Scope R_scope.\nSet Default Timeout {TIMEOUT}.\n"
AT_ONCE = 50  # lemmas in a file
ERROR = re.compile(r'File "[^"]*", line (\d+), characters [^\n]*\n(?:Error:)?(.*)', re.DOTALL)


@dataclass(frozen=True)
class Verdict:
    """Whether the kernel accepted a certificate's lemma, and why not where it did not."""

    accepted: bool
    message: str = ""


def export(certificates: Iterable[dict[str, Any]]) -> str:
    """One file for Coq with the preamble, a lemma for each certificate, and what all of them assume.

    Raises `ClaimError` where a certificate is not in the format. Whether one is true is not looked at.

    >>> print(export([{"name": "layer/up", "symbols": {"h": "positive integer", "f": "positive integer"},
    ...     "define": [["f", ["*", 4, "h"]]], "given": [], "relation": "==", "left": ["*", 2, "h", "f"],
    ...     "right": ["*", 8, ["^", "h", 2]], "steps": []}]).partition("(* layer/up *)")[2])
    <BLANKLINE>
    Lemma c''layer''up :
      forall h f : R,
      whole h ->
      1 <= h ->
      f = (4 * h) ->
      (2 * h * f) = (8 * (h ^ 2)).
    Proof.
    intros h f kind'h'0 kind'h'1 definition'f.
    subst f.
    rename kind'h'0 into whole'h.
    pose proof (one_n' kind'h'1) as one'h; pose proof (one_p' one'h) as pos'h.
    assert (equal'0 : (2 * h * (4 * h)) = (8 * (h ^ 2))) by ring.
    exact equal'0.
    Qed.
    <BLANKLINE>
    Definition together' := (more' c''layer''up none').
    Print Assumptions together'.
    <BLANKLINE>
    """
    lemmas = {certificate["name"]: lemma(certificate) for certificate in certificates}
    return "\n".join([PREAMBLE.read_text(), *lemmas.values(), _together(list(lemmas))])


def verdicts(certificates: Sequence[dict[str, Any]]) -> dict[str, Verdict]:
    """What the kernel says of each certificate, by name: one that it rejects takes nothing from the others.

    Raises `DeriveError` where there is no `coqc`, or where two certificates have one name.
    """
    coqc = shutil.which("coqc")
    if coqc is None:
        raise DeriveError("no coqc: install Coq, such as Debian's package coq, and have coqc on the PATH")
    found: dict[str, Verdict] = {}
    lemmas: dict[str, str] = {}
    for certificate in certificates:
        name = certificate["name"]
        if name in lemmas or name in found:
            raise DeriveError(f"two certificates are called {name!r}")
        try:
            lemmas[name] = lemma(certificate)
        except ClaimError as error:
            found[name] = Verdict(False, str(error))
    names = list(lemmas)
    number = max(os.cpu_count() or 1, -(-len(names) // AT_ONCE))
    chunks = [{name: lemmas[name] for name in names[start::number]} for start in range(min(number, len(names)))]
    with TemporaryDirectory(prefix="coq") as folder, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        place = Path(folder)
        text = PREAMBLE.read_text()
        if failure := _compile(coqc, place, "preamble", text)[0]:
            raise DeriveError(f"coqc does not accept {PREAMBLE.name}: {failure}")
        for judged in pool.map(lambda pair: _judged(coqc, place, *pair), enumerate(chunks)):
            found |= judged
    return {certificate["name"]: found[certificate["name"]] for certificate in certificates}


def _together(names: Sequence[str]) -> str:
    """All lemmas as one, and what it assumes."""
    term = reduce(lambda inner, name: f"(more' {name} {inner})", map(lemma_name, reversed(names)), "none'")
    return f"Definition together' := {term}.\nPrint Assumptions together'.\n"


def _judged(coqc: str, folder: Path, number: int, lemmas: dict[str, str]) -> dict[str, Verdict]:
    """The verdicts on the lemmas of one file."""
    failed: dict[str, Verdict] = {}
    left, output = list(lemmas), ""
    while left:
        failure, line, output = _compile(coqc, folder, f"lemmas{number}", _file(lemmas, left))
        if not failure:
            break
        place = _place(lemmas, left, line)
        failed[left[place]] = Verdict(False, failure)
        left = left[place + 1 :]  # those before it were accepted
    passed = [name for name in lemmas if name not in failed]
    if failed and passed:  # all of them once more, for what they assume
        failure, _, output = _compile(coqc, folder, f"lemmas{number}", _file(lemmas, passed))
        if failure:
            raise DeriveError(f"coqc accepts lemmas one time and not another: {failure}")
    strange = _axioms(output) - AXIOMS
    reason = f"assumes {', '.join(sorted(strange))}" if strange else ""
    return failed | dict.fromkeys(passed, Verdict(not strange, reason))


def _file(lemmas: dict[str, str], names: Sequence[str]) -> str:
    return HEAD + "".join(lemmas[name] for name in names) + _together(names)


def _place(lemmas: dict[str, str], names: Sequence[str], line: int) -> int:
    """Which of the lemmas of a file has the line."""
    ends = accumulate((lemmas[name].count("\n") for name in names), initial=HEAD.count("\n"))
    place = next((place for place, end in enumerate(ends) if line <= end), 0) - 1
    if place < 0:
        raise DeriveError(f"coqc rejects line {line}, which is in no lemma")
    return place


def _compile(coqc: str, folder: Path, name: str, text: str) -> tuple[str, int, str]:
    """Coq's message or nothing, the line it is about, and what it printed."""
    (folder / f"{name}.v").write_text(text)
    command = [coqc, "-q", "-R", ".", "", f"{name}.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return "", 0, done.stdout
    match = ERROR.search(done.stderr)
    if match is None:
        raise DeriveError(f"coqc failed: {done.stderr.strip() or done.returncode}")
    return " ".join(match[2].split()) or "rejected", int(match[1]), done.stdout


def _axioms(output: str) -> set[str]:
    """The names that `Print Assumptions` lists: each begins a line, its type is indented or follows a colon."""
    return {
        line.split()[0]
        for line in output.splitlines()
        if line and not line[0].isspace() and line not in ("Axioms:", "Closed under the global context")
    }
