"""The score of mutants: what became of all of them or of a sample, what must not be, and what Coq says of some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from multiprocessing import Pool
from random import Random
from typing import Any, Protocol, TypeVar

from checks.mutants.corruptions import Corruption, corruptions
from checks.mutants.judging import (
    EQUIVALENT,
    FEW,
    LISTED,
    NO_VALUE,
    NOWHERE,
    PROOF,
    REFUTED,
    REJECTED,
    TRUE,
    UNSOUND,
    Outcome,
    accepted,
    judged,
)
from checks.mutants.statements import Mutant, mutants
from derive.proof.coq import verdicts
from derive.proof.refute.counterexample import counterexample

OF_STATEMENTS = (REFUTED, NO_VALUE, NOWHERE, EQUIVALENT, TRUE, LISTED)
OF_PROOFS = (REJECTED, PROOF, TRUE, UNSOUND)
ONE_IN = 25  # mutants that is looked at more closely, where all are judged
CHUNK = 20  # of them for one process at a time

Certificates = Sequence[Mapping[str, Any]]


class Kinded(Protocol):
    """What is made by a mutation of some kind."""

    @property
    def kind(self) -> str: ...


Made = TypeVar("Made", bound=Kinded)


@dataclass(frozen=True)
class Score:
    """What became of mutants of statements and of corrupted certificates."""

    statements: tuple[Outcome, ...]
    proofs: tuple[Outcome, ...]


def drawn(made: Iterable[Made], number: int, seed: int) -> list[Made]:
    """That many, of every kind as many as of another, as far as there are; the same for the same seed."""
    kinds: dict[str, list[Made]] = {}
    for each in made:
        kinds.setdefault(each.kind, []).append(each)
    random = Random(seed)
    for group in kinds.values():
        random.shuffle(group)
    return [each for row in zip_longest(*kinds.values()) for each in row if each is not None][:number]


def score(certificates: Certificates, sample: int | None = None, seed: int = 0, processes: int = 2) -> Score:
    """What becomes of all mutants and corruptions, or of `sample` of each, which are then all looked at closely."""
    broken: list[Mutant] = [each for certificate in certificates for each in mutants(certificate)]
    corrupted: list[Corruption] = [each for certificate in certificates for each in corruptions(certificate)]
    if sample is not None:
        broken, corrupted = drawn(broken, sample, seed), drawn(corrupted, sample, seed)
    deep = [sample is not None or place % ONE_IN == seed % ONE_IN for place in range(len(broken))]
    tasks = [*zip([judged] * len(broken), zip(broken, deep, strict=True), strict=False)]
    tasks += [(accepted, (each,)) for each in corrupted]
    with Pool(processes) as pool:
        found = pool.map(_done, tasks, CHUNK if sample is None else 1)
    return Score(tuple(found[: len(broken)]), tuple(found[len(broken) :]))


def _done(task: tuple[Callable[..., Outcome], tuple[Any, ...]]) -> Outcome:
    function, arguments = task
    return function(*arguments)


def failures(found: Score) -> list[str]:
    """What must not be: an identity's mutant undecided, a false statement accepted, a proved one refuted."""
    undecided = [f"undecided: {each.name}" for each in found.statements if each.identity and each.verdict == LISTED]
    return undecided + [text for each in (*found.statements, *found.proofs) for text in each.wrong]


def table(outcomes: Iterable[Outcome], verdicts: Sequence[str], title: str) -> str:
    """How many of each kind came to which verdict, as lines; verdicts that are nobody's are left out.

    >>> print(table([Outcome("literal", "refuted", "a"), Outcome("literal", "listed", "b")], OF_STATEMENTS, "all"))
    all        made  refuted  listed
    literal       2        1       1
    all kinds     2        1       1
    """
    counts: dict[str, Counter[str]] = {}
    for each in outcomes:
        counts.setdefault(each.kind, Counter())[each.verdict] += 1
    counts = dict(sorted(counts.items()))
    counts["all kinds"] = sum(counts.values(), Counter())
    columns = [verdict for verdict in verdicts if counts["all kinds"][verdict]]
    rows = [(title, "made", *columns)]
    rows += [(kind, str(each.total()), *(str(each[verdict]) for verdict in columns)) for kind, each in counts.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(x.rjust(width) for x, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )


def rejected_by_coq(certificates: Certificates, number: int = 12, seed: int = 0) -> tuple[int, list[str]]:
    """How many refuted mutants, with the steps of the originals, Coq was given; and what it should not have said.

    It gets the originals, too: it must accept them, so that a rejection says something. Raises `DeriveError` where
    there is no `coqc`.
    """
    broken = drawn((each for certificate in certificates for each in mutants(certificate)), 20 * number, seed)
    false = [each for each in broken if counterexample(each.statement, FEW) is not None][:number]
    originals = {each.certificate["name"]: dict(each.certificate) for each in false}
    given = {
        f"{each.certificate['name']}/mutant-{place}": each.statement | {"steps": each.certificate["steps"]}
        for place, each in enumerate(false)
    }
    said = verdicts([each | {"name": name} for name, each in (originals | given).items()])
    wrong = [f"Coq rejects {name}: {said[name].message}" for name in originals if not said[name].accepted]
    return len(given), wrong + [f"Coq accepts {name}, which is refuted" for name in given if said[name].accepted]
