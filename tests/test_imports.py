"""The rules of the house, read from the sources: who imports whom, what is never called, what a file says of itself."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("derive", "formulas", "checks")
FILES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
}
TREES = {name: ast.parse(text) for name, text in FILES.items()}
COMPILING = ("derive/drawing/png.py", "derive/render/documents/typst.py")  # an extra's compiler, imported when asked
CHECKER = "derive/proof/checker.py"
EVERY = pytest.mark.parametrize("name", FILES)


def imported(name: str) -> set[str]:
    """What a file imports, wherever in it: `from derive.render import view` is derive.render and derive.render.view."""
    found: set[str] = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def within(modules: set[str], *packages: str) -> set[str]:
    """Those of the modules that are one of these packages or inside one."""
    return {module for module in modules if any(f"{module}.".startswith(f"{package}.") for package in packages)}


def foreign(name: str) -> set[str]:
    """The top-level packages that a file imports and that are not Python's own."""
    return {module.split(".")[0] for module in imported(name)} - sys.stdlib_module_names


def reached(name: str) -> set[str]:
    """The files of the house that a file needs when it is imported, itself included."""
    found, left = {name}, [name]
    while left:
        for module in imported(left.pop()):
            path = module.replace(".", "/")
            for file in {f"{path}.py", f"{path}/__init__.py"} & FILES.keys() - found:
                found.add(file)
                left.append(file)
    return found


def may_import(name: str) -> set[str]:
    """The packages, beside Python's own, that a file may import."""
    if name.startswith("derive/cli/"):
        return {"derive", "formulas", "checks", "sympy", "rich", "shtab"}
    if name == "derive/notebook.py" or name.startswith("derive/sheet/"):
        return {"derive", "formulas", "checks"}
    if name in COMPILING:
        return {"derive", "typst"}
    return {"derive", "sympy"} if name.startswith("derive/") else {"derive", "formulas"}


def test_the_files_are_there():
    assert {name.split("/")[0] for name in FILES} == set(FOLDERS)
    assert {
        CHECKER,
        "derive/folds.py",
        "derive/cli/show.py",
        "derive/render/text.py",
        "formulas/gemm.py",
    } <= FILES.keys()
    assert imported("derive/render/markdown.py") >= {"derive.render", "derive.render.view", "collections.abc.Iterator"}
    assert foreign("derive/folds.py") == {"sympy", "derive"}


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("checks/")])
def test_a_file_imports_what_it_may(name: str):
    assert foreign(name) <= may_import(name)


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("checks/")])
def test_checks_import_neither_the_command_line_nor_the_renderers(name: str):
    assert not within(imported(name), "derive.cli", "derive.render", "tests")


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("derive/")])
def test_inside_derive_only_the_command_line_knows_the_content_and_the_renderers(name: str):
    above = within(imported(name), "formulas", "checks", "derive.render", "derive.cli")
    if not name.startswith(("derive/cli/", "derive/sheet/")) and name not in (
        "derive/notebook.py",
        "derive/__main__.py",
    ):
        assert above == (within(imported(name), "derive.render") if name.startswith("derive/render/") else set())


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("formulas/")])
def test_formulas_do_not_reach_behind_the_vocabulary(name: str):
    assert not within(imported(name), "derive.cli", "derive.render", "derive.proof", "checks")


def test_the_checker_needs_python_alone():
    assert foreign(CHECKER) == set()


@pytest.mark.parametrize("name", ["derive/grammar.py", "derive/tree.py", "derive/exact.py", "derive/values.py"])
def test_the_grammar_needs_no_sympy(name: str):
    assert set().union(*map(foreign, reached(name))) <= {"derive"}


@EVERY
def test_imports_are_by_name(name: str):
    assert not [
        node.lineno
        for node in ast.walk(TREES[name])
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    ]


BANNED = {"eval", "exec", "sympify", "parse_expr", "simplify", "nsimplify", "__import__"}


def called(tree: ast.AST) -> set[str]:
    """The names of what is called, `f(...)` and `module.f(...)` alike."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    plain = {function.id for function in functions if isinstance(function, ast.Name)}
    return plain | {function.attr for function in functions if isinstance(function, ast.Attribute)}


@pytest.mark.parametrize("text", ["eval(x)", "sympy.sympify(x)", "[y.simplify() for y in z]"])
def test_a_banned_call_is_seen(text: str):
    assert called(ast.parse(text)) & BANNED


@EVERY
def test_no_text_is_run_and_nothing_is_simplified_by_heuristics(name: str):
    assert not called(TREES[name]) & BANNED
    assert not {module.rpartition(".")[2] for module in imported(name)} & BANNED


@EVERY
def test_a_file_says_in_one_sentence_what_it_is(name: str):
    text = ast.get_docstring(TREES[name]) or ""
    first = text.split("\n\n")[0]
    assert re.fullmatch(r"[^\n]+\.", first)
    assert not re.search(r"[.!?] [A-Z]", first)
    assert text == first or name == CHECKER  # whose docstring is the argument for its soundness


@EVERY
def test_files_are_short(name: str):
    assert len(FILES[name].splitlines()) < 300 or name == CHECKER


def code_lines(text: str) -> int:
    """Lines with code on them: neither blank, nor a comment, nor a docstring."""
    tree, lines = ast.parse(text), set()
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in silent:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return len(lines)


def test_the_checker_is_short_enough_to_be_read():
    assert code_lines('"""One.\n\nTwo."""\n\nx = (1,  # why\n\n     2)\n# no\n') == 2
    assert code_lines(FILES[CHECKER]) < 250


# Layers are written as their papers draw them; the checker has its docstring; argparse documents its own method.
UNDOCUMENTED = re.compile(r"formulas/architectures/|derive/proof/checker\.py|.*: Parser\.error$")


def undocumented(body: list[ast.stmt], inside: str = "") -> Iterator[str]:
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        overloaded = any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)
        if not overloaded and not (ast.get_docstring(node) or "").strip():
            yield inside + node.name
        if isinstance(node, ast.ClassDef):
            yield from undocumented(node.body, f"{inside}{node.name}.")


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("checks/")])
def test_what_is_public_is_documented(name: str):
    assert not [each for each in undocumented(TREES[name].body) if not UNDOCUMENTED.match(f"{name}: {each}")]


def test_a_missing_docstring_is_seen():
    tree = ast.parse("class A:\n    def b(self): ...\n    def _c(self): ...\n@overload\ndef d(): ...\n")
    assert list(undocumented(tree.body)) == ["A", "A.b"]
