"""Bad input: one line on standard error with the way out, exit code 2, nothing on standard output, at once."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from derive.cli import main
from derive.cli.arguments import VERBS
from derive.errors import FIRST, MOST_LISTED
from derive.plan import KEYS
from derive.precision import RECIPES
from formulas import entries
from formulas.models import architectures, presets
from formulas.notation import common

ROOT = Path(__file__).parents[1]
BLOCKS = "embedding, layer, norm, attention, core, mlp, final_norm, head"
LETTERS = ", ".join(common.order)
MODELS = ", ".join([*presets(), *architectures()])
ALL_NAMES = [*(entry.name for entry in entries()), *VERBS]
assert len(ALL_NAMES) > MOST_LISTED
NAMES = ", ".join([*ALL_NAMES[:FIRST], f"... ({len(ALL_NAMES)} in all)"])
PLAN_KEYS = ", ".join(KEYS)
RECIPE_NAMES = ", ".join(RECIPES)
HELP = "see derive activations --help"
NUMBERS = "write it like 7B, 4Mi, 2^22, 989e12, 80GB, 30d, 40% or 1_000"
A = "activations"

# Arguments -> the whole line after `derive: error: `.
BAD: dict[tuple[str, ...], str] = {
    # names
    ("activatons",): "unknown quantity or verb 'activatons': did you mean 'activations'?",
    ("lst",): "unknown quantity or verb 'lst': did you mean 'list'?",
    ("Activations",): "unknown quantity or verb 'Activations': did you mean 'activations'?",
    ("",): f"unknown quantity or verb '': known are {NAMES}",
    ("undefined",): f"unknown quantity or verb 'undefined': known are {NAMES}",
    (A, "--model", "lama3-70b"): "unknown model 'lama3-70b': did you mean 'llama3-70b'?",
    (A, "--model", "GPT2"): "unknown model 'GPT2': did you mean 'gpt2'?",
    (A, "--model", ""): f"unknown model '': known are {MODELS}, or a path to a config.json",
    (A, "--model", "null"): f"unknown model 'null': known are {MODELS}, or a path to a config.json",
    (A, "--recipe", "bf61"): "unknown recipe 'bf61': did you mean 'bf16'?",
    (A, "--recipe", ""): f"unknown recipe '': known are {RECIPE_NAMES}",
    (A, "--dtype", "bf61"): "unknown dtype 'bf61': did you mean 'bf16'?",
    (A, "--dtype", ""): "unknown dtype '': known are fp64, fp32, tf32, bf16, fp16, e4m3, e5m2, e2m1, nvfp4",
    ("explain", "activatons", "34"): "unknown quantity 'activatons': did you mean 'activations'?",
    ("explain", "list", "34"): "unknown quantity 'list': did you mean 'logits'?",
    # sizes
    (A, "--set", "q=3"): f"unknown symbol 'q': did you mean 'q_2'? known are {LETTERS}",
    (A, "--set", "H=3"): "H is no size of gpt: its sizes are s, b, h, a, g, d, f, V, S, L",
    (A, "--set", "VV=3"): f"unknown symbol 'VV': did you mean 'V'? known are {LETTERS}",
    (A, "--set", "None=None"): "unknown symbol 'None': did you mean 'd_nope'?",
    (A, "--set", "=5"): "--set =5: write SYMBOL=VALUE, such as --set s=4096",
    (A, "--set", "s"): "--set s: write SYMBOL=VALUE, such as --set s=4096",
    (A, "--set", ""): "--set : write SYMBOL=VALUE, such as --set s=4096",
    (A, "--set", "s="): "s must be a positive integer: got ''",
    (A, "--set", "s=0"): "s must be a positive integer: got '0'",
    (A, "--set", "s=-1"): "s must be a positive integer: got '-1'",
    (A, "--set", "s=1.5"): "s must be a positive integer: got '1.5'",
    (A, "--set", "s=abc"): "s must be a positive integer: got 'abc'",
    (A, "--set", "s=nan"): "s must be a positive integer: got 'nan'",
    (A, "--set", "s=inf"): "s must be a positive integer: got 'inf'",
    (A, "--set", "s=1/2"): "s must be a positive integer: got '1/2'",
    (A, "--set", "s=0x10"): "s must be a positive integer: got '0x10'",
    (A, "--set", "s=80GB"): "s must be a positive integer: got '80GB'",
    (A, "--set", "s=1e999999999"): "s must be a positive integer of at most 10^40: got '1e999999999'",
    (A, "--set", "s=10^10^10"): "s must be a positive integer: got '10^10^10'",
    (A, "--set", "s=10^41"): "s must be a positive integer of at most 10^40: got '10^41'",
    (A, "--set", "s=" + 5000 * "9"): "s must be a positive integer of at most 10^40: got '999...' (5000 characters)",
    (A, "--set", "s=١٢"): "s must be a positive integer: got '١٢'",
    (A, "--set", "s=１２"): "s must be a positive integer: got '１２'",
    (A, "--set", "s=1\n2"): r"s must be a positive integer: got '1\n2'",
    (A, "--set", "s=1", "--set", "s=2"): "s is set twice: to 1 and to 2",
    (A, "--set", "N=5"): "N is no size of gpt: its sizes are s, b, h, a, g, d, f, V, S, L",
    (A, "--set", "S=5", "--model", "llama3-8b"): "S is no size of llama3-8b: its sizes are s, b, h, a, g, d, f, V, L",
    (A, "--set", "s=4096", "--model", "gpt2"): "s = 4096 exceeds S = 1024: set S too",
    (A, "--set", "a=7", "--model", "gpt2"): "d = h/a is not a whole number for h = 768, a = 7: set d itself",
    (A, "--symbolic", "--set", "s=4"): "--symbolic keeps the letters: leave out --set s=4",
    (A, "--set", "t=8", "--plan", "tp=4"): "t = 8 is set, but the plan says tp=4",
    # plans
    (A, "--plan", "tq=8"): f"unknown plan key 'tq': did you mean 'tp'? known are {PLAN_KEYS}",
    (A, "--plan", "zzz=8"): f"unknown plan key 'zzz': known are {PLAN_KEYS}",
    (A, "--plan", "=8"): f"unknown plan key '': known are {PLAN_KEYS}",
    (A, "--plan", "tp"): "plan 'tp': write tp=8 or tp=t",
    (A, "--plan", "tp="): "plan 'tp=': write tp=8 or tp=t",
    (A, "--plan", "sp=1"): "plan 'sp=1': write sp",
    (A, "--plan", "early-stop=1"): "plan 'early-stop=1': write early-stop",
    (A, "--plan", "recompute="): "plan 'recompute=': write recompute=core",
    (A, "--plan", "recompute=cor"): "unknown block 'cor': did you mean 'core'?",
    (A, "--plan", "recompute=core+atention"): "unknown block 'atention': did you mean 'attention'?",
    (A, "--plan", "recompute=+"): f"unknown block '': known are {BLOCKS}",
    (A, "--plan", "mask=foo"): "unknown value of mask= 'foo': known are causal, full, packed",
    (A, "--plan", "mask=casual"): "unknown value of mask= 'casual': did you mean 'causal'?",
    (A, "--plan", "attention=foo"): "unknown value of attention= 'foo': known are materialised, flash, cuda_flash",
    (A, "--plan", "tp=2,tp=4"): "plan 'tp=2,tp=4': 'tp' is given twice",
    (A, "--plan", "tp=2", "--plan", "tp=4"): "plan 'tp=2,tp=4': 'tp' is given twice",
    (A, "--plan", "sp,sp"): "plan 'sp,sp': 'sp' is given twice",
    (A, "--plan", "tp=0"): "plan tp=0: tp must be a positive integer: got '0'",
    (A, "--plan", "tp=1.5"): "plan tp=1.5: tp must be a positive integer: got '1.5'",
    (A, "--plan", "tp=x"): "plan tp=x: write tp=8 or tp=t",
    (A, "--plan", "tp=T"): "plan tp=T: write tp=8 or tp=t",
    (A, "--plan", "tp=7", "--model", "llama3-70b"): "tp=7 does not divide a = 64 (query heads)",
    (A, "--plan", "tp=5", "--model", "gpt2"): "tp=5 does not divide a = 12 (query heads)",
    ("logits", "--plan", "tp=2", "--model", "gpt2"):
        "tp=2 does not divide V = 50257 (vocabulary): frameworks pad it, --plan pad-vocab=128 or --set V=50432",
    # options
    (A, "--latex", "--json"): f"argument --json: not allowed with argument --latex; {HELP}",
    (A, "--text", "--markdown"): f"argument --markdown: not allowed with argument --text; {HELP}",
    (A, "--latx"): "unrecognized arguments: --latx: did you mean --latex?",
    (A, "--jsn=1"): "unrecognized arguments: --jsn=1: did you mean --json?",
    (A, "extra"): f"unrecognized arguments: extra; {HELP}",
    (A, "a\nb"): rf"unrecognized arguments: a\nb; {HELP}",
    (A, "a\rb\x1b[31m"): rf"unrecognized arguments: a\rb\x1b[31m; {HELP}",
    (A, "--model"): f"argument --model: expected one argument; {HELP}",
    (A, "--plan"): f"argument --plan: expected one argument; {HELP}",
    (A, "--set"): f"argument --set: expected one argument; {HELP}",
    (A, "--recipe"): f"argument --recipe: expected one argument; {HELP}",
    (A, "--dtype"): f"argument --dtype: expected one argument; {HELP}",
    (A, "--units"): f"argument --units: expected one argument; {HELP}",
    ("--latex", A): "write the quantity or verb first: derive NAME --latex activations; see derive --help",
    ("--nonsense",): "write the quantity or verb first: derive NAME --nonsense; see derive --help",
    ("list", "--latex"): "unrecognized arguments: --latex; see derive list --help",
    ("list", "activations"): "unrecognized arguments: activations; see derive list --help",
    ("matmul-flops", "--model", "gpt2"): "matmul-flops is not about a model: leave out --model gpt2",
    # explanations
    ("explain",): "the following arguments are required: NAME, COEFFICIENT; see derive explain --help",
    ("explain", A): "the following arguments are required: COEFFICIENT; see derive explain --help",
    ("explain", A, "abc"): "the coefficient must be one number without letters, such as 34 or 5/8: got 'abc'",
    ("explain", A, "24/t"): "the coefficient must be one number without letters, such as 34 or 5/8: got '24/t'",
    ("explain", A, ""): "the coefficient must be one number without letters, such as 34 or 5/8: got ''",
    ("explain", A, "35"):
        "no term of activations has the coefficient 35: there are 34 (s*b*h), 16 (s*b), 5 (a*s^2*b) "
        "(more with --plan tp=t)",
    ("explain", A, "-34"):
        "no term of activations has the coefficient -34: there are 34 (s*b*h), 16 (s*b), 5 (a*s^2*b) "
        "(more with --plan tp=t)",
    ("explain", "matmul-flops", "2", "--model", "gpt2"):
        "matmul-flops is not about a model: leave out --model gpt2",
}  # fmt: skip


def outcome(capsys, *arguments: str) -> tuple[int | str | None, str, str]:
    """Exit code, standard output and standard error of one run in this process."""
    try:
        code: int | str | None = main(arguments)
    except SystemExit as done:
        code = done.code
    out, err = capsys.readouterr()
    return code, out, err


def is_one_line(text: str) -> bool:
    """Whether a person sees one line, whichever character a terminal takes for the end of one."""
    return len(text.splitlines()) == 1 and text.endswith("\n") and text[:-1].isprintable()


def identify(arguments: tuple[str, ...]) -> str:
    """A test's name: short, and printable."""
    return " ".join(arguments)[:60].encode("ascii", "backslashreplace").decode() or "empty"


