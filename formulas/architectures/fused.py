"""Parts of GPT's successors: queries, keys and values in one product, a GELU that is spelled out, dropout."""

from functools import partial

from derive import (
    add,
    block,
    copy,
    cube,
    dropout,
    einsum,
    expand,
    gelu,
    identity,
    linear,
    multiply,
    relu,
    scaled,
    silu,
    softmax,
    tanh,
)

AXES = {"qkv": "(a + 2*g)*d"}
biased = partial(linear, bias=True)


@block(fused_by="attention")
def core(q, k, v, drop=dropout, *, window=None, laid=copy):
    """Attention whose values alone are still a part of what one product gave, since queries and keys were rotated.

    torch's product cannot read such a part where there are several sequences and heads: it copies it first, and the
    whole can go. A kernel reads the part where it is, and so does torch's product where there is one sequence.
    """
    k, v = expand(k, "g -> a"), expand(laid(v), "g -> a")
    scores = einsum("q b a d, k b a d -> b a q k", q, k, name="scores", masked="q k", window=window)
    p = drop(softmax(scores))
    return einsum("b a q k, k b a d -> q b a d", p, v, name="attention output", masked="q k", window=window)


def unshared(x, _pattern):
    """Heads as they are: the core itself shares them."""
    return x


def gelu_new(x):
    """GELU by its approximation with tanh, spelled out as transformers does it: each operation keeps what it needs."""
    bent = tanh(scaled(add(x, scaled(cube(x)))))
    return multiply(scaled(x), copy(bent), name="gelu output")


def gelu_fast(x):
    """The same written in another order, as GPT-NeoX's file has it."""
    inner = multiply(scaled(x), copy(multiply(scaled(x), x)))
    return multiply(scaled(x), copy(tanh(inner)), name="gelu output")


ACTIVATIONS = {  # by transformers' names, some of which are of one function
    "silu": silu,
    "swish": silu,
    "gelu": gelu,
    "gelu_pytorch_tanh": gelu,
    "gelu_new": gelu_new,
    "gelu_accurate": gelu_new,
    "gelu_python_tanh": gelu_new,
    "gelu_fast": gelu_fast,
    "relu": relu,
}


def then(function, drop):
    """A linear layer with dropout behind it."""
    return function if drop is identity else lambda *inputs, **settings: drop(function(*inputs, **settings))
