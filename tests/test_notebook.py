"""Results show themselves in a notebook as the command line prints them; the example notebook runs as committed."""

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from checks.prove import items
from derive import Plan, parse_plan
from derive.cli import main
from derive.comparison import compare
from derive.explanation import explain
from derive.ledger import Ledger
from derive.notebook import SHOWN, markdown
from derive.render.markdown import with_dollars
from derive.render.table import Table
from derive.report import Report, report
from derive.verdict import judge
from formulas import all_claims, claims_about, entries, formula_of
from formulas.models import model
from formulas.notation import common

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "examples/derive.ipynb"
RENEW = "DERIVE_RENEW_GOLDEN"  # as for golden files
FIRST = {entry.topic: entry.name for entry in reversed(entries())}  # one quantity of every topic


def made(name: str, about: str | None = None, plan: str = "") -> Report:
    formula = formula_of(name)
    known = model(about) if about is not None or formula.needs_model else None
    return report(formula, known, parse_plan(plan, common.symbol), claims=claims_about(formula))


def examples() -> dict[type, object]:
    """One value of every class that shows itself."""
    found = made("activations", "llama3-70b", "tp=8,sp")
    (side, *_) = compare(found.formula, model(), Plan(), claims_about(found.formula))
    values = [
        found, found.formula, found.derivation, found.derivation.ledger, found.claims[0], found.claims[0].judgement,
        found.claims[0].claim, side, explain(found.formula, model(), Plan(), Fraction(34))[0], items(["states"])[0],
    ]  # fmt: skip
    return {type(value): value for value in values}


EXAMPLES = examples()
every = pytest.mark.parametrize("value", EXAMPLES.values(), ids=[each.__name__ for each in EXAMPLES])


def mathematics(text: str) -> list[str]:
    """What stands between dollars, escaped ones aside; nothing may be left over."""
    parts = re.split(r"(?<!\\)\$\$?", text)
    assert len(parts) % 2
    return parts[1::2]


def test_every_class_that_shows_itself_has_an_example():
    assert EXAMPLES.keys() == SHOWN.keys()


@every
def test_a_value_shows_itself(value):
    text = value._repr_markdown_()
    assert text == markdown(value)
    assert "```math" not in text
    assert "`$" not in text
    assert all(each.strip() for each in mathematics(text))


@every
def test_a_terminal_gets_one_short_line(value):
    assert re.fullmatch(r"<[^\n]{10,240}>", repr(value))


@pytest.mark.parametrize("name", FIRST.values())
def test_a_formula_is_what_the_command_line_prints(name, capsys):
    assert main([name, "--markdown"]) == 0
    assert formula_of(name)._repr_markdown_() == with_dollars(capsys.readouterr().out.rstrip("\n"))  # pyright: ignore


def test_a_report_is_what_the_command_line_prints(capsys):
    assert main(["activations", "--model", "llama3-70b", "--plan", "tp=8,sp", "--markdown"]) == 0
    assert markdown(EXAMPLES[Report]) == with_dollars(capsys.readouterr().out.rstrip("\n"))


def test_a_derivation_and_its_ledger_are_parts_of_their_report():
    found = made("activations", "llama3-70b", "tp=8,sp")
    whole = markdown(found)
    rows, steps = markdown(found.derivation).split("\n\n", 1)
    assert rows in whole
    assert steps in whole
    assert markdown(found.derivation.ledger).startswith(rows)


@pytest.mark.parametrize("claim", all_claims()[::20], ids=lambda claim: f"{claim.source.key}-{claim.formula.name}")
def test_a_judged_claim_says_its_verdict(claim):
    judgement = judge(claim)
    text = markdown(judgement)
    assert judgement.verdict in text
    assert (judgement.counterexample is not None) == ("✗ at" in text or "✗ claimed" in text)


def words(text: str) -> list[str]:
    """The words of a text, whatever lays them out: in columns, or as Markdown."""
    bare = re.sub(r"^\|(?: -+:? \|)+$|\\$|&nbsp;|\*\*", "", text, flags=re.MULTILINE)
    cells = re.sub(r"^\|.*\|$", lambda row: row[0].replace(" |", " ").replace("| ", " "), bare, flags=re.MULTILINE)
    return re.sub(r"\\(.)", r"\1", cells).split()


@pytest.mark.parametrize("command", [["explain", "activations", "34"], ["compare", "activations"], ["prove", "zero-1"]])
def test_texts_and_tables_say_the_command_lines_words(command, capsys):
    assert main(command) == 0
    printed = words(capsys.readouterr().out)
    formula = formula_of(command[1])
    shown = {
        "explain": lambda: explain(formula, model(), Plan(), Fraction(34))[0],
        "compare": lambda: compare(formula, model(), Plan(), claims_about(formula))[0],
        "prove": lambda: items(["zero-1"])[0],
    }[command[0]]()
    found = words(markdown(shown))
    assert len(found) > 20
    assert printed[: len(found)] == found


def test_what_is_not_shown_is_an_error():
    with pytest.raises(TypeError, match=r"^Table does not show itself in a notebook$"):
        markdown(Table("", (), ()))


def test_an_empty_ledger_shows_nothing_but_its_sum():
    empty = Ledger((), made("activations").formula.unit)
    assert markdown(empty).splitlines()[-1] == "sum: $0$ byte"


def test_renderers_are_imported_only_when_something_is_shown():
    code = (
        "import sys, derive.report, derive.comparison, formulas.activations\n"
        "print([name for name in sys.modules if name.startswith(('derive.render', 'derive.notebook', 'IPython'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def shown(notebook) -> list[list[dict]]:
    """What every cell of code shows, and the cell itself."""
    return [[{"source": cell.source}, *map(dict, cell.outputs)] for cell in notebook.cells if cell.cell_type == "code"]


def executed() -> nbformat.NotebookNode:
    """The example notebook, run from its first cell to its last, without the times that a run leaves behind."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    notebook.metadata.language_info = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    return notebook


def joined(outputs: list) -> list:
    """The outputs with what was printed in one piece: how many pieces the kernel sends is up to the moment."""
    found: list = []
    for each in outputs:
        same = found and each.output_type == found[-1].output_type == "stream" and each.name == found[-1].name
        if same:
            found[-1].text += each.text
        else:
            found.append(each)
    return found


def test_the_example_notebook_runs_to_the_outputs_that_are_committed():
    run = executed()
    if os.environ.get(RENEW):
        nbformat.write(run, NOTEBOOK)
    assert shown(run) == shown(nbformat.read(NOTEBOOK, as_version=4)), f"renew with {RENEW}=1 and read the difference"
    assert NOTEBOOK.read_text(encoding="utf-8") == nbformat.writes(run) + "\n"
    assert sum("text/markdown" in str(each) for each in shown(run)) >= 8
