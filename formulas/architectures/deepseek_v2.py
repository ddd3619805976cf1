"""DeepSeek-V2 (arXiv 2405.04434): latent attention, dense layers first, shared experts, scores by a softmax."""

from functools import partial

from derive import block, cast, fp32, identity, limited, linear, scaled, softmax, top_k
from formulas.architectures import latent
from formulas.architectures.deepseek_v3 import outline

MODEL_TYPES = ("deepseek_v2",)


@block
def router(x, among=identity):
    """Scores by a softmax in fp32, scaled; the choice may be `among` the experts of some groups."""
    scores = softmax(linear(cast(x, fp32), "h -> E", name="router", adapts=False))
    scores, chosen = top_k(among(scores), "E -> k")
    return scaled(scores, name="scores of the chosen"), chosen


CHOICES = {"greedy": identity, "group_limited_greedy": limited}


def read(fields):
    """transformers' DeepseekV2Config."""
    fields.only("norm_topk_prob", False, why="transformers' deepseek_v2 does not norm the scores")
    about = "RMS norm, latent attention, experts of which each token uses some beside the shared ones"
    among = CHOICES[fields.choice("topk_method", known=CHOICES, default="greedy")]
    own = router if among is identity else partial(router, among=among)
    found = outline(fields, about, own, rotate=latent.complex_rotation, first=0)
    if among is limited:
        fields.divides(fields.size("n_group"), found.sizes["E"])
    return found
