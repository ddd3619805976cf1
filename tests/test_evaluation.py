"""Substitution: options, relations, bounds, what a plan divides, and the words for what does not fit."""

from fractions import Fraction

import pytest

from derive.errors import DeriveError, ModelError, PlanError, UnknownName
from derive.evaluation import PADDING, fitted, implied, number, split_letters, with_options
from derive.grammar import parse
from derive.model import Given, Model
from derive.plan import Plan, parse_plan
from derive.report import Report, plan_items, report
from formulas import catalog, claims_about
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.models import model
from formulas.notation import common, notation_of

CATALOG = catalog()


def made(of: str | None, plan: str = "", quantity: str = "activations", **options: int) -> Report:
    return report(CATALOG[quantity], model(of), parse_plan(plan, common.symbol), options=options, judged=False)


def error(kind: type[DeriveError], *arguments, **options) -> str:
    with pytest.raises(kind) as caught:
        made(*arguments, **options)
    return str(caught.value)


# Options and relations


def test_an_option_wins_over_the_preset_and_says_so():
    assert made("llama3-8b", s=4096).given["s"] == Given(4096, "option")
    assert made("llama3-8b").given["s"] == Given(8192, "preset")


def test_relations_hold_until_a_size_is_set():
    assert made("gpt2").given["f"] == Given(3072, "f = 4*h")
    assert made("gpt2", f=3000).given["f"] == Given(3000, "option")
    assert made("gpt2", h=1536).given["f"] == Given(6144, "f = 4*h")
    assert made("gpt2", h=1536).given["d"] == Given(128, "d = h/a")


def test_a_relation_that_is_set_aside_changes_the_value():
    """f enters a GPT layer as 4sbf bytes."""
    usual, other = made("gpt2").value, made("gpt2", f=3000).value
    assert isinstance(usual, Fraction)
    assert isinstance(other, Fraction)
    assert usual - other == 4 * 1024 * 72


def test_implied_keeps_what_is_known():
    sizes = implied(Model(gpt, sizes={"h": Given(64, "option"), "a": Given(4, "preset")}))
    assert sizes == {
        "h": Given(64, "option"),
        "a": Given(4, "preset"),
        "f": Given(256, "f = 4*h"),
        "g": Given(4, "g = a"),
        "d": Given(16, "d = h/a"),
    }


def test_a_relation_needs_its_letters():
    assert implied(Model(gpt, sizes={"a": Given(4, "option")})) == {"a": Given(4, "option"), "g": Given(4, "g = a")}


@pytest.mark.parametrize(("options", "message"), [
    ({"h": 770}, "d = h/a is not a whole number for h = 770, a = 12: set d itself"),
    ({"h": 8}, "d = h/a is not a whole number for h = 8, a = 12: set d itself"),
    ({"s": 2048}, "s = 2048 exceeds S = 1024: set S too"),
    ({"S": 512}, "s = 1024 exceeds S = 512: set S too"),
    ({"g": 5}, "g = 5 does not divide a = 12"),
    ({"D": 8}, "D is no size of gpt2: its sizes are s, b, h, a, g, d, f, V, S, L"),
    ({"N": 8}, "N is no size of gpt2: its sizes are s, b, h, a, g, d, f, V, S, L"),
])  # fmt: skip
def test_sizes_that_do_not_fit(options, message):
    assert error(ModelError, "gpt2", **options) == message


def test_a_bare_architecture_is_named_by_its_name():
    assert error(ModelError, "llama", S=8) == "S is no size of llama: its sizes are s, b, h, a, g, d, f, V, L"


def test_both_sizes_of_a_bound_can_be_set():
    assert made("gpt2", s=2048, S=2048).given["s"] == Given(2048, "option")
    assert made("gpt2", "", "parameters", s=2048, S=2048).value == 124439808 + 1024 * 768


def test_setting_the_head_width_frees_it():
    sizes = with_options(model("gpt2"), {"h": Given(770, "option"), "d": Given(64, "option")})
    assert implied(sizes)["d"] == Given(64, "option")


# Degrees


