"""Arguments: the verbs, the options that they share, and errors in one line with a suggestion."""

from __future__ import annotations

import re
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from derive.cli.show import emit
from derive.errors import DeriveError, unknown
from derive.precision import OPTIMIZERS, RECIPES
from derive.version import __version__
from formulas.notation import COMMON

FORMATS = ("text", "latex", "markdown", "html", "typst", "json")


@dataclass(frozen=True, slots=True)
class Verb:
    """A word of the command line that is not a quantity: what it does, what runs it, and which options it takes."""

    about: str
    module: str
    options: Callable[[ArgumentParser], None]


class Once(Action):
    """Stores the value of an option; given again with another one, it contradicts itself."""

    def __call__(  # argparse hands the parser over
        self,
        parser: ArgumentParser,  # noqa: ARG002
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store, or refuse."""
        seen = namespace.__dict__.setdefault("seen", {})
        if seen.setdefault(self.dest, values) != values:
            raise DeriveError(f"{option_string} is given twice: {str(seen[self.dest])[:40]} and {str(values)[:40]}")
        setattr(namespace, self.dest, values)


class Parser(ArgumentParser):
    """argparse has no other hook for its errors than this method; its own prints the usage and exits."""

    def __init__(self, **settings: Any):
        super().__init__(**settings)
        self.register("action", None, Once)
        self._negative_number_matcher = re.compile("-[0-9.]")  # -40% is a value, wrong as it may be, and no option

    def error(self, message: str) -> NoReturn:
        from difflib import get_close_matches  # only where something is wrong

        found = re.search(r"unrecognized arguments: (--[\w-]+)", message)
        known = [option for action in self._actions for option in action.option_strings]
        close = get_close_matches(found[1], known, n=1, cutoff=0.7) if found else []
        hint = f": did you mean {close[0]}?" if close else f"; see {self.prog} --help"
        raise DeriveError(message[:300] + hint)


def _json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def _case(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--model", metavar="M", help="a preset, an architecture (see `derive models`), or a config.json"
    )
    parser.add_argument("--plan", metavar="P", action="append", default=[], help=_plan_help())
    parser.add_argument("--recipe", metavar="R", default="bf16", help=f"formats of a step: {', '.join(RECIPES)}")
    parser.add_argument("--optimizer", metavar="O", default="adamw", help=f"one of {', '.join(OPTIMIZERS)}")
    parser.add_argument("--dtype", metavar="T", help="format that products are computed in, in place of the recipe's")


def _plan_help() -> str:
    return (
        "tp=8 or tp=t, sp, recompute=core (selective) or layer (full) or BLOCK+BLOCK, early-stop, "
        "attention=materialised|flash|cuda_flash, scan=materialised|fused, mask=causal|full|packed, "
        "frozen=PARAMETER or BLOCK, lora=16, adapted=LAYER+LAYER, mtp, absorbed, pad-vocab=128, pp=4, cp=2, dp=64, "
        "ep=8, zero=1, joined by commas"
    )


def _quantity(parser: ArgumentParser) -> None:
    formats = parser.add_mutually_exclusive_group()
    for name in FORMATS:
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=f"as {name}")
    _case(parser)
    parser.add_argument("--symbolic", action="store_true", help="keep the model's letters, substitute nothing")
    _values(parser)
    _units(parser)


def _units(parser: ArgumentParser) -> None:
    parser.add_argument("--units", choices=("si", "iec"), default="si", help="GB first, or GiB first")


def _values(parser: ArgumentParser) -> None:
    """Values of letters: by name, by an option of their own, or from a device."""
    parser.add_argument("--set", metavar="S=V", action="append", default=[], dest="sizes", help="a size: s=4096, b=4")
    about = "a device, for its peak, bandwidth and memory; see `derive hardware`"
    parser.add_argument("--gpu", metavar="G", help=about)
    for letter in COMMON:
        if letter.option:
            about = f"--set {letter.name}=V: {letter.meaning}"
            parser.add_argument(f"--{letter.option}", metavar="V", dest=f"letter_{letter.name}", help=about)


def _plan(parser: ArgumentParser) -> None:
    _case(parser)
    _values(parser)
    parser.add_argument("--step-time", metavar="T", help="time of a step as observed, such as 4.5s: MFU follows")
    parser.add_argument("--tflops", metavar="X", help="TFLOP/s of a device as observed, such as 430: MFU follows")
    parser.add_argument("--days", metavar="X", help="days that the run may take; without --gpus, the fewest devices")
    parser.add_argument(
        "--must-fit", action="store_true", help="exit with 1 unless the peak is below all that may be left"
    )
    _json(parser)


def _explain(parser: ArgumentParser) -> None:
    parser.add_argument("quantity", metavar="NAME", help="a quantity of the catalog")
    parser.add_argument("coefficient", metavar="COEFFICIENT", help="a number in front of one of its terms, such as 34")
    _case(parser)
    _json(parser)


def _solve(parser: ArgumentParser) -> None:
    parser.add_argument("equation", metavar="NAME=VALUE", help="a quantity and the value it is to have: states=640GB")
    parser.add_argument("--for", metavar="SYMBOL", dest="letter", required=True, help="the letter to solve for: N")
    formats = parser.add_mutually_exclusive_group()
    for name in ("text", "latex", "json"):
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=f"as {name}")
    _case(parser)
    _values(parser)
    _units(parser)


def _compare(parser: ArgumentParser) -> None:
    parser.add_argument("quantity", metavar="NAME", help="a quantity of the catalog")
    _case(parser)
    _values(parser)
    _units(parser)
    _json(parser)


def _prove(parser: ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="quantities, or theorems; without any, everything")
    parser.add_argument(
        "--level", metavar="L", choices=("certified", "smt", "kernel"), help="how far: certified, smt, kernel"
    )
    parser.add_argument(
        "--update", action="store_true", help="renew the certificates: search for proofs that are missing"
    )
    parser.add_argument("--statement", metavar="S", help="a formula of your own: '34/t <= 10 + 24/t'")
    parser.add_argument(
        "--given", metavar="H", action="append", default=[], help="what it holds under: 't >= 1'; again for more"
    )
    parser.add_argument(
        "--real", metavar="X", action="append", default=[], help="symbols that are real, not whole: x,y"
    )
    _json(parser)


def _cheatsheet(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="a file: .md, .tex, .pdf or .html; without, Markdown is printed"
    )
    parser.add_argument(
        "--topic", metavar="T", action="append", default=[], help="a topic of the catalog; again for more"
    )
    parser.add_argument("--short", action="store_true", help="what is asked for most, on a few pages")
    parser.add_argument("--model", metavar="M", help="whose numbers are shown: a preset, or a config.json")
    parser.add_argument("--gpu", metavar="G", help="the device that they are on; see `derive hardware`")


def _figure(parser: ArgumentParser) -> None:
    parser.add_argument("figure", metavar="NAME", nargs="?", help="a figure; without one, they are listed")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to: .svg or .png; without it, SVG goes to standard output"
    )
    _case(parser)
    about = "a size of the model: s=4096, b=4"
    parser.add_argument("--set", metavar="S=V", action="append", default=[], dest="sizes", help=about)
    parser.add_argument("--gpu", metavar="G", help="a device; see `derive hardware`")
    about = "light, dark, or auto: an SVG follows the reader's (default)"
    parser.add_argument("--theme", choices=("auto", "light", "dark"), default="auto", help=about)


VERBS = {
    "list": Verb("the catalog of quantities", "derive.cli.catalog", _json),
    "models": Verb("presets and architectures", "derive.cli.models", _json),
    "hardware": Verb("devices with their peaks, bandwidth and memory", "derive.cli.hardware", _json),
    "notation": Verb("the letters and what they mean", "derive.cli.notation", _json),
    "sources": Verb("the papers and tools whose formulas are judged", "derive.cli.sources", _json),
    "plan": Verb("a training run in one view: FLOPs, memory, time, money", "derive.cli.plan", _plan),
    "explain": Verb("where a coefficient comes from, row by row", "derive.cli.explain", _explain),
    "solve": Verb("the value of a letter at which a quantity has a value", "derive.cli.solve", _solve),
    "prove": Verb("every claim and law with its proof, or a formula of your own", "derive.cli.prove", _prove),
    "cheatsheet": Verb(
        "all of it as one document, for a screen, paper or a page", "derive.cli.cheatsheet", _cheatsheet
    ),
    "compare": Verb("what every source says of a quantity, side by side", "derive.cli.compare", _compare),
    "figure": Verb("a picture: roofline, memory of a step, a layer's data flow", "derive.cli.figure", _figure),
}


def parser_of(name: str) -> Parser:
    """The parser of a verb or a quantity; `UnknownName` with the closest one."""
    from formulas import TOPICS, entries, entry_of

    if name in VERBS:
        about, options = VERBS[name].about, VERBS[name].options
    elif entry := entry_of(name):
        about, options = entry.title, _quantity
    elif name in TOPICS:
        below = ", ".join(each.name for each in entries() if each.topic == name)
        raise DeriveError(f"{name} is a topic: its quantities are {below}")
    else:
        raise unknown("quantity or verb", name, [*(each.name for each in entries()), *VERBS])
    parser = Parser(prog=f"derive {name}", description=about, allow_abbrev=False)
    options(parser)
    return parser


def top_level(arguments: list[str]) -> int:
    """`derive` alone, or with options that are about no quantity."""
    from derive.cli.catalog import overview

    everything = overview({name: verb.about for name, verb in VERBS.items()})
    parser = Parser(
        prog="derive",
        usage="derive NAME [options] | derive VERB [options]",
        description="Derives, proves and evaluates the formulas of LLM resource accounting.\n\n" + everything,
        epilog="`derive NAME --help` lists the options of a quantity.",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"shapeproof {__version__}")
    parser.add_argument("--print-completion", choices=("bash", "zsh", "tcsh"), help="a shell's completion script")
    options, rest = parser.parse_known_args(arguments)
    if rest:
        raise DeriveError(f"write the quantity or verb first: derive NAME {' '.join(rest)[:80]}; see derive --help")
    if options.print_completion:
        import shtab

        print(shtab.complete(completion_parser(), options.print_completion))
    else:
        emit(everything)
    return 0


def completion_parser() -> ArgumentParser:
    """One parser with every quantity and verb below it: what shell completion is made from.

    Here alone the values of options are choices: elsewhere a better message says which are known.
    """
    from derive.plan import KEYS
    from derive.precision import COMPUTE_DTYPES, RECIPES
    from formulas import entries
    from formulas.models import architectures, presets

    values = {
        "quantity": [entry.name for entry in entries()],
        "model": [*presets(), *architectures()],
        "recipe": list(RECIPES),
        "dtype": list(COMPUTE_DTYPES),
        "plan": [form for key in KEYS.values() for form in key.forms],
    }
    parser = ArgumentParser(prog="derive")
    below = parser.add_subparsers()
    every = [(entry.name, entry.title, _quantity) for entry in entries()]
    for name, about, options in [*every, *((name, verb.about, verb.options) for name, verb in VERBS.items())]:
        one = below.add_parser(name, help=about)
        options(one)
        for action in one._actions:
            action.choices = values.get(action.dest, action.choices)
    return parser
