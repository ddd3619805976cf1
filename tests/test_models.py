"""Every preset: its exact numbers, what its sources say at its sizes, and where each size comes from."""

from fractions import Fraction
from importlib import import_module

import pytest

from derive.citation import REFUTED
from derive.config import Fields
from derive.errors import ModelError, UnknownName
from derive.evaluation import Valued
from derive.model import Given
from derive.plan import parse_plan
from derive.report import Report, report
from derive.tree import symbols_of
from formulas import catalog, claims_about
from formulas.configs import model_of_fields, modules
from formulas.models import DEFAULT, architectures, in_letters, model, presets
from formulas.notation import common
from formulas.sources.korthikanti2022 import korthikanti2022
from formulas.sources.megatron import megatron

CATALOG = catalog()


def reported(name: str, of: str, plan: str = "") -> Report:
    return report(CATALOG[name], model(of), parse_plan(plan, common.symbol), claims=claims_about(CATALOG[name]))


def number(name: str, of: str, plan: str = "") -> Fraction:
    value = reported(name, of, plan).value
    assert isinstance(value, Fraction)
    return value


# Parameters as the released weights have them, the rest from the issue, or by hand from the layer's own formula.
EXACT = {
    "parameters": {
        "llama3-8b": 8030261248,
        "llama3-70b": 70553706496,
        "llama3-405b": 405853388800,
        "llama2-7b": 6738415616,
        "gpt2": 124439808,
        "gpt3-175b": 174604259328,
        "mistral-7b": 7241732096,
        "mixtral-8x7b": 46702792704,
        "qwen3-8b": 8190735360,
        "qwen3-30b-a3b": 30532122624,
        "gpt-oss-20b": 20914757184,
        "gpt-oss-120b": 116829156672,
        "gemma2-9b": 9241705984,
        "deepseek-v3": 671026404352,
    },
    "gemm-parameters": {"llama3-70b": 69501714432},
    "flops-per-token": {"llama3-8b": 51471187968, "llama3-70b": 449226473472, "llama3-405b": 2523968372736},
    "activations": {"llama3-70b": 3261136896, "gpt3-175b": 2868936704},
    "attention-activations": {"gpt3-175b": 11 * 2048 * 12288 + 5 * 96 * 2048**2},
    "mlp-activations": {"gpt3-175b": 19 * 2048 * 12288},
    "embedding-parameters": {"llama3-70b": 128256 * 8192, "gpt2": (50257 + 1024) * 768},
    "layer-parameters": {"gpt3-175b": 12 * 12288**2 + 13 * 12288, "gpt2": 12 * 768**2 + 13 * 768},
    "logits": {"llama3-70b": 6 * 8192 * 128256},
    # DeepSeek's comparison of caches, bytes a token in bf16: 70.272 KB and 516.096 KB (arXiv 2505.09343, table 1).
    "kv-cache": {"deepseek-v3": 70272 * 4096, "llama3-405b": 516096 * 8192},
}


@pytest.mark.parametrize(
    ("quantity", "name", "value"), [(quantity, *item) for quantity, values in EXACT.items() for item in values.items()]
)
def test_exact_value(quantity, name, value):
    made = reported(quantity, name)
    assert made.value == value
    assert isinstance(made.value, Fraction)
    assert made.free == ()
    assert made.derivation.proved


@pytest.mark.parametrize(("name", "value"), [
    ("llama3-8b", 57912852480), ("llama3-70b", 481434796032), ("llama3-405b", 2625424588800),
])  # fmt: skip
def test_flops_per_token_under_a_full_mask(name, value):
    assert reported("flops-per-token", name, "mask=full").value == value


@pytest.mark.parametrize("name", ["gpt2", "gpt3-175b"])
def test_flops_of_a_gpt_layer_under_a_full_mask(name):
    """24bsh²(1 + s/(6h)), the form that papers give."""
    sizes = {letter: given.value for letter, given in model(name).sizes.items()}
    s, h = sizes["s"], sizes["h"]
    assert reported("layer-flops", name, "mask=full").value == 24 * s * h**2 * (1 + Fraction(s, 6 * h))


@pytest.mark.parametrize("name", sorted(presets()))
def test_preset_has_a_value_for_every_quantity(name):
    for formula in CATALOG.values():
        if formula.needs_model:
            made = report(formula, model(name), parse_plan("", common.symbol), judged=False)
            # What is run again, or gathered, is nothing here; a letter that is no size of a model may stay one.
            assert not set(made.free) & set(model(name).architecture.letters.split()), formula.name
            nothing = all(row.value == 0 for row in made.derivation.ledger)
            assert made.free or nothing or (isinstance(made.value, Fraction) and made.value > 0), formula.name


