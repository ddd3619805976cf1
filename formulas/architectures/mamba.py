"""Mamba (Gu and Dao 2023, arXiv 2312.00752): state-space layers whose step, input and output depend on the token."""

from dataclasses import replace
from functools import partial

from derive import (
    Described,
    Role,
    add,
    block,
    cached,
    cast,
    compute,
    copy,
    einsum,
    exp,
    fp32,
    gather,
    kernel_keeps,
    linear,
    multiply,
    negative,
    outer,
    parameter,
    part,
    read_as,
    recurrence,
    silu,
    softplus,
    state,
)
from formulas.architectures.decoder import HEADS, decoder, embedding, layer_input
from formulas.architectures.llama import final_norm, norm, normalised

MODEL_TYPES = ("mamba",)
# The kernel holds a pair of numbers for every state at the end of each 2048 tokens (selective_scan.cpp: n_chunks).
AXES = {"h_2": "2*h_i", "x_3": "r_dt + 2*n_s", "x_s": "2*n_s*ceil(s/2048)"}
LETTERS = "s b h h_i n_s k_c r_dt V L"
KERNELS = (("scan", "fused"),)
TOKENS = 16  # of the hidden size to one of the step's rank, where the file says "auto" (section 3.6)


def convolution(x, width, bias=True, tp=None):
    """A convolution over the last k_c tokens, each channel for itself, of which as many inputs are held."""
    cached(state(x, f"b {width} k_c", compute, "state of the convolution"))
    weight = parameter("convolution weight", f"{width} k_c", tp=tp)
    y = einsum(f"s b {width}, {width} k_c -> s b {width}", x, weight, name="convolution")
    return add(y, parameter("convolution bias", width, Role.BIAS, tp=tp)) if bias else y


def decay_rate(axes, tp):
    """A = -exp(A_log) in fp32, made of the parameter before the kernel."""
    return negative(exp(cast(parameter("A_log", axes, Role.STATE_SPACE, tp=tp), fp32)), name="A")


@block(fused_by="scan")
def scan(both, A, D, step_bias, *, linear=linear, conv_bias=True):
    """From the convolution to the output: the selective scan (equation 2, algorithm 2) and what is beside it.

    The products with C are the only ones of the scan that sum. The kernel is mamba_ssm's (selective_scan_interface.py,
    `MambaInnerFn`, checkpoint_lvl=1). Its `save_for_backward` has the input and gate; step, B and C as they come out of
    one product; B and C copied out of it; A, D and the step's bias in fp32; what its scan noted at the end of each 2048
    tokens; and the scan's output before the gate. The convolution, the step of each channel and the gated output are
    made again.
    """
    u, gate = (part(both, "h_2 -> h_i", name=name) for name in ("input", "gate"))
    u = silu(convolution(u, "h_i", conv_bias, "h_i"))
    selected = gather(kernel_keeps(select(u)))  # every device scans whole sequences
    step, B, C = (
        part(selected, f"x_3 -> {letter}", name=name) for letter, name in (("r_dt", "step"), ("n_s", "B"), ("n_s", "C"))
    )
    B, C = kernel_keeps(copy(B)), kernel_keeps(copy(C))
    step = softplus(add(widened(step), step_bias, name="step"))
    new = outer(multiply(step, u), B, name="new input")
    noted = state(new, "b h_i x_s", fp32, "states at the ends of chunks")
    states = recurrence(exp(outer(step, A, name="decay")), new, residuals=(noted,))
    cached(state(states, "b h_i n_s", fp32, "state of the scan"))
    y = einsum("s b h_i n_s, s b n_s -> s b h_i", cast(states, compute), C, name="scan output")
    y = kernel_keeps(cast(add(y, multiply(u, D)), compute, name="scan output"))
    return linear(multiply(y, silu(gate), name="gated scan output"), "h_i -> h", tp="h_i", name="output")


def select(u):
    """Step, B and C of each token."""
    return linear(u, "h_i -> x_3", tp="h_i", name="step, B and C")


def widened(step):
    """The step of every channel, without its bias."""
    return linear(step, "r_dt -> h_i", tp="h_i", name="step")


@block
def mixer(x, *, linear=linear, conv_bias=True):
    both = linear(x, "h -> h_2", tp="h_2", name="input and gate")
    D = cast(parameter("D", "h_i", Role.STATE_SPACE, tp="h_i"), fp32)
    step_bias = cast(parameter("step bias", "h_i", Role.BIAS, tp="h_i"), fp32)
    return scan(both, decay_rate("h_i n_s", "h_i"), D, step_bias, linear=linear, conv_bias=conv_bias)


@block
def layer(x, mixer):
    return cast(add(x, mixer(norm(x)), name="residual sum"), compute, name="residual sum")


# ---- a residual stream in fp32 ----


@block(name="layer")
def layer_of_fp32(x, mixer):
    """The layer where the residual stream is fp32; its norm reads it in the compute format (transformers 5.24)."""
    return add(cast(x, fp32), mixer(norm(cast(x, compute, name="norm input"))), name="residual sum")


@block(name="final_norm")
def norm_of_fp32(x):
    """The norm behind the last layer, which reads the stream as it is and scales it in fp32."""
    gain = parameter("norm weight", x.axes[-1:], Role.GAIN)
    return cast(multiply(normalised(x), gain, name="norm output in fp32"), compute, name="norm output")


def embedding_of_fp32(ids):
    """Rows of the token table: the first layer reads them in the compute format, in which they lie."""
    x, table = embedding(ids)
    return read_as(x, fp32), table


# By whether the residual stream is in fp32 (`residual_in_fp32`): the layer, the final norm, and what is around them.
STREAMS = {
    False: (layer, {"final_norm": final_norm}),
    True: (
        layer_of_fp32,
        {
            "final_norm": norm_of_fp32,
            "embedding": embedding_of_fp32,
            "layer_inputs": (replace(layer_input, dtype=fp32),),
        },
    ),
}


def read(fields):
    """transformers' MambaConfig; it has no longest sequence."""
    fields.ignores(
        "layer_norm_epsilon", "rescale_prenorm_residual", "time_step_scale", "time_step_min", "time_step_max",
        "time_step_init_scheme", "time_step_floor", "use_mambapy", "use_associative_scan",
        "d_inner", "d_model", "n_layer", "ssm_cfg", "rms_norm", "fused_add_norm",
    )  # fmt: skip
    fields.choice("hidden_act", known=("silu",), default="silu")
    h = fields.size("hidden_size")
    rank = fields.ceiling(h, TOKENS) if fields.says("time_step_rank", "auto") else fields.size("time_step_rank")
    own = partial(
        mixer,
        linear=partial(linear, bias=fields.flag("use_bias", default=False)),
        conv_bias=fields.flag("use_conv_bias", default=True),
    )
    layer, stream = STREAMS[fields.flag("residual_in_fp32", default=True)]
    at = {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "h_i": fields.size("intermediate_size", default=fields.product(h, fields.size("expand", default=2))),
        "n_s": fields.size("state_size"),
        "k_c": fields.size("conv_kernel", default=4),
        "r_dt": rank,
        "V": fields.size("vocab_size"),
    }
    made = decoder(
        "mamba",
        "RMS norm, state-space layers in place of attention and MLP",
        LETTERS,
        partial(layer, mixer=own),
        head=HEADS[fields.flag("tie_word_embeddings", default=True)],
        axes=AXES,
        kernels=KERNELS,
        **stream,
    )
    return Described(made, at)
