"""Every law at random valid sizes, at those of real models, and as an identity in the letters."""

from fractions import Fraction
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Expr, Poly, Rational, fraction

from checks.laws import FEW_HEADS, LAWS, Case, Law, case
from checks.strategies import cases, cases_of, divisors, full_sizes
from derive import Input, Plan, block, mean, saved, silu
from derive.plan import parse_plan
from derive.proof.canonical import difference
from formulas.architectures.gpt import gpt, gpt_unfused
from formulas.architectures.llama import llama
from formulas.models import architectures, in_letters, model

ALL = tuple(architectures().values())
PLANS = (
    "",
    "tp=t",
    "tp=t,sp,mask=full",
    "tp=t,attention=cuda_flash",
    "tp=t,sp,attention=materialised,recompute=core",
    "tp=t,sp,recompute=attention+norm,early-stop",
    "tp=t,recompute=mlp,attention=flash",
    "tp=t,sp,recompute=layer",
    "tp=t,attention=flash,recompute=core",
)


def exact(side: Expr) -> Fraction:
    """A side at sizes: a number, and an exact one."""
    assert isinstance(side, Rational)
    return Fraction(int(side.p), int(side.q))


def check_at_sizes(law: Law, made: Case) -> None:
    """One law at numbers."""
    sizes = {letter: max(least, int(made.size(letter))) for letter, least in law.least.items()}
    left, right = map(exact, law.sides(made.having(**sizes)))
    assert left == right if law.relation == "==" else left <= right, law.statement


def check_in_letters(law: Law, made: Case) -> None:
    """One law for all sizes: an identity, or a difference whose every term is positive from the least sizes on."""
    left, right = law.sides(made)
    gap = difference(right, left)
    if law.relation == "==" or gap == 0:
        assert gap == 0, law.statement
        return
    letters = [made.architecture.notation.symbol(name) for name in sorted(map(str, gap.free_symbols))]
    for part in fraction(gap):
        shifted = part.xreplace({letter: letter + law.least.get(letter.name, 1) for letter in letters})
        assert all(coefficient >= 0 for coefficient in Poly(shifted, *letters, domain="QQ").coeffs()), law.statement


@cache
def real(name: str, plan: str) -> Case:
    """A preset, its vocabulary padded for eight devices, under a plan."""
    preset = model(name)
    known = {letter: given.value for letter, given in preset.sizes.items()}
    sizes = full_sizes(known | {"V": -(-known["V"] // 1024) * 1024}, preset.architecture.relation_trees)
    return case(preset.architecture, parse_plan(plan, preset.architecture.notation.symbol), sizes)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@given(made=cases(ALL))
@example(made=real("llama3-70b", "tp=8,sp"))
@example(made=real("gpt2", "tp=4"))
@example(made=real("gpt3-175b", "tp=8,sp,recompute=core"))
def test_law_at_sizes(law, made):
    check_at_sizes(law, made)


@given(made=cases(ALL, few_heads=True))
@example(made=real("llama3-70b", "tp=64,sp"))
def test_few_heads_at_sizes(made):
    check_at_sizes(FEW_HEADS, made)


@settings(max_examples=10)
@given(st.sampled_from(in_letters()).flatmap(lambda name: cases_of(model(name))), st.sampled_from(LAWS))
def test_laws_at_presets_under_random_plans(made, law):
    check_at_sizes(law, made)


@pytest.mark.parametrize("architecture", ALL, ids=lambda each: each.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law_in_letters(law, architecture):
    for plan in PLANS:
        check_in_letters(law, case(architecture, parse_plan(plan, architecture.notation.symbol)))


@pytest.mark.parametrize("architecture", ALL, ids=lambda each: each.name)
def test_few_heads_in_letters(architecture):
    for plan in ("tp=t", "tp=t,sp", "tp=t,attention=materialised"):
        made = case(architecture, parse_plan(plan, architecture.notation.symbol))
        check_in_letters(FEW_HEADS, made.under(replicated=("g",)))


def test_laws_are_told_apart():
    assert len({law.name for law in LAWS}) == len({law.statement for law in LAWS}) == len(LAWS)


@pytest.mark.parametrize("law", [law for law in LAWS if law.name != "nothing-again"], ids=lambda law: law.name)
def test_no_law_is_about_nothing(law):
    """Both sides of every law depend on sizes somewhere: a renamed row would leave 0 == 0."""
    for each in (gpt, gpt_unfused, llama):
        _, right = law.sides(case(each, parse_plan("tp=t,recompute=mlp", each.notation.symbol)))
        assert right.free_symbols


# What the laws do not say, since it is not so


def test_recomputing_a_block_can_keep_more():
    """Not a law in general: a block whose input is larger than what is kept inside it gets more expensive."""

    @block
    def narrow(x):
        return silu(silu(mean(x)))

    made = case(gpt, Plan())
    s, b, h = (made.size(letter) for letter in "sbh")
    traced = made.traced(lambda x: silu(narrow(x + x)), (Input("x", "s b h"),))
    before, after = (saved(traced, Plan(recompute=names)).value for names in ((), ("narrow",)))
    assert before == 3 * (2 * s * b)
    assert after == 2 * s * b * h + 2 * s * b


@pytest.mark.parametrize(
    ("architecture", "left_out"), [(llama, 1), (gpt, 0)], ids=lambda each: getattr(each, "name", "")
)
def test_stopping_early_leaves_out_the_last_product(architecture, left_out):
    """Nothing needs the result of a Llama's last product; a GPT makes it again for the dropout mask after it."""
    made = case(architecture, Plan(recompute=("mlp",), early_stop=True))
    s, b, h, f = (made.size(letter) for letter in "sbhf")
    forward = made.flops("forward").within("mlp").value
    assert made.flops("recompute").within("mlp").value == forward - left_out * 2 * s * b * h * f


def test_flash_keeps_more_of_one_token():
    """Below the least size of the law, without dropout: 4ab bytes for 2ab."""
    law = next(law for law in LAWS if law.name == "flash-or-not")
    left, right = law.sides(real("llama3-8b", "").having(s=1))
    assert exact(left) - exact(right) == 2 * 32


def test_sharing_heads_is_no_sum_of_shards():
    """Eight key/value heads on 64 devices are held eight times over."""
    law = next(law for law in LAWS if law.name == "shards-of-bytes")
    left, right = map(exact, law.sides(real("llama3-70b", "tp=64,sp")))
    assert left - right == 7 * 2 * (2 * 8192 * 8 * 128)


def test_divisors():
    assert divisors(12, 18) == (1, 2, 3, 6)
