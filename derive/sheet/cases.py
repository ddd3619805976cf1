"""One formula for one kind of model, by setting: its expression, its letters, and what a degree must divide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from derive.errors import DeriveError
from derive.evaluation import divided_axes
from derive.kept import check_blocks
from derive.letters import Letter
from derive.model import Model
from derive.plan import Plan, parse_plan
from derive.quantity import Formula
from derive.reading import as_written, sum_to_tree, to_tree
from derive.render.expression import to_latex
from derive.render.page.live import Input, Split, Use, Variant
from derive.sheet.choices import BEHIND, CHOICES, DEGREE, DEGREES, EXAMPLES, PLANNED
from derive.tensor import Mesh, Remainder
from derive.tree import Call, Node, Symbol, symbols_of
from formulas.notation import common

WHOLE = "whole"
DIMENSIONS: dict[str, tuple[str, ...]] = {
    "t": ("1", "t"), "n": ("1", "n"), **{each.key: tuple(value for value, _ in each.options) for each in CHOICES},
    WHOLE: ("", WHOLE),
}  # fmt: skip
FIRST = {name: values[0] for name, values in DIMENSIONS.items()}
# Where it is tried whether a setting changes a quantity: one device, and plans that have everything.
LAID_OUT = FIRST | {"t": "t", "sp": "1", "n": "n", "zero": "3", "mask": "full"}
TRIED = (
    FIRST,
    *(LAID_OUT | {"recompute": x, "attention": y} for x in DIMENSIONS["recompute"] for y in DIMENSIONS["attention"]),
    FIRST | {"t": "t", "n": "n", "zero": "1", "recompute": "core"},
)
ON_A_DEVICE = frozenset({"t", "sp", "n", "zero", WHOLE})


NEEDS = {each.key: each.needs for each in CHOICES if each.needs} | {WHOLE: DEGREE}  # without effect while that is 1


def with_degrees(setting: dict[str, str]) -> dict[str, str]:
    """A setting with the degrees without which its choices have no effect."""
    return {
        NEEDS[name]: NEEDS[name] for name, value in setting.items() if name in NEEDS and value != FIRST[name]
    } | setting


def _without_effect_off(setting: Mapping[str, str]) -> dict[str, str]:
    """A setting without the choices that need a degree which is 1."""
    off = {name: FIRST[name] for name, needed in NEEDS.items() if setting[needed] == "1"}
    return {**setting, **off}


def possible(setting: Mapping[str, str]) -> bool:
    """Whether a setting is one that the page asks for: what needs a degree is off while that is 1."""
    return all(
        setting.get(needed, needed) != "1" or setting[name] == FIRST[name]
        for name, needed in NEEDS.items()
        if name in setting
    )


@dataclass
class Letters:
    """The inputs so far: one for each letter and meaning, under the letter's own name where it is a common one."""

    inputs: dict[str, Input] = field(default_factory=dict)
    used: dict[str, list[str]] = field(default_factory=dict)  # key -> the topics that use it
    _keys: dict[tuple[str, str], str] = field(default_factory=dict)

    def key(self, letter: Letter, topic: str) -> str:
        """The key of a letter, made an input where it is none yet."""
        named = (letter.name, letter.meaning)
        if named not in self._keys:
            key = letter.name if common.letters.get(letter.name) == letter else f"{topic}.{letter.name}"
            self._keys[named] = key
            whole = letter.kind == "positive integer"
            self.inputs[key] = Input(
                key, letter.latex or to_latex(Symbol(letter.name), {}), letter.meaning, letter.unit, whole,
                letter.least if whole else 0, letter.most, EXAMPLES.get(key),
                BEHIND.get(key, ""),
            )  # fmt: skip
        topics = self.used.setdefault(self._keys[named], [])
        if topic and topic not in topics:
            topics.append(topic)
        return self._keys[named]

    @property
    def topics(self) -> dict[str, tuple[str, ...]]:
        """The topics that use each input."""
        return {key: tuple(topics) for key, topics in self.used.items()}


