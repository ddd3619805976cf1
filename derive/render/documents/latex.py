"""A document as LaTeX that pdflatex compiles with what every distribution has, without a box that is too full."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from derive.render.documents.blocks import (
    Cards,
    Code,
    Document,
    Grid,
    Math,
    Paragraph,
    Picture,
    Section,
    Strong,
    Subheading,
    Text,
)
from derive.render.documents.markdown import overview
from derive.render.marks import LATEX
from derive.render.typeset.broken import LINE, breakable, width

HEAD = r"""\documentclass[landscape,a4paper]{article}
\usepackage[margin=12mm]{geometry}
\usepackage{amsmath,amssymb,array,longtable}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\setlength{\tabcolsep}{4pt}
\setlength{\LTleft}{0pt}
\setlength{\LTpre}{4pt}
\setlength{\LTpost}{4pt}
\renewcommand{\arraystretch}{1.3}
\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1}}
\newcolumntype{R}[1]{>{\raggedleft\arraybackslash}p{#1}}
% A heading stays with the first rows of what is below it.
\newcommand{\room}{\par\penalty-100\begingroup\dimen0=\pagegoal\advance\dimen0-\pagetotal
  \ifdim\dimen0<28mm\relax\ifdim\dimen0>0pt\relax\newpage\fi\fi\endgroup}
\begin{document}
\raggedright\footnotesize"""
BETWEEN = r" \\ \noalign{\vskip 3pt}"  # rows with fractions would touch
GAP = 8  # points between two columns, twice the space that a column has at each side
SIGNS = {"■": r"$\blacksquare$", "✗": r"$\times$", "–": "--", "−": r"$-$", "→": r"$\to$", "…": r"\ldots{}",
         "√": r"$\surd$", "⇒": r"$\Rightarrow$", "≥": r"$\ge$", "≤": r"$\le$", "·": r"$\cdot$", "η": r"$\eta$",
         "ρ": r"$\rho$", "τ": r"$\tau$", "’": "'", "—": "---", "<": r"\textless{}", ">": r"\textgreater{}",
         "|": r"\textbar{}", '"': r"\textquotedbl{}"}  # fmt: skip


def latex(document: Document) -> str:
    """The document as a LaTeX file; pictures are left to the other forms."""
    lines = [HEAD, rf"{{\LARGE\bfseries {plain(document.title)}\par}}", written(document.about, LINE), ""]
    for section in document.sections:
        lines += _section(section)
    return "\n".join([*lines, r"\end{document}", ""])


def plain(words: str) -> str:
    r"""Words in which nothing is a command; a line may end at a hyphen, a slash and the like.

    >>> print(plain("a_b \\input{x} 50%"))
    a\_\allowbreak{}b \textbackslash{}input\{x\} 50\%
    """
    return "".join(map(_sign, words))


def _sign(character: str) -> str:
    if character in LATEX or character in SIGNS:
        sign = LATEX.get(character) or SIGNS[character]
    elif character.isascii():
        sign = character if character.isprintable() else " "
    else:
        sign = rf"\mbox{{U+{ord(character):04X}}}"  # a sign that TeX's own fonts do not have
    return sign + (r"\allowbreak{}" if character in "_-/=,.(" else "")


def written(parts: Text, room: int) -> str:
    """Words and mathematics, where a line has room for so many tenths of a digit."""
    return "".join(INLINE[type(part)](part, room) for part in parts)


def _math(part: Math, room: int) -> str:
    if width(part.latex) <= room:
        return rf"$\displaystyle {part.latex}$"
    return f"${breakable(part.latex, room)}$"


INLINE: dict[type, Callable[[Any, int], str]] = {
    str: lambda part, _: plain(part),
    Math: _math,
    Code: lambda part, _: rf"\texttt{{{plain(part.text)}}}",
    Strong: lambda part, _: rf"\textbf{{{plain(part.text)}}}",
}


def _section(section: Section) -> Iterator[str]:
    yield rf"\room\section*{{{plain(section.title)}}}"
    for block in section.blocks:
        if not isinstance(block, Picture):
            yield from BLOCKS[type(block)](block)
            yield ""


def _grid(grid: Grid) -> Iterator[str]:
    total = sum(grid.widths)
    gaps = GAP * len(grid.widths)
    columns = "".join(
        rf"{'R' if place in grid.numeric else 'L'}{{\dimexpr({share}\linewidth-{share * gaps}pt)/{total}\relax}}"
        for place, share in enumerate(grid.widths)
    )
    yield rf"\begin{{longtable}}{{{columns}}}"
    yield " & ".join(rf"\textbf{{{plain(head)}}}" for head in grid.heads) + r" \\ \hline \noalign{\vskip 3pt} \endhead"
    for row in grid.rows:
        rooms = [LINE * share // total for share in grid.widths]
        yield " & ".join(map(written, row, rooms)) + BETWEEN
    yield r"\end{longtable}"


BLOCKS: dict[type, Callable[[Any], Iterator[str]]] = {
    Paragraph: lambda block: iter([written(block.text, LINE)]),
    Grid: _grid,
    Subheading: lambda block: iter([rf"\room\subsection*{{{plain(block.words)}}}"]),
    Cards: lambda block: _grid(overview(block)),
}
