"""The cheat-sheet as files: what each form may hold, the same for everybody, and text where data is text."""

import os
import re
import subprocess
import sys

import pytest

from derive.cli import main
from derive.render.documents import latex, markdown, typst
from derive.render.documents.blocks import Code, Document, Grid, Paragraph, Section, Strong, pictures_of
from derive.render.documents.markdown import anchor
from derive.render.typeset.boxes import boxes
from derive.render.typeset.broken import width
from derive.sheet.selection import selection
from tests.documents import held, mathematics, whole

__all__ = ["held", "whole"]

HOSTILE = '<script>alert(1)</script> \\input{/etc/passwd} #eval("1") $x$ `code` | cell _a_ 中 ^~'


def test_mathematics_is_read_in_every_form(whole):
    found = set(mathematics(whole))
    assert len(found) > 500
    for latex_text in found:
        assert boxes(latex_text) is not None
        assert width(latex_text) > 0


def test_markdown_is_what_github_renders(whole):
    text = markdown.markdown(whole)
    assert "$$" not in text
    assert r"\operatorname" not in text
    assert [anchor(section.title) for section in whole.sections] == re.findall(
        r"^- \[.*\]\(#(.*)\)$", text, re.MULTILINE
    )
    for line in text.splitlines():
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line))
            assert cells == len(re.findall(r"(?<!\\)\|", line.replace(r"\vert ", ""))) >= 3
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(counts) == 1, table.splitlines()[0]


def test_two_people_get_the_same_bytes(tmp_path):
    found = []
    for seed in ("0", "12345"):
        path = tmp_path / f"{seed}.md"
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(
            [sys.executable, "-m", "derive", "cheatsheet", "-o", path, "--model", "gpt2"], env=environment, check=True
        )
        found.append(path.read_bytes())
    assert found[0].replace(b"0.assets", b"") == found[1].replace(b"12345.assets", b"")


def test_what_is_held_is_written_without_sympy(tmp_path):
    code = f"import sys; from derive.cli import main; main(['cheatsheet', '-o', {str(tmp_path / 'x.md')!r}]); "
    subprocess.run([sys.executable, "-c", f"{code}assert 'sympy' not in sys.modules"], check=True)


@pytest.fixture
def hostile():
    cell = ((HOSTILE,), (Code(HOSTILE),), (Strong(HOSTILE),))
    blocks = (Paragraph((HOSTILE,)), Grid((HOSTILE, "b", "c"), (cell,), (1, 1, 1)))
    return Document(HOSTILE, (HOSTILE,), (Section(HOSTILE, "x", blocks),))


def test_data_is_text_in_markdown(hostile):
    text = re.sub(r"(`+).*?\1", "", markdown.markdown(hostile).replace("\\`", ""))
    assert not re.search(r"(?<!\\)<script", text)
    assert not re.search(r"(?<!\\)\$", text)
    rows = [line for line in markdown.markdown(hostile).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}


def test_data_is_text_in_latex(hostile):
    text = latex.latex(hostile)
    body = text.partition(r"\begin{document}")[2]
    assert r"\input" not in body
    assert r"\textbackslash{}input\{" in body
    assert "中" not in body
    assert "U+4E2D" in body


def test_data_is_text_in_typst(hostile):
    text = typst.typst(hostile)
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)  # strings of Typst, in which nothing is code
    assert "eval" not in outside
    assert "script" not in outside


def test_a_bare_architecture_has_no_numbers(capsys):
    assert main(["cheatsheet", "--model", "gpt"]) == 2
    assert capsys.readouterr().err == (
        "derive: error: gpt has no sizes to put in: name a preset or a config.json\n"
    )  # fmt: skip


ENDINGS = "write a file that ends in .md, .tex, .pdf, .html, such as -o cheatsheet.html"
WRONG = {
    ("-o", "sheet.docx"): f"-o 'sheet.docx': {ENDINGS}",
    ("-o", "sheet"): f"-o 'sheet': {ENDINGS}",
    ("-o", ""): f"-o '': {ENDINGS}",
    ("-o", "missing/sheet.md"): "cannot write 'missing/sheet.md': there is no folder 'missing'",
    ("--topic", "flop"): "unknown topic 'flop': did you mean 'flops'?",
    ("--topic", "time", "--gpu", "a100"): "--topic shows formulas alone, no numbers: leave out --gpu, or --topic",
    ("--gpu", "h1000"): "unknown device 'h1000': did you mean 'h100'?",
    ("--model", "llama3-7b"): "unknown model 'llama3-7b': did you mean 'llama3-70b'?",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_is_wrong_is_said_in_a_line(capsys, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["cheatsheet", *arguments]) == 2
    out, err = capsys.readouterr()
    assert err == f"derive: error: {WRONG[arguments]}\n"
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_missing_compiler_is_named_and_the_file_stays(tmp_path, monkeypatch):
    path = tmp_path / "sheet.pdf"
    path.write_text("before")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    from derive.cli.cheatsheet import writer

    with pytest.raises(Exception, match=re.escape("pip install 'shapeproof[pdf]'")):
        writer(str(path))(str(path), selection([], None, None))
    assert path.read_text() == "before"


def test_pictures_lie_beside_the_markdown_and_none_are_printed(capsys, tmp_path, whole):
    assert main(["cheatsheet", "-o", str(tmp_path / "x.md")]) == 0
    names = sorted(path.name for path in (tmp_path / "x.assets").iterdir())
    assert names == sorted(f"{each.name}.svg" for each in pictures_of(whole))
    assert names
    text = (tmp_path / "x.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\(x\.assets/(.*?)\)", text)) == names
    assert main(["cheatsheet"]) == 0
    assert ".assets" not in capsys.readouterr().out


def test_the_pdf_is_the_same_each_time_and_needs_no_font_of_the_system(whole):
    first = typst.pdf(whole)
    assert first.startswith(b"%PDF")
    assert first == typst.pdf(whole)
