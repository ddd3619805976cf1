"""DeepSeek-V3 (arXiv 2412.19437): latent attention, dense layers first, a shared expert, a router without a loss."""

from dataclasses import replace
from functools import partial

from derive import (
    Described,
    Layers,
    Remainder,
    Role,
    add,
    block,
    cast,
    concat,
    constant,
    fp32,
    identity,
    int64,
    linear,
    lookup,
    parameter,
    repeat,
    scaled,
    sigmoid,
    size_of,
    top_k,
)
from derive.model import Given
from formulas.architectures import decoder, experts, latent
from formulas.architectures.decoder import drop_of
from formulas.architectures.experts import gated, normalised
from formulas.architectures.llama import ACTIVATIONS, final_norm, layer, mlp, norm
from formulas.architectures.rotary import laid

MODEL_TYPES = ("deepseek_v3", "kimi_k2")
AXES = latent.AXES | experts.AXES | {"f_s": "E_s*f_e", "h_2": "2*h"}
KINDS = {"dense layer": "L_d", "expert layer": "L_e"}


@block
def router(x, normed=identity):
    """Scores by a sigmoid in fp32; a bias that is no parameter decides with them which experts are chosen."""
    logits = linear(cast(x, fp32), "h -> E", name="router", adapts=False)
    scores, chosen = top_k(sigmoid(logits), "E -> k")
    return scaled(normed(scores), name="scores of the chosen"), chosen


@block(name="shared experts")
def shared(x, activation):
    """The shared experts: one gated MLP as wide as all of them together."""
    gate = activation(linear(x, "h -> f_s", tp="f_s", name="gate"))
    return linear(gate * linear(x, "h -> f_s", tp="f_s", name="up"), "f_s -> h", tp="f_s", name="down")


@block(name="mlp")
def mixture(x, router, activation):
    """Routed experts and, beside them, the shared ones."""
    routed = experts.experts(x, *router(x), inner=partial(gated, activation=activation))
    return add(routed, shared(x, activation), name="experts' output")


@block(name="multi-token prediction")
def module(x, table, shared, targets, layer):
    """A module of multi-token prediction (section 2.2): the hidden state and the next token's embedding, one layer."""
    ahead = lookup(table, constant("ids of later tokens", "s b", int64, Role.INDEX))
    both = concat("h h -> h_2", norm(x), norm(ahead), name="hidden state and embedding")
    x = layer(linear(both, "h_2 -> h", name="projection of both"))
    decoder.tied_head(final_norm(x), shared, targets)
    return x


def model(ids, targets, *, kinds, tied, last):
    """The model with its modules of multi-token prediction, which share its embedding and its head."""
    x, table = decoder.embedding(ids)
    x = decoder.stacked(x, kinds)
    shared = table if tied else parameter("logits weight", "h V", tp="V", uneven=Remainder.PAD)
    one = partial(module, table=table, shared=shared, targets=targets, layer=last)
    repeat(one, size_of("L_m", "the modules of multi-token prediction"), x)
    return decoder.tied_head(final_norm(x), shared, targets)


def outline(fields, about, router, *, rotate=latent.rotated, first=3):
    """What DeepSeek-V2 and -V3 share: the sizes, the kinds of layers, and attention absorbed or not."""
    fields.ignores(
        "head_dim", "qk_head_dim", "rope_theta", "rope_scaling", "rope_interleave", "n_group",
        "pretraining_tp", "routed_scaling_factor", "topk_group", "topk_method", "scoring_func", "aux_loss_alpha",
        "seq_aux", "ep_size", "mlp_bias", "max_window_layers",
    )  # fmt: skip
    fields.only("moe_layer_freq", 1, why="not every layer behind the dense ones then has experts")
    fields.only("mlp_bias", False, why="biases in the MLPs are not counted for this type")
    at = latent.sizes(fields) | experts.sizes(fields, ("n_routed_experts", "num_local_experts", "num_experts"))
    at["E_s"], count = fields.size("n_shared_experts"), at.pop("L")
    dense = fields.size("first_k_dense_replace", default=first, least=0)
    first_ones = min(dense.value, count.value)  # of a model with fewer layers, all of them are dense
    counts = dict(zip(KINDS, (first_ones, count.value - first_ones), strict=True))
    if dense.value:
        at["f"] = fields.size("intermediate_size")
    fields.ignores("intermediate_size")
    at |= {KINDS[kind]: Given(number, f"counted: {kind}s") for kind, number in counts.items() if number}
    activation = ACTIVATIONS[fields.choice("hidden_act", known=ACTIVATIONS, default="silu")]
    settings = {
        "queries": latent.low_rank_queries if "r_q" in at else latent.whole_queries,
        "rotate": rotate,
        "bias": fields.flag("attention_bias", default=False),
        "drop": drop_of(fields),
    }
    inner = {
        "dense layer": partial(mlp, activation=activation),
        "expert layer": partial(mixture, router=router, activation=activation),
    }

    def kinds(attention):
        own = partial(layer, attention=partial(attention, **settings))
        return {kind: Layers(KINDS[kind], partial(own, mlp=inner[kind])) for kind in KINDS if counts[kind]}

    tied = fields.flag("tie_word_embeddings", default=False)
    made = decoder.decoder(
        fields.model_type,
        about,
        " ".join([latent.LETTERS, *(x for x in ("r_q", "E", "k", "E_s", "f_e", "f", *KINDS.values()) if x in at)]),
        kinds(partial(latent.attention, laid=laid(at["a"]))),
        final_norm=final_norm,
        head=decoder.HEADS[tied],
        axes=AXES,
        bounds=experts.BOUNDS,
        variants={
            "absorbed": lambda made: replace(
                decoder.with_layers(made, kinds(latent.absorbed_attention)), unadapted=latent.UNADAPTED
            )
        },
    )
    return Described(made, at, tuple(kind for kind, number in counts.items() for _ in range(number)))


def with_modules(made):
    """The architecture with its modules of multi-token prediction, each with a layer of the last kind."""
    settings = made.model.keywords
    last = list(settings["kinds"].values())[-1].layer
    own = partial(model, kinds=settings["kinds"], tied=settings["head"] is decoder.HEADS[True], last=last)
    kinds = made.kinds or settings["kinds"]
    return replace(
        made, name=f"{made.name}, with multi-token prediction", letters=f"{made.letters} L_m", model=own, kinds=kinds
    )


def read(fields):
    """transformers' DeepseekV3Config, which Kimi K2's files follow."""
    normed = {"normed": normalised} if fields.flag("norm_topk_prob", default=True, null=False) else {}
    about = "RMS norm, latent attention, experts of which each token uses some beside the shared ones"
    found = outline(fields, about, partial(router, **normed))
    modules = fields.size("num_nextn_predict_layers", "num_mtp_layers", default=1, least=0)
    if not modules.value:
        return found
    variants = {**found.architecture.variants, "mtp": with_modules}
    return replace(
        found, architecture=replace(found.architecture, variants=variants), sizes={**found.sizes, "L_m": modules}
    )
