"""What the page's code reads: the program, the inputs, the variants and their mathematics, as one JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any
from xml.etree import ElementTree

from derive.errors import DeriveError
from derive.interval import Interval, affine
from derive.model import Given
from derive.render.page.derived import Derived, Unfolding
from derive.render.page.live import Choice, Follows, Kind, Live, Preset, Quantity, Room, Split, Use, Variant
from derive.render.page.program import Program, exact
from derive.render.typeset.mathml import mathml
from derive.tree import symbols_of, to_text

UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def embedded(value: Any) -> str:
    r"""JSON that can stand inside a script element, whatever is in it.

    >>> embedded(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return "".join(UNSAFE.get(letter, letter) for letter in text)


@dataclass(slots=True)
class Elements:
    """MathML, every element once: its tag with its text or with the places of its children; then its attributes."""

    table: list[Any] = field(default_factory=list)
    _places: dict[Any, int] = field(default_factory=dict)

    def add(self, latex: str) -> int:
        r"""The place of the mathematics of some LaTeX.

        >>> elements = Elements()
        >>> elements.add("a a"), elements.table
        (1, [['mi', 'a'], ['math', [0, 0]]])
        """
        return self._add(ElementTree.fromstring(mathml(latex)))

    def _add(self, element: ElementTree.Element) -> int:
        inside = tuple(self._add(child) for child in element) if len(element) else element.text or ""
        node = (element.tag, inside, *((tuple(element.attrib.items()),) if element.attrib else ()))
        if node not in self._places:
            self._places[node] = len(self.table)
            self.table.append(
                [element.tag, list(inside) if isinstance(inside, tuple) else inside, *map(dict, node[2:])]
            )
        return self._places[node]


def payload(live: Live, found: Unfolding | None = None) -> dict[str, Any]:
    """Everything that the page computes from; `DeriveError` for an expression that its machine does not have."""
    inputs = {each.key: place for place, each in enumerate(live.inputs)}
    program = Program(inputs, {each.name: place for place, each in enumerate(live.quantities)})
    elements = Elements()
    variants = _Variants(program, elements)
    quantities = [_quantity(each, live, variants) for each in live.quantities]
    unfolds = found if found is not None else Unfolding()
    for each, made in zip(live.quantities, quantities, strict=True):
        made["derived"] = [_derived(each, one, variants) for one in unfolds.derived.get(each.name, ())]
        made["sources"] = unfolds.stated.get(each.name, -1)
    relations: dict[int, str] = {}
    kinds = [_kind(kind, inputs, program, relations) for kind in live.kinds]
    behind, usual = _behind(live)
    return {
        "inputs": [
            {
                "key": each.key, "name": each.key.rpartition(".")[2], "meaning": each.meaning, "unit": each.unit,
                "whole": each.whole, "least": each.least, "most": each.most,
                "value": program.default(each.value) if each.value is not None else -1,
                "usual": program.default(usual[each.key]) if each.key in usual else -1,
                "behind": program.quantities.get(each.behind, -1),
                "stands": program.quantities.get(behind.get(each.key, ""), -1),
                "math": elements.add(each.latex),
            }
            for each in live.inputs
        ],
        "pickers": [
            {"key": each.key, "first": each.first, "presets": [_preset(one, inputs) for one in each.presets]}
            for each in live.pickers
        ],
        "kinds": kinds,
        "relations": relations,
        "follows": [_follows(each, inputs, program) for each in live.follows],
        "fits": [_room(each, program) for each in live.fits],
        "aliases": dict(live.aliases),
        "choices": [_choice(each) for each in live.choices],
        "degree": live.degree,
        "degrees": live.degrees,
        "planned": dict(live.planned),
        "padding": live.padding,
        "headline": [name for name, _ in live.headline],
        "quantities": quantities,
        "variants": variants.table.rows,
        "splits": variants.splits.rows,
        "nodes": program.nodes,
        "defaults": program.defaults,
        "elements": elements.table,
    }  # fmt: skip


def _behind(live: Live) -> tuple[dict[str, str], dict[str, Given]]:
    """The quantity that first stands behind an input, and the first value that a quantity gives one by default."""
    behind: dict[str, str] = {}
    usual: dict[str, Given] = {}
    for quantity in live.quantities:
        for variant in quantity.variants.values():
            for use in variant.uses.values() if isinstance(variant, Variant) else ():
                if use.stands:
                    behind.setdefault(use.key, use.stands)
                if use.value is not None:
                    usual.setdefault(use.key, use.value)
    return behind, usual


class _Table:
    """Rows, each once."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._places: dict[str, int] = {}

    def add(self, row: Any) -> int:
        key = json.dumps(row)
        if key not in self._places:
            self._places[key] = len(self.rows)
            self.rows.append(row)
        return self._places[key]


def _preset(preset: Preset, inputs: Mapping[str, int]) -> dict[str, Any]:
    values = [[inputs[key], exact(Fraction(given.value)), given.origin] for key, given in preset.values.items()]
    return {
        "name": preset.name, "title": preset.title, "aliases": preset.aliases, "kind": preset.kind, "values": values,
        "choices": dict(preset.choices), "without": [[inputs[key], why] for key, why in preset.without.items()],
    }  # fmt: skip


def _follows(each: Follows, inputs: Mapping[str, int], program: Program) -> list[Any]:
    node = program.add(each.tree, {letter: Use(key) for letter, key in each.letters.items()})
    said = f"{each.key} = {to_text(each.tree)}"
    return [inputs[each.key], node, said, each.refused, each.contradicted]


def _room(each: Room, program: Program) -> list[Any]:
    return [*(program.quantities[x] for x in (each.wanted, each.room, each.least)), each.words]


def _choice(choice: Choice) -> dict[str, Any]:
    return {"key": choice.key, "needs": choice.needs, "options": choice.options}


def _kind(kind: Kind, inputs: Mapping[str, int], program: Program, said: dict[int, str]) -> dict[str, Any]:
    uses = {letter: Use(key) for letter, key in kind.letters.items()}
    of = {key: letter for letter, key in kind.letters.items()}
    relations = []
    for key, tree in kind.relations.items():
        place = program.add(tree, uses)
        relations.append([inputs[key], place])
        said.setdefault(place, f"{of[key]} = {to_text(tree)}")
    bounds = []
    for key, tree in kind.bounds:
        others = [inputs[uses[letter].key] for letter in symbols_of(tree)]
        bounds.append([inputs[key], program.add(tree, uses), to_text(tree), others])
    return {
        "name": kind.name, "inputs": [inputs[key] for key in kind.inputs], "relations": relations, "bounds": bounds,
        "without": kind.without, "follows": [inputs[key] for key in kind.follows],
        "divides": [[inputs[key], inputs[other]] for key, other in kind.divides],
    }  # fmt: skip


def _quantity(each: Quantity, live: Live, variants: _Variants) -> dict[str, Any]:
    values = [(name, _values(name, live)) for name in each.dimensions]
    table = [
        variants.add(each.variants[key]) if key in each.variants else -1
        for key in product(*(options for _, options in values))
    ]
    first = tuple(options[0] for _, options in values)
    stated = each.variants.get(each.stated or first)
    place = -1 if stated is None else variants.add(stated)
    return {"name": each.name, "unit": each.unit, "dimensions": values, "table": table, "stated": place}


def _derived(each: Quantity, derived: Derived, variants: _Variants) -> list[Any]:
    """A derivation: its kind, the variants that it shows, its formula, what that holds under, its mark, what unfolds.

    It shows every variant with the same formula in the same letters, whatever these are of.
    """
    shown = each.variants.get(derived.combination)
    same = [
        variants.add(other)
        for other in each.variants.values()
        if isinstance(shown, Variant) and isinstance(other, Variant) and _formula(other) == _formula(shown)
    ]
    card, latex = derived.card, variants.elements.add
    under = [latex(part.latex) for part in card.under]
    return [derived.kind, sorted(set(same)), latex(card.formula.latex), under, bool(card.mark), derived.folds]


def _formula(variant: Variant) -> tuple[Any, ...]:
    return variant.tree, {letter: use.key for letter, use in variant.uses.items()}


def _values(dimension: str, live: Live) -> list[str]:
    """The values of a dimension, in the order of the table."""
    if dimension == "kind":
        return [kind.name for kind in live.kinds]
    if dimension == "whole":
        return ["", "whole"]
    if dimension in live.degrees:
        return ["1", dimension]
    return [value for choice in live.choices if choice.key == dimension for value, _ in choice.options]


class _Variants:
    """The variants of all quantities, each once: its node, its mathematics, and what a degree must divide."""

    def __init__(self, program: Program, elements: Elements) -> None:
        self.program, self.elements, self.splits, self.table = program, elements, _Table(), _Table()

    def add(self, found: Variant | str) -> int:
        """The place of a variant, or of the words why there is none."""
        if isinstance(found, str):
            return self.table.add(found)
        _check_intervals(found)
        node = self.program.add(found.tree, found.uses)
        rules = self.splits.add([[self.program.inputs[x.key], _rule(x), x.when] for x in found.splits])
        return self.table.add([node, self.elements.add(found.latex), rules])


def _rule(split: Split) -> int:
    return 1 if split.whole else 2 if split.padded else 0


def _check_intervals(variant: Variant) -> None:
    """Letters with intervals as defaults are evaluated at their ends: right where the tree is affine in each."""
    for letter, use in variant.uses.items():
        if use.value is not None and isinstance(use.value.value, Interval) and not affine(variant.tree, letter):
            raise DeriveError(f"{to_text(variant.tree)[:80]!r} is not affine in {letter}, which has two ends")
