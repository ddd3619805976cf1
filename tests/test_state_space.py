"""State-space layers: what their kernels keep and multiply, written down from mamba_ssm's source, at random sizes."""

from fractions import Fraction
from math import ceil, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.configurations import configuration
from derive.errors import ConfigError, PlanError
from derive.evaluation import number
from derive.model import Given
from derive.plan import parse_plan
from derive.reading import to_tree
from derive.situation import situation
from formulas import formula_of
from formulas.configs import model_of_fields
from formulas.notation import common

few = settings(max_examples=8, deadline=None)
seeds, batches, lengths = st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([1, 7, 8, 60, 2048, 2049, 5000])
BF16, FP32 = 2, 4
types = pytest.mark.parametrize("model_type", ["mamba", "mamba2"])


def asked(fields, name, plan="", **sizes):
    options = {letter: Given(size, "option") for letter, size in sizes.items()}
    model = model_of_fields(fields, "it")
    return situation(formula_of(name), model, parse_plan(plan, common.symbol), options=options)


def amounts(fields, name, plan="", **sizes) -> list[tuple[tuple[str, ...], str, Fraction]]:
    """Every row as blocks, name and amount."""
    case = asked(fields, name, plan, **sizes)
    known, found = {"m": Given(1, "one micro-batch"), **case.known}, []
    for row in case.formula.rows(case.model, case.plan):
        amount = number(to_tree(row.value), known)
        assert isinstance(amount, Fraction)
        found.append((row.blocks, row.tensor, amount))
    return found


def value(fields, name, plan="", **sizes) -> Fraction:
    found = asked(fields, name, plan, **sizes).value
    assert isinstance(found, Fraction)
    return found


# ---- what autograd functions save ----


def saved_by_mamba_inner_fn(fields, b, s, t=1):
    """MambaInnerFn (mamba_ssm/ops/selective_scan_interface.py), checkpoint_lvl=1: shapes and widths, no parameters."""
    d_inner, d_state = fields["expand"] * fields["hidden_size"] // t, fields["state_size"]
    rank = ceil(fields["hidden_size"] / 16) if fields["time_step_rank"] == "auto" else fields["time_step_rank"]
    return {
        "xz": ((b, 2 * d_inner, s), BF16),
        "x_dbl": ((b * s, rank + 2 * d_state), BF16),
        "A": ((d_inner, d_state), FP32),
        "B": ((b, 1, d_state, s), BF16),
        "C": ((b, 1, d_state, s), BF16),
        "D": ((d_inner,), FP32),
        "delta_bias": ((d_inner,), FP32),
        "scan_intermediates": ((b, d_inner, ceil(s / 2048), 2 * d_state), FP32),
        "out": ((b, d_inner, s), BF16),
    }


def saved_by_mamba_split_conv1d_scan_combined_fn(fields, b, s, t=1):
    """MambaSplitConv1dScanCombinedFn (mamba_ssm/ops/triton/ssd_combined.py) with a norm: no parameters."""
    heads, groups = fields["num_heads"] // t, fields["n_groups"] // t
    dim = heads * fields["head_dim"]
    return {
        "zxbcdt": ((b, s, 2 * dim + 2 * groups * fields["state_size"] + heads), BF16),
        "out_x": ((b, s, heads, fields["head_dim"]), BF16),
        "A": ((heads,), FP32),
        "rstd": ((groups * b * s,), FP32),
    }


SAVED = {"mamba": saved_by_mamba_inner_fn, "mamba2": saved_by_mamba_split_conv1d_scan_combined_fn}


def of_function(fields, plan="", **sizes):
    """Amounts of the rows that the kernel's function keeps: not its layer's norm, nor what makes A and feeds it."""
    rows = amounts(fields, "activations", plan, **sizes)
    assert [name for blocks, name, _ in rows if blocks == ("layer", "mixer")] == ["norm output", "exp output"]
    return sorted(amount for blocks, _, amount in rows if "scan" in blocks)


