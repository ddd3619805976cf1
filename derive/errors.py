"""One hierarchy of errors: whoever shows them to a person prints one line and no traceback."""

from collections.abc import Iterable

MOST_LISTED, FIRST = 60, 8  # names in a message: all of them, or of a longer list the first


class DeriveError(Exception):
    """Base of every error that a user can cause; its text is one line that names the thing and the way out."""


class GrammarError(DeriveError):
    """Text that is not in the grammar of expressions: names the text and the place."""


class IrrationalError(GrammarError):
    """A root or a power that is no rational number, where an exact value is asked for."""


class ValueTextError(DeriveError):
    """A number or a size that a person wrote and that cannot be read exactly."""


class UnitError(DeriveError):
    """An expression that adds, compares or declares quantities of different units."""


class ShapeError(DeriveError):
    """Tensors whose axes do not fit the operation: names the pattern and both sizes."""


class PlanError(DeriveError):
    """A plan that cannot be read, or that does not divide the model."""


class ModelError(DeriveError):
    """A model whose sizes are missing, contradictory or not whole."""


class ConfigError(ModelError):
    """A configuration file that cannot be read, or a field of it that says nothing a model can have."""


class ClaimError(DeriveError):
    """A quoted formula that cannot be read, or a step of a derivation that is not true."""


class SolveError(DeriveError):
    """An equation that no value of a letter solves, or more than one, or that does not have the letter."""


class UnknownName(DeriveError):
    """A name that is in no table: carries the closest one that is."""


def unknown(kind: str, name: str, known: Iterable[str], more: str = "") -> UnknownName:
    """The error for a `name` that is none of the `known` ones, with the closest match; `more` is known beside names.

    >>> str(unknown("model", "lama3-70b", ["llama3-70b", "gpt2"]))
    "unknown model 'lama3-70b': did you mean 'llama3-70b'?"
    >>> str(unknown("plan key", "zzz", ["tp", "sp"]))
    "unknown plan key 'zzz': known are tp, sp"
    """
    names = list(known)
    shown = name if len(name) <= 60 else name[:57] + "..."
    lowered = {candidate.lower(): candidate for candidate in reversed(names)}
    short = (
        len(name) <= 2 and name.lower() not in lowered
    )  # one letter wrong is half of it: a guess worth making, but not alone
    close = _closest(name.lower()[:200], list(map(str.lower, names)), 0.5 if short else 0.6)
    few = names if len(names) <= MOST_LISTED else [*names[:FIRST], f"... ({len(names)} in all)"]
    there_are = f"known are {', '.join(few)}{more}" if names else "there is none here"
    guess = f"did you mean {lowered[close[0]]!r}?" if close else there_are
    hint = f"{guess} {there_are}" if close and short else guess
    return UnknownName(f"unknown {kind} {shown!r}: {hint}")


def close_to(name: str, known: Iterable[str]) -> str | None:
    """The closest of the known names, if one is close."""
    return next(iter(_closest(name, list(known), 0.8)), None)


def _closest(name: str, known: list[str], cutoff: float) -> list[str]:
    """The closest of the known names, if one is close; of those that are equally close, the first."""
    from difflib import SequenceMatcher, get_close_matches  # only where something is wrong

    close = get_close_matches(name, known, n=3, cutoff=cutoff)
    return sorted(close, key=lambda each: (-SequenceMatcher(None, each, name).ratio(), known.index(each)))[:1]