@pytest.mark.parametrize(("of", "plan", "options", "message"), [
    ("llama3-70b", "tp=7", {}, "tp=7 does not divide a = 64 (query heads)"),
    ("gpt2", "tp=8", {}, "tp=8 does not divide a = 12 (query heads)"),
    ("gpt2", "", {"t": 8}, "tp=8 does not divide a = 12 (query heads)"),
    ("llama3-8b", "tp=8,sp", {"s": 1001}, "tp=8 does not divide s = 1001 (sequence length, tokens)"),
    ("llama3-8b", "tp=8", {"f": 1001}, "tp=8 does not divide f = 1001 (feed-forward width)"),
    ("llama3-8b", "tp=12", {"a": 48, "f": 12000},
     "tp=12 does not divide g = 8 (key/value heads, or state-space groups), and is not a multiple of it either: "
     "choose tp so that one divides "
     "the other"),
])  # fmt: skip
def test_a_plan_that_does_not_divide(of, plan, options, message):
    assert error(PlanError, of, plan, **options) == message


def test_only_what_the_quantity_has_must_divide():
    assert made("llama3-8b", "tp=8", s=1001).value is not None  # without sequence parallelism
    assert made("gpt3-175b", "tp=8").value is not None  # a layer has no vocabulary
    assert made("gpt3-175b", "tp=7", "parameters").value == 174604259328  # counted for the whole model


@pytest.mark.parametrize(("degree", "padded"), [(8, 51200), (2, 50432), (96, 61440)])
def test_a_vocabulary_is_padded_as_frameworks_do(degree, padded):
    message = error(PlanError, "gpt3-175b", f"tp={degree}", "logits")
    ways = f"--plan pad-vocab={PADDING} or --set V={padded}"
    assert message == f"tp={degree} does not divide V = 50257 (vocabulary): frameworks pad it, {ways}"
    assert padded % (PADDING * degree) == 0
    assert padded - 50257 < PADDING * degree
    assert made("gpt3-175b", f"tp={degree}", "logits", V=padded).value == Fraction(6 * 2048 * padded, degree)


def test_few_heads_are_held_whole():
    """Eight key/value heads: on 8 devices one each, on 16 one each too, held twice."""
    s, d = 8192, 128
    eight, sixteen = (made("llama3-70b", f"tp={degree}", "attention-activations").value for degree in (8, 16))
    whole = 2 * s * 8192 + 4 * s * d
    assert eight == whole + (4 * s * 64 * d + 4 * 64 * s) // 8 + 4 * s * d
    assert sixteen == whole + (4 * s * 64 * d + 4 * 64 * s) // 16 + 4 * s * d


def test_fitted_marks_what_is_replicated():
    sizes = {letter: Given(size, "option") for letter, size in {"a": 64, "g": 8, "f": 64, "V": 64, "s": 64}.items()}
    assert fitted(Plan(tp=16), llama.model_trace.tensors, sizes, common).replicated == ("g",)
    assert fitted(Plan(tp=8), llama.model_trace.tensors, sizes, common).replicated == ()
    t = common.symbol("t")
    assert fitted(Plan(tp=t), llama.model_trace.tensors, sizes, common) == Plan(tp=t)
    sixteen = sizes | {"t": Given(16, "option")}
    assert fitted(Plan(tp=t), llama.model_trace.tensors, sixteen, common).replicated == ("g",)


def test_one_thing_has_one_value():
    assert error(ModelError, "gpt2", "tp=4", t=8) == "t = 8 is set, but the plan says tp=4"
    planned, both, letter, option = (
        made("gpt2", "tp=4").value, made("gpt2", "tp=4", t=4).value, made("gpt2", "tp=t", t=4).value,
        made("gpt2", t=4).value,
    )  # fmt: skip
    assert planned == both == letter == option == Fraction(28327936)


def test_a_symbolic_degree_stays_free():
    symbolic = made("llama3-70b", "tp=t")
    assert symbolic.free == ("t",)
    assert symbolic.value is None
    assert symbolic.value_text is None
    assert plan_items(symbolic.plan) == {"tp": "t"}


# Letters without a size


def test_what_a_plan_is_taken_to_divide_is_said():
    assert made(None, "tp=8").assumptions == ("tp = 8 divides a, f, g",)
    assert made(None, "tp=8,sp", a=16, h=1024).assumptions == ("tp = 8 divides s",)
    assert made("llama3-70b", "tp=8,sp").assumptions == ()
    assert made(None).assumptions == ()
    assert split_letters(gpt.model_trace, Plan(tp=8), {}) == ("V", "a", "f", "g")


