"""Reading order and LaTeX: the value never changes, and the order is a paper's."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.errors import GrammarError
from derive.grammar import (
    Call,
    Negative,
    Node,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    evaluate,
    integer,
    parse,
    parse_relation,
    to_text,
)
from derive.reading import to_sympy, to_tree
from derive.render.expression import relation_latex, symbol_latex, to_latex

ORDER = ["L", "a", "s", "b", "h", "f", "t", "p", "m", "C"]


def symbol(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, positive=True, integer=True)


def read(text: str, **options: bool) -> str:
    return to_text(to_tree(to_sympy(parse(text), symbol), ORDER, **options))


@pytest.mark.parametrize(("text", "expected"), [
    ("0", "0"),
    ("-3/2", "-3/2"),
    ("s", "s"),
    ("-s", "-s"),
    ("b*s*h*a*L", "L*a*s*b*h"),
    ("z*y*s", "s*y*z"),
    ("16*b*s", "16*s*b"),
    ("2.5*s", "5*s/2"),
    ("1/s", "1/s"),
    ("s*3/(2*t)", "3*s/(2*t)"),
    ("24*h*s*b/t", "24*s*b*h/t"),
    ("2*s/(h^2*t)", "2*s/(h^2*t)"),
    ("34*s*b*h + 5*a*s^2*b", "s*b*(34*h + 5*a*s)"),
    ("s*b*h*34/t + 5*a*s^2*b/t", "s*b*(34*h + 5*a*s)/t"),
    ("11*s*b*h + 19*s*b*h + 4*h*s*b + 5*a*b*s^2", "s*b*(34*h + 5*a*s)"),
    ("s*b*h*(34 + 5*a*s/h)", "s*b*(34*h + 5*a*s)"),
    ("13*h + 12*h^2", "h*(13 + 12*h)"),
    ("h + f + 7", "7 + h + f"),
    ("h*f + h^2 + f^2 + 2", "2 + h^2 + h*f + f^2"),
    ("6 - s - s^2 + h^3", "6 + h^3 - s - s^2"),
    ("h - 1", "h - 1"),
    ("-h - 1", "-(1 + h)"),
    ("s*(s + 1)/2", "s*(1 + s)/2"),
    ("(p - 1)/m", "(p - 1)/m"),
    ("(p - 1)/(m + p - 1)", "(p - 1)/(p + m - 1)"),
    ("1 + 1/s", "1 + 1/s"),
    ("(s + 1)^2 - s^2", "1 + 2*s"),
    ("h/a*a", "h"),
    ("sqrt(h)*3", "3*sqrt(h)"),
    ("1/sqrt(h)", "1/sqrt(h)"),
    ("h*sqrt(h)", "h*sqrt(h)"),
    ("(sqrt(h) + 1)^2", "1 + 2*sqrt(h) + h"),
    ("(sqrt(2) + 1)*(sqrt(2) + 3)", "5 + 4*sqrt(2)"),
    ("sqrt(C/120)", "sqrt(C/120)"),
    ("sqrt(2*c*L/A)*3", "sqrt(18*L*c/A)"),
    ("1/sqrt(2*h)", "1/sqrt(2*h)"),
    ("sqrt(a + b)*s", "s*sqrt(a + b)"),
    ("s^0.34*2", "2*s^(17/50)"),
    ("s^(-0.34)", "1/s^(17/50)"),
    ("max(t, a*s)*2*h", "2*h*max(a*s, t)"),
    ("min(s, 7, a)", "min(7, a, s)"),
    ("ceil(s/t)*h + floor((h + 1)/2)", "floor((1 + h)/2) + h*ceil(s/t)"),
    ("3*h*2^(t - 1)", "3*2^(t - 1)*h"),
    ("h*2^(-t)", "h/2^t"),
    ("(a + b)^(-2)", "1/(a + b)^2"),
    ("(a + b)^17", "(a + b)^17"),
    ("6*L*s*h + 6*L*h", "6*L*h*(1 + s)"),
    ("4*h - 6*s", "2*(2*h - 3*s)"),
    ("13*h + 5*a/8", "5*a/8 + 13*h"),
])  # fmt: skip
def test_reading_order(text, expected):
    assert read(text) == expected


def test_a_division_stays_where_it_arose():
    text = "10*s*b*h + 24*s*b*h/t + 5*a*s^2*b/t"
    assert read(text) == "s*b*(10*h + 24*h/t + 5*a*s/t)"
    assert read(text, in_front=False) == "10*s*b*h + 24*s*b*h/t + 5*a*s^2*b/t"
    assert read("s*h/t + s/t^2") == "s*(1/t + h)/t"


def test_the_order_is_the_readers():
    expression = to_sympy(parse("x*y + x*z"), symbol)
    assert to_text(to_tree(expression)) == "x*(y + z)"
    assert to_text(to_tree(expression, "zyx")) == "x*(z + y)"
    assert to_text(to_tree(0)) == "0"


NUMBERS = st.integers(0, 50).map(integer) | st.sampled_from(["0.5", "1.25"]).map(parse)


def larger(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(nodes, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        several.map(Sum),
        several.map(Product),
        nodes.map(Negative),
        st.builds(Quotient, nodes, nodes),
        st.builds(Power, nodes, st.integers(-2, 3).map(integer)),
        st.builds(Call, st.sampled_from(["max", "min"]), several),
    )


RECURSIVE = st.recursive(NUMBERS | st.sampled_from(ORDER).map(Symbol), larger, max_leaves=10)


@st.composite
def trees(draw: st.DrawFn) -> Node:
    return draw(RECURSIVE)


@given(trees(), st.lists(st.integers(1, 10**6), min_size=len(ORDER), max_size=len(ORDER)), st.booleans())
def test_reading_changes_no_value(tree, sizes, in_front):
    values = dict(zip(ORDER, sizes, strict=True))
    try:
        expected = evaluate(tree, values)
        reading = to_tree(to_sympy(tree, symbol), ORDER, in_front=in_front)
    except GrammarError as error:
        assume("zero" not in str(error))  # a divisor that is 0 here, or everywhere
        raise
    assert evaluate(reading, values) == expected
    assert parse(to_text(reading)) == reading


MONOMIALS = st.dictionaries(st.sampled_from(ORDER), st.integers(-3, 3), max_size=4)
COEFFICIENTS = st.fractions(-9, 9, max_denominator=6)


@given(st.lists(st.tuples(COEFFICIENTS, MONOMIALS), max_size=6), st.randoms())
def test_equal_polynomials_read_the_same(terms, random):
    def total(parts: list[tuple[Fraction, dict[str, int]]]) -> sympy.Expr:
        return sympy.Add(
            *[
                sympy.Mul(sympy.Rational(c.numerator, c.denominator), *[symbol(x) ** e for x, e in monomial.items()])
                for c, monomial in parts
            ]
        )

    expression = total(terms)
    reading = to_tree(expression, ORDER)
    shuffled = random.sample(terms, len(terms))
    assert to_tree(total(shuffled) * symbol("s") / symbol("s"), ORDER) == reading
    assert to_tree(to_sympy(reading, symbol), ORDER) == reading
    assert sympy.expand(to_sympy(reading, symbol) - expression) == 0


@pytest.mark.parametrize(("expression", "message"), [
    (sympy.log(symbol("s")), "'log(s)' is not in the grammar; write it with + - * / ^, sqrt, max, min, ceil, floor"),
    (symbol("s") * sympy.Float("0.5"),
     "'0.500000000000000' is not in the grammar; write it with + - * / ^, sqrt, max, min, ceil, floor"),
    (sympy.zoo, "'zoo' is not in the grammar; write it with + - * / ^, sqrt, max, min, ceil, floor"),
    (1 / (symbol("s") * (symbol("h") + 1) - symbol("s") * symbol("h") - symbol("s")),
     "'1/(-h*s + s*(h + 1) - s)' divides by zero; it has no value to be written"),
])  # fmt: skip
def test_what_the_grammar_lacks_is_refused(expression, message):
    with pytest.raises(GrammarError) as caught:
        to_tree(expression)
    assert str(caught.value) == message


@pytest.mark.parametrize(("text", "message"), [
    ("s/(h - h)", "formula 's/(h - h)': divisor 'h - h' is zero"),
    ("9^(9^9)", "power (9)^(387420489) has more than 200000 bits; choose a smaller exponent"),
    ("(h - h)^(-1)", "power (0)^(-1) divides by zero; choose other values"),
])  # fmt: skip
def test_what_sympy_would_hang_on_or_call_infinite_is_refused(text, message):
    with pytest.raises(GrammarError) as caught:
        to_sympy(parse(text), symbol)
    assert str(caught.value) == message


def test_numbers_reach_sympy_exactly():
    assert to_sympy(parse("1.05*s"), symbol) == sympy.Rational(21, 20) * symbol("s")
    assert to_sympy(parse("ceil(s/2) + max(s, h)"), symbol) == sympy.ceiling(symbol("s") / 2) + sympy.Max(
        symbol("s"), symbol("h")
    )


@pytest.mark.parametrize(("text", "latex"), [
    ("s*b*h*(34+5*a*s/h)", r"s b h \left(34 + \frac{5 a s}{h}\right)"),
    ("s*b*h/t*(34+5*a*s/h)", r"\frac{s b h}{t} \left(34 + \frac{5 a s}{h}\right)"),
    ("34*s*b*h/t", r"\frac{34 s b h}{t}"),
    ("12*h^2 + 13*h - 1", r"12 h^{2} + 13 h - 1"),
    ("2*3*h", r"2 \cdot 3 h"),
    ("h*2", r"h \cdot 2"),
    ("h*2^(e - 1)", r"h \cdot 2^{e - 1}"),
    ("2*(3 + h)", r"2 \left(3 + h\right)"),
    ("a - (b - c)", r"a - \left(b - c\right)"),
    ("a + (b + (c - h))", "a + b + c - h"),
    ("a*(b*c)", "a b c"),
    ("a*(b/c)", r"a \frac{b}{c}"),
    ("a*(-b)", r"a \left(-b\right)"),
    ("(-a)*b", r"\left(-a\right) b"),
    ("a - (-b)", r"a - \left(-b\right)"),
    ("-(a + b)", r"-\left(a + b\right)"),
    ("-a*b", "-a b"),
    ("-a^2", "-a^{2}"),
    ("(-a)^2", r"\left(-a\right)^{2}"),
    ("(a*b)^2", r"\left(a b\right)^{2}"),
    ("(a/b)^2", r"\left(\frac{a}{b}\right)^{2}"),
    ("(a^b)^c", r"\left(a^{b}\right)^{c}"),
    ("a^b^c", "a^{b^{c}}"),
    ("1.050*x", "1.050 x"),
    ("100000*x", "100000 x"),
    ("sqrt(C/120)", r"\sqrt{\frac{C}{120}}"),
    ("ceil(V/128)*h", r"\left\lceil \frac{V}{128} \right\rceil h"),
    ("floor(a)", r"\left\lfloor a \right\rfloor"),
    ("max(a, b + 1)", r"\max\left(a, b + 1\right)"),
    ("min(P, W*2)", r"\min\left(P, W \cdot 2\right)"),
    ("6*N*D/(eta*P)", r"\frac{6 N D}{\eta P}"),
    ("N1 + D_inf + B_c_2", r"N_{1} + D_{\mathrm{inf}} + B_{c,2}"),
])  # fmt: skip
def test_latex(text, latex):
    assert to_latex(parse(text)) == latex


def test_latex_of_letters_and_relations():
    assert to_latex(parse("mfu*x^2"), {"mfu": r"\eta", "x": "N^*"}) == r"\eta \left(N^*\right)^{2}"
    assert relation_latex(parse_relation("f == 4*h")) == "f = 4 h"
    assert relation_latex(parse_relation("g >= a/2")) == r"g \ge \frac{a}{2}"


@pytest.mark.parametrize(("name", "latex"), [
    ("tokens", r"\mathrm{tokens}"),
    ("tokens2", r"\mathrm{tokens}_{2}"),
    ("alpha_0", r"\alpha_{0}"),
    ("a_", r"\mathrm{a\_}"),
    ("a__b", r"\mathrm{a\_\_b}"),
    ("x}$^2%&#~", r"\mathrm{x\}\$\wedge 2\%\&\#\sim }"),
    (r"\input{passwd}", r"\mathrm{\backslash input\{passwd\}}"),
    ("input", r"\mathrm{input}"),
])  # fmt: skip
def test_a_name_is_only_a_name(name, latex):
    assert symbol_latex(name) == latex


@given(st.text(alphabet=r"\{}$%#&^~_ab1 " + "\n", min_size=1))
def test_no_name_leaves_its_braces(name):
    bare = symbol_latex(name).replace(r"\{", "").replace(r"\}", "")
    depths = [bare[:end].count("{") - bare[:end].count("}") for end in range(len(bare) + 1)]
    assert min(depths) == 0 == depths[-1]
    assert "\n" not in bare
    assert not set("$%#&~") & set(bare.replace(r"\$", "").replace(r"\%", "").replace(r"\#", "").replace(r"\&", ""))
