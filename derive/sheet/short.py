"""The sheet on a few pages: the formulas that are asked for most, and the numbers of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from derive.letters import Letter
from derive.render.documents.blocks import Card, Cards, Code, Math, Paragraph, Section, Text, joined
from derive.sheet.letters import latex_of, letters_of
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
LETTERS = "L a g s b d h f V S t p n m N F D C B G P W M eta T R"


def short_sections(topics: Iterable[Cards]) -> tuple[Section, ...]:
    """A section for each step of planning, with the letters that its topics have of their own, after those of all."""
    of = {card.name: each.topic for each in topics for card in each.cards}
    cards = {card.name: card for each in topics for card in each.cards}
    made = [Section("Letters", "letters", (Paragraph((*_listed([common[name] for name in LETTERS.split()]), ".")),))]
    for title, names in QUANTITIES.items():
        chosen = tuple(cards[name] for name in names if name in cards)
        if chosen:
            grid = Cards(title, chosen, with_sources=False)
            made.append(Section(title, f"short-{names[0]}", (*_own(chosen, of), grid)))
    return tuple(made)


def _own(chosen: Sequence[Card], topics: Mapping[str, str]) -> Iterator[Paragraph]:
    """The letters that mean something else in some formulas, or nothing in others: by the topic of these."""
    for topic in dict.fromkeys(topics[card.name] for card in chosen):
        here = [card for card in chosen if topics[card.name] == topic]
        if letters := letters_of(here, topic):
            names = joined([(Code(card.name),) for card in here if letters_of([card], topic)])
            yield Paragraph(("In ", *names, ": ", *_listed(letters), "."))


def _listed(letters: Iterable[Letter]) -> Text:
    return joined([(Math(latex_of(letter)), f" {letter.meaning}") for letter in letters], "; ")
