"""Mamba-2 (Dao and Gu 2024, arXiv 2405.21060): state-space layers with heads, whose decay is one number a head."""

from functools import partial

from derive import (
    Described,
    Role,
    add,
    block,
    cached,
    cast,
    compute,
    einsum,
    exp,
    expand,
    fp32,
    kernel_keeps,
    kernel_product,
    linear,
    mean,
    multiply,
    outer,
    parameter,
    part,
    recurrence,
    rsqrt,
    silu,
    softplus,
    square,
    state,
)
from formulas.architectures.decoder import HEADS, decoder
from formulas.architectures.mamba import KERNELS, STREAMS, convolution, decay_rate

MODEL_TYPES = ("mamba2",)
AXES = {
    "x_c": "a*d + 2*g*n_s",
    "x_p": "2*a*d + 2*g*n_s + a",
    "a_g": "a/g",
    "n_c": "ceil(s/q_c)",  # chunks
    "q_i": "q_c",  # places in a chunk: of what a token reads,
    "q_j": "q_c",  # of what it is read by
}
LETTERS = "s b h a g d n_s k_c q_c V L"


def chunked():
    """The products of the scan in chunks of q_c tokens (SSD), but that of C with states: the block has it.

    Each is counted as a product of whole chunks: the kernels skip some blocks above the diagonal of the
    output within a chunk, and none of the scores, which groups share. The last chunk is filled up. What is done again
    is in `_mamba_chunk_scan_combined_bwd`: the scores, the chunks' states, and the gradient of the scores once more for
    that of the decay.
    """
    return (
        kernel_product(
            "n_c b g q_i n_s, n_c b g q_j n_s -> n_c b g q_i q_j", "scores of C and B within a chunk", tp="g",
            again=(None,),
        ),
        kernel_product(
            "n_c b a q_i q_j, n_c b a q_j d -> n_c b a q_i d", "output within a chunk", tp="a", again=(0,)
        ),
        kernel_product(
            "n_c b a q_j n_s, n_c b a q_j d -> n_c b a n_s d", "state of a chunk", tp="a", again=(None,)
        ),
    )  # fmt: skip


@block(fused_by="scan")
def scan(both, A, *, linear=linear, conv_bias=True):
    """From the convolution to the output: the scan with one decay a head, norm and gate.

    It is written as a recurrence over the tokens, whose only product is that of C with the states. So model FLOPs do
    not depend on how long a chunk is, which is the kernel's choice: longer chunks are more work for the same result.
    What the algorithm in chunks multiplies beside is no model FLOPs but part of what hardware runs under `scan=fused`,
    as is what flash attention makes again: hardware-flops and recomputed-flops-per-token list it (`chunked`). Where
    n_s = d = q_c, both grow as s*d^2 for each head. Megatron-LM counts a recurrence too,
    element by element (training.py, `mamba_layer_flops`: 7 for each state and token, where the product here is 2).

    The kernel is mamba_ssm's (ssd_combined.py, `MambaSplitConv1dScanCombinedFn`). Its `save_for_backward` has the
    output of the first product, whole; A in fp32; the scan's output before gate and norm; and 1/rms of each token and
    group in fp32. All else is made again, but the last product, which lies in the kernel too.
    """
    gate, mixed, step = (
        part(both, f"x_p -> {axes}", name=name)
        for axes, name in (("a d", "gate"), ("x_c", "input, B and C"), ("a", "step"))
    )
    mixed = silu(convolution(mixed, "x_c", conv_bias, "x_c"))
    u, B, C = (
        part(mixed, f"x_c -> {axes}", name=name) for axes, name in (("a d", "input"), ("g n_s", "B"), ("g n_s", "C"))
    )
    step = softplus(add(step, parameter("step bias", "a", Role.STATE_SPACE, tp="a")))
    B, C = expand(B, "g -> a"), expand(C, "g -> a")
    decay, new = exp(multiply(step, A, name="decay")), outer(outer(step, u, name="stepped input"), B)
    states = recurrence(decay, new, instead=chunked())
    cached(state(states, "b a d n_s", fp32, "state of the scan"))
    y = einsum("s b a d n_s, s b a n_s -> s b a d", cast(states, compute), C, name="scan output")
    y = add(y, multiply(u, parameter("D", "a", Role.STATE_SPACE, tp="a")), name="scan output")
    return linear(gated_norm(kernel_keeps(y), gate), "a d -> h", tp="a", name="output")


@block(name="norm")
def gated_norm(y, gate):
    """RMS norm of the gated output, within each group."""
    y = multiply(cast(y, fp32), silu(cast(gate, fp32)), name="gated output")
    scale = kernel_keeps(rsqrt(mean(square(part(y, "a -> g a_g")), over=2)))
    y = multiply(y, expand(scale, "g -> a"), name="normalised output")
    gain = parameter("norm weight", y.axes[-2:], Role.GAIN)
    return multiply(cast(y, compute), gain, name="norm output")


@block
def mixer(x, *, linear=linear, conv_bias=True):
    """Tensor parallelism splits heads and groups, as mamba_ssm's `Mamba2` does for a process group: t divides both."""
    both = linear(x, "h -> x_p", tp="x_p", name="gate, input, B, C and step")
    return scan(both, decay_rate("a", "a"), linear=linear, conv_bias=conv_bias)


def read(fields):
    """transformers' Mamba2Config; it has no longest sequence."""
    fields.ignores(
        "layer_norm_epsilon", "rescale_prenorm_residual", "time_step_rank", "time_step_min", "time_step_max",
        "time_step_limit", "time_step_floor", "norm_before_gate", "rms_norm", "intermediate_size",
    )  # fmt: skip
    fields.choice("hidden_act", known=("silu",), default="silu")
    h, a, d = fields.size("hidden_size"), fields.size("num_heads"), fields.size("head_dim", default=64)
    fields.same(fields.product(h, fields.size("expand", default=2)), fields.product(a, d))
    own = partial(
        mixer,
        linear=partial(linear, bias=fields.flag("use_bias", default=False)),
        conv_bias=fields.flag("use_conv_bias", default=True),
    )
    layer, stream = STREAMS[fields.flag("residual_in_fp32", default=True)]
    at = {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "a": a,
        "g": fields.size("n_groups", default=8),
        "d": d,
        "n_s": fields.size("state_size"),
        "k_c": fields.size("conv_kernel", default=4),
        "q_c": fields.size("chunk_size", default=256),
        "V": fields.size("vocab_size"),
    }
    made = decoder(
        "mamba2",
        "RMS norm, state-space layers with heads in place of attention and MLP, their scan in chunks",
        LETTERS,
        partial(layer, mixer=own),
        head=HEADS[fields.flag("tie_word_embeddings", default=False)],
        divides=(("g", "a"),),
        axes=AXES,
        kernels=KERNELS,
        **stream,
    )
    return Described(made, at)
