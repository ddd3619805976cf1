"""What sources say, gathered: the statements that are false, and conventions side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from derive.render.documents.blocks import (
    Block,
    Card,
    Cards,
    Code,
    Grid,
    Math,
    Paragraph,
    Section,
    Stated,
    Subheading,
    Text,
    text,
)
from derive.render.marks import MARKS

REFUTED = MARKS["refuted"]

# Quantities for which sources count different things, by what they differ in.
CONVENTIONS = {
    "What utilization counts": ("mfu", "mfu-by-6n", "hfu", "job-mfu"),
    "What FLOPs of a token count": ("flops-per-token", "dense-flops-per-token", "attention-flops"),
    "What parameters count": ("parameters", "gemm-parameters", "embedding-parameters"),
    "What activations count": ("activations", "model-activations"),
    "What bytes of a parameter count": ("bytes-per-parameter",),
}


def refuted_section(topics: Iterable[Cards]) -> Section:
    """Every statement that is false, with a point where it is, and what separates it from what is derived."""
    blocks: list[Block] = [
        Paragraph(text(
            "Each is false for the layer and the plan that it is about, or true only where more is assumed than it "
            "says: at the sizes that are shown, or by the difference that is shown, in letters."
        ))
    ]  # fmt: skip
    for each in topics:
        rows = tuple(
            (text(Code(card.name)), *_stated(stated))
            for card in each.cards
            for stated in card.stated
            if stated.mark == REFUTED
        )
        if rows:
            heads = ("quantity", "source", "plan", "statement", "why it is false")
            blocks += [Subheading(each.topic, f"refuted-{each.topic}"), Grid(heads, rows, (3, 4, 2, 4, 7))]
    return Section("Refuted", "refuted", tuple(blocks))


def conventions_section(topics: Iterable[Cards]) -> Section:
    """Quantities that go by one name: what each of them is, and what each source counts."""
    cards = {card.name: card for each in topics for card in each.cards}
    blocks: list[Block] = []
    for title, names in CONVENTIONS.items():
        shown = [cards[name] for name in names if name in cards]
        if not shown:
            continue
        blocks.append(Subheading(title, f"convention-{names[0]}"))
        if len(shown) > 1:
            blocks.append(Grid(
                ("quantity", "what it is", "formula"),
                tuple((text(Code(card.name)), text(card.title), text(_defined(card))) for card in shown),
                (3, 6, 5),
            ))  # fmt: skip
        rows = tuple(_convention(card, stated) for card in shown for stated in card.stated)
        if rows:
            blocks.append(
                Grid(("quantity", "source", "plan", "statement", "", "what separates it"), rows, (3, 4, 2, 4, 1, 6))
            )
    return Section("Conventions side by side", "conventions", tuple(blocks))


def _convention(card: Card, stated: Stated) -> tuple[Text, ...]:
    source, plan, formula, verdict = _stated(stated)
    return (text(Code(card.name)), source, plan, formula, text(stated.mark), verdict or text("what is derived"))


def _defined(card: Card) -> Math:
    """The formula, after the first line of its derivation where that is of the whole and in other quantities' letters.

    What a derivation starts with may be a part, one block's share; what it ends in may be nearly the quantity alone.
    """
    first, parts = card.lines[0], [card.symbol.latex, card.formula.latex]
    whole = (first.left, first.relation) == (card.symbol, Math("="))
    if whole and len(first.right.latex) < len(card.formula.latex):
        parts.insert(1, first.right.latex)
    return Math(" = ".join(parts))


def _stated(stated: Stated) -> tuple[Text, ...]:
    return (
        text(f"{stated.source}, {stated.where}"), text(Code(stated.plan)) if stated.plan else (),
        text(stated.formula), stated.verdict,
    )  # fmt: skip


def counted(topics: Iterable[Cards]) -> Iterator[str]:
    """How many statements there are by their verdict, in words."""
    stated = [each for topic in topics for card in topic.cards for each in card.stated]
    names = {mark: verdict for verdict, mark in MARKS.items()}
    counts = Counter(each.mark for each in stated)
    yield f"{len(stated)} statements of {len({each.source for each in stated})} sources"
    words = {MARKS["proved up to"]: "proved up to terms that are shown"}
    yield from (f"{counts[mark]} {words.get(mark, names[mark])} {mark}" for mark in MARKS.values() if counts[mark])
