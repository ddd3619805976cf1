"""GLM-4-0414, transformers' glm4: glm with norms behind attention and MLP too."""

from derive import block
from formulas.architectures import glm
from formulas.architectures.llama import norm

MODEL_TYPES = ("glm4",)


@block
def layer(x, attention, mlp):
    x = x + norm(attention(norm(x)))
    return x + norm(mlp(norm(x)))


def read(fields):
    """transformers' Glm4Config."""
    return glm.read(fields, layer, "RMS norms before and behind attention and MLP")