@pytest.mark.parametrize(("arguments", "message"), BAD.items(), ids=map(identify, BAD))
def test_bad_input_is_one_line(capsys, arguments, message):
    start = time.perf_counter()
    code, out, err = outcome(capsys, *arguments)
    assert (code, out, err) == (2, "", f"derive: error: {message}\n")
    assert is_one_line(err)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("letter", ["s", "h", "N", "a"])
def test_a_symbolic_degree_is_its_own_letter(capsys, letter):
    code, out, err = outcome(capsys, A, "--plan", f"tp={letter}")
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert f"tp={letter}" in err


def test_key_value_heads_that_do_not_divide_the_query_heads_are_refused(capsys):
    code, out, err = outcome(capsys, A, "--model", "llama3-70b", "--set", "g=7")
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert "g = 7" in err
    assert "a = 64" in err


# argparse quotes the choices up to Python 3.11 and some 3.12, not after.
CHOICES = {
    (A, "--units", "foo"): f"argument --units: invalid choice: foo (choose from si, iec); {HELP}",
    ("--print-completion", "fish"):
        "argument --print-completion: invalid choice: fish (choose from bash, zsh, tcsh); see derive --help",
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), CHOICES.items(), ids=map(identify, CHOICES))
def test_a_value_that_is_no_choice_lists_the_choices(capsys, arguments, message):
    code, out, err = outcome(capsys, *arguments)
    assert (code, out, err.replace("'", "")) == (2, "", f"derive: error: {message}\n")
    assert is_one_line(err)


