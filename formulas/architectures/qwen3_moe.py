"""Qwen3 with experts (Yang et al. 2025, arXiv 2505.09388): Qwen3's layer, in some layers with experts."""

from functools import partial

from derive import Layers
from derive.config import ConfigError
from derive.model import Given
from formulas.architectures import experts
from formulas.architectures.experts import LETTERS, gated, mixture, normalised, router
from formulas.architectures.llama import ACTIVATIONS, described, layer, mlp, sizes
from formulas.architectures.qwen3 import normed_attention
from formulas.architectures.windows import all_alike, windowed

MODEL_TYPES = ("qwen3_moe",)


def kinds(fields, count):
    """Which layers are dense: those that the file lists, and those between every so many with experts."""
    dense = fields.whole_numbers("mlp_only_layers")
    step = fields.size("decoder_sparse_step", default=1)
    return tuple(
        "dense layer" if index in dense or (index + 1) % step.value else "expert layer" for index in range(count.value)
    )


def arranged(fields, layers, order, at, letters):
    """Layers, sizes, order and letters where some layers are dense and some have experts, or all have."""
    if set(order) == {"expert layer"}:
        at = {letter: size for letter, size in at.items() if letter != "f"}
        return {"layer": layers["expert layer"], "sizes": at, "letters": letters}
    if set(order) == {"dense layer"}:
        raise ConfigError(f"{fields.model_type} with no layer that has experts is another model type")
    counts = {"dense layer": "L_d", "expert layer": "L_e"}
    at = {letter: size for letter, size in at.items() if letter != "L"}
    at |= {letter: Given(order.count(kind), f"counted: {kind}s") for kind, letter in counts.items()}
    names = " ".join(each for each in letters.split() if each != "L")
    found = {kind: Layers(letter, layers[kind]) for kind, letter in counts.items()}
    return {"layer": found, "sizes": at, "letters": f"{names} f L_d L_e", "order": order}


def read(fields):
    """transformers' Qwen3MoeConfig."""
    fields.ignores("rope_theta", "rope_scaling", "router_aux_loss_coef", "max_window_layers")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    normed = {"normed": normalised} if fields.flag("norm_topk_prob", default=False) else {}
    attention = windowed(normed_attention(fields))
    window = fields.optional("sliding_window", default=4096)
    windows = fields.flag("use_sliding_window", default=False) and window is not None
    own = partial(layer, attention=attention["window layer" if windows else "full layer"])
    inner = ACTIVATIONS[activation]
    layers = {
        "dense layer": partial(own, mlp=partial(mlp, activation=inner)),
        "expert layer": partial(
            own,
            mlp=partial(
                mixture,
                router=partial(router, **normed),
                experts=partial(experts.experts, inner=partial(gated, activation=inner)),
            ),
        ),
    }
    at = sizes(fields, grouped=4) | experts.sizes(fields) | ({"w": window} if windows else {})
    all_alike(fields, at["L"], window if windows else None)
    letters = LETTERS + (" w" if windows else "")
    found = arranged(fields, layers, kinds(fields, at["L"]), at, letters)
    about = "RMS norm, norms of query and key heads, rotary positions, gated experts of which each token uses some"
    return described(fields, about, **found, axes=experts.AXES, bounds=experts.BOUNDS)
