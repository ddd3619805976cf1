"""Laws of models from configurations: rows, shards and stages sum to the whole, a token uses no more than there is."""

from fractions import Fraction
from importlib import import_module

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checks.configurations import TYPES, configuration
from derive.config import Fields
from derive.errors import ConfigError, ModelError, PlanError, UnknownName
from derive.evaluation import number
from derive.layout import staged
from derive.model import Given
from derive.plan import Plan, parse_plan
from derive.reading import to_tree
from derive.roles import PARAMETERS, Role
from derive.situation import situation
from derive.solve import solve
from formulas import catalog, formula_of
from formulas.configs import (
    EVERYWHERE,
    FOREIGN,
    PASSED,
    arithmetic,
    in_texts,
    model_of_fields,
    model_types,
    modules,
)
from formulas.notation import common

every = pytest.mark.parametrize("model_type", TYPES)
seeds = st.integers(0, 10**6)
few = settings(max_examples=4)  # each is another model, which is traced
SEVERAL = ("qwen2", "qwen3", "gemma2", "gemma3_text", "qwen3_moe", "gpt_oss", "deepseek_v2", "deepseek_v3")
SPLIT = (
    "num_attention_heads", "num_key_value_heads", "n_head", "num_kv_heads", "hidden_size", "n_embd", "vocab_size",
    "intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "moe_intermediate_size", "num_heads", "n_groups",
)  # fmt: skip


def case(fields, name, plan="", **sizes):
    options = {letter: Given(size, "option") for letter, size in ({"s": 8} | sizes).items()}
    model = model_of_fields(fields, "it")
    return situation(formula_of(name), model, parse_plan(plan, common.symbol), options=options)


def value(fields, name, plan="", **sizes) -> Fraction:
    found = case(fields, name, plan, **sizes).value
    assert isinstance(found, Fraction)
    return found


def amount(row, known) -> Fraction:
    found = number(to_tree(row.value), known)
    assert isinstance(found, Fraction)
    return found


@every
@few
@given(seeds)
def test_parameters_are_the_sum_of_the_ledger(model_type, seed):
    found = case(configuration(model_type, seed), "parameters")
    rows = found.formula.rows(found.model, found.plan)
    assert sum((amount(row, found.known) for row in rows), Fraction(0)) == found.value
    assert {row.role for row in rows} <= PARAMETERS


@every
@few
@given(seeds)
def test_a_token_uses_no_more_than_there_is(model_type, seed):
    fields = configuration(model_type, seed)
    total, active = value(fields, "parameters"), value(fields, "active-parameters")
    experts = next((fields[x] for x in ("num_local_experts", "n_routed_experts", "num_experts") if x in fields), None)
    assert active <= total
    routed = experts is not None and fields.get("first_k_dense_replace", 0) < fields["num_hidden_layers"]
    assert (active < total) == (routed and fields["num_experts_per_tok"] < experts)


@every
@few
@given(seeds)
def test_tying_saves_one_table(model_type, seed):
    fields = configuration(model_type, seed)
    assume(fields.get("word_embed_proj_dim") in (None, fields.get("hidden_size")))  # else the table is of another width
    untied, tied = (value({**fields, "tie_word_embeddings": tied}, "parameters") for tied in (False, True))
    h = fields.get("hidden_size") or fields["n_embd"]
    assert untied - tied == fields["vocab_size"] * h
    assert value({**fields, "tie_word_embeddings": True}, "flops-per-token") == value(
        {**fields, "tie_word_embeddings": False}, "flops-per-token"
    )


def doubled(fields):
    """The same with twice as many of all that tensor parallelism splits, so that two devices can share it.

    A single key/value head that lies in one product with the queries they cannot share: there is another then.
    """
    found = {name: 2 * each if name in SPLIT and each is not None else each for name, each in fields.items()}
    return found | {name: False for name in found if name == "multi_query"}


@every
@few
@given(seeds)
def test_shards_sum_to_the_whole(model_type, seed):
    """Over tp devices: what is split adds up, what is not is on each of them."""
    t = 2
    fields = doubled(configuration(model_type, seed))
    found, alone = (case(fields, "device-parameters", plan) for plan in (f"tp={t}", ""))
    held, whole = (each.formula.rows(each.model, each.plan) for each in (found, alone))
    shares = set()
    for one, all_of_it in zip(held, whole, strict=True):
        here, total = (amount(row, found.known) for row in (one, all_of_it))
        if found.plan.replicated and one.tensor.startswith("query, key and value"):  # queries are split, the rest not
            assert total / t < here < total
        else:
            shares.add(total / here)
    assert shares == {1, t}


