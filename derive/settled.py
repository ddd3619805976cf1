"""One statement of the project, where it comes from, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from derive.citation import OPEN
from derive.proof.statement import Statement
from derive.shown import in_notebook
from derive.verdict import Judgement


@dataclass(frozen=True)
class Settled:
    """A claim or a law with its statement, its verdict, and the levels: reached in this process, and recorded."""

    name: str
    kind: str  # claim or law
    topic: str
    words: str
    source: str
    expected: str
    statement: Statement  # once it is proved, its certificate
    verdict: str = OPEN
    text: str = ""  # what the checker accepted, in its words
    why: str = ""  # it is open, or stays at a level
    level: str | None = None  # reached here
    recorded: str | None = None  # for the very same statement
    judgement: Judgement | None = None  # of a claim

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}: {self.verdict}>"

    @property
    def is_expected(self) -> bool:
        """Whether the verdict is the expected one; open never is."""
        return self.verdict == self.expected != OPEN
