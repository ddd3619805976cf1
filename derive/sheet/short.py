"""The sheet on a few pages: the formulas that are asked for most, and the numbers of models."""

from __future__ import annotations

from collections.abc import Iterable

from derive.render.documents.blocks import Cards, Math, Paragraph, Section, joined
from derive.render.expression import symbol_latex
from formulas.notation import common

# In the order in which a run is planned.
QUANTITIES = {
    "FLOPs": ("matmul-flops", "layer-flops", "attention-flops", "flops-per-token", "dense-flops-per-token",
              "training-flops", "recompute-factor"),
    "Parameters and states": ("layer-parameters", "parameters", "bytes-per-parameter", "states", "zero-1", "zero-2",
                              "zero-3", "checkpoint-bytes"),
    "Activations and memory": ("activations", "logits", "model-activations", "peak-memory", "usable-memory",
                               "kv-cache"),
    "Utilization, time and money": ("mfu", "hfu", "step-time", "tokens-per-second", "training-time", "gpu-hours",
                                    "cost", "pipeline-bubble"),
    "Scaling and roofline": ("chinchilla-parameters", "chinchilla-tokens", "machine-balance", "arithmetic-intensity",
                             "attainable-flops"),
}  # fmt: skip
LETTERS = "L a g s b d h f V t p n m N F D C B G P W M eta T R"


def short_sections(topics: Iterable[Cards]) -> tuple[Section, ...]:
    """A section for each step of planning, after one line of letters."""
    cards = {card.name: card for each in topics for card in each.cards}
    known = [common[name] for name in LETTERS.split()]
    letters = [(Math(letter.latex or symbol_latex(letter.name)), f" {letter.meaning}") for letter in known]
    made = [Section("Letters", "letters", (Paragraph((*joined(letters, "; "), ".")),))]
    for title, names in QUANTITIES.items():
        chosen = tuple(cards[name] for name in names if name in cards)
        if chosen:
            made.append(Section(title, f"short-{names[0]}", (Cards(title, chosen, with_sources=False),)))
    return tuple(made)