@types
@few
@given(seeds, batches, lengths)
def test_the_kernel_keeps_what_its_function_saves(model_type, seed, b, s):
    fields = configuration(model_type, seed)
    saved = SAVED[model_type](fields, b, s).values()
    assert of_function(fields, b=b, s=s) == sorted(prod(shape) * width for shape, width in saved)


@pytest.mark.parametrize(
    ("model_type", "plan"), [("mamba", "tp=2"), ("mamba2", "tp=2"), ("mamba2", "tp=2,sp"), ("mamba2", "tp=2,pp=2")]
)
@few
@given(seeds, batches)
def test_a_device_keeps_its_heads_of_it(model_type, plan, seed, b):
    """What mamba_ssm's Mamba2 keeps for a process group, `ngroups // world_size` groups and their heads each."""
    fields = {**configuration(model_type, seed), "hidden_size": 24, "vocab_size": 32}
    if model_type == "mamba2":
        fields |= {"num_heads": 12, "head_dim": 4, "n_groups": 4}
    saved = SAVED[model_type](fields, b, 8, 2).values()
    fields["num_hidden_layers"] = 2
    assert of_function(fields, plan, b=b, s=8) == sorted(prod(shape) * width for shape, width in saved)


@types
def test_without_the_kernel_every_state_is_kept(model_type):
    fields = configuration(model_type, 0)
    names = [name for _, name, _ in amounts(fields, "activations", "scan=materialised", b=1, s=8)]
    assert "states" in names
    fused, whole = (value(fields, "activations", f"scan={how}", b=1, s=8) for how in ("fused", "materialised"))
    assert fused < whole


@types
def test_a_layer_that_is_run_again_keeps_nothing_of_its_kernel(model_type):
    fields = configuration(model_type, 0)
    kept = [name for _, name, _ in amounts(fields, "activations", "recompute=layer", b=1, s=8)]
    assert kept == ["layer input"]


def test_groups_are_split_whole():
    fields = {**configuration("mamba2", 0), "num_heads": 12, "head_dim": 4, "hidden_size": 24, "n_groups": 3}
    fields |= {"vocab_size": 32}
    with pytest.raises(PlanError) as error:
        value(fields, "activations", "tp=2", b=1, s=8)
    words = "tp=2 does not divide g = 3 (key/value heads, or state-space groups)"
    assert str(error.value) == words


# ---- the residual stream ----


@types
@few
@given(seeds, batches)
def test_a_residual_stream_in_fp32(model_type, seed, b):
    """Without recomputation the final norm alone keeps more: what it scales. Layers run again have wider inputs.

    The first layer's is the embedding, in the compute format; the final norm reads the stream as it is.
    """
    fields, s = configuration(model_type, seed), 8
    streams = [{**fields, "residual_in_fp32": wide} for wide in (True, False)]
    assert fields.keys() == streams[0].keys()
    wide, narrow = (value(each, "activations", b=b, s=s) for each in streams)
    assert wide == narrow
    tokens = b * s * fields["hidden_size"]
    wide, narrow = (value(each, "model-activations", b=b, s=s) for each in streams)
    assert wide - narrow == 2 * tokens
    wide, narrow = (value(each, "model-activations", "recompute=layer", b=b, s=s) for each in streams)
    assert wide - narrow == 2 * tokens + 2 * tokens * (fields["num_hidden_layers"] - 1)
    assert [value(each, "layer-input-bytes", b=b, s=s) for each in streams] == [4 * tokens, 2 * tokens]
    assert value(streams[0], "parameters") == value(streams[1], "parameters")


