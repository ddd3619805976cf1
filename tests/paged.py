"""What a reader of the page may choose, at random, and what Python says of the same settings."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from checks.configurations import configuration
from derive.errors import DeriveError
from derive.evaluation import implied, number, with_options
from derive.interval import Interval
from derive.kept import check_blocks
from derive.model import Given, Model
from derive.plan import parse_plan
from derive.quantity import Formula
from derive.reading import to_tree
from derive.sheet.choices import BEHIND, EXAMPLES, FOLLOWS, models_picker
from derive.situation import amount, made_from
from derive.situation import usual as defaults_of
from formulas import catalog
from formulas.configs import model_of_fields
from formulas.hardware import device
from formulas.models import in_letters, model
from formulas.notation import common
from tests.browsing import everything

# Quantities in which the devices cancel, unless one of these letters is set.
CANCELLED = {"gpu-hours": {"T"}, "cost": {"H", "T"}}


@dataclass
class Setting:
    """What a reader chose: a model or none, a device, a plan, and values by the keys of inputs."""

    model: str
    gpu: str
    choices: dict[str, str]
    values: dict[str, Fraction] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """The setting as the page's hook takes it."""
        values = {key: str(value) for key, value in self.values.items()}
        return {"picks": {"model": self.model, "gpu": self.gpu}, "choices": self.choices, "set": values}

    def degree(self, key: str) -> Fraction:
        """A degree: what is set, else what the model opens with."""
        return self.values[key] if key in self.values else Fraction(opened(self.model).get(key, Given(1, "")).value)

    @property
    def plan(self) -> str:
        """The plan as a person writes it."""
        t, n = self.degree("t"), self.degree("n")
        items = [f"tp={t}"] if t != 1 else []
        items += [f"dp={n}"] if n != 1 else []
        items += ["sp"] if self.choices["sp"] == "1" and t != 1 else []
        items += [f"zero={self.choices['zero']}"] if n != 1 else []
        items += [f"recompute={self.choices['recompute']}"] if self.choices["recompute"] else []
        return ",".join([*items, f"attention={self.choices['attention']}", f"mask={self.choices['mask']}"])


PLANS = tuple(
    {"sp": sp, "zero": zero, "recompute": recompute, "attention": attention, "mask": mask, "t": t, "n": n}
    for sp, zero, recompute, attention, mask, t, n in (
        ("0", "0", "", "flash", "causal", 1, 1), ("0", "0", "", "materialised", "full", 1, 1),
        ("1", "1", "core", "materialised", "causal", 8, 64), ("1", "3", "layer", "flash", "causal", 4, 8),
        ("0", "2", "core", "flash", "full", 2, 2), ("0", "3", "", "materialised", "causal", 1, 16),
        ("1", "0", "layer", "materialised", "full", 16, 1), ("0", "1", "", "flash", "causal", 16, 4),
        ("1", "2", "", "flash", "full", 3, 24), ("1", "1", "core", "materialised", "full", 8, 1),
    )
)  # fmt: skip


def random_setting(chance: random.Random) -> Setting:
    """A setting of sizes that a model can have, under a plan that may not divide them."""
    name = chance.choice([*in_letters(), "none"])
    plan = dict(chance.choice(PLANS))
    values = {key: Fraction(plan.pop(key)) for key in ("t", "n")}
    values = {key: value for key, value in values.items() if value != 1 or chance.random() < 0.5}
    if name != "none" and chance.random() < 0.7:
        g, each, d = chance.choice((1, 2, 4, 8, 16)), chance.choice((1, 2, 3, 8)), chance.choice((32, 64, 80, 128))
        values |= {"g": Fraction(g), "a": Fraction(g * each), "d": Fraction(d), "h": Fraction(g * each * d)}
        values |= {"s": Fraction(chance.choice((512, 1000, 1024))), "b": Fraction(chance.randint(1, 9))}
        values |= {"L": Fraction(chance.randint(1, 130)), "V": Fraction(chance.choice((32000, 50257, 51200, 10**6)))}
        values["g"] += chance.random() < 0.1  # then it does not divide a
        values["s"] *= chance.choice((1, 1, 1, 1, 1, 1, 1, 1, 1, 1000))  # then it exceeds S
        if chance.random() < 0.5:
            values["f"] = Fraction(chance.randint(1, 10**5) * 16)
    inputs = {each.key: each for each in everything().inputs}
    sizes = {key for kind in everything().kinds for key in kind.inputs}
    for key in chance.sample(sorted(inputs.keys() - sizes - {"t", "n"}), 12):
        values[key] = random_value(inputs[key], chance)
    consistent(name, values, chance)
    return Setting(name, chance.choice(["h100", "a100-80gb", "b200"]), plan, values)


