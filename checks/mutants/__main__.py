"""Prints the score of mutants, all of them or a sample; exits with 1 if anything is accepted that must not be."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from checks.mutants.certified import certificates
from checks.mutants.judging import LISTED
from checks.mutants.score import OF_PROOFS, OF_STATEMENTS, failures, rejected_by_coq, score, table
from derive.errors import DeriveError


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints tables, what is listed, and failures; 0 if there are none of these."""
    parser = argparse.ArgumentParser(prog="python -m checks.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, metavar="N", help="N mutants of statements and N of proofs, not all")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="chooses the sample (default 0)")
    chosen = parser.parse_args(arguments)
    known = certificates()
    found = score(known, chosen.sample, chosen.seed)
    identities = [each for each in found.statements if each.identity]
    print(f"{len(known)} certificates\n")
    print(table(identities, OF_STATEMENTS, "mutants of identities"), end="\n\n")
    print(table([each for each in found.statements if not each.identity], OF_STATEMENTS, "other mutants"), end="\n\n")
    print(table(found.proofs, OF_PROOFS, "corrupted certificates"), end="\n\n")
    print(f"{sum(each.tried for each in found.statements)} false proofs of refuted mutants offered or looked for")
    wrong = failures(found)
    try:
        number, more = rejected_by_coq(known, seed=chosen.seed)
        wrong += more
        print(f"Coq was given {number} refuted mutants and accepts {sum('accepts' in each for each in more)}")
    except DeriveError as error:
        print(f"Coq was not asked: {error}")
    for each in found.statements:
        if each.verdict == LISTED:
            print(f"listed: {each.name}")
    for text in wrong:
        print(f"FAILS: {text}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
