"""The command line as people use it: every quantity in every format, lists, help, any arguments at all."""

import io
import json
import subprocess
from contextlib import redirect_stderr, redirect_stdout

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from derive.cli import main
from derive.cli.arguments import FORMATS, VERBS
from derive.render.marks import markdown_text as escape
from derive.render.typeset.mathml import mathml
from derive.version import __version__
from formulas import catalog, entries
from formulas.models import architectures, in_letters, presets
from formulas.models import model as model_named
from tests.asking import UNLINKED

NAMES, FORMULAS = [entry.name for entry in entries()], catalog()
PLURALS = {"byte": " bytes", "parameter": " parameters", "second": " seconds", "dollar": " dollars", "token": " tokens"}
# What a model is named by, what is kept in letters: one row for each way to ask about the same quantity.
WAYS = {
    "default": (),
    **{preset: ("--model", preset) for preset in (*in_letters(), "mixtral-8x7b")},
    **{f"{preset} symbolic": ("--model", preset, "--symbolic") for preset in (*in_letters(), "mixtral-8x7b")},
    **{architecture: ("--model", architecture) for architecture in architectures()},
}
CASES = [(name, way) for name in NAMES for way in WAYS if way == "default" or FORMULAS[name].needs_model]
CASES += [(name, "gpt2") for name in NAMES if FORMULAS[name].takes_model and not FORMULAS[name].needs_model]
PLANNED = {*NAMES, "explain", "compare", "solve", "plan", "figure"}  # what takes a plan
LISTS = [
    ("list",), ("models",), ("notation",), ("sources",), ("explain", "activations", "34"),
    ("explain", "activations", "24", "--plan", "tp=t"), ("explain", "parameters", "12", "--model", "gpt2"),
]  # fmt: skip


@pytest.fixture
def derive(capsys):
    """A function from arguments to exit code, standard output and standard error, run in this process."""

    def run(*arguments: str) -> tuple[int | str | None, str, str]:
        try:
            code: int | str | None = main(arguments)
        except SystemExit as done:
            code = done.code
        return code, *capsys.readouterr()

    return run


# ---- every quantity in every format ----


@pytest.mark.parametrize(("name", "way"), CASES, ids=[f"{name} {way}" for name, way in CASES])
def test_every_quantity_prints_in_every_format(derive, name, way):
    shown = {}
    for form in FORMATS:
        code, shown[form], err = derive(name, *WAYS[way], f"--{form}")
        assert (code, err) == (0, "")
    _, default, _ = derive(name, *WAYS[way])
    data = json.loads(shown["json"])
    assert default == shown["text"]
    assert shown["text"].startswith(f"{name}: {data['title']}\n")
    assert f"\n{FORMULAS[name].symbol} = {data['expression']}   [{data['unit']}]\n" in shown["text"]
    assert shown["latex"].startswith("\\begin{align*}\n")
    assert (r" \quad \blacksquare" in shown["latex"]) == (name not in UNLINKED)
    assert shown["latex"].endswith("\n\\end{align*}\n")
    assert shown["markdown"].startswith(f"## {name}\n")
    assert shown["html"].startswith("<!doctype html>\n")
    assert f"<title>{name}</title>" in shown["html"]
    assert "<script" not in shown["html"]
    assert mathml(f"{data['symbol']} = {data['latex']}") in shown["html"]
    assert shown["typst"].startswith(f'#set document(title: "{name}", date: none)\n')
    assert f"{data['symbol']} = {data['latex']}\n" in shown["markdown"]
    assert (data["value"] is not None) == (not data["free_symbols"])
    if way in presets():
        assert not set(data["free_symbols"]) & set(model_named(way).sizes)
    if data["value"] is not None:
        pure = " elements" if data["ledger"] and "elements" in data["ledger"][0] else ""
        unit = pure if data["unit"] == "1" else PLURALS.get(data["unit"], f" {data['unit']}")
        exact = f"{data['exact']}{unit}"
        said = exact if exact == data["value_text"] else f"{exact} = {data['value_text']}"
        assert f"\n{FORMULAS[name].symbol} = {said}\n" in shown["text"]
        assert f"= {escape(data['exact'])}{unit} = " in shown["markdown"]


