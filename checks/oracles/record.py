"""`python -m checks.oracles.record`: writes what transformers measures to measured_models.json for other tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from checks.configurations import TYPES, configuration
from checks.oracles import PINNED, obstacle
from checks.oracles.configured import SPACES, attention_of, cache_bytes, counted, kept_by_layer, run_of, theirs

FILE = Path(__file__).parents[1] / "measured_models.json"
SIZES = {"b": 2, "s": 7}


def measured(model_type: str, seed: int) -> dict[str, Any]:
    """One configuration with its parameters, the bytes of its cache and those that each layer keeps."""
    fields = configuration(model_type, seed)
    attention, device, plan = attention_of(model_type)
    model = theirs(fields, attention, device)
    kept = [] if model_type in SPACES else kept_by_layer(model, run_of(model, SIZES["b"], SIZES["s"], device))
    return {
        "config": fields,
        **counted(theirs(fields, attention), fields),
        "cache": cache_bytes(fields, SIZES["b"], SIZES["s"]),
        "kept": {"plan": plan, "formats": "bf16" if device == "meta" else "bf16-cpu", "layers": kept},
    }


def main() -> None:
    """Measure every type and write the file, the published models in it left as they are."""
    if words := obstacle("transformers"):
        raise SystemExit(words)
    data = json.loads(FILE.read_text(encoding="utf-8"))
    data["versions"], data["sizes"] = PINNED, SIZES
    data["random"] = [measured(model_type, seed) for model_type in TYPES for seed in range(3)]
    FILE.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
