"""What is no statement that could be proved or refuted: one line that says why."""

import pytest

from derive.errors import ClaimError, GrammarError
from derive.proof.own import answer, read
from tests.statements import Case, case, words

LETTERS = "write only letters, digits and + - * / ^ ( ) , with names of functions"
DEEP = "(" * 900 + "a" + ")" * 900 + " == a"
LONG = "a <= " + "a" * 41
NOWHERE = "no point satisfies its hypotheses, so that it says nothing; leave one of them out"
LITERAL = "is no whole number; write one whole number, at most 64"
BAD: list[tuple[Case, str]] = [
    # not a relation in the grammar
    (case(""), "statement '': it is empty; write a relation such as 'a/(a + b) <= 1'"),
    (case(" \n"), "statement ' \\n': it is empty; write a relation such as 'a/(a + b) <= 1'"),
    (case("a <= 1", ""), "given '': it is empty; write a relation such as 'a/(a + b) <= 1'"),
    (
        case("<="),
        "relation '<=': unexpected '<=' at position 1; an operand or an operator is missing or too many",
    ),
    (case("a + b"), "relation 'a + b': no relation at position 6; write one of == <= < >= > between two expressions"),
    (case("a < b < c"), "relation 'a < b < c': a second relation at position 7; write two relations"),
    (case("a = b"), "relation 'a = b': unexpected '=' at position 3; write =="),
    (case("a ≤ b"), "relation 'a ≤ b': unexpected '≤' at position 3; write <="),
    (case("α <= 1"), f"relation 'α <= 1': unexpected 'α' at position 1; {LETTERS}"),
    (case("__import__('os')"), f"relation \"__import__('os')\": unexpected '_' at position 1; {LETTERS}"),
    (
        case("eval(a) == 1"),
        "relation 'eval(a) == 1': unknown function 'eval' at position 1; "
        "functions are sqrt, max, min, ceil, floor; a product needs a `*`",
    ),
    (case("2a == a"), "relation '2a == a': a `*` is missing between '2' and 'a' at position 2; write the product out"),
    (case("a == 1e5"), "relation 'a == 1e5': exponent notation '1e5' at position 6; write 1*10^5"),
    # exponents
    (case("x^2^3 == 1"), f"statement 'x^2^3 == 1': the exponent of 'x^2^3' {LITERAL}"),
    (case("x^y == 1"), f"statement 'x^y == 1': the exponent of 'x^y' {LITERAL}"),
    (case("x^2.0 == 1"), f"statement 'x^2.0 == 1': the exponent of 'x^2.0' {LITERAL}"),
    (
        case("x**(1/2) == 1"),
        "statement 'x**(1/2) == 1': the exponent of 'x^(1/2)' is no whole number; write sqrt(...)",
    ),
    (case("x^65 == 1"), "relation 'x^65 == 1': exponent 65 at position 3; a literal exponent is at most 64"),
    (
        case("x^999999999 == 1"),
        "relation 'x^999999999 == 1': exponent 999999999 at position 3; a literal exponent is at most 64",
    ),
    (
        case("a == 1", "x^-65 == 1"),
        "relation 'x^-65 == 1': exponent -65 at position 3; a literal exponent is at most 64",
    ),
    # names
    (case("for <= 1"), "statement 'for <= 1': the name 'for' is a word of proofs; choose another name"),
    (case("a <= 1", "given >= a"), "given 'given >= a': the name 'given' is a word of proofs; choose another name"),
    (
        case("max <= 1"),
        "relation 'max <= 1': function max without arguments at position 1; write max(...)",
    ),
    (
        case(LONG),
        f"statement {LONG!r}: the name {'a' * 40!r} has 41 characters; at most 40 are read; choose another name",
    ),
    (case("a <= 1", real="x"), "--real 'x': the statement has no such symbol; its symbols are a"),
    (case("1 <= 1", real="x"), "--real 'x': the statement has no such symbol; it has none"),
    # too large
    (case(" " * 2000 + "a"), f"statement '{' ' * 117}...': 2001 characters; at most 2000 are read"),
    (
        case("(" * 10_000 + "a" + ")" * 10_000 + " == a"),
        f"statement '{'(' * 117}...': 20006 characters; at most 2000 are read",
    ),
    (
        case(DEEP),
        f"relation '{DEEP[:117]}...': nested over 100 levels at position 101; name a part and substitute it",
    ),
    (case("+".join(f"a{i}" for i in range(13)) + " > 0"), "13 symbols; at most 12 are read"),
    (case("a > 0", *["a > 0"] * 13), "13 hypotheses; at most 12 are read"),
    (
        case(f"a < {'9' * 61}"),
        f"relation 'a < {'9' * 61}': number too long at position 5; at most 60 digits are read",
    ),
    (
        case("((x^64)^64)^64 >= 1"),
        "statement '((x^64)^64)^64 >= 1': it is too large to be checked (a polynomial is too large); "
        "state less at once",
    ),
    # parts without a value
    (case("1/0 == 1"), "statement '1/0 == 1': the divisor, 0, is not shown to be positive (it is 0)"),
    (case("1/(2 - 2) == 1"), "statement '1/(2 - 2) == 1': the divisor, 2 - 2, is not shown to be positive (it is 0)"),
    (case("0^0 == 1"), "statement '0^0 == 1': the base of the exponent 0, 0, is not shown to be positive (it is 0)"),
    (
        case("1/(a - b) == 1"),
        "statement '1/(a - b) == 1': the divisor, a - b, is not shown to be positive (it is 0 at a = 1, b = 1); "
        "add --given 'a - b > 0' if it is",
    ),
    (
        case("a/(a - b) > 1", "a >= b"),
        "statement 'a/(a - b) > 1': the divisor, a - b, is not shown to be positive (it is 0 at a = 1, b = 1); "
        "add --given 'a - b > 0' if it is",
    ),
    (
        case("x/x == 1", real="x"),
        "statement 'x/x == 1': the divisor, x, is not shown to be positive (it is 0 at x = 0); "
        "add --given 'x > 0' if it is",
    ),
    (
        case("x^0 == 1", real="x"),
        "statement 'x^0 == 1': the base of the exponent 0, x, is not shown to be positive (it is 0 at x = 0); "
        "add --given 'x > 0' if it is",
    ),
    (
        case("sqrt(x)^2 == x", real="x"),
        "statement 'sqrt(x)^2 == x': the operand of a root, x, is not shown to be at least 0 (it is -1 at x = -1); "
        "add --given 'x >= 0' if it is",
    ),
    (
        case("1/((a + b + c)^3 - 27*a*b*c + 1) <= 1"),  # which it is, but nobody shows it
        "statement '1/((a + b + c)^3 - 27*a*b*c + 1) <= 1': the divisor, (a + b + c)^3 - 27*a*b*c + 1, is not shown "
        "to be positive; add --given '(a + b + c)^3 - 27*a*b*c + 1 > 0' if it is",
    ),
    (
        case("a >= 1", "1/(a - b) <= 1"),
        "statement 'a >= 1': in its hypotheses the divisor a - b is not shown to be positive",
    ),
    # hypotheses that exclude every point
    (case("1 <= t", "t < 1"), f"statement '1 <= t': {NOWHERE}"),
    (case("2 + 2 == 4", "1 <= 0"), f"statement '2 + 2 == 4': {NOWHERE}"),
    (case("1 <= t", "t == 1/2"), f"statement '1 <= t': {NOWHERE}"),
    (case("f == f", "f == f + 1"), f"statement 'f == f': {NOWHERE}"),
    (case("a == b", "a < b", "b < c", "c < a"), f"statement 'a == b': {NOWHERE}"),
    (case("x == 1", "x > 0", "x < 0", real="x"), f"statement 'x == 1': {NOWHERE}"),
]


@pytest.mark.parametrize(("this", "line"), BAD, ids=words)
@pytest.mark.usefixtures("no_z3")
def test_what_says_nothing_is_one_line(this, line):
    with pytest.raises((GrammarError, ClaimError)) as problem:
        answer(read(*this))
    text = str(problem.value)
    assert text == line
    assert "\n" not in text
