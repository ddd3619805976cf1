"""Reading a configuration file: strict JSON, and its fields one by one, each with where its value comes from."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from derive.errors import ConfigError, close_to
from derive.model import Architecture, Given

MOST_BYTES = 4 * 2**20  # a configuration has some kilobytes
MOST = 10**12  # beyond every size of a model
COUNTED: dict[str, int] = dict.fromkeys(("num_hidden_layers", "n_layer"), 10**4)  # of what is listed one by one, fewer
KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


@dataclass(frozen=True)
class Described:
    """What a model type reads from a file: an architecture, its sizes, and the kinds of its layers in their order."""

    architecture: Architecture
    sizes: Mapping[str, Given]
    order: tuple[str, ...] = ()


def load(path: str) -> dict[str, Any]:
    """The JSON object in the file at `path`.

    Raises `ConfigError`, one line, for what cannot be read: a folder, a file of more than 4 MiB, text that is not JSON
    or nested too deeply, a name that an object has twice.
    """
    shown = repr(path[-60:])
    try:
        file = Path(path)
        if file.is_dir():
            raise ConfigError(f"{shown} is a folder: name the config.json in it")
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{shown} has more than {MOST_BYTES} bytes: this is no configuration")

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            names = [name for name, _ in items]
            twice = next(name for name in names if names.count(name) > 1)
            raise ConfigError(f"{shown}: the field {twice[:40]!r} is there twice")
        return found

    try:
        found = json.loads(data.decode("utf-8-sig"), object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{shown} is not JSON: {error.msg} in line {error.lineno}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{shown} is not JSON: it is no UTF-8 text") from None
    except RecursionError:
        raise ConfigError(f"{shown} is nested too deeply to be a configuration") from None
    except ValueError:  # a number of more digits than Python reads
        raise ConfigError(f"{shown} has a number that is too long to be a size") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{shown} is no configuration: it has {_kind(found)}, not an object of fields")
    return found


@dataclass
class Fields:
    """The fields of a configuration: whoever reads one gets its value and leaves a record of where it is from.

    A field that is null counts as missing. `model_type` names the type in messages and origins.
    """

    values: Mapping[str, Any]
    model_type: str
    given: dict[str, Given] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    prefix: str = ""

    def has(self, *names: str) -> bool:
        """Whether one of the names is there and not null; reading it is for another method."""
        return any(self.values.get(name) is not None for name in names)

    def size(self, *names: str, default: Any = None, least: int = 1) -> Given:
        """A whole number under the first of `names` that is there.

        `default` is a number, or another size that it is derived from; without one the field is required. Raises
        `ConfigError`, which names the field, for anything that is not a whole number from `least` to 10^12, or to 10^4
        where it is a number of layers.
        """
        name, value = self._find(names)
        if value is None:
            if default is None:
                null = any(each in self.values for each in names)
                missing = "is null in the file" if null else "the file does not have"
                self._refuse(f"{self.model_type} needs {self.prefix}{names[0]}, which {missing}")
            found = (
                default if isinstance(default, Given) else Given(default, f"default of {self.model_type}: {names[0]}")
            )
            self._note(names[0], found)
            return found
        if isinstance(value, bool) or not isinstance(value, int):
            self._refuse(f"{self.prefix}{name} must be a whole number, is {_shown(value)}")
        most = COUNTED.get(name, MOST)
        if not least <= value <= most:
            self._refuse(f"{self.prefix}{name} must be from {least} to {most}, is {_shown(value)}")
        return self._note(name, Given(value, f"config {self.prefix}{name}"))

    def optional(self, name: str, default: int | None) -> Given | None:
        """A whole number that is None where the field is null; where it is missing, the default."""
        if name in self.values and self.values[name] is None:
            self.read.add(name)
            return None
        if default is None and not self.has(name):
            self.read.add(name)
            return None
        return self.size(name, default=default)

    def quotient(self, above: Given, below: Given, name: str) -> Given:
        """`above` over `below`, the default of the field `name`; `ConfigError` where it is not whole."""
        if above.value % below.value:
            parts = f"{_field(below)} = {below.value} does not divide {_field(above)} = {above.value}"
            self._refuse(f"{name} is missing, and {parts}")
        return Given(above.value // below.value, f"{_field(above)}/{_field(below)}")

    def times(self, size: Given, factor: int) -> Given:
        """A multiple of another size, as a type's own rule has it."""
        return Given(size.value * factor, f"{factor}*{_field(size)}")

    def product(self, one: Given, other: Given) -> Given:
        """The product of two sizes."""
        return Given(one.value * other.value, f"{_field(one)}*{_field(other)}")

    def ceiling(self, size: Given, below: int) -> Given:
        """A part of another size, rounded up."""
        return Given(-(-size.value // below), f"{_field(size)}/{below}, rounded up")

    def says(self, name: str, text: str) -> bool:
        """Whether a field is that text, or missing, which means the same."""
        self.read.add(name)
        return self.values.get(name, text) == text

    def same(self, one: Given, other: Given) -> None:
        """Refuse two sizes that must be one and are not."""
        if one.value != other.value:
            self._refuse(f"{_field(one)} = {one.value} must be {_field(other)} = {other.value}")

    def plus(self, size: Given, more: int) -> Given:
        """Another size and so many more."""
        return Given(size.value + more, f"{_field(size)} + {more}")

    def known(self, value: int, why: str) -> Given:
        """A size that another field decides."""
        return Given(value, f"config {self.prefix}{why}")

    def at_most(self, part: Given, whole: Given) -> None:
        """Refuse a size that is larger than what it is a part of."""
        if part.value > whole.value:
            self._refuse(f"{_field(part)} = {part.value} is more than {_field(whole)} = {whole.value}")

    def flag(self, *names: str, default: bool, null: bool | None = None) -> bool:
        """A field that is true or false; one that is there and null is `null`, where that differs from the default."""
        name, value = self._find(names)
        if value is None and null is not None and any(each in self.values for each in names):
            return self._note(names[0], Given(null, f"config {self.prefix}{names[0]}")).value
        if value is None:
            return self._note(names[0], Given(default, f"default of {self.model_type}")).value
        if not isinstance(value, bool):
            self._refuse(f"{self.prefix}{name} must be true or false, is {_shown(value)}")
        return self._note(name, Given(value, f"config {self.prefix}{name}")).value

    def choice(self, *names: str, known: Iterable[str], default: str) -> str:
        """A field that is one of the texts `known`: of another one it is not known what it computes."""
        name, value = self._find(names)
        if value is None:
            return self._note(names[0], Given(default, f"default of {self.model_type}")).value
        if value not in (choices := list(known)):
            self._refuse(f"{self.prefix}{name} = {_shown(value)} is not known: it may be {', '.join(choices)}")
        return self._note(name, Given(value, f"config {self.prefix}{name}")).value

    def share(self, *names: str, default: float = 0.0) -> float:
        """A field from 0 to 1, such as the probability of dropout."""
        name, value = self._find(names)
        if value is None:
            return self._note(names[0], Given(default, f"default of {self.model_type}")).value
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or not 0 <= value <= 1:
            self._refuse(f"{self.prefix}{name} must be a number from 0 to 1, is {_shown(value)}")
        return self._note(name, Given(value, f"config {self.prefix}{name}")).value

    def positive(self, name: str, default: float | None) -> float | None:
        """A number above 0, or None where the field is null; where it is missing, the default."""
        self.read.add(name)
        value = self.values.get(name)
        if name not in self.values:
            return self._note(name, Given(default, f"default of {self.model_type}")).value if default else None
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            self._refuse(f"{self.prefix}{name} must be a number above 0, is {_shown(value)}")
        return self._note(name, Given(value, f"config {self.prefix}{name}")).value

    def texts(self, name: str, known: Iterable[str], count: int) -> tuple[str, ...] | None:
        """A list of `count` texts, one for each layer, or None where there is none."""
        _, value = self._find((name,))
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != count:
            self._refuse(f"{self.prefix}{name} must be a list of {count}, one for each layer, is {_shown(value)}")
        for each in value:
            if each not in (choices := list(known)):
                self._refuse(f"{self.prefix}{name} has {_shown(each)}: it may have {', '.join(choices)}")
        return tuple(value)

    def whole_numbers(self, name: str) -> tuple[int, ...]:
        """A list of indices, empty where there is none."""
        _, value = self._find((name,))
        if value is None:
            return ()
        if not isinstance(value, list) or not all(type(each) is int and each >= 0 for each in value):
            self._refuse(f"{self.prefix}{name} must be a list of whole numbers, is {_shown(value)}")
        return tuple(value)

    def only(self, name: str, *allowed: Any, why: str) -> None:
        """Refuse a field that is there with another value than those allowed: `why` says what it would change."""
        _, value = self._find((name,))
        same = any(value == each and type(value) is type(each) for each in allowed)
        if value is not None and not same:
            self._refuse(f"{self.prefix}{name} = {_shown(value)} is not supported: {why}")

    def section(self, name: str) -> Fields:
        """The fields of an object inside this one, empty where it is missing."""
        _, value = self._find((name,))
        if not isinstance(value, dict | None):
            self._refuse(f"{self.prefix}{name} must be an object of fields, is {_shown(value)}")
        return Fields(value or {}, self.model_type, self.given, set(), f"{self.prefix}{name}.")

    def ignores(self, *names: str) -> None:
        """Fields that this type is known to have and that change no number here."""
        self.read.update(names)

    def divides(self, part: Given, whole: Given) -> None:
        """Refuse sizes of which one must divide the other and does not."""
        if whole.value % part.value:
            self._refuse(f"{_field(part)} = {part.value} does not divide {_field(whole)} = {whole.value}")

    def refuse_others(self, arithmetic: Iterable[str]) -> None:
        """Refuse a field that was not read although it changes the arithmetic of some model type."""
        for name in arithmetic:
            value = self.values.get(name)
            if name in self.read or not value:
                continue
            close = f" (close to it is {each})" if (each := close_to(name, self.read)) else ""
            known = f"it changes what others compute, and {self.model_type} is not known to have it{close}"
            self._refuse(f"{self.prefix}{name} = {_shown(value)} is not understood: {known}")

    def _find(self, names: tuple[str, ...]) -> tuple[str, Any]:
        self.read.update(names)
        there = [(name, self.values[name]) for name in names if self.values.get(name) is not None]
        for name, value in there[1:]:
            if value != there[0][1]:
                self._refuse(f"{there[0][0]} = {_shown(there[0][1])}, but {name} = {_shown(value)}: they are one thing")
        return there[0] if there else (names[0], None)

    def _note(self, name: str, value: Given) -> Given:
        self.given[self.prefix + name] = value
        return value

    def _refuse(self, words: str) -> NoReturn:
        raise ConfigError(words)


def _field(size: Given) -> str:
    return size.origin.removeprefix("config ").rpartition(": ")[2]


def _kind(value: Any) -> str:
    return KINDS.get(type(value), "null")


def _shown(value: Any) -> str:
    """A value as JSON writes it, cut where it is long; of a number of many digits how many they are."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**30:
        return f"a number of {math.floor(math.log10(abs(value))) + 1} digits"
    if isinstance(value, dict | list):
        return f"{_kind(value)} of {len(value)}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:40]}..."