def consistent(name: str, values: dict[str, Fraction], chance: random.Random) -> None:
    """Make a run one that can be, more often than not: its batch, micro-batches and devices say the same."""
    if chance.random() < 0.25:
        return
    known = {x: Fraction(given.value) for x, given in opened(name).items()} | values
    count = Fraction(chance.randint(1, 40))
    if "s" in known:
        values["B"] = count * known["s"] * known.get("b", 1) * known.get("n", 1)
        if "m" in values:
            values["m"] = count
    if "G" in values:
        values["G"] = known.get("t", Fraction(1)) * known.get("n", 1)


def random_value(each: Any, chance: random.Random) -> Fraction:
    """A value that a letter can have: small where it is an exponent, at most 1 where it is a share."""
    if each.key.startswith("formats."):
        return Fraction(chance.randint(2, 9))
    if each.most is not None:
        return Fraction(chance.randint(1, 1000), 1000)
    if each.key in ("scaling.alpha", "scaling.beta", "scaling.e", "scaling.r"):
        return Fraction(chance.randint(1001, 3000), 1000)
    if each.key in ("data.n", "L"):
        return Fraction(chance.randint(1, 300))
    if each.key == "init.tau":
        return Fraction(1, chance.randint(1, 5000))
    if each.whole:
        return Fraction(chance.randint(max(each.least, 0), chance.choice((10, 10**4, 10**9))))
    return Fraction(chance.randint(1, 10 ** chance.choice((3, 9, 20))), chance.choice((1, 1, 7, 1000)))


@cache
def opened(name: str) -> Mapping[str, Given]:
    """The values that a model's preset has."""
    about = [each for each in everything().pickers[0].presets if each.name == name]
    return about[0].values if about else models_picker([model_named(name)], {name: ""}, ()).presets[0].values


def followed(setting: Setting, key: str) -> Fraction | DeriveError | None:
    """What follows from the rest of the run for one of its letters; an error where it cannot, or another one is set."""
    made = next(each for each in FOLLOWS if each.key == key)
    known = opened(setting.model)
    given = {x: setting.values.get(x) or (known[x].value if x in known else None) for x in made.letters}
    given = {x: value or (EXAMPLES[x].value if x in EXAMPLES else None) for x, value in given.items()}
    if any(value is None for value in given.values()):
        return setting.values.get(key)
    value = number(made.tree, {x: Given(whole(value), "") for x, value in given.items() if value is not None})
    assert isinstance(value, Fraction)
    if key in setting.values:
        return value if setting.values[key] == value else DeriveError(made.contradicted)
    return value if value.denominator == 1 else DeriveError(made.refused)


@cache
def keys() -> dict[tuple[str, str], str]:
    """The key of an input by its letter and meaning, found as the page finds it."""
    found = {}
    for each in everything().inputs:
        found[each.key.rpartition(".")[2], each.meaning] = each.key
    return found


def key_of(formula: Formula, letter: str) -> str | None:
    """The key of a letter of a formula's notation, None where the page has no such input."""
    known = formula.notation.letters.get(letter)
    return keys().get((letter, known.meaning)) if known is not None else None


@cache
def model_named(name: str) -> Model:
    """A preset, or a random configuration that is named by its model type."""
    return model(name) if name in in_letters() else model_of_fields(configuration(name, 1), name)