NOTICES = {
    ("activations", "--plan", "early-stop"): ["early-stop changes nothing of activations"],
    ("activations", "--plan", "sp"): ["sp changes nothing of activations: it goes with tp, as in tp=8,sp"],
    ("activations", "--plan", "mask=full"): ["mask changes nothing of activations"],
    ("mlp-activations", "--plan", "attention=flash"): ["attention changes nothing of mlp-activations"],
    ("parameters", "--plan", "tp=8", "--model", "gpt2"): [
        "tp changes nothing of parameters: it is counted for the whole model"
    ],
    ("attention-flops", "--model", "llama3-70b", "--set", "h=8192"): ["h changes nothing of attention-flops"],
    ("activations", "--set", "h=64"): [],  # it enters through d = h/a and f = 4h too
    ("activations", "--plan", "tp=t,sp"): [],
    ("activations", "--plan", "recompute=core"): [],
    ("flops-per-token", "--plan", "mask=full"): [],
}


@pytest.mark.parametrize(("arguments", "notices"), NOTICES.items(), ids=map(" ".join, NOTICES))
def test_a_plan_that_changes_nothing_is_said_on_standard_error(derive, arguments, notices):
    code, out, err = derive(*arguments, "--json")
    assert code == 0
    assert err == "".join(f"derive: note: {notice}\n" for notice in notices)
    assert json.loads(out)["name"] == arguments[0]


def test_a_degree_may_be_set_as_a_size(derive):
    by_plan = json.loads(derive("activations", "--model", "llama3-70b", "--plan", "tp=8", "--json")[1])
    by_size = json.loads(derive("activations", "--model", "llama3-70b", "--set", "t=8", "--json")[1])
    assert by_plan == by_size
    assert by_plan["plan"] == {"tp": 8}


def test_units_change_the_order_and_nothing_else(derive):
    code, si, _ = derive("activations", "--model", "gpt3-175b", "--units", "si")
    _, iec, _ = derive("activations", "--model", "gpt3-175b", "--units", "iec")
    assert code == 0
    assert "2868936704 bytes = 2.869 GB (2.672 GiB)" in si
    assert "2868936704 bytes = 2.672 GiB (2.869 GB)" in iec


# ---- lists, help, version, completion ----


@pytest.mark.parametrize("arguments", LISTS, ids=map(" ".join, LISTS))
def test_lists_print_and_their_json_parses(derive, arguments):
    code, out, err = derive(*arguments)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) > 3
    code, out, err = derive(*arguments, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)


def test_lists_hold_what_they_list(derive):
    listed = json.loads(derive("list", "--json")[1])
    assert [entry["name"] for entry in listed] == NAMES
    assert set(listed[0]) == {"name", "title", "topic", "symbol", "unit"}
    assert [(e["symbol"], e["unit"], e["title"]) for e in listed] == [
        (formula.symbol, str(formula.unit), formula.title) for formula in FORMULAS.values()
    ]
    models = json.loads(derive("models", "--json")[1])
    assert (set(models["presets"]), set(models["architectures"])) == (set(presets()), set(architectures()))
    letters = [letter["letter"] for letter in json.loads(derive("notation", "--json")[1])["common"]]
    assert letters == list(FORMULAS["activations"].notation.order)
    sources = {source["key"]: source["claims"] for source in json.loads(derive("sources", "--json")[1])}
    assert sources["korthikanti2022"]["proved up to"] >= 5
    (made,) = json.loads(derive("explain", "activations", "34", "--json")[1])
    assert made["by_block"] == {"norm": "4", "attention": "11", "mlp": "19"}
    assert made["by_split"] == {"whole on every device": "10", "split by tensor parallelism": "24"}
    assert sum(int(row["adds"]) for row in made["rows"]) == 34


