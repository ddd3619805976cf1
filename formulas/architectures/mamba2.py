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
    gather,
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
from formulas.architectures.llama import final_norm
from formulas.architectures.mamba import KERNELS, convolution, layer

MODEL_TYPES = ("mamba2",)
AXES = {"x_c": "a*d + 2*g*n_s", "x_p": "2*a*d + 2*g*n_s + a"}
LETTERS = "s b h a g d n_s k_c V L"


@block(fused_by="scan")
def scan(u, step, B, C):
    """The scan with one decay a head (equation 5 of section 2), written as a recurrence over the tokens.

    The algorithm in chunks (section 6) has more products, which depend on the length of a chunk; these are not counted.
    """
    A = exp(cast(parameter("A_log", "a", Role.STATE_SPACE), fp32))
    step = softplus(add(step, parameter("step bias", "a", Role.STATE_SPACE)))
    B, C = expand(B, "g -> a"), expand(C, "g -> a")
    states = recurrence(exp(multiply(step, A, name="decay")), outer(outer(step, u, name="stepped input"), B))
    cached(state(states, "b a d n_s", fp32, "state of the scan"))
    y = einsum("s b a d n_s, s b a n_s -> s b a d", cast(states, compute), C, name="scan output")
    return add(y, multiply(u, parameter("D", "a", Role.STATE_SPACE)), name="scan output")


@block(name="norm")
def gated_norm(y, gate):
    """RMS norm of the gated output, within each group."""
    y = multiply(cast(y, fp32), silu(cast(gate, fp32)), name="gated output")
    y = multiply(y, rsqrt(mean(square(y), over=2)), name="normalised output")
    gain = parameter("norm weight", y.axes[-2:], Role.GAIN)
    return multiply(cast(y, compute), gain, name="norm output")


@block
def mixer(x, *, linear=linear, conv_bias=True):
    both = linear(gather(x), "h -> x_p", name="gate, input, B, C and step")  # the scan needs whole sequences
    gate, mixed, step = (
        part(both, f"x_p -> {axes}", name=name)
        for axes, name in (("a d", "gate"), ("x_c", "input, B and C"), ("a", "step"))
    )
    mixed = silu(convolution(mixed, "x_c", conv_bias))
    u, B, C = (
        part(mixed, f"x_c -> {axes}", name=name) for axes, name in (("a d", "input"), ("g n_s", "B"), ("g n_s", "C"))
    )
    return linear(gated_norm(scan(u, step, B, C), gate), "a d -> h", name="output")


def read(fields):
    """transformers' Mamba2Config; it has no longest sequence."""
    fields.ignores(
        "layer_norm_epsilon", "rescale_prenorm_residual", "time_step_rank", "time_step_min", "time_step_max",
        "time_step_limit", "time_step_floor", "residual_in_fp32", "chunk_size", "norm_before_gate", "rms_norm",
        "intermediate_size",
    )  # fmt: skip
    fields.choice("hidden_act", known=("silu",), default="silu")
    h, a, d = fields.size("hidden_size"), fields.size("num_heads"), fields.size("head_dim", default=64)
    fields.same(fields.product(h, fields.size("expand", default=2)), fields.product(a, d))
    own = partial(
        mixer,
        linear=partial(linear, bias=fields.flag("use_bias", default=False)),
        conv_bias=fields.flag("use_conv_bias", default=True),
    )
    at = {
        "L": fields.size("num_hidden_layers"),
        "h": h,
        "a": a,
        "g": fields.size("n_groups", default=8),
        "d": d,
        "n_s": fields.size("state_size"),
        "k_c": fields.size("conv_kernel", default=4),
        "V": fields.size("vocab_size"),
    }
    made = decoder(
        "mamba2",
        "RMS norm, state-space layers with heads in place of attention and MLP",
        LETTERS,
        partial(layer, mixer=own),
        final_norm=final_norm,
        head=HEADS[fields.flag("tie_word_embeddings", default=False)],
        divides=(("g", "a"),),
        axes=AXES,
        kernels=KERNELS,
    )
    return Described(made, at)
