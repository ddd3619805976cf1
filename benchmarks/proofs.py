"""How long proving everything takes, by part, beside a plain `import sympy`: CPU seconds and ratios of one run."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
GOALS = {"searching": 5.0, "checking": 0.3, "Z3": 10.0, "Coq": 60.0}  # seconds on two cores


def spent() -> float:
    """CPU seconds of this process and its children so far."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What the work returns, and the wall and CPU seconds that it takes."""
    start, before = time.perf_counter(), spent()
    result = work()
    return result, time.perf_counter() - start, spent() - before


def main() -> None:
    """Print the table."""
    plain = [sys.executable, "-c", "import sympy"]
    subprocess.run(plain, check=True)
    _, _, unit = timed(lambda: subprocess.run(plain, check=True))

    from checks.prove import chosen
    from checks.stored import FOLDER
    from derive.proof import coq, smt
    from derive.proof.checker import check
    from derive.proof.statement import proved

    found, *deriving = timed(lambda: [item for item in chosen(()) if item.expected != "refuted"])
    rows: dict[str, list[float]] = {"deriving and judging": deriving}
    _, *rows["searching"] = timed(lambda: [proved(item.statement) for item in found])
    texts = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.json"))]
    certificates = [each for text in texts for each in json.loads(text)["certificates"]]
    _, *rows["checking"] = timed(lambda: [check(each) for each in certificates])
    if smt.available():
        answers, *rows["Z3"] = timed(lambda: smt.referee_all(certificates))
        print("Z3:", sum(answer == "agrees" for answer, _ in answers.values()), "of", len(certificates), "agree")
    if shutil.which("coqc"):
        verdicts, *rows["Coq"] = timed(lambda: coq.verdicts(certificates))
        print("Coq:", sum(each.accepted for each in verdicts.values()), "of", len(certificates), "accepted")
    print(f"{len(certificates)} certificates; a plain import of SymPy takes {unit:.2f} s of CPU")
    print(f"{'part':<24}{'wall, s':>9}{'CPU, s':>9}{'ratio':>8}{'goal, s':>9}")
    for name, (wall, cpu) in rows.items():
        goal = GOALS.get(name)
        late = "  missed" if goal is not None and min(wall, cpu) > goal else ""
        print(f"{name:<24}{wall:>9.2f}{cpu:>9.2f}{cpu / unit:>8.2f}{goal if goal is not None else '':>9}{late}")


if __name__ == "__main__":
    main()
