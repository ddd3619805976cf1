"""Deciding facts: terms evaluated through the catalog, identities by the proof checker, claims by their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from checks.cited import CITED
from checks.facts import Case, Check, Quoted, Term, number, prints
from checks.laws import LAWS
from checks.laws import case as case_of
from checks.statistics import STATISTICS
from checks.toys import TOYS
from derive.citation import Claim
from derive.errors import DeriveError, unknown
from derive.evaluation import implied
from derive.evaluation import number as evaluated
from derive.exact import evaluate
from derive.grammar import parse, parse_relation
from derive.interval import Interval, bounds
from derive.ledger import Ledger
from derive.letters import Notation
from derive.model import Given, Model
from derive.plan import parse_plan
from derive.precision import optimizer, recipe
from derive.proof.step import show
from derive.quantity import Formula
from derive.reading import sum_to_tree, to_tree
from derive.report import Report, report
from derive.tree import Node, substitute, symbols_of, to_text
from derive.verdict import judge
from formulas import all_claims, catalog
from formulas.models import model as preset
from formulas.notation import common

Amount = Fraction | Interval
COMPUTED: dict[str, Callable[..., Any]] = TOYS | STATISTICS | CITED


@cache
def quantities() -> dict[str, Formula]:
    """The catalog, imported once."""
    return catalog()


def _asked(term: Term, symbolic: bool) -> Report:
    known = quantities()
    if term.quantity not in known:
        raise unknown("quantity", term.quantity, known)
    formula = known[term.quantity]
    wanted = formula.needs_model or (formula.takes_model and term.model)
    about = preset(term.model or None) if wanted else None
    formats = recipe(term.recipe, term.dtype or None)
    plan = parse_plan(term.plan, formula.notation.symbol, formats, optimizer(term.optimizer))
    options = {} if symbolic else _device(formula, about, plan, term) | _values(term.letters)
    return report(formula, about, plan, options=options, symbolic=symbolic and about is not None, judged=False)


def _values(letters: tuple[tuple[str, str], ...]) -> dict[str, Given]:
    exact = {letter: number(text) for letter, text in letters}
    return {x: Given(int(value) if value.denominator == 1 else value, "option") for x, value in exact.items()}


def _device(formula: Formula, about: Model | None, plan, term: Term) -> dict[str, Given]:
    if not term.gpu:
        return {}
    from formulas.hardware import device

    chosen = device(term.gpu)
    reached = set(formula.reached(about, plan if about is None else about.complete(plan)))
    return {x: chosen.value(x, plan.recipe.compute.name) for x in chosen.letters if x in reached}


def _chosen(term: Term, ledger: Ledger) -> Ledger:
    """The rows that a term is about; a name that chooses none is an error."""
    for name in (*term.rows, *term.blocks):
        if not any(name == row.tensor or name in row.blocks for row in ledger):
            raise DeriveError(f"{term.quantity}: no row is of {name!r}: {sorted({row.tensor for row in ledger})}")
    for role in term.without:
        if not any(row.role is not None and row.role.value == role for row in ledger):
            raise DeriveError(f"{term.quantity}: no row has the role {role!r}")
    kept = ledger.select(lambda row: not term.rows or row.tensor in term.rows)
    kept = kept.select(lambda row: not term.blocks or any(block in row.blocks for block in term.blocks))
    return kept.select(lambda row: row.role is None or row.role.value not in term.without)


@cache
def amount(term: Term) -> Amount:
    """The value of a term; `DeriveError` where letters have none."""
    if term.computed:
        found = COMPUTED[term.computed](**{x: number(text) for x, text in term.letters})
        return _exact_if_point(found) if isinstance(found, Interval) else evaluate(to_tree(found), {})
    made = _asked(term, symbolic=False)
    if not (term.rows or term.blocks or term.without):
        value = made.value
    else:
        rows = _chosen(term, made.derivation.ledger)
        value = evaluated(sum_to_tree([row.value for row in rows], made.formula.notation.order), made.given)
    if value is None:
        raise DeriveError(f"{term.quantity} has no value: {', '.join(made.free) or 'a letter'} is not given")
    return value


def _exact_if_point(bounded: Interval) -> Amount:
    return bounded.low if bounded.low == bounded.high else bounded


@cache
def in_letters(term: Term) -> tuple[Node, Mapping[str, Node], Notation]:
    """The expression of a term, the relations of its architecture, and its letters."""
    if term.computed:
        wanted = COMPUTED[term.computed].__annotations__
        fixed = {x: number(text) for x, text in term.letters}
        made = COMPUTED[term.computed](**{x: fixed.get(x, common.symbol(x)) for x in wanted if x != "return"})
        return to_tree(made, common.order), {}, common
    made = _asked(term, symbolic=True)
    relations = dict(made.model.relations) if made.model is not None else {}
    if not (term.rows or term.blocks or term.without):
        return made.derivation.expression, relations, made.formula.notation
    rows = _chosen(term, made.derivation.ledger)
    return sum_to_tree([row.value for row in rows], made.formula.notation.order), relations, made.formula.notation


# ---- one check ----


def decide(check: Check) -> list[str]:
    """What is wrong with a check, one line each; none if all of it holds."""
    wrong = [] if not check.values else _wrong_values(check)
    for case in check.cases:
        wrong += [text for text in check.holds if not _holds(text, case)]
    for text in check.identities:
        _identity(text, check)
    for quoted in check.claims:
        wrong += _wrong_claims(quoted)
    for name in check.laws:
        wrong += _wrong_law(name)
    return wrong


def results(check: Check) -> list[Amount]:
    """The values of a check: every expression at the first case, then at the next."""
    return [_value(parse(text), case) for case in check.cases for text in check.values]


def _value(tree: Node, case: Case) -> Amount:
    values: dict[str, Amount] = dict(_sizes(case.model)) | dict(case.given)
    values |= {name: amount(case.terms[name]) for name in symbols_of(tree) if name in case.terms}
    if any(isinstance(values.get(name), Interval) for name in symbols_of(tree)):
        return _exact_if_point(bounds(tree, values))
    return evaluate(tree, {name: values[name] for name in symbols_of(tree) if name in values})  # pyright: ignore[reportArgumentType]


@cache
def _sizes(name: str) -> dict[str, Amount]:
    return {x: Fraction(given.value) for x, given in implied(preset(name)).items()} if name else {}


def _ends(value: Amount) -> tuple[Fraction, ...]:
    return (value.low, value.high) if isinstance(value, Interval) else (value,)


def _wrong_values(check: Check) -> list[str]:
    found, wrong = results(check), []
    for value, text in zip(found, check.exact, strict=False):
        if str(value) != text and (isinstance(value, Interval) or value != number(text)):
            wrong.append(f"exact {text}: it is {value}")
    for value, text in zip(found, check.expect, strict=False):
        if not all(prints(end, text) for end in _ends(value)):
            wrong.append(f"printed {text}: it is {value} ({', '.join(str(float(end)) for end in _ends(value))})")
    for value, text, off in zip(found, check.said, check.off_by, strict=False):
        if isinstance(value, Interval) or number(text) - value != number(off):
            wrong.append(f"said {text}, off by {off}: it is {value}")
    if check.said and all(number(off) == 0 for off in check.off_by):
        wrong.append("what is said is right")
    return wrong


def _holds(text: str, case: Case) -> bool:
    relation = parse_relation(text)
    left, right = (_ends(_value(side, case)) for side in (relation.left, relation.right))
    compare = {
        "==": left == right,
        "<=": max(left) <= min(right),
        "<": max(left) < min(right),
        ">=": min(left) >= max(right),
        ">": min(left) > max(right),
    }
    return compare[relation.operator]


def _identity(text: str, check: Check) -> None:
    """Have an equation in letters proved; `ClaimError` if the checker does not accept it."""
    relation = parse_relation(text)
    if relation.operator != "==":
        raise DeriveError(f"identity {text!r}: write an equation")
    (case,) = check.cases
    trees, letters = {}, dict(common.letters)
    relations: dict[str, Node] = {}
    for name, term in case.terms.items():
        trees[name], own, notation = in_letters(term)
        relations |= own
        letters = dict(notation.letters) | {x: each for x, each in letters.items() if x not in notation.letters}
    relations |= {letter: parse(definition) for letter, definition in check.under.items()}
    show(substitute(relation.left, trees), "==", substitute(relation.right, trees), relations, Notation(letters))


def claims_of(quoted: Quoted) -> list[Claim]:
    """The claims that a fact quotes."""
    text = to_text(parse(quoted.text))
    return [
        claim
        for claim in all_claims()
        if (claim.source.key, claim.formula.name, claim.text, claim.plan_text)
        == (quoted.source, quoted.quantity, text, quoted.plan)
    ]


def _wrong_claims(quoted: Quoted) -> list[str]:
    found = claims_of(quoted)
    if not found:
        return [f"{quoted.source} does not claim {quoted.quantity} = {quoted.text} under {quoted.plan!r}"]
    verdicts = {judge(claim).verdict for claim in found}
    # The same text may be claimed under another recipe or hypothesis too, with another verdict.
    return [] if quoted.verdict in verdicts else [f"{quoted.text}: {', '.join(verdicts)}, not {quoted.verdict}"]


def _wrong_law(name: str) -> list[str]:
    """A law at two models under two plans; the tests of the laws go further."""
    known = {law.name: law for law in LAWS}
    if name not in known:
        raise unknown("law", name, known)
    law, wrong = known[name], []
    for model, text in (("gpt2", ""), ("gpt2", "tp=2,sp"), ("llama3-8b", ""), ("llama3-8b", "tp=2,sp")):
        about = preset(model)
        sizes = {x: given.value for x, given in implied(about).items()} | {"V": 51200} | dict(law.least)
        left, right = law.sides(case_of(about.architecture, parse_plan(text, common.symbol), sizes))
        if not (left == right if law.relation == "==" else left <= right):
            wrong.append(f"{law.statement}: {left} and {right} for {model} under {text!r}")
    return wrong
