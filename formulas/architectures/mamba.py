"""Mamba (Gu and Dao 2023, arXiv 2312.00752): state-space layers whose step, input and output depend on the token."""

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
    fp32,
    linear,
    multiply,
    outer,
    parameter,
    part,
    recurrence,
    silu,
    softplus,
    state,
)
from formulas.architectures.decoder import HEADS, decoder
from formulas.architectures.llama import final_norm, norm

MODEL_TYPES = ("mamba",)
AXES = {"h_2": "2*h_i", "x_3": "r_dt + 2*n_s"}
LETTERS = "s b h h_i n_s k_c r_dt V L"
KERNELS = (("scan", "fused"),)
TOKENS = 16  # of the hidden size to one of the step's rank, where the file says "auto" (section 3.6)


def convolution(x, width, bias=True, tp=None):
    """A convolution over the last k_c tokens, each channel for itself, of which as many inputs are held."""
    cached(state(x, f"b {width} k_c", compute, "state of the convolution"))
    weight = parameter("convolution weight", f"{width} k_c", tp=tp)
    y = einsum(f"s b {width}, {width} k_c -> s b {width}", x, weight, name="convolution")
    return add(y, parameter("convolution bias", width, Role.BIAS, tp=tp)) if bias else y


@block(fused_by="scan")
def scan(u, step, B, C, gate):
    """The selective scan (equation 2, algorithm 2): products with C are the only ones that sum.

    Fused, it is taken to keep what goes into it (section 3.3.2). The kernel that trains Mamba starts before the
    convolution, makes its output and the step again too, and so keeps less.
    """
    A = exp(cast(parameter("A_log", "h_i n_s", Role.STATE_SPACE, tp="h_i"), fp32))
    step = softplus(step)
    states = recurrence(exp(outer(step, A, name="decay")), outer(multiply(step, u), B, name="new input"))
    cached(state(states, "b h_i n_s", fp32, "state of the scan"))
    y = einsum("s b h_i n_s, s b n_s -> s b h_i", cast(states, compute), C, name="scan output")
    y = add(y, multiply(u, parameter("D", "h_i", Role.STATE_SPACE, tp="h_i")))
    return multiply(y, silu(gate), name="gated scan output")


@block
def mixer(x, *, linear=linear, conv_bias=True):
    both = linear(x, "h -> h_2", tp="h_2", name="input and gate")
    u, gate = (part(both, "h_2 -> h_i", name=name) for name in ("input", "gate"))
    u = silu(convolution(u, "h_i", conv_bias, "h_i"))
    selected = select(u)
    step, B, C = (
        part(selected, f"x_3 -> {letter}", name=name) for letter, name in (("r_dt", "step"), ("n_s", "B"), ("n_s", "C"))
    )
    return linear(scan(u, widened(step), B, C, gate), "h_i -> h", tp="h_i", name="output")


def select(u):
    """Step, B and C of each token."""
    return linear(u, "h_i -> x_3", tp="h_i", name="step, B and C")


def widened(step):
    """The step of every channel."""
    return linear(step, "r_dt -> h_i", tp="h_i", bias=True, name="step")


@block
def layer(x, mixer):
    return cast(add(x, mixer(norm(x)), name="residual sum"), compute, name="residual sum")


def read(fields):
    """transformers' MambaConfig; it has no longest sequence."""
    fields.ignores(
        "layer_norm_epsilon", "rescale_prenorm_residual", "time_step_scale", "time_step_min", "time_step_max",
        "time_step_init_scheme", "time_step_floor", "use_mambapy", "use_associative_scan", "residual_in_fp32",
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
        final_norm=final_norm,
        head=HEADS[fields.flag("tie_word_embeddings", default=True)],
        axes=AXES,
        kernels=KERNELS,
    )
    return Described(made, at)
