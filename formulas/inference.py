"""What serving a model takes: the cache of keys and values, and what one more token computes and reads."""

from dataclasses import replace

from derive import (
    Input,
    Ledger,
    Statement,
    byte,
    dimensionless,
    flop,
    flops,
    formula,
    linear,
    minimum,
    tensors,
    token,
    trace,
)
from derive.folds import parameters, whole, width
from derive.units import parameter
from formulas.notation import notation_of
from formulas.states import bytes_per_parameter

notation = notation_of("inference")
s, b, h, w, L, r_kv, d_rope = (notation.symbol(x) for x in ("s", "b", "h", "w", "L", "r_kv", "d_rope"))
K, X, Q, q = (notation.symbol(x) for x in "KXQq")


def held(model, plan, *, needed=False):
    """What is cached for later tokens: as the layers hold it, or as attention needs it, before heads share it."""
    ledger, plan = Ledger((), byte), replace(plan, sp=False)  # heads of a device need whole sequences
    for tensor in model.whole.tensors:
        if tensor.op is None or tensor.op.name != "cache":
            continue
        source = tensor.op.inputs[-1 if needed else 0]  # what was copied out to all heads, if anything was
        rows = whole(source, model.whole, plan, "later tokens attend to it")
        ledger += within(rows, tensor.op.window, plan) if tensor.op.window is not None else rows
    return ledger


def within(rows, window, plan):
    """The rows of a cache that holds the last tokens of a window.

    Where devices have a sequence between them, the one with its end has most of them: all, or as many as it has tokens.
    """
    last = {s: minimum(s, window * plan.cp)}  # of which the rows are a share already
    return replace(rows, rows=tuple(replace(row, value=row.value.xreplace(last)) for row in rows))


@formula("M", unit=byte, notation=notation)
def kv_cache(model, plan):
    """Cache of b sequences of s tokens, all layers: keys and values, or what else layers hold for later tokens.

    As the layers hold it: grouped heads once, of a window its last tokens (a static cache's, the new one included;
    transformers' dynamic one keeps w - 1 between steps), of latent attention the latent, of a state-space layer its
    state, however many tokens there were. In the compute format (`--dtype`). Under context parallelism the device that
    has the end of every sequence, which holds most of a window: w tokens, or its s/cp. Unit: byte.

    >>> from derive import Model, Plan
    >>> from formulas.architectures.llama import llama
    >>> kv_cache.ledger(Model(llama), Plan()).value
    4*L*b*d*g*s
    """
    return held(model, plan)


@formula("M", unit=byte, notation=notation)
def needed_kv_cache(model, plan):
    """Cache of b sequences of s tokens that attention needs: heads that share a key once, however it is held.

    Where an implementation copies shared heads out before it caches them, such as transformers' Falcon-40B, this is
    what a good one holds. Unit: byte.
    """
    return held(model, plan, needed=True)


@formula("M", unit=byte, notation=notation)
def window_kv_cache(model, plan):
    """Cache of keys and values where attention reaches back over a window of w tokens: no more are held.

    The last w tokens, the new one included: what a static cache allocates; transformers' dynamic one keeps w - 1
    between steps. All layers have the window. Unit: byte.
    """
    return within(held(model, plan), w, plan)


latent = trace(
    lambda x: (linear(x, "h -> r", name="latent of keys and values"), linear(x, "h -> e", name="rotary key")),
    Input("layer input", "s b h"),
    sizes={"s": s, "b": b, "h": h, "r": r_kv, "e": d_rope},
)


@formula("M", unit=byte, notation=notation)
def latent_kv_cache(plan):
    """Cache of latent attention (MLA): a latent of r_kv elements and a rotary key of d_rope for each token and layer.

    All heads share them, so that tensor parallelism does not divide them. Unit: byte.

    >>> from derive import Plan
    >>> latent_kv_cache.ledger(None, Plan()).value.factor()
    2*L*b*s*(d_rope + r_kv)
    """
    names = ("latent of keys and values", "rotary key")
    return tensors(latent, plan, names, "later tokens attend to it").times(L, dimensionless)


@formula("q", unit=byte / parameter, notation=notation)
def inference_bytes_per_parameter(plan):
    """Bytes that inference holds for each parameter: the weight in the compute format.

    Unit: byte/parameter.
    """
    return Statement(width(plan.recipe.compute), f"weights in {plan.recipe.compute.name}", each=byte / parameter)


@formula(
    "x",
    unit=dimensionless,
    notation=notation,
    letters={"K": bytes_per_parameter, "q": inference_bytes_per_parameter},
)
def training_inference_ratio():
    """Bytes that training holds for each parameter over those that inference holds: no activations, no cache.

    Unit: 1.
    """
    return Statement(K / q, "training over inference")


@formula("X", unit=flop / token, notation=notation)
def decode_flops_per_token(model, plan):
    """FLOPs of decoding one token that attends to s tokens, itself included.

    The forward pass with no mask, for each of its tokens: then each token attends to s. Latent attention works on the
    latent itself, which is what is cached. Unit: FLOP/token.
    """
    return flops(served(model, plan).whole, replace(plan, mask="full"), "forward").per(s * b, token)


@formula("Q", unit=byte / token, notation=notation)
def decode_bytes_per_token(model, plan):
    """Bytes read for each decoded token of a batch: every multiplied weight once a step, every sequence's cache.

    A step decodes one token of each of the b sequences; activations, norms and the b rows of the token table are left
    out. Of experts, those that b tokens can be routed to: all of them differ, until there are no more, which is the
    most that is read. Unit: byte/token.
    """
    weights = used(served(model, plan).whole, plan).times(width(plan.recipe.compute), byte / parameter)
    return (weights + held(model, plan)).per(b, token)


def served(model, plan):
    """The model as it decodes: latent attention absorbed, unless it has adapters, which that form has no place for."""
    if plan.lora or "absorbed" in plan.compose or "absorbed" not in model.architecture.variants:
        return model
    return model.composed(replace(plan, compose=(*plan.compose, "absorbed")))


def used(traced, plan):
    """The weights of products that a step of b tokens reads, experts at most as many as the tokens choose."""
    every, one = (parameters(traced, plan, used_in="einsum", active=active) for active in (False, True))
    rows = (
        row if row.value == single.value else replace(
            row, value=row.value * minimum(1, b * single.value / row.value), why="experts that b tokens are routed to"
        )
        for row, single in zip(every, one, strict=True)
    )  # fmt: skip
    return replace(every, rows=tuple(rows))


@formula(
    "I",
    unit=flop / byte,
    notation=notation,
    letters={"X": decode_flops_per_token, "Q": decode_bytes_per_token},
)
def decode_intensity():
    """Arithmetic intensity of decoding: FLOPs of a token over the bytes read for it.

    With 2-byte weights and no cache it is b; what the cache adds does not shrink with b. Unit: FLOP/byte.
    """
    return Statement(X / Q, "FLOPs over bytes read")