@types
def test_on_the_first_stage_alone_a_layer_reads_the_embedding(model_type):
    fields, b, s = {**configuration(model_type, 0), "num_hidden_layers": 6, "residual_in_fp32": True}, 2, 8
    tokens = b * s * fields["hidden_size"]
    held = {
        stage: sum(
            amount for blocks, name, amount in amounts(fields, "model-activations", plan, b=b, s=s) if "layer" in blocks
        )
        for stage, plan in {
            "whole": "recompute=layer",
            "first": "recompute=layer,pp=2,stage=first",
            "last": "recompute=layer,pp=2,stage=last",
        }.items()
    }
    # Two micro-batches are under way on the first of two stages.
    assert held == {"whole": (2 + 5 * 4) * tokens, "first": 2 * (2 + 2 * 4) * tokens, "last": 3 * 4 * tokens}


@types
def test_it_is_in_fp32_unless_the_file_says_otherwise(model_type):
    fields = configuration(model_type, 0)
    del fields["residual_in_fp32"]
    assert value(fields, "layer-input-bytes", b=1, s=8) == 4 * 8 * fields["hidden_size"]
    with pytest.raises(ConfigError, match="residual_in_fp32 must be true or false"):
        value({**fields, "residual_in_fp32": 1}, "parameters")


# ---- products of the scan in chunks ----


def chunked(fields, b, s):
    """FLOPs of each product of whole chunks: C Bᵀ, (L ∘ C Bᵀ) X, Bᵀ X."""
    Q, N, P = fields["chunk_size"], fields["state_size"], fields["head_dim"]
    chunks = ceil(s / Q) * b
    scores = 2 * chunks * Q * Q * N * fields["n_groups"]
    return scores, 2 * chunks * Q * Q * P * fields["num_heads"], 2 * chunks * Q * N * P * fields["num_heads"]


@few
@given(seeds, batches, lengths)
def test_hardware_runs_the_products_of_the_chunks(seed, b, s):
    """Forward, two gradients each, and once more: the scores, the states, the scores' gradient."""
    fields = configuration("mamba2", seed)
    own = [amount for _, name, amount in amounts(fields, "hardware-flops", b=b, s=s) if "chunk" in name]
    assert sum(own) == 4 * sum(chunked(fields, b, s))
    again = [amount for _, name, amount in amounts(fields, "hardware-flops", "recompute=layer", b=b, s=s)]
    assert sum(again) - value(fields, "hardware-flops", b=b, s=s) >= sum(chunked(fields, b, s))
    every = value(fields, "hardware-flops-per-token", b=b, s=s) - value(fields, "flops-per-token", b=b, s=s)
    assert every == value(fields, "recomputed-flops-per-token", b=b, s=s)


def test_model_flops_do_not_depend_on_the_chunk():
    fields = configuration("mamba2", 3)
    short, long = ({**fields, "chunk_size": Q} for Q in (64, 256))
    for name in ("flops-per-token", "layer-flops"):
        assert value(short, name, b=1, s=512) == value(long, name, b=1, s=512)
    assert value(short, "hardware-flops", b=1, s=512) < value(long, "hardware-flops", b=1, s=512)
    bare = [value(each, "hardware-flops", "scan=materialised", b=1, s=512) for each in (short, long)]
    assert bare[0] == bare[1] < value(short, "hardware-flops", b=1, s=512)


def test_mamba_has_no_products_of_chunks():
    """Its scan is element by element, whatever its kernel's chunks: only convolution and step are made again."""
    rows = amounts(configuration("mamba", 0), "recomputed-flops-per-token", b=1, s=8)
    assert [name for _, name, _ in rows] == ["convolution again", "step again"]


# ---- parts of a sequence ----


@types
@pytest.mark.parametrize("name", ["activations", "flops-per-token", "states", "kv-cache"])
def test_context_parallelism_is_refused(model_type, name):
    """Where nothing with tokens is asked for, too: no device group can run such a plan."""
    with pytest.raises(PlanError) as error:
        value(configuration(model_type, 0), name, "cp=2", b=1, s=8)
    assert str(error.value) == f"cp=2: {model_type} hands a state on from token to token: its sequences stay whole"
