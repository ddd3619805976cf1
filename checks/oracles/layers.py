"""The layers in plain PyTorch: functions on tensors, written as people write them, apart from what we trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from random import Random
from typing import Any

from checks.oracles import optional

torch: Any = optional("torch")

Tensor = Any
Core = Callable[[Tensor, Tensor, Tensor, float], Tensor]  # query, key, value (b, heads, s, d), dropout -> (b, a, s, d)


@dataclass(frozen=True)
class Sizes:
    """Sizes by the letters of formulas/notation.py."""

    b: int
    s: int
    h: int
    a: int
    g: int
    d: int
    f: int
    V: int
    S: int
    L: int = 1


def sizes(seed: int, L: int = 1) -> Sizes:
    """Small sizes from distinct primes, so that no product of some letters is by chance that of others.

    a is a multiple of g, h one of a, and d even, as transformers asks; h is not a d, and f not 4h.
    """
    random = Random(seed)
    g, ratio, b = random.sample((2, 3, 5), 3)
    s, half, m, f = random.sample((7, 11, 13, 17, 19, 23, 29), 4)
    V, S = random.choice((53, 59, 61)), random.choice((67, 71, 73))
    a = g * ratio
    return Sizes(b=b, s=s, h=a * m, a=a, g=g, d=2 * half, f=f, V=V, S=S, L=L)


def multi_head(n: Sizes) -> Sizes:
    """The same with as many key/value heads as query heads."""
    return replace(n, g=n.a)


def gpt2_sizes(n: Sizes) -> Sizes:
    """The same as GPT-2 asks: multi-head, h = a d."""
    return replace(multi_head(n), h=n.a * n.d)


def weights(shapes: dict[str, tuple[int, ...]], device: str) -> dict[str, Tensor]:
    """Trainable bf16 tensors of these shapes, small random numbers where the device holds any."""
    make = partial(torch.randn, dtype=torch.bfloat16, device=device)
    return {name: (make(shape) / 8).requires_grad_() for name, shape in shapes.items()}


def layer_input(n: Sizes, device: str) -> Tensor:
    """The input (b, s, h) of a layer in bf16; a gradient flows through it, as in the middle of a model."""
    return torch.randn(n.b, n.s, n.h, dtype=torch.bfloat16, device=device, requires_grad=True)


def dropout(x: Tensor, p: float) -> Tensor:
    """Dropout as CUDA runs it, with a mask of one byte an element; elsewhere `F.dropout` keeps a mask in x's format."""
    return torch.native_dropout(x, p, True)[0] if p else x


# ---- attention's core ----


def written_out(q: Tensor, k: Tensor, v: Tensor, p: float) -> Tensor:
    """Scores, scale, causal mask, softmax and dropout, each an operation of its own."""
    scores = q @ k.transpose(-1, -2) * (1 / sqrt(q.shape[-1]))
    causal = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    scores = scores.masked_fill(~causal, float("-inf"))
    return dropout(torch.softmax(scores, -1), p) @ v


def fused_softmax(q: Tensor, k: Tensor, v: Tensor, p: float) -> Tensor:
    """The same with scale and mask inside the softmax, as Megatron's kernel has it: neither leaves a tensor behind.

    That kernel is CUDA's own; a softmax alone keeps what it keeps, its output.
    """
    return dropout(torch.softmax(q @ k.transpose(-1, -2), -1), p) @ v


def cuda_flash(q: Tensor, k: Tensor, v: Tensor, p: float) -> Tensor:
    """The operator behind `F.scaled_dot_product_attention` on CUDA; on meta tensors, its shapes and its autograd."""
    return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, p, True)[0]


def cpu_flash(q: Tensor, k: Tensor, v: Tensor, p: float) -> Tensor:
    """The CPU's own flash attention, by the public function; it has no dropout."""
    attention = torch.nn.attention
    with attention.sdpa_kernel(attention.SDPBackend.FLASH_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=p, is_causal=True, enable_gqa=q.shape[1] != k.shape[1]
        )


