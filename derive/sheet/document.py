"""The whole sheet as a document, from what is held of it and from what a person selects."""

from __future__ import annotations

from dataclasses import replace

from derive.render.documents.blocks import Cards, Code, Document, Paragraph, Picture, Section, Text, text
from derive.sheet.devices import hardware_section
from derive.sheet.held import Held
from derive.sheet.judged import conventions_section, counted, refuted_section
from derive.sheet.letters import notation_section, own_letters
from derive.sheet.selection import Selection
from derive.sheet.short import short_sections
from derive.version import __version__

TITLE = "The formulas of LLM resource accounting"
HEADINGS = {"gemm": "Matrix products", "flops": "FLOPs", "data": "Token files", "init": "Initial weights"}
# The section that each picture belongs to.
PLACES = {
    "layer": "coefficients", "gemms": "coefficients", "memory-step": "numbers", "bytes-per-parameter": "coefficients",
    "attention-share": "numbers", "roofline": "hardware",
}  # fmt: skip


def gathered() -> Held:
    """What is held, derived and judged anew."""
    from derive.sheet.catalog import cards
    from derive.sheet.numbers import numbers_section
    from derive.sheet.origins import origins_section
    from derive.sheet.pictures import pictures
    from derive.sheet.selection import selection

    usual = selection([], None, None)
    numbers = numbers_section(usual.models, usual.device)
    drawn, undrawn = pictures(usual)
    assert not undrawn, undrawn
    return Held(cards(), origins_section(), numbers, drawn)


def sheet(chosen: Selection, found: Held) -> Document:
    """The document of a selection."""
    shown = tuple(each for each in found.cards if each.topic in chosen.topics)
    numbers, pictures = (found.numbers, found.pictures) if chosen.is_usual or not chosen.is_whole else _of(chosen)
    if chosen.short:
        sections = (*short_sections(shown), *((numbers,) if chosen.is_whole else ()))
        return Document(TITLE, _about(shown), sections)
    formulas = tuple(
        Section(heading(each.topic), f"topic-{each.topic}", (*own_letters(each.topic), each)) for each in shown
    )
    judged = (conventions_section(shown), refuted_section(shown))
    if not chosen.is_whole:
        sections = (notation_section(), *formulas, *judged)
    else:
        sections = (notation_section(), *formulas, found.origins, *judged, numbers, hardware_section(chosen.device))
        sections = tuple(_illustrated(section, pictures) for section in sections)
    return Document(TITLE, _about(shown), tuple(each for each in sections if each.blocks))


def _of(chosen: Selection) -> tuple[Section, tuple[Picture, ...]]:
    from derive.sheet.numbers import numbers_section
    from derive.sheet.pictures import pictures

    drawn, undrawn = pictures(chosen)
    numbers = numbers_section(chosen.models, chosen.device)
    return replace(numbers, blocks=(*numbers.blocks, *(Paragraph(text(each)) for each in undrawn))), drawn


def heading(topic: str) -> str:
    """What a topic is called above its formulas.

    >>> heading("flops"), heading("memory")
    ('FLOPs', 'Memory')
    """
    return HEADINGS.get(topic, topic.capitalize())


def _illustrated(section: Section, pictures: tuple[Picture, ...]) -> Section:
    here = tuple(each for each in pictures if PLACES[each.name] == section.anchor)
    return replace(section, blocks=(*section.blocks, *here))


def _about(shown: tuple[Cards, ...]) -> Text:
    total, *parts = counted(shown)
    quantities = sum(len(each.cards) for each in shown)
    return text(
        "What training a language model takes: FLOPs, bytes, hours, money, as formulas for plans, lectures and checks. "
        f"Each of the {quantities} quantities is derived from the shapes of a layer's tensors, line by line; ■ says "
        "that a proof checker accepted every equality, for all sizes. Unless more is said, a formula is that of one "
        "device, nothing sharded or recomputed; of GPT's layer, and beside it of Llama's where that differs. "
        f"Of what papers and tools state, {total} are judged: {', '.join(parts)}; each refuted one is shown with sizes "
        "at which it is false. ",
        Code("python -m derive NAME"), f" shows a quantity in full. Made by shapeproof {__version__}.",
    )  # fmt: skip
