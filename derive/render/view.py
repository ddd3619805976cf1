"""What a report says, in words and tables that every renderer lays out in its own way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from derive.citation import REFUTED, Claim
from derive.derivation import Step, Term
from derive.evaluation import Valued
from derive.ledger import Row
from derive.reading import to_tree
from derive.render.marks import MARKS
from derive.report import Report
from derive.tree import Negative, Node, Relation, Sum, relation_text, to_text
from derive.values import show

# What a row's amount is called, by what is counted: the unit before the first slash.
AMOUNTS = {
    "byte": "bytes", "FLOP": "FLOPs", "parameter": "parameters", "token": "tokens", "second": "seconds",
    "dollar": "dollars", "device": "devices", "device*hour": "device-hours",
}  # fmt: skip


def amount_key(report: Report) -> str:
    """What a row's amount is called: bytes, FLOPs, parameters; elements of tensors, and else just amount."""
    if any(row.role is not None for row in report.derivation.ledger) and not report.formula.unit.powers:
        return "elements"
    return AMOUNTS.get(str(report.formula.unit).partition("/")[0], "amount")


PLURALS = {"byte": " bytes", "parameter": " parameters", "second": " seconds", "dollar": " dollars", "token": " tokens"}


def unit_text(report: Report) -> str:
    """The unit after a number, with a space before it; nothing after a pure number that counts no elements."""
    unit = str(report.formula.unit)
    if unit == "1":
        return " elements" if amount_key(report) == "elements" else ""
    return PLURALS.get(unit, f" {unit}")


def substituted(report: Report) -> Iterator[str]:
    """What the quantity is at the sizes of the model, in a line, where its letters were kept."""
    if report.substituted is not None:
        unit = str(report.formula.unit)
        yield f"{report.formula.symbol} = {report.substituted} = {show(report.substituted, unit, report.system)}"


def axes_head(report: Report) -> str:
    """What the sizes beside a row are: a tensor's shape, or the axes that a product runs over."""
    return "axes" if amount_key(report) == "FLOPs" else "shape"


def row_tree(report: Report, row: Row) -> Node:
    """A row's amount as a tree in reading order."""
    return to_tree(row.value, report.formula.notation.order)


def shape(report: Report, row: Row) -> list[str]:
    """A row's axes, each as text."""
    return [to_text(to_tree(size, report.formula.notation.order)) for size in row.shape]


def rows(report: Report) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """The rows of the ledger, each with the blocks around it."""
    ledger = report.derivation.ledger
    return zip(ledger.rows, ledger.paths(), strict=True)


def refuted_elsewhere(report: Report, valued: Valued) -> bool:
    """Whether a claim is refuted about another architecture than the report's: it says nothing here."""
    about = valued.claim.about
    elsewhere = about is not None and report.model is not None and about is not report.model.architecture
    return elsewhere and valued.judgement.verdict == REFUTED


def notes(valued: Valued) -> list[str]:
    """What must be said beside a claim: where it is refuted, what it meant, what fails for this model."""
    claim, said = valued.claim, []
    if point := counterexample(valued):
        said.append(f"✗ {point}")
    if claim.note:
        said.append(claim.note)
    if valued.failing:
        said.append("! not for this model: " + "; ".join(valued.failing))
    elif valued.undecided:
        said.append("? holds here if " + "; ".join(valued.undecided))
    return said


def notes_together(claims: list[Valued]) -> list[str]:
    """The notes of several claims, without those that another one contains."""
    all_notes = list(dict.fromkeys(note for each in claims for note in notes(each)))
    return [note for note in all_notes if not any(note != other and note in other for other in all_notes)]


def subject(report: Report) -> str:
    """What the report is about: a preset, or an architecture in letters."""
    model = report.model
    if model is None:
        return ""
    return f"{model.name} ({model.title})" if model.name else f"{model.architecture.name}: {model.architecture.about}"


ROOM = 48  # characters for the names beside a term; the ledger has them all


def term_text(term: Term, each: Node | None = None) -> str:
    """A term as text: how many rows there are, and what each is."""
    text = to_text(each or term.each)
    return f"{len(term.rows)} × {text}" if len(term.rows) > 1 else text


def signed(term: Term) -> tuple[str, Node]:
    """The sign that a term has in a sum, and each of its rows without it."""
    if isinstance(term.each, Negative) and not isinstance(term.each.operand, Sum):
        return "-", term.each.operand
    return "+", term.each


def term_names(term: Term) -> str:
    """The tensors that a term stands for, each once with how often, as many as there is room for."""
    counts = Counter(row.tensor for row in term.rows)
    names = [name if count == 1 else f"{name} (×{count})" for name, count in counts.items()]
    shown = names[:1]
    for name in names[1:]:
        if len(", ".join([*shown, name])) > ROOM:
            return f"{', '.join(shown)} and others, {len(term.rows)} in all"
        shown.append(name)
    return ", ".join(shown)