def test_free_letters_are_in_reading_order():
    assert made(None).free == ("a", "s", "b", "h")
    assert made(None, h=1024).free == ("a", "s", "b")
    assert made(None).given.keys() == {"dtype", "recipe", "attention", "dropout"}


def test_symbolic_keeps_the_letters_of_a_preset():
    symbolic = report(CATALOG["activations"], model("llama3-70b"), parse_plan("", common.symbol), symbolic=True)
    assert symbolic.free == ("a", "g", "s", "b", "d", "h", "f")
    assert symbolic.value is None
    assert symbolic.given["attention"] == Given("flash", "preset")


def test_number_is_exact_or_nothing():
    known = {"s": Given(3, "option"), "b": Given(7, "option")}
    assert number(parse("s/b"), known) == Fraction(3, 7)
    assert number(parse("s/h"), known) is None


# Quantities without a model, settings, names


def test_a_product_takes_sizes_and_has_no_model():
    gemm = notation_of("gemm")
    plan = parse_plan("", gemm.symbol)
    product = report(CATALOG["matmul-flops"], None, plan, options={"m": 4, "n": 5, "p": 6})
    assert product.value == 240
    assert {letter: given.value for letter, given in product.given.items()} == {"m": 4, "n": 5, "p": 6}
    half = report(CATALOG["matmul-flops"], None, plan, options={"m": 4})
    assert (half.value, half.free) == (None, ("n", "p"))
    with pytest.raises(DeriveError, match=r"^activations is a quantity of a model: give one$"):
        report(CATALOG["activations"], None, plan)


def test_settings_say_where_they_come_from():
    given = made("llama3-70b", "attention=materialised").given
    assert given["attention"] == Given("materialised", "option")
    assert made("llama3-70b", "mask=full", "flops-per-token").given["mask"] == Given("full", "option")
    assert made("llama3-70b", "", "flops-per-token").given["mask"] == Given("causal", "preset")
    assert made(None, "", "flops-per-token").given["mask"] == Given("causal", "default")
    assert "mask" not in made("llama3-70b", "", "parameters").given


def test_the_plan_is_shown_as_written():
    text = "tp=8,sp,recompute=core+mlp,early-stop,attention=materialised,mask=full"
    assert plan_items(made("llama3-70b", text).plan) == {
        "tp": 8,
        "sp": True,
        "recompute": ["core", "mlp"],
        "early-stop": True,
        "attention": "materialised",
        "mask": "full",
    }
    assert plan_items(made("llama3-70b").plan) == {}


@pytest.mark.parametrize("quantity", ["activations", "parameters", "flops-per-token"])
def test_blocks_and_parameters_that_are_not_there(quantity):
    """Refused whatever the quantity, also where the setting changes nothing of it."""
    assert error(UnknownName, "gpt2", "recompute=croe", quantity) == "unknown block 'croe': did you mean 'core'?"
    message = "unknown parameter 'up wieght': did you mean 'up weight'?"
    assert error(UnknownName, "gpt2", "frozen=up wieght", quantity) == message


# Claims at sizes


def test_a_claims_degree_is_one_where_the_plan_has_none():
    claims = claims_about(CATALOG["activations"])
    values = {}
    for plan in ("", "tp=8"):
        shown = report(CATALOG["activations"], model("gpt3-175b"), parse_plan(plan, common.symbol), claims=claims)
        table = [each for each in shown.claims if each.claim.place == "table 2"]
        values[plan] = {each.claim.plan_text: each.value for each in table}
    sbh = 2048 * 12288
    assert values[""]["tp=t,recompute=core"] == 34 * sbh
    assert values["tp=8"]["tp=t,recompute=core"] == 13 * sbh


def test_a_hypothesis_broken_by_an_option_is_named():
    shown = report(
        CATALOG["activations"], model("gpt2"), parse_plan("", common.symbol),
        options={"f": 3000}, claims=claims_about(CATALOG["activations"]),
    )  # fmt: skip
    first = next(each for each in shown.claims if each.claim.place == "table 2")
    assert first.failing == ("f == 4*h (f is 3000, not 3072)",)
