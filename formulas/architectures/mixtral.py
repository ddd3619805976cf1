"""Mixtral (Jiang et al. 2024, arXiv 2401.04088): Mistral's layer with experts in place of its MLP."""

from functools import partial

from derive import identity
from formulas.architectures import experts
from formulas.architectures.decoder import drop_of
from formulas.architectures.experts import LETTERS, gated, mixture, normalised, router
from formulas.architectures.llama import ACTIVATIONS, attention, described, layer, sizes
from formulas.architectures.windows import alternating, kinds, windowed

MODEL_TYPES = ("mixtral",)


def read(fields):
    """transformers' MixtralConfig; its intermediate_size is one expert's width."""
    fields.ignores("rope_theta", "rope_scaling", "router_aux_loss_coef", "layer_types")
    fields.only("router_jitter_noise", 0, 0.0, why="it multiplies what the router reads by noise")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    at = sizes(fields, grouped=8)
    del at["f"]
    own = partial(
        mixture,
        router=partial(router, normed=normalised, kept=identity),
        experts=partial(experts.experts, inner=partial(gated, activation=ACTIVATIONS[activation])),
    )
    layers = {
        kind: partial(layer, attention=each, mlp=own)
        for kind, each in windowed(partial(attention, drop=drop_of(fields))).items()
    }
    window = fields.optional("sliding_window", default=None)
    at |= experts.sizes(fields, width="intermediate_size")
    types = alternating(fields, at["L"], window, lambda _: True)
    about = "RMS norm, rotary positions, gated experts of which each token uses some, no biases"
    return described(
        fields, about, **kinds(types, layers, at, window, LETTERS), axes=experts.AXES, bounds=experts.BOUNDS
    )
