"""Claims: formulas as a source writes them, with where it writes them and under which hypotheses they are meant."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.errors import ClaimError, DeriveError
from derive.grammar import parse
from derive.model import resolved
from derive.plan import Plan, parse_plan
from derive.precision import optimizer as optimizer_named
from derive.precision import recipe as recipe_named
from derive.quantity import Formula
from derive.shown import briefly, in_notebook
from derive.tensor import Role
from derive.tree import Node, symbols_of, to_text

if TYPE_CHECKING:
    from derive.model import Architecture

PROVED, UP_TO, REFUTED, OPEN = "proved", "proved up to", "refuted", "open"


@dataclass(frozen=True, slots=True)
class Citation:
    """A source: a paper, an article, a tool at a version, a measurement."""

    key: str
    kind: str
    authors: str
    year: int
    title: str
    locator: str  # arXiv number, or file and commit


@dataclass(frozen=True, eq=False)
class Claim:
    """One formula of a source about a quantity, with the plan it is for and the verdict that we expect.

    `neglect` names the derived rows that the claim leaves out, by role or by block; `includes` the roles that it counts
    although they do not belong. `letters` are those that stand for other quantities of the same model, such as N.
    """

    formula: Formula
    source: Citation
    place: str
    text: str
    tree: Node
    about: Architecture | None
    plan_text: str
    plan: Plan
    neglect: tuple[Role | str, ...] = ()
    includes: tuple[Role, ...] = ()
    letters: Mapping[str, Formula] = field(default_factory=dict)
    given: Mapping[str, Node] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)  # the recipe and the optimizer, where it names one
    expected: str = PROVED
    form: bool = False
    note: str = ""

    _repr_markdown_ = in_notebook

    def __repr__(self) -> str:
        return f"<claim of {self.source.key}, {self.place}: {self.formula.name} = {briefly(self.text)}>"

    @property
    def relations(self) -> dict[str, Node]:
        """The hypotheses: the architecture's for letters that the claim does not use itself, and those it states."""
        own = self.about.relation_trees if self.about is not None else {}
        used = set(symbols_of(self.tree))
        trees = {letter: tree for letter, tree in own.items() if letter not in used} | dict(self.given)
        return resolved(trees)


def claims(
    source: Citation,
    about_what: Formula,
    place: str,
    *,
    rows: Mapping[str, str],
    about: Architecture | None = None,
    neglect: Collection[Role | str] = (),
    includes: Collection[Role] = (),
    letters: Mapping[str, Formula] | None = None,
    given: Mapping[str, str] | None = None,
    recipe: str = "",
    optimizer: str = "",
    dtype: str = "",
    expected: str | Mapping[str, str] = "",
    form: bool = False,
    note: str = "",
) -> tuple[Claim, ...]:
    """A table of a source: for each plan, as on the command line, the formula as the source writes it.

    `recipe`, `optimizer` and `dtype` are what all rows are about, where that is not the default one.
    `expected` is the verdict that we expect of all rows, or of single ones by their plan. `form` says that this is how
    the quantity is best known, so that a derivation of this very case ends in it.

    Raises `ClaimError`, with the source, the place and the text, where a formula or a plan cannot be read: a slip in a
    quotation stops the import.
    """
    notation = about_what.notation
    usual = UP_TO if neglect or includes else PROVED
    verdicts = expected if isinstance(expected, Mapping) else dict.fromkeys(rows, expected or usual)
    chosen = {"recipe": recipe, "optimizer": optimizer, "dtype": dtype}
    formats = {key: name for key, name in chosen.items() if name}
    made = []
    for plan_text, text in rows.items():
        try:
            tree = parse(text, notation.letters)
            held = recipe_named(recipe or "bf16", dtype or None), optimizer_named(optimizer or "adamw")
            plan = parse_plan(plan_text, notation.symbol, *held)
            hypotheses = {letter: parse(value, notation.letters) for letter, value in (given or {}).items()}
        except DeriveError as error:
            raise ClaimError(f"{source.key}, {place}: {error}") from None
        made.append(
            Claim(
                formula=about_what,
                source=source,
                place=place,
                text=to_text(tree),
                tree=tree,
                about=about,
                plan_text=",".join(filter(None, (plan_text, *(f"{key}={name}" for key, name in formats.items())))),
                plan=plan,
                formats=formats,
                neglect=tuple(neglect),
                includes=tuple(includes),
                letters=letters or {},
                given=hypotheses,
                expected=verdicts.get(plan_text, usual),
                form=form,
                note=note,
            )
        )
    for claim in made:
        try:
            _ = claim.relations
        except DeriveError as error:
            raise ClaimError(f"{source.key}, {place}: {error}") from None
    return tuple(made)