@dataclass(frozen=True)
class Case:
    """A formula for one kind of model, by setting."""

    formula: Formula
    model: Model | None
    table: Letters

    @cached_property
    def _trees(self) -> dict[tuple[str, ...], Node | str]:
        return {}

    def depends(self, dimension: str) -> bool:
        """Whether the expression depends on a dimension anywhere that is tried."""
        formula = self.formula
        if formula.needs_model and self.model is None:
            return False
        if ("plan" not in formula.arguments and not self._written_out) or (
            dimension in ON_A_DEVICE and not formula.per_device
        ):
            return False
        if dimension == WHOLE and not any(split.whole for split in self._splits):
            return False
        return any(
            self.tree(_without_effect_off(base | {dimension: value})) != self.tree(base)
            for base in TRIED
            for value in DIMENSIONS[dimension]
        )

    def tree(self, setting: Mapping[str, str]) -> Node | str:
        """The expression under a setting, or why there is none."""
        key = tuple(setting.values())
        if key not in self._trees:
            try:
                self._trees[key] = self._tree(setting)
            except DeriveError as error:
                self._trees[key] = str(error)
        return self._trees[key]

    def _tree(self, setting: Mapping[str, str]) -> Node:
        plan = self._plan(setting)
        if self.formula.of_layer and self.model is not None and self.model.of_kinds:
            several = [self._expression(each, plan) for each in self.model.of_kinds.values()]
            different = tuple(dict.fromkeys(several))
            return different[0] if len(different) == 1 else Call("max", different)
        return self._expression(self.model, plan)

    def _expression(self, about: Model | None, plan: Plan) -> Node:
        if about is not None:
            check_blocks(about.whole.block_names, plan.recompute)
            plan = about.complete(plan)
        if self._written_out:
            return to_tree(self.formula.ledger(about, plan).value, self.formula.notation.order)
        rows = self.formula.rows(about, plan)
        return _read(tuple(row.value for row in rows), tuple(self.formula.notation.order), rows.written)

    @cached_property
    def _written_out(self) -> bool:
        """Whether what letters stand for is of one and the same kind of layer: then it is put in their place."""
        about, formula = self.model, self.formula
        if not (formula.of_layer and about is not None and about.of_kinds):
            return False
        standing = formula.standing(about, formula.rows(about, about.complete(Plan())).letters)
        return any(each.of_layer for each in standing.values())

    def _plan(self, setting: Mapping[str, str]) -> Plan:
        plan = _parsed(plan_text(setting))
        if self.model is not None and setting[WHOLE]:
            plan = replace(plan, replicated=tuple(x.key for x in self._splits if x.whole))
        return plan

    def variant(self, setting: Mapping[str, str]) -> Variant | str:
        """The expression under a setting with what its letters are, or why there is none."""
        tree, formula, plan = self.tree(setting), self.formula, None
        if isinstance(tree, str):
            return tree
        plan = self._plan(setting)
        usual = formula.usual(plan)
        standing = formula.standing(self.model, symbols_of(tree))
        uses = {
            letter: Use(
                self.table.key(formula.notation[letter], formula.topic),
                standing[letter].name if letter in standing else "",
                usual.get(letter),
            )
            for letter in symbols_of(tree)
        }
        return Variant(tree, uses, to_latex(tree, formula.notation.latex), self._splits)

    @cached_property
    def _splits(self) -> tuple[Split, ...]:
        """What a degree must divide before this quantity has a value, as `derive.evaluation.fitted` has it."""
        about, formula = self.model, self.formula
        if about is None or not formula.per_device:
            return ()
        used = formula.reached(about, about.complete(Plan()))
        layers = [each.layer for each in about.of_kinds.values()] if about.of_kinds else [about.layer]
        ends = [t for t in about.whole.tensors if used & {axis.name for axis in t.axes if axis.split}]
        axes = divided_axes([*(t for layer in layers for t in layer.tensors), *ends])
        found: dict[str, Split] = {}
        for axis in sorted(axes, key=lambda axis: (axis.split is Mesh.SP, axis.name)):
            name = str(axis.size) if getattr(axis.size, "is_Symbol", False) else axis.name
            if name in about.architecture.letters.split():
                key = self.table.key(about.architecture.notation[name], "")
                alone = "sp" if axis.split is Mesh.SP else ""
                split = Split(key, axis.remainder is Remainder.REPLICATE, axis.remainder is Remainder.PAD, alone)
                found.setdefault(key, split)
        return tuple(found.values())


@cache
def _parsed(text: str) -> Plan:
    return parse_plan(text, common.symbol)  # a topic with other letters for the degrees has no plan in them


@cache
def _read(amounts: tuple[Any, ...], order: tuple[str, ...], written: bool) -> Node:
    """A sum as it is read: many settings of a page have the same rows."""
    return as_written(amounts, order) if written else sum_to_tree(amounts, order)


def plan_text(setting: Mapping[str, str]) -> str:
    """A setting as the text of a plan, its degrees as letters."""
    return ",".join(_plan_items(setting))


def _plan_items(setting: Mapping[str, str]) -> Iterator[str]:
    for degree in DEGREES:
        if setting[degree] != "1":
            yield f"{PLANNED[degree]}={degree}"
    if setting["sp"] == "1":
        yield "sp"
    if setting["zero"] != "0":
        yield f"zero={setting['zero']}"
    if setting["recompute"]:
        yield f"recompute={setting['recompute']}"
    yield f"attention={setting['attention']}"
    yield f"mask={setting['mask']}"