@pytest.mark.parametrize("model_type", [each for each in TYPES if each not in ("mamba", "mamba2")])
def test_heads_that_devices_cannot_share(model_type):
    """An odd number of them over two devices."""
    drawn = (configuration(model_type, seed) for seed in range(30))
    odd = next(fields for fields in drawn if any(fields.get(name, 0) % 2 for name in ("num_attention_heads", "n_head")))
    with pytest.raises(PlanError, match="tp=2 does not divide"):
        case({**odd, "vocab_size": 2 * odd["vocab_size"]}, "device-parameters", "tp=2")


@pytest.mark.parametrize("model_type", SEVERAL)
@few
@given(seeds, st.sampled_from([2, 3]))
def test_stages_sum_to_the_whole(model_type, seed, stages):
    """Of a pipeline every layer is on one stage: the layers of all stages are those of the model."""
    fields = configuration(model_type, seed)
    model = model_of_fields(fields, "it")
    assume(model.architecture.kinds and len(model.order) >= stages)
    known = case(fields, "parameters").known
    found = [Plan(pp=stages, stage="first")]
    found += [Plan(pp=stages, stage="middle", position=index) for index in range(1, stages - 1)]
    found += [Plan(pp=stages, stage="last")]
    slices = [dict(staged(model, plan, known)[0].slices) for plan in found]
    for layers in model.architecture.kinds.values():
        assert sum(each[layers.number] for each in slices) == known[layers.number].value


@pytest.mark.parametrize("model_type", SEVERAL)
def test_more_stages_than_layers(model_type):
    with pytest.raises(PlanError, match="a stage would have no layer"):
        case(configuration(model_type, 0), "device-parameters", "pp=4")


def test_the_types_with_layers_of_several_kinds():
    drawn = {name: [model_of_fields(configuration(name, seed), "it") for seed in range(20)] for name in TYPES}
    assert {name for name, found in drawn.items() if any(each.architecture.kinds for each in found)} == set(SEVERAL)


@every
@pytest.mark.parametrize("plan", ["", "lora=4"])
def test_every_quantity_of_a_model_has_a_value(model_type, plan):
    """No letter of a topic hides one of the model: only the window is missing, where a model has none."""
    fields = configuration(model_type, 0)
    for name, formula in catalog().items():
        if not (formula.needs_model or formula.of_layer):
            continue
        sizes = {"k_s": 1} if name == "checkpointed-bytes" else {}  # no model says how long a segment is
        found = case(fields, name, plan, **sizes)
        assert found.value is not None or ("w" not in found.known and name == "window-kv-cache"), name


def test_every_type_says_how_it_is_read():
    assert set(model_types()) == {*TYPES, "kimi_k2"}
    assert {"num_hidden_layers", "sliding_window", "num_experts_per_tok", "q_lora_rank"} <= set(arithmetic())


def test_every_field_that_is_read_is_foreign_to_others(monkeypatch):
    """What some type asks for is in the list of what others refuse, found in the text of its module or passed along."""
    read = set()
    monkeypatch.setattr(Fields, "ignores", lambda *_: None)  # so that what is left is what was asked for
    for model_type in TYPES:
        module = import_module(f"formulas.architectures.{modules()[model_type]}")
        for seed in range(20):
            fields = Fields(configuration(model_type, seed), model_type)
            module.read(fields)
            read |= fields.read
    found = set(in_texts())
    assert set(PASSED) == read - found - set(EVERYWHERE)
    assert set(FOREIGN).isdisjoint(read | found)
    assert set(arithmetic()) == (read | found | set(FOREIGN)) - set(EVERYWHERE)


@pytest.mark.parametrize("model_type", ["llama", "olmo2", "opt"])
def test_the_input_of_a_layer_is_split_by_sequence_parallelism(model_type):
    """Whether a norm comes first or the input is gathered at once, for the first product."""
    fields = configuration(model_type, 1) | {"num_attention_heads": 4, "hidden_size": 32, "vocab_size": 32}
    if model_type == "opt":
        fields |= {"do_layer_norm_before": False, "ffn_dim": 16}
    else:
        fields |= {"num_key_value_heads": 4, "head_dim": 8, "intermediate_size": 16}
    held, whole = (value(fields, "layer-input-bytes", plan) for plan in ("tp=2,sp", ""))
    assert held == whole / 2