# Sizes and their origins


@pytest.mark.parametrize("name", in_letters())
def test_given_lists_every_size_with_its_origin(name):
    made = reported("model-activations", name)
    letters = made.derivation.ledger.letters
    sizes = {letter: given for letter, given in made.given.items() if letter in common.letters}
    assert set(sizes) == letters | {"b"}
    preset = model(name)
    for letter, given in sizes.items():
        if letter in preset.sizes:
            assert given == Given(presets()[name]["sizes"].get(letter, 1), "default" if letter == "b" else "preset")
        else:
            assert given.origin == f"{letter} = {preset.architecture.relations[letter]}"
    settings = {key: made.given[key] for key in ("attention", "dropout", "dtype", "recipe")}
    assert settings == {
        "attention": Given(presets()[name]["attention"], "preset"),
        "dropout": Given(presets()[name]["dropout"], "preset"),
        "dtype": Given("bf16", "default"),
        "recipe": Given("bf16", "default"),
    }


@pytest.mark.parametrize("name", in_letters())
def test_preset_has_a_source_for_everything(name):
    record = presets()[name]
    assert record["title"]
    assert {"sizes", "settings"} <= set(record["sources"]) <= {"settings", "sizes", *record["sizes"]}
    assert all(len(text) > 20 for text in record["sources"].values())
    assert set(record["sizes"]) <= set(architectures()[record["architecture"]].letters.split())
    assert record["mask"] == "causal"


CONFIGURED = sorted(set(presets()) - set(in_letters()))
# Parameters that a token uses, in billions as the papers and model cards have them, some rounded, some cut; gpt-oss's
# are without the token table (its model card, table 1), DeepSeek's too (README_WEIGHTS.md beside its weights).
ACTIVE = {
    "mixtral-8x7b": "12.9",
    "qwen3-30b-a3b": "3.3",
    "gpt-oss-20b": "3.61",
    "gpt-oss-120b": "5.13",
    "deepseek-v3": "36.6",
}


@pytest.mark.parametrize("name", ACTIVE)
def test_a_mixture_uses_the_parameters_that_were_published(name):
    value = number("active-parameters", name)
    if name.startswith(("gpt-oss", "deepseek")):
        value -= number("embedding-parameters", name)
    digits = len(ACTIVE[name].partition(".")[2])
    assert abs(value / 10**9 - Fraction(ACTIVE[name])) < Fraction(1, 10**digits)


def test_the_prediction_module_of_deepseek_v3_is_what_its_weights_have():
    """Its safetensors hold so many values in bf16 and e4m3, of which the module's tables are copies of the model's.

    The rest, in fp32, are scales of blocks and the 59 layers' biases of routing, which are no trained parameters.
    """
    made = number("parameters", "deepseek-v3", "mtp")
    assert made + 2 * number("embedding-parameters", "deepseek-v3") == 3918786560 + 680571043840


@pytest.mark.parametrize("name", CONFIGURED)
def test_every_quantity_of_a_released_configuration_has_a_formula(name):
    """In letters: windows leave a minimum with a minus sign in what is divided by, experts letters that others have."""
    for formula in CATALOG.values():
        if formula.takes_model:
            made = report(formula, model(name), parse_plan("", common.symbol), symbolic=True, judged=False)
            assert made.value is None or made.free == (), formula.name


@pytest.mark.parametrize("name", CONFIGURED)
def test_what_a_run_costs_has_a_number(name):
    run = {"D": 10**12, "P": 989 * 10**12, "eta": Fraction(2, 5), "R": Fraction(2)}
    made = report(CATALOG["cost"], model(name), parse_plan("", common.symbol), options=run, judged=False)
    flops = number("flops-per-token", name)
    assert made.value == flops * run["D"] / (run["P"] * run["eta"]) / 3600 * run["R"]


@pytest.mark.parametrize("name", CONFIGURED)
def test_a_released_configuration_is_read_whole(name):
    """Every field of it enters or is known not to, and the sequence length has a source where it is another."""
    record = presets()[name]
    fields = Fields(record["config"], record["config"]["model_type"])
    import_module(f"formulas.architectures.{modules()[fields.model_type]}").read(fields)
    assert set(record["config"]) <= {"model_type", "vocab_size", "max_position_embeddings", *fields.read}
    assert set(record["sources"]) == {"config", *record.get("sizes", {})}
    read, made = model_of_fields(record["config"], name), model(name)
    assert made.sizes == {**read.sizes, **{x: Given(size, "preset") for x, size in record.get("sizes", {}).items()}}


