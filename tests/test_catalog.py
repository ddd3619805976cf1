"""The catalog: names that are free, one listing that says what the formulas say, and no SymPy needed to read it."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import derive
import formulas
from derive import Citation, Formula, Plan, byte, claims, flop, formula, notation
from derive.citation import OPEN, PROVED, REFUTED, UP_TO
from derive.cli.arguments import VERBS
from derive.errors import ClaimError, DeriveError
from derive.ledger import Ledger
from derive.plan import KEYS
from derive.tree import to_text
from derive.units import parse_unit
from formulas import (
    RESERVED,
    RESERVED_LATER,
    TOPICS,
    all_claims,
    catalog,
    entries,
    entry_of,
    formula_named,
)
from formulas.models import architectures
from formulas.notation import common, notation_of

ROOT = Path(__file__).parent.parent
ENTRIES = {entry.name: entry for entry in entries()}
EVERY = pytest.mark.parametrize("name", ENTRIES)
CLAIMS = all_claims()
SOURCES = sorted(path.stem for path in (ROOT / "formulas" / "sources").glob("*.py") if path.stem != "__init__")

# Names that other programs may rely on: they stay.
KEPT = {
    "gemm": ["matmul-flops", "matmul-backward-flops", "tensor-bytes", "strided-offset"],
    "parameters": ["layer-parameters", "parameters", "embedding-parameters", "gemm-parameters", "device-parameters"],
    "activations": ["activations", "attention-activations", "mlp-activations", "model-activations", "logits"],
    "flops": ["layer-flops", "attention-flops", "flops-per-token"],
    "states": ["bytes-per-parameter", "states", "zero-1", "zero-2", "zero-3", "checkpoint-bytes"],
    "memory": ["peak-memory", "usable-memory"],
    "recompute": ["recompute-factor", "checkpoint-interval", "accumulation"],
    "utilization": ["mfu", "hfu"],
    "time": ["step-time", "training-time", "gpu-hours", "cost", "tokens-per-second", "save-interval"],
    "scaling": ["training-flops", "chinchilla-parameters", "chinchilla-tokens", "overtraining"],
    "roofline": ["machine-balance", "arithmetic-intensity", "attainable-flops", "mfu-bound"],
    "parallelism": ["pipeline-bubble", "interleaved-bubble", "in-flight-microbatches"],
    "inference": ["kv-cache", "decode-intensity"],
    "formats": ["float-max", "float-min-normal", "float-min-subnormal", "float-epsilon"],
    "data": ["dataset-bytes"],
    "init": ["init-scale"],
}


@pytest.mark.parametrize("topic", KEPT)
def test_names_are_kept(topic: str):
    assert set(KEPT[topic]) <= {entry.name for entry in entries() if entry.topic == topic}


def test_every_formula_of_every_topic_is_listed_once():
    declared = [
        value for topic in TOPICS for value in vars(import_module(f"formulas.{topic}")).values()
        if isinstance(value, Formula) and value.topic == topic
    ]  # fmt: skip
    assert len({id(each) for each in declared}) == len(declared) == len(entries()) == len(ENTRIES)
    assert {id(each) for each in declared} == {id(each) for each in catalog().values()}


def test_every_topic_is_a_file_and_every_file_with_formulas_a_topic():
    with_formulas = {path.stem for path in (ROOT / "formulas").glob("*.py") if "\n@formula(" in path.read_text("utf-8")}
    assert with_formulas == set(TOPICS)
    assert list(dict.fromkeys(entry.topic for entry in entries())) == list(TOPICS)


@EVERY
def test_names_are_kebab_case_and_no_verbs(name: str):
    assert re.fullmatch(r"[a-z]+[0-9]*(-[a-z0-9]+)*", name)
    assert name not in RESERVED | RESERVED_LATER | set(VERBS)


@pytest.mark.parametrize("name", ["", "matmul_flops", "no-such", "weight", "_several", "activations("])
def test_a_name_that_no_formula_has_has_no_entry(name: str):
    assert entry_of(name) is None


def test_the_verbs_of_the_command_line_are_reserved():
    assert set(VERBS) <= RESERVED
    assert not RESERVED & RESERVED_LATER


@EVERY
def test_an_entry_says_what_the_formula_says(name: str):
    entry, found = ENTRIES[name], catalog()[name]
    assert found is formula_named(entry)
    assert entry_of(name) == entry
    assert (entry.name, entry.topic, entry.symbol, entry.title) == (found.name, found.topic, found.symbol, found.title)
    assert entry.unit == str(found.unit)
    assert parse_unit(entry.unit) == found.unit


@EVERY
def test_titles_and_docstrings(name: str):
    found = catalog()[name]
    assert re.fullmatch(r"[A-Z].*[^.]\.", found.title)
    assert found.function.__doc__
    assert ("Unit: " + (f"{found.unit}." if found.unit.powers else "")) in " ".join(found.function.__doc__.split())
    assert len([each for each in ENTRIES.values() if each.title == found.title]) == 1


@EVERY
def test_a_formula_uses_the_letters_of_its_topic(name: str):
    found = catalog()[name]
    assert found.notation == notation_of(found.topic)
    for about in subjects(found):
        assert found.ledger(about, Plan()).letters <= set(found.notation.letters)


def subjects(found: Formula) -> list[derive.Model | None]:
    """What a formula can be about: a model, nothing, or either."""
    about: list[derive.Model | None] = [derive.Model(architectures()["gpt"])] if found.takes_model else []
    return about if found.needs_model else [*about, None]


# ---- what the catalog refuses ----

FORMULA = '@formula("F", unit=flop / token, notation=common)\ndef {}(model, plan):\n    """A title."""\n'
REFUSED = [
    (("two_words", "two_words"), "formula 'two-words' is in gemm and in parameters"),
    (("fine", "prove"), "formula 'prove' of parameters has the name of a verb"),
    (("cheatsheet", "fine"), "formula 'cheatsheet' of gemm has the name of a verb"),
]


def listing(folder: Path, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[formulas.Entry, ...]:
    topics = TOPICS[: len(names)]
    for topic, name in zip(topics, names, strict=True):
        (folder / f"{topic}.py").write_text(FORMULA.format(name), encoding="utf-8")
    monkeypatch.setattr(formulas, "HERE", folder)
    monkeypatch.setattr(formulas, "TOPICS", topics)
    return entries.__wrapped__()


@pytest.mark.parametrize(("names", "text"), REFUSED, ids=[text for _, text in REFUSED])
def test_names_that_are_taken_are_refused(names, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(DeriveError) as error:
        listing(tmp_path, names, monkeypatch)
    assert str(error.value) == text


def test_a_new_file_is_read_without_running_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (found,) = listing(tmp_path, ("new_one",), monkeypatch)
    assert found == formulas.Entry("new-one", "gemm", "F", "FLOP/token", "A title.")


def test_a_formula_needs_a_title():
    def nameless(_plan):
        return Ledger((), byte)

    with pytest.raises(DeriveError) as error:
        formula("F", unit=byte, notation=common)(nameless)
    assert str(error.value) == "formula 'nameless' has no docstring, whose first line is its title"


def test_a_formula_needs_a_model_and_rows_in_its_unit():
    def wrong_unit(plan):  # noqa: ARG001
        """A title."""
        return Ledger((), byte)

    with pytest.raises(DeriveError) as error:
        formula("F", unit=flop, notation=common)(wrong_unit).ledger(None, Plan())
    assert str(error.value) == "wrong-unit is declared in FLOP, its rows are in byte"
    with pytest.raises(DeriveError) as error:
        catalog()["activations"].ledger(None, Plan())
    assert str(error.value) == "activations is a quantity of a model: give one"


@EVERY
def test_bytes_are_of_one_device_and_the_rest_of_the_whole_model(name: str):
    """What is of the whole model is the same on however many devices, whatever they shard."""
    found = catalog()[name]
    t, p, n = (common.symbol(letter) for letter in "tpn")
    many = Plan(tp=t, sp=True, pp=p, stage="last", dp=n, zero=3)
    for about in subjects(found):
        assert found.rows(about, many) == found.rows(about, many if found.per_device else Plan())
    if found.needs_model and str(found.unit) == "byte" and found.per_device:
        split = found.ledger(subjects(found)[0], Plan(tp=t, sp=True, zero=3, dp=n)).value
        assert split == 0 or {t, n} & split.free_symbols


# ---- listing costs no SymPy ----


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], [], ["notation"]])
def test_listing_does_not_import_sympy(arguments: list[str]):
    code = (
        "import sys\nfrom derive.cli import main\n"
        f"code = main({arguments!r})\nprint(code, 'sympy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "0 False\n"
    assert done.stdout


def test_a_formula_does_import_sympy():
    code = "import sys\nfrom formulas import catalog\ncatalog()\nprint('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_the_listing_as_json_is_the_catalog(capsys: pytest.CaptureFixture[str]):
    from derive.cli import main

    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in listed] == list(ENTRIES)
    assert all({"name", "title", "topic", "symbol", "unit"} <= each.keys() for each in listed)


# ---- the vocabulary ----


def test_the_vocabulary_is_what_the_modules_define():
    for name in derive.__all__:
        module = import_module(derive._WHERE[name])
        assert getattr(derive, name) is getattr(module, name)
    assert dir(derive) == sorted(derive.__all__)
    assert len(set(derive.__all__)) == sum(map(len, derive._HOME.values()))
    with pytest.raises(AttributeError) as error:
        _ = derive.no_such_name
    assert str(error.value) == "module 'derive' has no attribute 'no_such_name'"


# ---- claims ----


@pytest.mark.parametrize("module", SOURCES)
def test_a_file_of_sources_has_one_citation_and_claims(module: str):
    values = vars(import_module(f"formulas.sources.{module}")).values()
    (citation,) = [value for value in values if isinstance(value, Citation)]
    assert citation.key.replace("-", "_") == module
    assert all((citation.kind, citation.authors, citation.year, citation.title, citation.locator))
    assert [claim for claim in CLAIMS if claim.source is citation]


def test_every_claim_is_about_a_formula_of_the_catalog_and_said_once():
    assert {claim.source.key.replace("-", "_") for claim in CLAIMS} == set(SOURCES)
    places = {(each.source.key, each.formula.name, each.place, each.about, each.plan_text) for each in CLAIMS}
    assert len(places) == len(CLAIMS)
    assert {claim.expected for claim in CLAIMS} <= {PROVED, UP_TO, REFUTED}
    assert {claim.formula for claim in CLAIMS} <= set(catalog().values())
    assert OPEN not in {claim.expected for claim in CLAIMS}
    assert all(claim.about is not None or not claim.formula.needs_model for claim in CLAIMS)
    assert all(claim.about is None or claim.formula.takes_model for claim in CLAIMS)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"": "34*s*"}, "formula '34*s*': it ends too early at position 6; an operand or a ')' is missing"),
        (
            {"": "34*zz"},
            "formula '34*zz': unknown letter 'zz' at position 4; known letters are " + ", ".join(common.order),
        ),
        (
            {"tq=t": "34"},
            f"unknown plan key 'tq': did you mean 'tp'? known are {', '.join(KEYS)}",
        ),
    ],
)
def test_a_slip_in_a_quotation_stops_the_import(rows: dict[str, str], text: str):
    from formulas.sources.korthikanti2022 import korthikanti2022

    with pytest.raises(ClaimError) as error:
        claims(korthikanti2022, catalog()["activations"], "here", rows=rows)
    assert str(error.value) == f"korthikanti2022, here: {text}"


def test_a_claim_keeps_the_text_of_its_source():
    (claim,) = claims(CLAIMS[0].source, catalog()["activations"], "here", rows={"": "s*b*h*(34+5*a*s/h)"})
    assert (claim.text, to_text(claim.tree), claim.plan) == ("s*b*h*(34 + 5*a*s/h)", claim.text, Plan())


def test_topics_have_letters_of_their_own():
    assert notation_of("gemm")["m"].meaning == "rows of the first matrix"
    assert notation_of("flops") == common
    with pytest.raises(DeriveError) as error:
        notation((common["s"], common["b"], common["s"]))
    assert str(error.value) == "a table of notation has a letter twice: s, b, s"
