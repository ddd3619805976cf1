"""OLMoE (Muennighoff et al. 2024, arXiv 2409.02060): experts, and norms of all queries and of all keys."""

from functools import partial

from derive import clamp, linear
from formulas.architectures import experts
from formulas.architectures.decoder import drop_of
from formulas.architectures.experts import LETTERS, gated, mixture, normalised, router
from formulas.architectures.llama import (
    ACTIVATIONS,
    attention,
    described,
    layer,
    projections,
    rms_norm,
    sizes,
)

MODEL_TYPES = ("olmoe",)


def clipped(x, linear, normed):
    """Queries, keys and values cut off at a bound."""
    return tuple(clamp(each) for each in projections(x, linear, normed))


def read(fields):
    """transformers' OlmoeConfig; its intermediate_size is one expert's width, its heads share the hidden size."""
    fields.ignores("rope_theta", "rope_scaling", "router_aux_loss_coef")
    activation = fields.choice("hidden_act", known=ACTIVATIONS, default="silu")
    projection = partial(linear, bias=fields.flag("attention_bias", default=False))
    cut = fields.positive("clip_qkv", default=None) is not None
    project = partial(clipped if cut else projections, linear=projection, normed=partial(rms_norm, over=2))
    normed = {"normed": normalised} if fields.flag("norm_topk_prob", default=False) else {}
    own = partial(
        layer,
        attention=partial(attention, project=project, out=projection, drop=drop_of(fields)),
        mlp=partial(
            mixture,
            router=partial(router, **normed),
            experts=partial(experts.experts, inner=partial(gated, activation=ACTIVATIONS[activation])),
        ),
    )
    at = sizes(fields)
    fields.same(fields.product(at["a"], at["d"]), at["h"])
    del at["f"]
    at |= experts.sizes(fields, width="intermediate_size")
    about = "RMS norm, norms of all queries and keys, rotary positions, gated experts of which each token uses some"
    return described(fields, about, own, at, letters=LETTERS, axes=experts.AXES, bounds=experts.BOUNDS)
