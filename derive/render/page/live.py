"""What a page can change and compute: inputs, presets, choices, and for every quantity its expression by choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from derive.model import Given
from derive.tree import Node


@dataclass(frozen=True, slots=True)
class Input:
    """One letter that a reader can set: its key, unique on the page, how it is typeset, what it means, its bounds.

    Where nothing else gives it a value it is that of the quantity `behind`, or else `value`.
    """

    key: str
    latex: str
    meaning: str
    unit: str = "1"
    whole: bool = True
    least: int = 1
    most: int | None = None
    value: Given | None = None
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that are shown together."""

    title: str
    inputs: tuple[str, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of values: `kind` is which expressions it takes, `choices` what it sets of them."""

    name: str
    title: str
    values: Mapping[str, Given]
    kind: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)  # inputs that it has no value for, and why
    aliases: tuple[str, ...] = ()  # other names that an address may have for it


@dataclass(frozen=True, slots=True)
class Follows:
    """An input that follows from others of a run, unless one of those has no value at all.

    `refused` is said where the result is no positive whole number, `contradicted` where another one is set. In both a
    key in braces stands for the value of that input, and empty braces for the result.
    """

    key: str
    tree: Node
    letters: Mapping[str, str]  # letter -> the key of its input
    refused: str
    contradicted: str


@dataclass(frozen=True, slots=True)
class Room:
    """Whether one quantity is within another one: its words where it is, where that is open, and where it is not.

    Where the first has no value, that `least` is more than there is says that it is not.
    """

    wanted: str
    room: str
    least: str
    words: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Picker:
    """A list of presets of which one is chosen; `about` says where others come from, code between backticks."""

    key: str
    label: str
    presets: tuple[Preset, ...]
    first: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting with few values, each with its words; without effect while the input `needs` is 1."""

    key: str
    label: str
    options: tuple[tuple[str, str], ...]
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """What holds between the sizes of one kind of model: relations, upper bounds, divisors, by the inputs' keys."""

    name: str
    about: str
    inputs: tuple[str, ...]
    relations: Mapping[str, Node] = field(default_factory=dict)  # in letters
    letters: Mapping[str, str] = field(default_factory=dict)  # letter -> the key of its input
    bounds: tuple[tuple[str, Node], ...] = ()
    divides: tuple[tuple[str, str], ...] = ()
    follows: tuple[str, ...] = ()  # inputs that cannot be set here: they are sums of others
    without: tuple[tuple[str, str, str], ...] = ()  # a choice, its value, and why this kind of model has it not


@dataclass(frozen=True, slots=True)
class Use:
    """What a letter is in one expression: an input; a quantity that stands behind it unless it is set; its default."""

    key: str
    stands: str = ""
    value: Given | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """An input that a degree must divide; `whole` says that a smaller one is kept whole where it divides the degree.

    `padded` says that frameworks pad it, `when` which choice must be on for it to be divided at all.
    """

    key: str
    whole: bool = False
    padded: bool = False
    when: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One expression of a quantity, what its letters are, how it is typeset, and what a degree must divide for it."""

    tree: Node
    uses: Mapping[str, Use]
    latex: str
    splits: tuple[Split, ...] = ()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity by the choices that it depends on: for each combination a variant, or why there is none.

    A dimension is "kind", the key of a choice, the key of a degree (its values: "1", and the key itself where it is
    more), or "whole": whether what is smaller than a degree is kept whole ("" or "whole"). `stated` is the combination
    that the document's card is about, `others` those that its formula for other kinds is about.
    """

    name: str
    title: str
    symbol: str
    unit: str
    dimensions: tuple[str, ...]
    variants: Mapping[tuple[str, ...], Variant | str]
    stated: tuple[str, ...] = ()
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Live:
    """Everything that a page computes from; `degree` is the input whose value must divide what is split."""

    inputs: tuple[Input, ...]
    groups: tuple[Group, ...]
    pickers: tuple[Picker, ...]
    kinds: tuple[Kind, ...]
    choices: tuple[Choice, ...]
    quantities: tuple[Quantity, ...]
    degree: str
    degrees: tuple[str, ...]
    headline: tuple[tuple[str, str], ...]  # the quantities that are shown first, and their words
    planned: Mapping[str, str]  # choice or degree -> its key in a plan's text
    follows: tuple[Follows, ...] = ()
    fits: tuple[Room, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # words -> quantities or sections meant by them
    padding: int = 1  # what is padded is a multiple of it, times the degree
