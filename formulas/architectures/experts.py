"""Experts: a router chooses some of them for each token, and each row of a token goes through one."""

from derive import (
    block,
    cast,
    combine,
    compute,
    dispatch,
    dispatch_scores,
    divide,
    expert_linear,
    fp32,
    identity,
    linear,
    multiply,
    part,
    rows_of,
    silu,
    softmax,
    top_k,
    total,
)

AXES = {"f_2": "2*f_e"}
BOUNDS = (("k", "E"),)


def normalised(scores):
    """Scores that add up to 1 over the chosen experts."""
    return divide(scores, total(scores), name="normalised scores")


def in_compute(scores):
    """Scores in the format that products are computed in."""
    return cast(scores, compute, name="scores of the chosen")


@block
def router(x, normed=identity, kept=in_compute):
    """The scores of the chosen experts, from a softmax over all in fp32, and which they are."""
    logits = linear(x, "h -> E", name="router", adapts=False)
    scores, chosen = top_k(softmax(cast(logits, fp32)), "E -> k")
    return kept(normed(scores)), chosen


def gated(both, activation=silu):
    """The gated product of what one product gave for both."""
    gate, up = (part(both, "f_2 -> f_e", name=name) for name in ("gate", "up"))
    return multiply(activation(gate), up, name="gated")


@block
def experts(x, scores, chosen, inner=gated, linear=expert_linear):
    """Rows of the tokens through their experts, weighted by their scores and added up token by token."""
    rows = rows_of(chosen)
    both = linear(dispatch(x, rows), "h -> f_2", tp="f_2", name="gate and up")
    y = linear(inner(both), "f_e -> h", tp="f_e", name="down")
    y = multiply(y, dispatch_scores(scores, rows), name="weighted output")
    return combine(cast(y, compute, name="weighted output"), rows, x)


@block(name="mlp")
def mixture(x, router=router, experts=experts):
    """Mixture of experts in place of an MLP."""
    return experts(x, *router(x))


LETTERS = "s b h a g d E k f_e V L"


def sizes(fields, number=("num_local_experts", "num_experts"), width="moe_intermediate_size"):
    """Sizes of the experts under the names that most files give them."""
    E, k = fields.size(*number), fields.size("num_experts_per_tok")
    fields.at_most(k, E)
    fields.only("output_router_logits", False, why="the loss of the routers, which is then trained too, is not counted")
    return {"E": E, "k": k, "f_e": fields.size(width)}
