"""Boxes: the mathematics that this package prints as LaTeX, read back into its parts; no other LaTeX is understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from derive.errors import DeriveError

Kind = Literal["letter", "number", "operator", "word", "text", "space"]


@dataclass(frozen=True, slots=True)
class Atom:
    """A letter in italics, a number, an operator, an upright word such as max, or plain text."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Boxes beside one another."""

    items: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Fraction:
    """One box over another."""

    above: Box
    below: Box


@dataclass(frozen=True, slots=True)
class Root:
    """A square root."""

    inside: Box


@dataclass(frozen=True, slots=True)
class Fenced:
    """A box between brackets that grow with it."""

    before: str
    inside: Box
    after: str


@dataclass(frozen=True, slots=True)
class Scripts:
    """A box with another one low or high at its right, or both."""

    base: Box
    low: Box | None
    high: Box | None


Box = Atom | Row | Fraction | Root | Fenced | Scripts

LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
    "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
OPERATORS = {
    "cdot": "·", "times": "×", "le": "≤", "ge": "≥", "approx": "≈", "wedge": "∧", "sim": "∼", "to": "→",
    "blacksquare": "■",
}  # fmt: skip
WORDS = frozenset({"max", "min", "ln"})
SPACES = {",": "thin", ";": "medium", " ": "medium", "quad": "wide", "qquad": "wide"}
BRACKETS = {"lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋"}
ESCAPED = {"_": "_", "{": "{", "}": "}", "$": "$", "%": "%", "#": "#", "&": "&", "backslash": "\\"}
SIGNS = {"-": "−", "=": "=", "+": "+", "<": "<", ">": ">", ",": ",", "(": "(", ")": ")", "|": "|", "/": "/", ".": "."}
TOKEN = re.compile(r"\\[A-Za-z]+\s?|\\.|[0-9]+(?:\.[0-9]+)?|\s+|.", re.DOTALL)


@lru_cache(maxsize=8192)
def boxes(latex: str) -> Box:
    r"""The boxes of LaTeX that this package printed; `DeriveError` for anything else.

    >>> boxes("2 a").items
    (Atom(kind='number', text='2'), Atom(kind='letter', text='a'))
    >>> boxes(r"\input{x}")
    Traceback (most recent call last):
    derive.errors.DeriveError: '\\input' in '\\input{x}' is no mathematics that is set here
    """
    reader = _Reader(latex, TOKEN.findall(latex))
    return reader.row("")


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, latex: str, tokens: list[str]):
        self.latex, self.tokens, self.place = latex, tokens, 0

    def wrong(self, token: str) -> DeriveError:
        return DeriveError(f"{token.strip() or 'the end'!r} in {self.latex[:80]!r} is no mathematics that is set here")

    def next(self) -> str:
        token = self.tokens[self.place] if self.place < len(self.tokens) else ""
        self.place += 1
        return token.rstrip() if token.startswith("\\") and len(token) > 2 else token

    def row(self, until: str) -> Box:
        """Everything up to a token that ends it, which is read too."""
        items: list[Box] = []
        while (token := self.next()) != until:
            if not token:
                raise self.wrong(token)
            if token.isspace():
                continue
            if token in ("_", "^"):
                if not items:
                    raise self.wrong(token)
                items.append(self.scripts(items.pop(), token))
            else:
                items.append(self.box(token))
        return items[0] if len(items) == 1 else Row(tuple(items))

    def scripts(self, base: Box, token: str) -> Box:
        found: dict[str, Box | None] = {"_": None, "^": None}
        if isinstance(base, Scripts):  # the other one is there already
            found, base = {"_": base.low, "^": base.high}, base.base
        if found[token] is not None:
            raise self.wrong(token)
        found[token] = self.argument()
        return Scripts(base, found["_"], found["^"])

    def argument(self) -> Box:
        token = self.next()
        return self.row("}") if token == "{" else self.box(token)

    def plain(self) -> str:
        """The words of an argument that is text."""
        if self.next() != "{":
            raise self.wrong("{")
        words: list[str] = []
        while (token := self.next()) != "}":
            name = token[1:]
            if not token or (token.startswith("\\") and name not in ESCAPED):
                raise self.wrong(token)
            words.append(ESCAPED[name] if token.startswith("\\") else token)
        return "".join(words)

    def bracket(self) -> str:
        token = self.next()
        if token in ("(", ")"):
            return token
        if token[1:] not in BRACKETS:
            raise self.wrong(token)
        return BRACKETS[token[1:]]

    def box(self, token: str) -> Box:
        if token == "{":
            return self.row("}")
        if token[:1].isdigit():
            return Atom("number", token)
        if re.fullmatch(r"[^\W\d_]", token):
            return Atom("letter", token)
        if token in SIGNS:
            return Atom("operator", SIGNS[token])
        name = token[1:] if token.startswith("\\") else ""
        if name in READERS:
            return READERS[name](self)
        for table, kind in TABLES:
            if name in table:
                return Atom(kind, table[name])
        raise self.wrong(token)


def _fenced(reader: _Reader) -> Box:
    before = reader.bracket()
    inside = reader.row(r"\right")
    return Fenced(before, inside, reader.bracket())


READERS = {
    "frac": lambda reader: Fraction(reader.argument(), reader.argument()),
    "sqrt": lambda reader: Root(reader.argument()),
    "mathrm": lambda reader: Atom("word", reader.plain()),
    "text": lambda reader: Atom("text", reader.plain()),
    "left": _fenced,
    "bigl": lambda reader: Atom("operator", reader.bracket()),
    "bigr": lambda reader: Atom("operator", reader.bracket()),
}
TABLES: tuple[tuple[dict[str, str], Kind], ...] = (
    (LETTERS, "letter"),
    (OPERATORS, "operator"),
    ({word: word for word in WORDS}, "word"),
    (SPACES, "space"),
    (ESCAPED, "word"),
)


def spaced(items: tuple[Box, ...]) -> Iterator[tuple[Box, bool]]:
    """The boxes of a row, each with whether letters or words that are juxtaposed must be kept apart before it.

    >>> [apart for _, apart in spaced((Atom("number", "2"), Atom("word", "tokens"), Atom("letter", "s")))]
    [False, True, True]
    """
    if items:
        yield items[0], False
    for before, here in pairwise(items):
        yield here, "word" in (_kind(before), _kind(here)) and "operator" not in (_kind(before), _kind(here))


def _kind(box: Box) -> str:
    return box.kind if isinstance(box, Atom) else _kind(box.base) if isinstance(box, Scripts) else ""
