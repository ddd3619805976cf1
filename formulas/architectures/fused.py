"""Parts of GPT's successors: queries, keys and values in one product, a GELU that is spelled out, dropout."""

from functools import partial

from derive import add, copy, cube, gelu, identity, linear, multiply, relu, scaled, silu, tanh

AXES = {"qkv": "(a + 2*g)*d"}
biased = partial(linear, bias=True)


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
