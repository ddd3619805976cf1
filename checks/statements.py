"""`python -m checks.statements FILE`: every proved claim as a statement that the bare checker reads."""

import json
import sys
from pathlib import Path

from derive.verdict import judge
from formulas import all_claims


def statements() -> list[dict]:
    """The statements behind all proved claims, in the order of their sources."""
    accepted = (judge(claim).statement for claim in all_claims())
    return [statement for statement in accepted if statement is not None]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(statements(), indent=1), encoding="utf-8")
