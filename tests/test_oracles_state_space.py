"""transformers' state-space models without kernels: their residual stream, and the products of the scan in chunks."""

from importlib import import_module
from math import ceil

import pytest

from checks.configurations import configuration
from checks.oracles import configured, obstacle
from checks.oracles.configured import ours, run_of, theirs, value
from checks.oracles.measure import flops, kept_bytes
from derive.evaluation import number
from derive.reading import to_tree

NO_TORCH, NO_TRANSFORMERS = obstacle("torch"), obstacle("transformers")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(bool(NO_TORCH or NO_TRANSFORMERS), reason=NO_TORCH or NO_TRANSFORMERS),
]
types = pytest.mark.parametrize("model_type", ["mamba", "mamba2"])
seeds = pytest.mark.parametrize("seed", range(3))
b, s = 2, 7


def kept_by_stream(fields, *, again: bool) -> list[int]:
    """Bytes that the model keeps with the residual stream in fp32 and without, its layers run again or not."""
    found = []
    for wide in (True, False):
        model = theirs({**fields, "residual_in_fp32": wide}, "eager", "cpu")
        if again:
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": True})
        found.append(kept_bytes(run_of(model, b, s, "cpu"), model.parameters()))
    return found


@types
@seeds
@pytest.mark.parametrize("plan", ["", "recompute=layer"])
def test_the_residual_stream_in_fp32_keeps_so_much_more(model_type: str, seed: int, plan: str):
    """Mixers keep the same either way, whatever runs their scan: the difference is that of norms and boundaries."""
    fields = configuration(model_type, seed)
    wide, narrow = kept_by_stream(fields, again=bool(plan))
    ours = [
        value({**fields, "residual_in_fp32": each}, "model-activations", plan, formats="bf16-cpu", b=b, s=s)
        for each in (True, False)
    ]
    assert wide - narrow == ours[0] - ours[1]


@types
@seeds
def test_inputs_of_layers_that_are_run_again(model_type: str, seed: int):
    """The first in bf16, the others in fp32: what a norm of the first layer reads is as the table has it."""
    fields = {**configuration(model_type, seed), "residual_in_fp32": True}
    model, seen = theirs(fields, "eager", "cpu"), []
    for layer in configured.layers_of(model):
        layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    run_of(model, b, s, "cpu")()
    case = ours(fields, "model-activations", "recompute=layer", b=b, s=s)
    rows = case.formula.rows(case.model, case.plan).within("layer")
    assert sum(each.nbytes for each in seen) == number(to_tree(rows.value), case.known)


@seeds
def test_products_of_the_scan_in_chunks(seed: int):
    """Forward, by torch's counter. It makes the scores of every head, and hands states on by a product of chunks."""
    torch, fields = configured.torch, configuration("mamba2", seed)
    fields["n_groups"] = a = fields["num_heads"]
    d, n, Q = fields["head_dim"], fields["state_size"], fields["chunk_size"]
    scan = import_module("transformers.models.mamba2.modeling_mamba2").mamba2_chunk_scan
    x, dt, A, B = (torch.ones(shape) for shape in ((b, s, a, d), (b, s, a), (a,), (b, s, a, n)))
    counted = flops(lambda: scan(x, dt, A, B, B, Q))
    chunks = ceil(s / Q)
    handed_on = 2 * b * (chunks + 1) ** 2 * a * d * n
    of_states = 2 * b * chunks * Q * a * d * n  # the block's own product, its last chunk filled up
    case = ours(fields, "hardware-flops", b=b, s=s)
    products = ("scores of C and B within a chunk", "output within a chunk", "state of a chunk")
    rows = case.formula.rows(case.model, case.plan).select(lambda row: row.tensor in products)
    assert len(rows.rows) == len(products)
    assert counted == number(to_tree(rows.value), case.known) + handed_on + of_states