@pytest.mark.parametrize("g", [1, 2])
def test_fused_keys_and_values_are_replicated_where_devices_are_more(g):
    """Of one product for queries, keys and values a device has what it would have of three: a key/value head whole."""
    at = {"vocab_size": 64, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8}
    llama = at | {
        "model_type": "llama",
        "intermediate_size": 16,
        "num_key_value_heads": g,
        "max_position_embeddings": 8,
    }
    for name in ("device-parameters", "kv-cache", "layer-flops"):
        assert value(llama | {"model_type": "phi3"}, name, "tp=4") == value(llama, name, "tp=4")
    falcon = at | {"model_type": "falcon", "ffn_hidden_size": 16, "num_kv_heads": g, "new_decoder_architecture": g > 1}
    found = case(falcon, "device-parameters", "tp=4")
    (fused,) = (row for row in found.formula.rows(found.model, found.plan) if "query" in row.tensor)
    assert amount(fused, found.known) == 2 * 64 * (8 / 4 + 1 + 1) * 8


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_layer_that_makes_no_gradient_of_its_attention_keeps_nothing_of_it(layers):
    """Of the first layer nothing before the MLP is trained: no random state of the kernel, and no rotary tables.

    As transformers keeps it: 24 bytes in each later layer, and two tables if there is one.
    """
    fields = configuration("llama", 0) | {"num_hidden_layers": layers, "hidden_act": "silu"}
    found = case(fields, "model-activations", "attention=cuda_flash,frozen=token table+attention+norm weight", b=1)
    sizes = {role: Fraction(0) for role in (Role.RANDOM_STATE, Role.CONSTANT)}
    for row in found.formula.rows(found.model, found.plan):
        if row.role in sizes:
            sizes[row.role] += amount(row, found.known)
    tables = 2 * 2 * 8 * fields["head_dim"] if layers > 1 else 0
    assert sizes == {Role.RANDOM_STATE: 24 * (layers - 1), Role.CONSTANT: tables}


def test_what_every_parameter_is_trained_for_has_no_frozen_ones():
    with pytest.raises(PlanError, match="frozen=attention: 6N takes every parameter as trained"):
        case(configuration("llama", 0), "dense-flops-per-token", "frozen=attention")


def test_falcon_has_norms_that_transformers_can_run():
    fields = configuration("falcon", 0) | {"parallel_attn": True}
    for new, norms, why in ((True, 3, "one norm or two"), (False, 2, "new decoder architecture")):
        with pytest.raises(ConfigError, match=f"num_ln_in_parallel_attn = {norms} is not supported: .*{why}"):
            model_of_fields(fields | {"new_decoder_architecture": new, "num_ln_in_parallel_attn": norms}, "it")
    with pytest.raises(ConfigError, match="n_head = 4 is not understood"):  # transformers does not read it here
        model_of_fields(fields | {"n_head": 4}, "it")


def test_a_token_is_routed_to_no_more_experts_than_there_are():
    fields = configuration("mixtral", 0)
    with pytest.raises(ModelError, match=r"k = 99 exceeds E = \d+: set E too"):
        case(fields, "parameters", k=99)


@pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3"])
def test_absorbed_attention_has_no_adapters(model_type):
    """Rather than leave out those of the key and value weights; nor is there one beside a router."""
    fields = configuration(model_type, 0) | {"first_k_dense_replace": 0}
    assert (
        value(fields, "parameters", "lora=4") > value(fields, "parameters") == value(fields, "parameters", "absorbed")
    )
    with pytest.raises(PlanError, match="plan lora: absorbed attention is a form for serving: no adapters"):
        case(fields, "parameters", "absorbed,lora=4")
    with pytest.raises(UnknownName, match="unknown linear layer 'router'"):
        case(fields, "parameters", "lora=4,adapted=router")


@pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3"])
def test_more_dense_layers_than_there_are(model_type):
    """All of them are dense then, however many the file asks for."""
    fields = configuration(model_type, 0)
    L = fields["num_hidden_layers"]
    at, beyond = (value({**fields, "first_k_dense_replace": number}, "parameters") for number in (L, L + 7))
    assert at == beyond < value({**fields, "first_k_dense_replace": L - 1}, "parameters")


def test_what_is_solved_for_keeps_to_its_bound():
    """OPT's table of positions has two rows to spare: with S rows, s is at most S - 2."""
    model = model_of_fields(configuration("opt", 0), "it")
    found = solve(formula_of("activations"), Fraction(10**15), "s", model)
    assert found.value == model.sizes["S"].value - 2