def reason(step: Step) -> str:
    """Why a step holds, as plain text."""
    words = "".join(part if isinstance(part, str) else plain_formula(part) for part in step.because)
    return f"premise: {words}" if step.relation == "under" else words


def plain_formula(part: Node | Relation) -> str:
    """A formula inside a reason; an equality as people write it."""
    return relation_text(part).replace("==", "=") if isinstance(part, Relation) else to_text(part)


def sign(step: Step) -> str:
    """The relation of a step as people read it; a premise is an equality too."""
    return "=" if step.relation == "under" else step.relation


def quantity(report: Report, step: Step) -> str:
    """The left side of a step: the symbol, with the block that it is a part of; or what a line is about."""
    if step.left is not None:
        return to_text(step.left)
    return f"{report.formula.symbol}_{step.part}" if step.part else report.formula.symbol


def verdict(valued: Valued) -> str:
    """A verdict with its mark, and what it is up to, as text."""
    return "".join(part if isinstance(part, str) else to_text(part) for part in verdict_parts(valued))


def verdict_parts(valued: Valued) -> list[str | Node]:
    """A verdict with its mark, and the formulas of what it is up to."""
    judgement = valued.judgement
    parts: list[str | Node] = [f"{MARKS[judgement.verdict]} {judgement.verdict}"]
    if judgement.neglected is not None:
        parts += [" ", judgement.neglected]
    if judgement.included is not None:
        parts += [", counting ", judgement.included, " too much"]
    if judgement.residual is not None:
        parts += [": claim - derived = ", judgement.residual]
    if judgement.verdict != valued.claim.expected:
        parts.append(f" (expected: {valued.claim.expected})")
    return parts


def ending(report: Report) -> str:
    """What the derivation rests on: the checker, past the definitions."""
    count = report.derivation.checked
    if not report.derivation.linked:
        accepted = f"{count} of its lines accepted by the proof checker; " if count else ""
        return f"{accepted}that the formula follows from the lines above it is for the reader to see: no ■"
    if not report.derivation.proved:
        return ""
    if count == 0:
        return "■ by definition: the rows as they are"
    relations = {step.relation for step in report.derivation.steps}
    one, many = ("relation", "relations") if "≤" in relations else ("equality", "equalities")
    accepted = f"{one} was" if count == 1 else f"{many} were"
    granted = "premises are taken for granted, " if "under" in relations else ""
    return f"■ {count} {accepted} accepted by the proof checker; {granted}rows and sums of parts are definitions"


def briefly(value: Fraction) -> str:
    """An exact value as it is; one of so many digits that it stands for an irrational one in few.

    >>> briefly(Fraction(17, 4)), briefly(Fraction(14142135623730950488016887242, 10**28))
    ('17/4', 'about 1.41421')
    """
    return str(value) if value.denominator.bit_length() <= 64 else f"about {float(value):.6g}"


def counterexample(valued: Valued) -> str:
    """Where a refuted claim fails, with both values."""
    judgement = valued.judgement
    if judgement.counterexample is None or judgement.values_there is None:
        return ""
    claimed, derived = map(briefly, judgement.values_there)
    sizes = ", ".join(f"{name} = {value}" for name, value in judgement.counterexample.items())
    return (f"at {sizes}: " if sizes else "") + f"claimed {claimed}, derived {derived}{without(valued.claim)}"


def without(claim: Claim) -> str:
    """What a claim is not held to: rows that it leaves out on purpose are left out of what is derived, too."""
    names = [each if isinstance(each, str) else each.value for each in claim.neglect]
    return f" without {' and '.join(names)}" if names else ""


def claim_text(valued: Valued) -> str:
    """A claim's formula, with what its letters stand for: `6*N, N = parameters`."""
    return ", ".join([valued.claim.text, *letters_text(valued)])


def letters_text(valued: Valued) -> list[str]:
    """What a claim's letters stand for where they are other quantities."""
    return [f"{letter} = {formula.name}" for letter, formula in valued.claim.letters.items()]


def heading(claim: Claim) -> str:
    """Where a claim stands: its source's key, who says it when, and the place."""
    source = claim.source
    measured = ", measured" if source.kind == "measurement" else ""
    return f"{source.key}: {source.authors} {source.year}{measured}, {claim.place}"


def about(claims: list[Valued]) -> str:
    """The architecture and the hypotheses that claims of one place are made under."""
    first = claims[0].claim.about
    words = [f"about {first.name}"] if first is not None else []
    under = {letter: tree for each in claims for letter, tree in each.judgement.hypotheses.items()}
    if under:
        words.append("under " + ", ".join(f"{letter} = {to_text(tree)}" for letter, tree in under.items()))
    return f" ({', '.join(words)})" if words else ""


def claim_value(report: Report, valued: Valued) -> str:
    """A claim's value at the report's sizes, flagged where one of its hypotheses fails there."""
    if valued.value is None:
        return ""
    text = show(valued.value, str(report.formula.unit), report.system)
    assumed = "".join(f", {letter} = {size}" for letter, size in valued.assumed.items())
    return text + assumed + (" !" if valued.failing else "")