@pytest.mark.parametrize("name", [*NAMES, *VERBS])
def test_help_says_what_it_does(derive, name):
    code, out, err = derive(name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: derive {name} ")
    about = VERBS[name].about if name in VERBS else FORMULAS[name].title
    assert about.replace(" ", "") in "".join(out.split())  # wherever its lines end
    assert ("--plan P" in out) == (name in PLANNED)


def test_the_overview_names_everything(derive):
    code, out, err = derive()
    assert (code, err) == (0, "")
    assert {*NAMES, *VERBS} <= set(out.split())
    assert max(map(len, out.splitlines())) < 80
    code, help_text, err = derive("--help")
    assert (code, err) == (0, "")
    assert out.strip() in help_text


def test_version(derive):
    assert derive("--version") == (0, f"shapeproof {__version__}\n", "")


@pytest.mark.parametrize("name", ["bash", "zsh", "tcsh"])
def test_completion_knows_every_word(derive, name):
    code, out, err = derive("--print-completion", name)
    assert (code, err) == (0, "")
    assert [word for word in (*NAMES, *VERBS, "--latex", "--plan") if word.removeprefix("--") not in out] == []
    if name == "bash":
        assert subprocess.run(["bash", "-n"], input=out.encode(), capture_output=True, check=True).stderr == b""


# ---- whatever is written ----

FRAGMENTS = [
    *(entry.name for entry in entries()), *VERBS, *presets(), *architectures(),
    "--latex", "--json", "--text", "--markdown", "--symbolic", "--model", "--plan", "--set", "--recipe", "--dtype",
    "--units", "si", "iec", "-h", "--help", "--version", "--print-completion", "bash", "--", "-", "34", "-1", "t",
    "tp=8", "tp=t", "tp=3", "sp", "recompute=core", "recompute=layer", "recompute=mlp+norm", "early-stop", "mask=full",
    "attention=flash", "attention=materialised", "frozen=up weight", "s=4096", "b=2", "h=6", "a=3", "t=2", "g=4",
    "d=5", "V=1e40", "m=2", "fp32", "bf16-cpu", "--plan=tp=2,sp", "--set=s=2",
]  # fmt: skip
WORDS = st.one_of(
    st.sampled_from(FRAGMENTS),
    st.text(max_size=30),
    st.builds("{}={}".format, st.sampled_from(["tp", "s", "h", "a", "recompute", "mask"]), st.text(max_size=8)),
)
QUANTITIES = st.sampled_from([*(entry.name for entry in entries()), "explain"])


def captured(arguments: list[str]) -> tuple[int | str | None, str]:
    """Exit code and standard error, with streams of their own: Hypothesis runs a test many times over one fixture."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code: int | str | None = main(arguments)
        except SystemExit as done:
            code = done.code
    err.flush()
    err.seek(0)
    return code, err.read()


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.lists(WORDS, max_size=6), st.builds(lambda name, rest: [name, *rest], QUANTITIES, st.lists(WORDS))))
@example(["activations", "--set", "h=6", "--set", "a=4"])
@example(["activations", "--plan", "tp=3,sp", "--set", "a=6", "--set", "g=4"])
@example(["\ud800"])
@example(["activations", "\x85\u2028\x1b[0m"])
def test_any_arguments_end_in_success_or_in_one_line(arguments):
    code, err = captured(arguments)
    lines = err.splitlines()
    errors = [line for line in lines if line.startswith("derive: error: ")]
    notes = [line for line in lines if line.startswith("derive: note: ")]
    assert "Traceback" not in err
    assert "fault of derive" not in err
    assert code in (0, 2)
    assert len(errors) == (code == 2)
    assert len(lines) == len(errors) + len(notes)