SUBPROCESS = [
    ("activatons",), (A, "--set", "s=10^10^10"), (A, "--set", "s=" + 5000 * "9"), (A, "--latx"),
    (A, "--plan", "tp=7", "--model", "llama3-70b"), ("--latex", A), (A, "--latex", "--json"), ("explain", A, "35"),
]  # fmt: skip


@pytest.mark.parametrize("arguments", SUBPROCESS, ids=map(identify, SUBPROCESS))
def test_a_user_sees_the_same_line(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "derive", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"derive: error: {BAD[arguments]}\n")


def test_bytes_that_are_no_text_are_one_line():
    done = subprocess.run(
        [sys.executable, "-m", "derive", A, "--model", b"\xff\xfe\n"], cwd=ROOT, capture_output=True, timeout=60,
        check=False, env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    line = rf"derive: error: unknown model '\udcff\udcfe\n': known are {MODELS}, or a path to a config.json" + "\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", line)


# ---- nothing is evaluated ----

PLACES: dict[str, tuple[str, ...]] = {
    "name": ("{}",),
    "argument": (A, "{}"),
    "option": (A, "--{}"),
    "size": (A, "--set", "s={}"),
    "letter": (A, "--set", "{}=5"),
    "plan": (A, "--plan", "{}"),
    "degree": (A, "--plan", "tp={}"),
    "block": (A, "--plan", "recompute={}"),
    "kernel": (A, "--plan", "attention={}"),
    "mask": (A, "--plan", "mask={}"),
    "frozen": (A, "--plan", "frozen={}"),
    "model": (A, "--model", "{}"),
    "recipe": (A, "--recipe", "{}"),
    "dtype": (A, "--dtype", "{}"),
    "units": (A, "--units", "{}"),
    "explained": ("explain", "{}", "34"),
    "coefficient": ("explain", A, "{}"),
    "explained plan": ("explain", A, "34", "--plan", "tp={}"),
}
PAYLOADS = [
    "__import__('os').system('touch evaluated')",
    "open('evaluated', 'w')",
    "t if open('evaluated', 'w') else t",
    "Function('f')(open('evaluated', 'w'))",
    "{0.__class__}%(x)s${x}`touch evaluated`$(touch evaluated)",
    "../../formulas/models.toml",
    "exec(\"open('evaluated', 'w')\")\nimport os",
    "\\input{evaluated}",
]


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("place", PLACES)
def test_no_text_is_evaluated(capsys, monkeypatch, tmp_path, place, payload):
    monkeypatch.chdir(tmp_path)
    code, out, err = outcome(capsys, *(part.replace("{}", payload) for part in PLACES[place]))
    assert (code, out) == (2, "")
    assert err.startswith("derive: error: ")
    assert "Traceback" not in err
    assert "fault of derive" not in err
    assert is_one_line(err)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("character", ["x", "9", "=", ",", "(", "\n", "é", "+", "-"])
@pytest.mark.parametrize("place", PLACES)
def test_a_text_of_100_kilobytes_is_refused_at_once(capsys, place, character):
    start = time.perf_counter()
    code, out, err = outcome(capsys, *(part.replace("{}", "x" + 100_000 * character) for part in PLACES[place]))
    assert (code, out) == (2, "")
    assert err.startswith("derive: error: ")
    assert "fault of derive" not in err
    assert is_one_line(err)
    assert len(err) < 1000
    assert time.perf_counter() - start < 5
