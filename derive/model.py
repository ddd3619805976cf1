"""Models: an architecture with its letters, and, for a preset or a configuration, the sizes to substitute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from sympy import Basic, Expr, Symbol

from derive.errors import ModelError
from derive.grammar import parse
from derive.letters import Notation
from derive.plan import Plan
from derive.reading import to_sympy
from derive.tracing import Input, Trace, trace
from derive.tree import Node, substitute, symbols_of, to_text


@dataclass(frozen=True, slots=True)
class Given:
    """A value that enters a number, and where it comes from: option, preset, config, default."""

    value: Any
    origin: str


@dataclass(frozen=True, eq=False)
class Architecture:
    """A kind of layer and the model made of it, in letters.

    `relations` are hypotheses such as f = 4h that hold unless the sizes say otherwise; `kernels` and `mask` are the
    plan's defaults for such a model.
    """

    name: str
    about: str
    notation: Notation
    letters: str
    relations: Mapping[str, str]
    layer: Callable[..., Any]
    layer_inputs: tuple[Input, ...]
    model: Callable[..., Any]
    model_inputs: tuple[Input, ...]
    kernels: tuple[tuple[str, str], ...] = (("attention", "materialised"),)
    mask: str = "causal"
    bounds: tuple[tuple[str, str], ...] = ()  # (letter, letter that it may not exceed)
    divides: tuple[tuple[str, str], ...] = ()  # (letter, letter that it must divide)
    sequence: str = ""  # the letter of the axis that context parallelism splits

    @cached_property
    def relation_trees(self) -> dict[str, Node]:
        """The hypotheses as trees in free letters, by the letter that each defines; `ModelError` if circular."""
        return resolved({letter: parse(text, self.notation.letters) for letter, text in self.relations.items()})

    @property
    def _sizes(self) -> dict[str, Expr]:
        return {letter: self.notation.symbol(letter) for letter in self.letters.split()}

    @cached_property
    def layer_trace(self) -> Trace:
        """One layer, traced."""
        return trace(self.layer, *self.layer_inputs, sizes=self._sizes)

    @cached_property
    def model_trace(self) -> Trace:
        """Embedding, the stack of layers, head and loss, traced."""
        return trace(self.model, *self.model_inputs, sizes=self._sizes)

    @cached_property
    def bare(self) -> Model:
        """The model in letters: no sizes."""
        return Model(self)

    @property
    def drops(self) -> bool:
        """Whether the layer has dropout."""
        return any(tensor.op is not None and tensor.op.name == "dropout" for tensor in self.layer_trace.tensors)


@dataclass(frozen=True, eq=False)
class Model:
    """What a formula is about: an architecture, and sizes where they are known."""

    architecture: Architecture
    name: str | None = None
    title: str = ""
    sizes: Mapping[str, Given] = field(default_factory=dict)
    kernels: tuple[tuple[str, str], ...] = ()
    mask: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)

    def complete(self, plan: Plan) -> Plan:
        """The plan with this model's kernels and mask where it says nothing."""
        filled = plan.filled(self.kernels or self.architecture.kernels, self.mask or self.architecture.mask)
        return filled if plan.cp == 1 else replace(filled, sequence=self.architecture.sequence)

    @property
    def bare(self) -> Model:
        """The architecture of this model as a model in letters, always the same one."""
        return self.architecture.bare

    @property
    def layer(self) -> Trace:
        """One layer, traced in letters."""
        return self.architecture.layer_trace

    @property
    def whole(self) -> Trace:
        """The whole model, traced in letters."""
        return self.architecture.model_trace

    @property
    def relations(self) -> dict[str, Node]:
        """The architecture's hypotheses, without those for letters whose size is known."""
        return {letter: tree for letter, tree in self.architecture.relation_trees.items() if letter not in self.sizes}


def resolved(relations: Mapping[str, Node]) -> dict[str, Node]:
    """Relations with the letters that other relations define replaced, until only free letters are left.

    >>> from derive.grammar import parse
    >>> from derive.tree import to_text
    >>> {letter: to_text(tree) for letter, tree in resolved({"f": parse("4*h"), "h": parse("a*d")}).items()}
    {'f': '4*(a*d)', 'h': 'a*d'}
    """
    trees = dict(relations)
    for _ in relations:
        trees = {letter: substitute(tree, trees) for letter, tree in trees.items()}
    for letter, tree in trees.items():
        if set(symbols_of(tree)) & set(trees):
            raise ModelError(f"the relations go in circles: {letter} = {to_text(relations[letter])}")
    return trees


def definitions(relations: Mapping[str, Node], notation: Notation) -> dict[Symbol, Expr]:
    """Relations as substitutions of symbols.

    >>> from derive.grammar import parse
    >>> from derive.letters import Letter, notation
    >>> definitions({"f": parse("4*h")}, notation((Letter("f", "width"), Letter("h", "hidden size"))))
    {f: 4*h}
    """
    return {notation.symbol(letter): to_sympy(tree, notation.symbol) for letter, tree in relations.items()}


def apply_relations(expression: Basic, relations: Mapping[str, Node], notation: Notation) -> Expr:
    """`expression` with every letter that a relation defines replaced by its definition.

    >>> from derive.grammar import parse
    >>> from derive.letters import Letter, notation
    >>> table = notation((Letter("f", "width"), Letter("h", "hidden size")))
    >>> apply_relations(2 * table.symbol("f"), {"f": parse("4*h")}, table)
    8*h
    """
    # A definition may use letters that another relation defines, so substitute until none is left.
    replacements = definitions(relations, notation)
    for _ in replacements:
        expression = expression.xreplace(replacements)
    return cast(Expr, expression)