def test_b_is_one_unless_set():
    twice = report(CATALOG["activations"], model("gpt2"), parse_plan("", common.symbol), options={"b": 2})
    once = reported("activations", "gpt2")
    assert once.given["b"] == Given(1, "default")
    assert twice.given["b"] == Given(2, "option")
    assert isinstance(once.value, Fraction)
    assert twice.value == 2 * once.value


# What sources say of a preset


def at(made: Report, source, plan: str) -> Valued:
    (found,) = (each for each in made.claims if each.claim.source is source and each.claim.plan_text == plan)
    return found


def test_the_papers_selective_row_is_not_what_a_llama_keeps():
    """34sbh at llama3-70b, with t = 1: a number, flagged, with every reason."""
    made = reported("activations", "llama3-70b")
    claim = at(made, korthikanti2022, "tp=t,recompute=core")
    assert claim.value == 2281701376 == 34 * 8192 * 8192
    assert claim.failing == (
        "it is about gpt, not llama",
        "f == 4*h (f is 28672, not 32768)",
        "g == a (g is 8, not 64)",
    )
    assert made.value != claim.value


def test_the_papers_rows_hold_for_a_gpt():
    made = reported("activations", "gpt3-175b")
    claim = at(made, korthikanti2022, "")
    assert claim.failing == ()
    assert claim.value == 2868903936
    assert made.value == 2868903936 + 16 * 2048


def test_megatrons_flops_at_a_llama():
    """Its half of a diagonal less than the causal triangle, for every layer: 6Lad."""
    made = reported("flops-per-token", "llama3-70b")
    claim = at(made, megatron, "mask=causal")
    assert claim.failing == ()
    assert claim.value == 449222541312
    assert made.value == 449222541312 + 6 * 80 * 64 * 128


@pytest.mark.parametrize("name", in_letters())
def test_every_claim_has_a_value_at_a_preset(name):
    """Also at a model of another architecture, but for the rows of a position table that it does not have."""
    preset = model(name)
    for quantity in ("activations", "parameters", "flops-per-token", "gemm-parameters"):
        made = reported(quantity, name)
        for each in made.claims:
            others = set(symbols_of(each.claim.tree)) - set(each.claim.letters) - set("tS")
            assert others <= set(preset.architecture.letters.split())
            lacking = "S" in symbols_of(each.claim.tree) and "S" not in preset.architecture.letters
            assert (each.value is None) == lacking
            assert each.value is None or (isinstance(each.value, Fraction) and each.value > 0)
            assert ("it is about" in " ".join(each.failing)) == (each.claim.about is not preset.architecture)


@pytest.mark.parametrize("name", in_letters())
def test_a_claim_that_holds_here_gives_the_value_here(name):
    """Proved without a residual, for this plan, with no hypothesis broken: the two numbers are one."""
    compared = 0
    for formula in CATALOG.values():
        if formula.needs_model:
            for plan in ("", "mask=full", "attention=cuda_flash"):
                made = report(formula, model(name), parse_plan(plan, common.symbol), claims=claims_about(formula))
                for each in made.claims:
                    exact = each.judgement.neglected is None and each.judgement.included is None
                    if (
                        each.claim.plan_text == plan
                        and exact
                        and not each.failing
                        and each.judgement.verdict != REFUTED
                    ):
                        assert each.value == made.value, each.claim.text
                        compared += 1
    assert compared >= 5


# Names


def test_a_bare_architecture_and_the_default():
    assert model().architecture is architectures()[DEFAULT]
    assert model("llama-repeat-kv").sizes == {}
    assert set(presets()) & set(architectures()) == set()


def test_an_unknown_model_is_named_with_the_closest():
    with pytest.raises(UnknownName, match=r"^unknown model 'lama3-70b': did you mean 'llama3-70b'\?$"):
        model("lama3-70b")


def test_a_preset_that_contradicts_its_architecture(monkeypatch):
    monkeypatch.setitem(presets(), "gpt2", presets()["gpt2"] | {"dropout": False})
    with pytest.raises(ModelError) as caught:
        model("gpt2")
    assert str(caught.value) == "preset gpt2: dropout = False, but architecture gpt differs"
