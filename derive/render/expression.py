"""An expression tree as LaTeX, the way a paper prints it."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from derive.tree import (
    ATOM,
    POWER,
    PRODUCT,
    SUM,
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
    Symbol,
)

Letters = Mapping[str, str]
NEGATIVE, FRACTION = SUM + 0.5, POWER - 0.5  # a fraction needs no parentheses in a product, but needs them as a base
LEVELS: dict[type, float] = {
    Sum: SUM, Negative: NEGATIVE, Product: PRODUCT, Quotient: FRACTION, Power: POWER,
    Number: ATOM, Symbol: ATOM, Call: ATOM,
}  # fmt: skip
GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
})  # fmt: skip
ESCAPES = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "_": r"\_", "$": r"\$", "%": r"\%", "#": r"\#", "&": r"\&",
    "^": r"\wedge ", "~": r"\sim ", "\n": " ", "\r": " ",
}  # fmt: skip
CALLS: dict[str, tuple[str, str]] = {
    "sqrt": (r"\sqrt{", "}"),
    "max": (r"\max\left(", r"\right)"),
    "min": (r"\min\left(", r"\right)"),
    "ceil": (r"\left\lceil ", r" \right\rceil"),
    "floor": (r"\left\lfloor ", r" \right\rfloor"),
}
RELATIONS = {"==": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}


def symbol_latex(name: str) -> str:
    r"""The LaTeX of a letter that nobody gave one; whatever the name holds, it is only a name.

    >>> [symbol_latex(name) for name in ("s", "N1", "D_inf", "eta", "eta_0", "tokens")]
    ['s', 'N_{1}', 'D_{\\mathrm{inf}}', '\\eta', '\\eta_{0}', '\\mathrm{tokens}']
    """
    numbered = re.fullmatch(r"([A-Za-z]+)([0-9]+)", name)
    head, *below = numbered.groups() if numbered else name.split("_")
    if not head or not all(below):
        return _word(name)
    return _word(head) + (f"_{{{','.join([_word(part) for part in below])}}}" if below else "")


def _word(text: str) -> str:
    if text in GREEK:
        return "\\" + text
    if re.fullmatch(r"[A-Za-z]|[0-9]+", text):
        return text
    return rf"\mathrm{{{''.join([ESCAPES.get(character, character) for character in text])}}}"


def _flat(terms: tuple[Node, ...]) -> Iterator[Node]:
    for term in terms:
        if isinstance(term, Sum):
            yield from _flat(term.terms)
        else:
            yield term


def _sum(node: Sum, letters: Letters) -> str:
    first, *rest = _flat(node.terms)
    parts = [_inside(first, letters, SUM)]
    for term in rest:
        negative = isinstance(term, Negative)
        parts.append(f"{'-' if negative else '+'} {_inside(term.operand if negative else term, letters, PRODUCT)}")
    return " ".join(parts)


def _product(node: Product, letters: Letters) -> str:
    first, *rest = [_inside(factor, letters, PRODUCT) for factor in node.factors]
    text, before = first, node.factors[0]
    for factor, after in zip(rest, node.factors[1:], strict=True):
        # A number runs into a number, and into a fraction as if the two were one mixed number.
        dot = factor[0].isdigit() or {type(before), type(after)} <= {Number, Quotient}
        text += (r" \cdot " if dot else " ") + factor
        before = after
    return text


def _power(node: Power, letters: Letters) -> str:
    base = _inside(node.base, letters, ATOM)
    if isinstance(node.base, Symbol) and "^" in base:  # LaTeX refuses a second superscript on the same letter
        base = rf"\left({base}\right)"
    return f"{base}^{{{to_latex(node.exponent, letters)}}}"


def _call(node: Call, letters: Letters) -> str:
    before, after = CALLS[node.function]
    return before + ", ".join([to_latex(argument, letters) for argument in node.arguments]) + after


LATEX: dict[type, Callable[[Any, Letters], str]] = {
    Number: lambda node, _: node.text,
    Symbol: lambda node, letters: letters[node.name] if node.name in letters else symbol_latex(node.name),
    Sum: _sum,
    Negative: lambda node, letters: f"-{_inside(node.operand, letters, PRODUCT)}",
    Product: _product,
    Quotient: lambda node, letters: (
        rf"\frac{{{to_latex(node.numerator, letters)}}}{{{to_latex(node.denominator, letters)}}}"
    ),
    Power: _power,
    Call: _call,
}


def _inside(node: Node, letters: Letters, level: float) -> str:
    latex = LATEX[type(node)](node, letters)
    return latex if LEVELS[type(node)] >= level else rf"\left({latex}\right)"


def to_latex(node: Node, letters: Letters = MappingProxyType({})) -> str:
    r"""The LaTeX of a tree, for math mode; `letters` gives the LaTeX of letters by name.

    >>> from derive.grammar import parse
    >>> print(to_latex(parse("s*b*h*(34 + 5*a*s/h)")))
    s b h \left(34 + \frac{5 a s}{h}\right)
    >>> print(to_latex(parse("6*N*D/mfu - 2*3^2"), {"mfu": r"\eta"}))
    \frac{6 N D}{\eta} - 2 \cdot 3^{2}
    """
    return LATEX[type(node)](node, letters)


def relation_latex(relation: Relation, letters: Letters = MappingProxyType({})) -> str:
    r"""The LaTeX of a relation, for math mode.

    >>> from derive.grammar import parse_relation
    >>> print(relation_latex(parse_relation("g <= a/2")))
    g \le \frac{a}{2}
    """
    return f"{to_latex(relation.left, letters)} {RELATIONS[relation.operator]} {to_latex(relation.right, letters)}"
