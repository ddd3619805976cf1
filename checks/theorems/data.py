"""Data sets: the bytes of tokens, and windows of a file."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="data", letters=(Letter("c", "factor"),))
token, dataset = Of("token-bytes"), partial(Of, "dataset-bytes")

DATA = (
    theorem(
        "token-at-most-four-bytes",
        "no stored token takes more than 4 bytes",
        "y <= 4",
        {"y": token},
        equality={"V": 65537},
    ),
    theorem(
        "token-at-least-two-bytes",
        "no stored token takes fewer than 2 bytes",
        "2 <= y",
        {"y": token},
        equality={"V": 1},
    ),
    theorem(
        "token-of-two-bytes",
        "up to 65536 tokens are told apart by 2 bytes",
        "y <= 2",
        {"y": token},
        given=("V <= 65536",),
        equality={"V": 65536},
        needed={"V <= 65536": {"V": 65537}},
    ),
    theorem(
        "data-set-is-linear",
        "c times the tokens take c times the bytes",
        "larger == c*X",
        {"larger": dataset(at={"D": "c*D"}), "X": dataset()},
    ),
    theorem(
        "data-set-at-most-four-bytes-a-token",
        "a data set takes at most 4 bytes a token, whatever its vocabulary",
        "X <= 4*D",
        {"X": dataset()},
        equality={"V": 65537},
    ),
    theorem(
        "longer-windows-start-at-fewer-places",
        "every token that a window has more costs one place where it can start",
        "longer == x - 1",
        {"longer": Of("window-starts", at={"s": "s + 1"}), "x": Of("window-starts")},
    ),
)
