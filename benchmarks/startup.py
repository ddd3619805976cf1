"""How long commands take beside a plain `python -c "import sympy"`: ratios of medians, measured in alternation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(tempfile.mkdtemp())
CONFIG = {"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
          "num_attention_heads": 32, "num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2,
          "vocab_size": 32000}  # fmt: skip
PLAIN = ("-c", "import sympy")
# Command -> the goal that is set for its ratio, where there is one.
COMMANDS: dict[tuple[str, ...], float | None] = {
    ("activations", "--latex"): 1.25,
    ("list",): 0.4,
    ("activations",): None,
    ("parameters", "--model", "llama3-70b"): None,
    ("parameters", "--model", str(FOLDER / "config.json")): 1.5,
    ("activations", "--json", "--model", "gpt2"): None,
    ("cheatsheet", "-o", str(FOLDER / "sheet.md")): 3.0,
    ("cheatsheet", "-o", str(FOLDER / "sheet.pdf")): None,  # its goal is the Markdown's time and 2 seconds
    ("plan", "--model", "llama3-70b", "--tokens", "15T", "--gpu", "h100", "--gpus", "1024", "--mfu", "40%"): 2.0,
}


if find_spec("typst") is None:
    print("cheatsheet -o sheet.pdf is left out: typst is not installed")
    del COMMANDS["cheatsheet", "-o", str(FOLDER / "sheet.pdf")]


def seconds(arguments: tuple[str, ...]) -> float:
    """The wall time of one run of this Python, with bytecode caching on, as a user has it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, check=True)
    return time.perf_counter() - start


def measured(rounds: int) -> dict[tuple[str, ...], list[float]]:
    """Times by command, plain import first; each round runs every command once, so that a slow minute hits them all."""
    (FOLDER / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    runs = {PLAIN: PLAIN, **{command: ("-m", "derive", *command) for command in COMMANDS}}
    for arguments in runs.values():  # warm-up: bytecode is written, files are in the page cache
        seconds(arguments)
    times: dict[tuple[str, ...], list[float]] = {command: [] for command in runs}
    for _ in range(rounds):
        for command, arguments in runs.items():
            times[command].append(seconds(arguments))
    return times


def main() -> None:
    """Print the table; the number of rounds is the only argument."""
    times = measured(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
    plain = median(times[PLAIN])
    print(f"{'command':<45}{'median, s':>10}{'lowest, s':>10}{'ratio':>8}{'goal':>7}")
    for command, taken in times.items():
        name = (
            'python -c "import sympy"' if command == PLAIN else f"derive {' '.join(command)}".replace(f"{FOLDER}/", "")
        )
        goal = COMMANDS.get(command)
        verdict = "" if goal is None else f"{goal:>7}" + ("" if median(taken) <= goal * plain else "  missed")
        print(f"{name:<45}{median(taken):>10.3f}{min(taken):>10.3f}{median(taken) / plain:>8.2f}{verdict}")


if __name__ == "__main__":
    main()
