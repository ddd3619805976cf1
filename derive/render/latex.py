"""A derivation as an `align*` that compiles as it stands, with amsmath and amssymb."""

from __future__ import annotations

from collections.abc import Iterator

from derive.derivation import Step, Words
from derive.render import view
from derive.render.expression import relation_latex, symbol_latex, to_latex
from derive.render.marks import latex_text
from derive.report import Report
from derive.tree import Node, Product, Relation, Sum, product_of, sum_of, to_text

RELATIONS = {"=": "=", "≈": r"\approx", "≤": r"\le", "under": "="}


def words(parts: Words, letters: dict[str, str]) -> str:
    """Words with formulas among them, inside one `\\text`."""
    return "".join(latex_text(part) if isinstance(part, str) else f"${formula(part, letters)}$" for part in parts)


def reason(step: Step, letters: dict[str, str]) -> str:
    """Why a step holds; a premise is named as one."""
    return ("premise: " if step.relation == "under" else "") + words(step.because, letters)


def formula(part: Node | Relation, letters: dict[str, str]) -> str:
    """A formula inside a reason."""
    return relation_latex(part, letters) if isinstance(part, Relation) else to_latex(part, letters)


LONG = 60  # characters of a reason beyond which it takes several lines


def aside(text: str) -> str:
    """A reason beside a line, small, and in several lines where it is long, so that a page has room for it."""
    if len(text) > LONG:
        return rf"\parbox[t]{{16em}}{{\footnotesize\raggedright {text}}}"
    return rf"\text{{\footnotesize {text}}}"


def expression(report: Report) -> str:
    """The expression that the derivation arrives at."""
    return to_latex(report.derivation.expression, report.formula.notation.latex)


def quantity(report: Report, part: str) -> str:
    """The symbol of the quantity, or of a block's part of it."""
    symbol = symbol_latex(report.formula.symbol)
    if not part:
        return symbol
    of = f"\\text{{{latex_text(part.replace('_', ' '))}}}"
    # LaTeX takes one subscript: the part's name joins the one that the symbol has.
    return f"{symbol[:-1]}, {of}}}" if "_{" in symbol else f"{symbol}_{{{of}}}"


def left_side(report: Report, step: Step) -> str:
    """The left side of a step: the quantity, a block's part of it, or what a line of an argument is about."""
    return to_latex(step.left, report.formula.notation.latex) if step.left is not None else quantity(report, step.part)


def latex(report: Report) -> str:
    """The derivation, one line a step with its reason, a black square at the end."""
    lines = list(_lines(report))
    lines[-1] += r" \quad \blacksquare" if report.derivation.proved else ""
    lines += _substitution(report)
    return "\n".join([r"\begin{align*}", *(line + r" \\" for line in lines[:-1]), lines[-1], r"\end{align*}"])


SIZES = 4  # in a line of them


def _substitution(report: Report) -> Iterator[str]:
    """The sizes behind letters that were kept, and the value there."""
    if not report.substitution:
        return
    letters = report.formula.notation.latex
    sizes = [f"{symbol_latex(letters.get(x, x))} = {given.value}" for x, given in report.substitution.items()]
    lines = [r",\; ".join(sizes[start : start + SIZES]) for start in range(0, len(sizes), SIZES)]
    yield rf" &\quad \text{{with }} {lines[0]}"
    yield from (rf" &\quad {line}" for line in lines[1:])
    if report.substituted is not None:
        yield f"{quantity(report, '')} &= {report.substituted}"


def _lines(report: Report) -> Iterator[str]:
    letters = report.formula.notation.latex
    before = None
    for step in report.derivation.steps:
        here = left_side(report, step)
        left, before = (here if here != before else ""), here
        relation = RELATIONS[step.relation]
        if step.parts:
            total = " + ".join(quantity(report, part) for part in step.parts)
            yield f"{left} &{relation} {total} && {aside(reason(step, letters))}"
        elif step.terms:
            yield from _terms(step, left, letters)
        else:
            first, *rest = broken(step.expression, letters)
            yield f"{left} &{relation} {first} && {aside(reason(step, letters))}"
            yield from (rf" &\qquad {more}" for more in rest)


ROOM = 44  # characters of a formula as text beside which a reason still fits on the page


def broken(node: Node, letters: dict[str, str]) -> list[str]:
    r"""A formula in lines: a long sum, or the long sum that is the last factor of a product, is broken between terms.

    >>> from derive.grammar import parse
    >>> broken(parse("s*(a + b)"), {})
    ['s \\left(a + b\\right)']
    >>> broken(parse("s*(aaaaaaaaaa + bbbbbbbbbb + cccccccccc + dddddddddd)"), {})[1]
    '+ \\mathrm{dddddddddd}\\bigr)'
    """
    total = node.factors[-1] if isinstance(node, Product) else node
    if len(to_text(node)) <= ROOM or not isinstance(total, Sum):
        return [to_latex(node, letters)]
    lines: list[list[Node]] = [[]]
    for term in total.terms:
        if lines[-1] and len(to_text(Sum((*lines[-1], term)))) > ROOM:
            lines.append([])
        lines[-1].append(term)
    texts = [to_latex(sum_of(terms), letters) for terms in lines]
    texts = [text if index == 0 or text.startswith("-") else f"+ {text}" for index, text in enumerate(texts)]
    if total is node or not isinstance(node, Product):
        return texts
    texts[0] = rf"{to_latex(product_of(node.factors[:-1]), letters)} \bigl({texts[0]}"
    texts[-1] += r"\bigr)"
    return texts


def _terms(step: Step, left: str, letters: dict[str, str]) -> Iterator[str]:
    """One line a term, so that a long sum stays on the page and each tensor has its name beside it."""
    for index, term in enumerate(step.terms):
        plus, each = view.signed(term)
        sign = f"{left} &{RELATIONS[step.relation]} " if index == 0 else rf" &\quad {plus} "
        count = rf"{len(term.rows)} \times " if len(term.rows) > 1 else ""
        amount = to_latex(each if index else term.each, letters)
        yield f"{sign}{count}{amount} && {aside(latex_text(view.term_names(term)))}"