def expected(formula: Formula, setting: Setting) -> Fraction | Interval | DeriveError | None:
    """What Python says of a quantity at a setting: its value, an error, or None where a letter has no value."""
    about = model_named(setting.model) if setting.model != "none" and formula.takes_model else None
    run = {each.key: followed(setting, each.key) for each in FOLLOWS}
    try:
        refused = [x for x, value in run.items() if isinstance(value, DeriveError)]
        tried = [
            _expected(formula, about, setting, {**run, **dict.fromkeys(refused, Fraction(value))})
            for value in ((1, 2) if refused else (1,))
        ]
    except DeriveError as error:
        return error
    # What is refused has no value: it does not depend on that where it is the same for any.
    if "G" in refused and formula.name in CANCELLED and not (CANCELLED[formula.name] & setting.values.keys()):
        return DeriveError("the devices cancel in it, but it is of them")
    return tried[0] if tried[0] == tried[-1] else DeriveError("it depends on what is refused")


def _expected(
    formula: Formula, about: Model | None, setting: Setting, run: Mapping[str, Any]
) -> Fraction | Interval | None:
    text = setting.plan
    if about is None:  # nothing to recompute
        text = ",".join(part for part in text.split(",") if not part.startswith("recompute"))
    own = all(formula.notation.letters.get(x) == common[x] for x in "tn")
    if not own and not formula.arguments:  # the plan says nothing of its letters, but may not divide the sizes
        sp = ["sp"] if formula.per_device and about is not None and "sp" in text.split(",") else []
        text = ",".join([*sp, *(part for part in text.split(",") if part.startswith("recompute"))])
    plan = parse_plan(text, common.symbol)
    completed = about.complete(plan) if about is not None else plan
    reached = formula.reached(about, completed)
    sizes = about.architecture.letters.split() if about is not None else []
    standing = {
        x
        for each in made_from(formula, about, completed)
        for x in each.standing(about, each.rows(about, completed).letters)
    }
    usual = defaults_of(formula, about, completed)
    given: dict[str, Given] = {}
    gpu = device(setting.gpu)
    letters = {x: x if x in sizes else key_of(formula, x) for x in sorted({*reached, *sizes, "t", "n"})}
    for letter, key in letters.items():
        if key is None:
            continue
        set_here = run.get(key) or setting.values.get(key)
        if set_here is not None:
            given[letter] = Given(whole(set_here), "option")
        elif key in ("P", "W", "M") and key in gpu.letters and (key != "P" or "bf16" in gpu.peaks):
            given[letter] = gpu.value(key, "bf16")
        elif key in ("t", "n"):
            given[letter] = Given(whole(setting.degree(key)), "option")
        elif letter not in sizes and letter not in standing and letter not in usual:
            preset = implied(model_named(setting.model)) if setting.model != "none" else {}
            if letter in preset and key == letter:
                given[letter] = preset[letter]
                continue
            found = behind(key, setting)
            if found is not None:
                given[letter] = Given(whole(found), "option")
    value = amount(formula, about, plan, given)
    if value is not None:
        return value
    known = dict(given) | {x: each for x, each in usual.items() if x not in given}
    return number(to_tree(formula.ledger(about, completed, keep=[x for x in given if x in standing]).value), known)


def behind(key: str, setting: Setting) -> Fraction | None:
    """What the other numbers of a run say of a letter, or else its example; nothing else of a model that cannot be."""
    found = expected(catalog()[BEHIND[key]], setting) if key in BEHIND else None
    if isinstance(found, Fraction):
        return found
    if isinstance(found, DeriveError) and setting.model != "none":
        unfit(model_named(setting.model), setting)
    return EXAMPLES[key].value if key in EXAMPLES else None


def unfit(about: Model, setting: Setting) -> None:
    """Raise `DeriveError` where the model as a whole cannot be so: its sizes, or a block that is recomputed."""
    own = about.architecture.letters.split()
    implied(with_options(about, {x: Given(whole(y), "option") for x, y in setting.values.items() if x in own}))
    check_blocks(about.whole.block_names, parse_plan(setting.plan, common.symbol).recompute)


def whole(value: Fraction | int) -> Fraction | int:
    """A whole number as one."""
    return int(value) if Fraction(value).denominator == 1 else value