def kept_by_flash(q: Tensor, k: Tensor, v: Tensor, p: float) -> Tensor:
    """A stand-in for flash attention where its operator does not run (experts need the CPU, latent heads two widths).

    It keeps queries, keys, values, the result and a log-sum-exp, the result laid out as the queries are: no witness of
    attention itself, but of the layer around it.
    """
    assert not p

    class Flash(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            like = q[..., :1].expand(*q.shape[:-1], v.shape[-1])
            order = sorted(range(4), key=lambda axis: -q.stride(axis))
            out = torch.empty([like.shape[axis] for axis in order], dtype=q.dtype, device=q.device)
            out = out.permute([order.index(axis) for axis in range(4)])
            context.save_for_backward(q, k, v, out, torch.empty(q.shape[:-1], device=q.device))
            return out

    return Flash.apply(q, k, v)


def repeated(core: Core) -> Core:
    """`core` with the key/value heads copied out to the query heads first."""

    def call(q: Tensor, k: Tensor, v: Tensor, p: float) -> Tensor:
        copies = q.shape[1] // k.shape[1]
        return core(q, k.repeat_interleave(copies, 1), v.repeat_interleave(copies, 1), p)

    return call


def checkpointed(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function` run again in backward instead of keeping what its gradients need.

    The state of the random generator is kept too, to repeat dropout: 5056 bytes for the CPU's, no tensor of autograd.
    """
    return partial(torch.utils.checkpoint.checkpoint, function, use_reentrant=False)


# ---- layers ----


def gpt_weights(n: Sizes, device: str) -> dict[str, Tensor]:
    """The parameters of one GPT layer: query, key and value in one product."""
    shapes = {
        "qkv": (3 * n.a * n.d, n.h), "qkv bias": (3 * n.a * n.d,), "out": (n.h, n.a * n.d), "out bias": (n.h,),
        "up": (n.f, n.h), "up bias": (n.f,), "down": (n.h, n.f), "down bias": (n.h,),
        "norm 1": (n.h,), "norm 1 bias": (n.h,), "norm 2": (n.h,), "norm 2 bias": (n.h,),
    }  # fmt: skip
    return weights(shapes, device)


def gpt_layer(
    x: Tensor, *, w: dict[str, Tensor], n: Sizes, core: Core, activation: Callable[[Tensor], Tensor], p: float
) -> Tensor:
    """One GPT layer on x (b, s, h): norms before attention and MLP, biases, dropout with probability `p`."""
    functional = torch.nn.functional

    def linear(y: Tensor, name: str) -> Tensor:
        return functional.linear(y, w[name], w[f"{name} bias"])

    def norm(y: Tensor, name: str) -> Tensor:
        return functional.layer_norm(y, (n.h,), w[name], w[f"{name} bias"])

    q, k, v = linear(norm(x, "norm 1"), "qkv").view(n.b, n.s, 3, n.a, n.d).permute(2, 0, 3, 1, 4).unbind(0)
    y = core(q, k, v, p).transpose(1, 2).reshape(n.b, n.s, n.a * n.d)
    x = x + dropout(linear(y, "out"), p)
    return x + dropout(linear(activation(linear(norm(x, "norm 2"), "up")), "down"), p)


def llama_weights(n: Sizes, device: str) -> dict[str, Tensor]:
    """The parameters of one Llama layer."""
    shapes = {
        "query": (n.a * n.d, n.h), "key": (n.g * n.d, n.h), "value": (n.g * n.d, n.h), "out": (n.h, n.a * n.d),
        "gate": (n.f, n.h), "up": (n.f, n.h), "down": (n.h, n.f), "norm 1": (n.h,), "norm 2": (n.h,),
    }  # fmt: skip
    return weights(shapes, device)


def rotary(n: Sizes, device: str) -> tuple[Tensor, Tensor]:
    """Cosines and sines (s, d) in bf16."""
    half = torch.arange(n.d // 2, device=device) / (n.d // 2)
    angles = torch.outer(torch.arange(n.s, device=device), 10000.0**-half).repeat(1, 2)
    return angles.cos().bfloat16(), angles.sin().bfloat16()


def llama_layer(x: Tensor, cos: Tensor, sin: Tensor, *, w: dict[str, Tensor], n: Sizes, core: Core) -> Tensor:
    """One Llama layer on x (b, s, h): RMS norm in fp32, rotary positions, gated MLP, no biases, no dropout."""
    linear, silu = torch.nn.functional.linear, torch.nn.functional.silu

    def norm(y: Tensor, name: str) -> Tensor:
        wide = y.float()
        return w[name] * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(y.dtype)

    def heads(y: Tensor, name: str) -> Tensor:
        return linear(y, w[name]).view(n.b, n.s, -1, n.d).transpose(1, 2)

    def rotated(y: Tensor) -> Tensor:
        left, right = y.chunk(2, -1)
        return y * cos + torch.cat((-right, left), -1) * sin

    y = norm(x, "norm 1")
    y = core(rotated(heads(y, "query")), rotated(heads(y, "key")), heads(y, "value"), 0.0)
    x = x + linear(y.transpose(1, 2).reshape(n.b, n.s, n.a * n.d), w["out"])
    y = norm(x, "norm 2")
    return x + linear(silu(linear(y, w["gate"])) * linear(y, w["up"]), w["down"])


# ---- runs: what measure.py measures, and the parameters, which are not activations ----

Run = tuple[Callable[[], Tensor], list[Tensor]]


def gpt_run(
    n: Sizes, core: Core, *, activation: str = "gelu", p: float = 0.0, device: str = "meta", around: Any = None
) -> Run:
    """A run of the plain GPT layer, `around` it perhaps `checkpointed`."""
    w, x = gpt_weights(n, device), layer_input(n, device)
    call = partial(gpt_layer, w=w, n=n, core=core, activation=getattr(torch.nn.functional, activation), p=p)
    call = around(call) if around else call
    return lambda: call(x), [*w.values()]


def llama_run(n: Sizes, core: Core, *, device: str = "meta", around: Any = None, frozen: tuple[str, ...] = ()) -> Run:
    """A run of the plain Llama layer, the weights named in `frozen` not trained."""
    w, x, tables = llama_weights(n, device), layer_input(n, device), rotary(n, device)
    for name in frozen:
        w[name].requires_grad_(False)
    call = partial(llama_layer, w=w, n=n, core=core)
    call = around(call) if around else call
    return lambda: call(x, *tables), [*w.values()]
