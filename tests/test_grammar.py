"""The grammar: what is read comes back as it was written, and what is not in it is refused in one line."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import GrammarError
from derive.grammar import (
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    evaluate,
    integer,
    parse,
    parse_relation,
    product_of,
    relation_text,
    substitute,
    sum_of,
    symbols_of,
    to_lists,
    to_text,
)

NAMES = ["a", "b", "h", "N1", "D_inf", "maximum"]


def number(value: int) -> Number:
    return Number(Fraction(value), str(value))


def letters(*names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(name) for name in names)


def larger(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(nodes, min_size=2, max_size=4)
    exponents = nodes.filter(lambda node: not isinstance(node, Number | Negative)) | st.integers(-64, 64).map(integer)
    return st.one_of(
        several.map(sum_of),
        several.map(product_of),
        nodes.map(Negative),
        st.builds(Quotient, nodes, nodes),
        st.builds(Power, nodes, exponents),
        st.builds(Call, st.sampled_from(["sqrt", "ceil", "floor"]), st.tuples(nodes)),
        st.builds(Call, st.sampled_from(["max", "min"]), several.map(tuple)),
    )


LEAVES = st.one_of(
    st.integers(0, 10**40).map(number),
    st.decimals(0, 1000, places=3).map(lambda value: Number(Fraction(value), f"{value:.3f}")),
    st.sampled_from(NAMES).map(Symbol),
)
RECURSIVE = st.recursive(LEAVES, larger, max_leaves=20)


@st.composite
def trees(draw: st.DrawFn) -> Node:
    return draw(RECURSIVE)  # a function's name is a shorter name than the whole strategy's


TREES = trees()


@given(TREES)
def test_every_tree_comes_back_from_its_text(tree):
    assert parse(to_text(tree)) == tree
    assert parse(to_text(tree), NAMES) == tree


@given(TREES, st.sampled_from(["==", "<=", "<", ">=", ">"]), TREES)
def test_every_relation_comes_back_from_its_text(left, operator, right):
    relation = parse_relation(f"{to_text(left)}{operator}{to_text(right)}")
    assert (relation.left, relation.operator, relation.right) == (left, operator, right)
    assert relation_text(relation) == f"{to_text(left)} {operator} {to_text(right)}"


PIECES = [
    "a", "b", "h", "2", "0.5", "+", "-", "*", "/", "^", "**", "(", ")", ",", "max", "sqrt(", "==", ".", "$", "é", " ",
    "\n", "e5",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30) | st.text(max_size=30).map(list))
def test_any_text_is_read_or_refused_in_one_line(pieces):
    text = "".join(pieces)
    refusal = ""
    try:
        assert parse(to_text(parse(text))) == parse(text)
    except GrammarError as error:
        refusal = str(error)
    assert refusal == "" or (refusal.startswith("formula ") and len(refusal.splitlines()) == 1)


@pytest.mark.parametrize("text", [
    "s*b*h*(34 + 5*a*s/h) + 16*s*b",
    "12*h^2 + 13*h",
    "s*b*h/t*(34 + 5*a*s/h)",
    "6*L*s*h*(1 + 1/s)",
    "a/(h*t)",
    "-(a + b)",
    "-a*b",
    "(-a)*b",
    "a - (b - c)",
    "a - (-b)",
    "a*(b*c)",
    "a*(b/c)",
    "a/b/c*d",
    "2^(e - 1)",
    "a^b^c",
    "(a^b)^c",
    "2^(-3)",
    "-a^2",
    "(-a)^2",
    "(2 + 2 + K)*N",
    "h/a*a",
    "sqrt(C/120)",
    "max(a, b, 2*c) - ceil(V/128)*floor(d/2) + min(a, b)",
    "1.050*x",
])  # fmt: skip
def test_canonical_text_is_kept(text):
    assert to_text(parse(text)) == text


@pytest.mark.parametrize(("text", "canonical"), [
    ("(s*b)*h", "s*b*h"),
    ("((a+b))+c", "a + b + c"),
    ("a**2", "a^2"),
    ("a*-b", "a*(-b)"),
    ("a--b", "a - (-b)"),
    ("a^-2", "a^(-2)"),
    ("(a/b)*c", "a/b*c"),
    (" a\n +\tb ", "a + b"),
])  # fmt: skip
def test_other_spellings_become_canonical(text, canonical):
    assert to_text(parse(text)) == canonical


def test_products_and_quotients_associate_to_the_left():
    s, b, h, t, a = letters("s", "b", "h", "t", "a")
    inner = Sum((number(34), Quotient(Product((number(5), a, s)), h)))
    assert parse("s*b*h/t*(34 + 5*a*s/h)") == Product((Quotient(Product((s, b, h)), t), inner))
    assert parse("a - b") == Sum((a, Negative(b)))
    assert parse("-a^2") == Negative(Power(a, number(2)))
    assert parse("a^b^t") == Power(a, Power(b, t))


@pytest.mark.parametrize(("text", "message"), [
    ("", "formula '': it is empty; write an expression such as 2*m*n*p"),
    (" \n", "formula ' \\n': it is empty; write an expression such as 2*m*n*p"),
    ("s*b*x + 1", "formula 's*b*x + 1': unknown letter 'x' at position 5; known letters are s, b, h"),
    ("2s", "formula '2s': a `*` is missing between '2' and 's' at position 2; write the product out"),
    ("s b", "formula 's b': a `*` is missing between 's' and 'b' at position 3; write the product out"),
    ("s(b + 1)", "formula 's(b + 1)': a `*` is missing between 's' and '(' at position 2; write the product out"),
    ("(s)(b)", "formula '(s)(b)': a `*` is missing between ')' and '(' at position 4; write the product out"),
    ("log(s)", "formula 'log(s)': unknown function 'log' at position 1; functions are sqrt, max, min, ceil, floor; "
               "a product needs a `*`"),
    ("2*max", "formula '2*max': function max without arguments at position 3; write max(...)"),
    ("max(s)", "formula 'max(s)': max of 1 at position 1; max takes two arguments or more"),
    ("sqrt(s, b)", "formula 'sqrt(s, b)': sqrt of 2 at position 1; sqrt takes one argument"),
    ("(s, b)", "formula '(s, b)': a ',' outside a call at position 1; functions are sqrt, max, min, ceil, floor"),
    ("2e9*s", "formula '2e9*s': exponent notation '2e9' at position 1; write 2*10^9"),
    ("s + ", "formula 's + ': it ends too early at position 5; an operand or a ')' is missing"),
    ("(s + b", "formula '(s + b': it ends too early at position 7; an operand or a ')' is missing"),
    ("s + b)", "formula 's + b)': unexpected ')' at position 6; an operand or an operator is missing or too many"),
    ("s + *b", "formula 's + *b': unexpected '*' at position 5; an operand or an operator is missing or too many"),
    ("s = b", "formula 's = b': unexpected '=' at position 3; write =="),
    ("s == b", "formula 's == b': unexpected '==' at position 3; an operand or an operator is missing or too many"),
    ("s × b", "formula 's × b': unexpected '×' at position 3; write *"),
    (".5", "formula '.5': unexpected '.' at position 1; write digits on both sides of a decimal point"),
    ("s$", "formula 's$': unexpected '$' at position 2; "
           "write only letters, digits and + - * / ^ ( ) , with names of functions"),
    ("007", "formula '007': number '007' begins with 0 at position 1; write it without"),
    ("s^65", "formula 's^65': exponent 65 at position 3; a literal exponent is at most 64"),
    ("s^-65", "formula 's^-65': exponent -65 at position 3; a literal exponent is at most 64"),
    ("s^(65)", "formula 's^(65)': exponent 65 at position 3; a literal exponent is at most 64"),
])  # fmt: skip
def test_refusals_name_the_place_and_the_way_out(text, message):
    with pytest.raises(GrammarError) as caught:
        parse(text, ["s", "b", "h"])
    assert str(caught.value) == message


@pytest.mark.parametrize(("text", "message"), [
    ("f", "relation 'f': no relation at position 2; write one of == <= < >= > between two expressions"),
    ("f = 4*h", "relation 'f = 4*h': unexpected '=' at position 3; write =="),
    ("f ≤ h", "relation 'f ≤ h': unexpected '≤' at position 3; write <="),
    ("f < g < h", "relation 'f < g < h': a second relation at position 7; write two relations"),
    ("f == ", "relation 'f == ': it ends too early at position 6; an operand or a ')' is missing"),
])  # fmt: skip
def test_refused_relations(text, message):
    with pytest.raises(GrammarError) as caught:
        parse_relation(text)
    assert str(caught.value) == message


NESTED = {
    "parentheses": "({})", "a call": "sqrt({})", "minus": "-{}", "exponents": "a^{}", "a quotient": "{}/a",
    "a product": "a*({})", "a sum": "a + ({})", "a max": "max(a, {})",
    "an exponent in parentheses": "a^(-{})",
}  # fmt: skip


@pytest.mark.parametrize("template", NESTED.values(), ids=NESTED)
def test_nesting_ends_at_100_levels_and_never_in_a_recursion_error(template):
    def nested(levels: int) -> str:
        text = "a"
        for _ in range(levels):
            text = template.format(text)
        return text

    tree = parse(nested(49))
    assert parse(to_text(tree)) == tree
    assert evaluate(substitute(tree, {"a": integer(1)}), {}).denominator == 1
    for levels in (101, 1000):
        with pytest.raises(GrammarError, match=r"nested over 100 levels at position \d+; name a part"):
            parse(nested(levels))


@pytest.mark.parametrize("template", ["a*sqrt(-{})", "a*sqrt(b^-{})", "-max(a^({}), b)"])
def test_no_mixture_of_nestings_reaches_the_recursion_limit(template):
    text = "a"
    for _ in range(300):
        text = template.format(text)
    with pytest.raises(GrammarError, match="nested over 100 levels"):
        parse(text)


@pytest.mark.parametrize("text", ["(" * 100 + "a" + ")" * 100, "-" * 99 + "a", "a^" * 99 + "a", "a" + "/a" * 99])
def test_a_hundred_levels_are_read(text):
    assert parse(to_text(parse(text))) == parse(text)


def test_long_texts_and_numbers_are_refused():
    assert len(parse("+".join(["a"] * 5000)).terms) == 5000  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(GrammarError, match=r"^formula 'a\+.*\.\.\.': 10001 characters; at most 10000 are read$"):
        parse("a+" * 5000 + "a")
    assert evaluate(parse("9" * 60), {}) == 10**60 - 1
    assert parse("1." + "0" * 59) == Number(Fraction(1), "1." + "0" * 59)
    with pytest.raises(GrammarError, match=r"number too long at position 3; at most 60 digits are read$"):
        parse("a*" + "9" * 61)


@given(TREES)
def test_substitution_replaces_every_letter_at_once(tree):
    swapped = substitute(tree, {"a": Symbol("b"), "b": Symbol("a")})
    swap = {"a": "b", "b": "a"}
    assert symbols_of(swapped) == tuple(swap.get(name, name) for name in symbols_of(tree))
    assert substitute(swapped, {"a": Symbol("b"), "b": Symbol("a")}) == tree
    within = substitute(tree, {name: parse("x + y*z") for name in NAMES})
    assert parse(to_text(within)) == within


@pytest.mark.parametrize(("text", "lists"), [
    ("34", 34),
    ("s", "s"),
    ("a - 2*b/c", ["+", "a", ["-", ["/", ["*", 2, "b"], "c"]]]),
    ("2^(e - 1)", ["^", 2, ["+", "e", ["-", 1]]]),
    ("1.50", ["/", 3, 2]),
    ("2.0", 2),
    ("max(sqrt(a), ceil(b), 1)", ["max", ["sqrt", "a"], ["ceil", "b"], 1]),
])  # fmt: skip
def test_nested_lists(text, lists):
    assert to_lists(parse(text)) == lists
