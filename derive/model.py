"""Models: an architecture with its letters, and, for a preset or a configuration, the sizes to substitute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

from sympy import Basic, Expr, Symbol

from derive.errors import ModelError, PlanError, unknown
from derive.grammar import parse
from derive.letters import Notation
from derive.plan import Plan
from derive.reading import to_sympy
from derive.roles import Role
from derive.tracing import Input, Trace, trace
from derive.tree import Node, substitute, symbols_of, to_text


@dataclass(frozen=True, slots=True)
class Given:
    """A value that enters a number, and where it comes from: option, preset, config, default."""

    value: Any
    origin: str


class Layers(NamedTuple):
    """Equal layers among others: how many there are, as a letter, and what one of them computes."""

    number: str
    layer: Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Architecture:
    """A kind of layer and the model made of it, in letters.

    `relations` are hypotheses such as f = 4h that hold unless the sizes say otherwise, `axes` sizes of axes that have
    no letter of their own; `kernels` and `mask` are the plan's defaults for such a model. Where a model has layers of
    several `kinds`, `layer` is one of them. `variants` are what a plan can have traced in its place.
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
    bounds: tuple[tuple[str, str], ...] = ()  # (letter, what it may not exceed)
    divides: tuple[tuple[str, str], ...] = ()  # (letter, letter that it must divide)
    sequence: str = ""  # the letter of the axis that context parallelism splits
    axes: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, Layers] = field(default_factory=dict)
    variants: Mapping[str, Callable[[Architecture], Architecture]] = field(default_factory=dict)
    kind: str = ""  # which of the kinds `layer` is, where one was chosen
    adapted: tuple[str, ...] | None = None  # the linear layers beside which there are adapters
    unadapted: str = ""  # why there can be none, where that is so
    made_for: tuple = ((), None)  # of a plan: the variants and adapters that this was composed with

    @cached_property
    def relation_trees(self) -> dict[str, Node]:
        """The hypotheses as trees in free letters, by the letter that each defines; `ModelError` if circular."""
        return resolved({letter: parse(text, self.notation.letters) for letter, text in self.relations.items()})

    @property
    def _sizes(self) -> dict[str, Expr]:
        symbol = self.notation.symbol
        sizes = {letter: symbol(letter) for letter in self.letters.split()}
        return sizes | {name: to_sympy(parse(text, sizes), symbol) for name, text in self.axes.items()}

    @cached_property
    def layer_trace(self) -> Trace:
        """One layer, traced."""
        return trace(self.layer, *self.layer_inputs, sizes=self._sizes, adapted=self.adapted, alone=True)

    @cached_property
    def model_trace(self) -> Trace:
        """Embedding, the stacks of layers, head and loss, traced."""
        return trace(self.model, *self.model_inputs, sizes=self._sizes, adapted=self.adapted)

    @cached_property
    def bare(self) -> Model:
        """The model in letters: no sizes."""
        return Model(self)

    @cached_property
    def of_kinds(self) -> Mapping[str, Architecture]:
        """The same model by the kind of layer that counts as its layer; empty where all are of one kind."""
        found = {kind: replace(self, layer=each.layer, kind=kind) for kind, each in self.kinds.items()}
        for each in found.values():
            each.__dict__["model_trace"] = self.model_trace  # of the whole model, which is the same
        return found

    @cached_property
    def _composed(self) -> dict[tuple, Architecture]:
        return {}

    def composed(self, plan: Plan) -> Architecture:
        """What the plan has traced in its place: the variants that it names, with adapters where it trains them.

        Raises `PlanError` where there is no such variant, and `UnknownName` for a linear layer that is not there.
        """
        adapted = plan.adapted if plan.lora else None
        if adapted is None and plan.adapted:
            raise PlanError(f"adapted={'+'.join(plan.adapted)[:60]} has no effect without lora=: write lora=16 too")
        key = (plan.compose, adapted)
        if key == self.made_for:
            return self
        if key not in self._composed:
            found = self
            for name in plan.compose:
                if name not in self.variants:
                    raise PlanError(f"plan {name}: {self.name} has nothing of the kind")
                found = self.variants[name](found)
            if adapted is not None:
                found = found.with_adapters(adapted)
            self._composed[key] = replace(found, made_for=key)
        return self._composed[key]

    def with_adapters(self, names: tuple[str, ...]) -> Architecture:
        """The same with adapters beside the linear layers of its layers that are named, or beside all.

        Raises `PlanError` where there can be none, and `UnknownName` for a layer that is not there.
        """
        if self.unadapted:
            raise PlanError(f"plan lora: {self.unadapted}")
        everywhere = replace(self, name=f"{self.name} with adapters", letters=f"{self.letters} r", adapted=())
        if not names:
            return everywhere
        there = [tensor.name for tensor in everywhere.model_trace.tensors if tensor.role is Role.ADAPTER]
        linear = list(dict.fromkeys(name.rpartition(" adapter ")[0] for name in there))
        for name in names:
            if name not in linear:
                raise unknown("linear layer", name, linear)
        return replace(everywhere, adapted=names)

    @property
    def recurs(self) -> bool:
        """Whether a token's result needs a state that all tokens before it have made."""
        return any(tensor.op is not None and tensor.op.name == "recurrence" for tensor in self.model_trace.tensors)

    @property
    def drops(self) -> bool:
        """Whether the layer has dropout."""
        return any(tensor.op is not None and tensor.op.name == "dropout" for tensor in self.layer_trace.tensors)


@dataclass(frozen=True, eq=False)
class Model:
    """What a formula is about: an architecture, and sizes where they are known.

    `origin` says where the sizes are from, `settings` what else was read there, `order` the kinds of its layers from
    the first to the last, `notices` what a person should be told of it.
    """

    architecture: Architecture
    name: str | None = None
    title: str = ""
    sizes: Mapping[str, Given] = field(default_factory=dict)
    kernels: tuple[tuple[str, str], ...] = ()
    mask: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    origin: str = "preset"
    settings: Mapping[str, Given] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def complete(self, plan: Plan) -> Plan:
        """The plan with this model's kernels and mask where it says nothing.

        Raises `PlanError` for context parallelism of a recurrence: its parts of a sequence wait for one another.
        """
        filled = plan.filled(self.kernels or self.architecture.kernels, self.mask or self.architecture.mask)
        if plan.cp == 1:
            return filled
        if self.architecture.recurs:
            name = self.architecture.name
            raise PlanError(f"cp={plan.cp}: {name} hands a state on from token to token: its sequences stay whole")
        return replace(filled, sequence=self.architecture.sequence)

    def composed(self, plan: Plan) -> Model:
        """This model as the plan has it traced: itself, unless the plan asks for a variant or trains adapters."""
        architecture = self.architecture.composed(plan)
        return self if architecture is self.architecture else replace(self, architecture=architecture)

    def of_layer(self, plan: Plan) -> Plan:
        """The plan as one layer has it: without the blocks and parameters that are outside of it."""
        names = {tensor.name for tensor in self.layer.tensors} | set(self.layer.block_names)
        blocks = tuple(name for name in plan.recompute if name in self.layer.block_names)
        return replace(plan, recompute=blocks, frozen=tuple(name for name in plan.frozen if name in names))

    @property
    def of_kinds(self) -> dict[str, Model]:
        """This model by the kind of layer that counts as its layer; empty where all are of one kind."""
        kinds = self.architecture.of_kinds
        return {kind: replace(self, architecture=each) for kind, each in kinds.items()}

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
