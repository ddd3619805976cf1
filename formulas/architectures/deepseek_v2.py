"""DeepSeek-V2 (arXiv 2405.04434): latent attention, dense layers first, shared experts, scores by a softmax."""

from derive import block, cast, fp32, linear, scaled, softmax, top_k
from formulas.architectures import latent
from formulas.architectures.deepseek_v3 import outline

MODEL_TYPES = ("deepseek_v2",)


@block
def router(x):
    """Scores by a softmax in fp32, scaled; limiting the choice to groups of experts adds no product."""
    scores, chosen = top_k(softmax(linear(cast(x, fp32), "h -> E", name="router", adapts=False)), "E -> k")
    return scaled(scores, name="scores of the chosen"), chosen


def read(fields):
    """transformers' DeepseekV2Config."""
    fields.only("norm_topk_prob", False, why="transformers' deepseek_v2 does not norm the scores")
    about = "RMS norm, latent attention, experts of which each token uses some beside the shared ones"
    return outline(fields, about, router, rotate=latent.complex_rotation, first=0)
