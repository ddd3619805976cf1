"""FLOPs: a layer's and a model's, the share of attention, and what 6N leaves out."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(
    Theorem, topic="flops", letters=(Letter("c", "factor"), Letter("e", "distance to a limit", kind="positive real"))
)
FULL = "mask=full"
forward = partial(Of, "layer-flops", about="gpt")
core = partial(Of, "layer-flops", about="gpt", within="core")
trained = partial(Of, "hardware-flops", about="gpt")
per_token = partial(Of, "flops-per-token", about="gpt")
llama = partial(Of, "layer-flops", about="llama")
SHARE = {"X": core(FULL), "F": forward(FULL)}

FLOPS = (
    theorem(
        "layer-of-72",
        "training costs a GPT layer 72bsh^2(1 + s/(6h)) FLOPs where all pairs of tokens count",
        "F == 72*b*s*h^2*(1 + s/(6*h))",
        {"F": trained(FULL)},
    ),
    theorem(
        "model-of-72",
        "training costs a GPT 72bLsh^2(1 + s/(6h) + V/(12hL)) FLOPs where all pairs of tokens count",
        "b*s*F == 72*b*L*s*h^2*(1 + s/(6*h) + V/(12*h*L))",
        {"F": per_token(FULL)},
    ),
    theorem(
        "training-costs-three-forward-passes",
        "without recomputation training costs three forward passes, if nothing is frozen",
        "trained == 3*forward",
        {"trained": trained(), "forward": forward()},
    ),
    theorem(
        "attentions-share",
        "the score products are s/(6h + s) of a GPT layer's FLOPs where all pairs of tokens count",
        "X/F == s/(6*h + s)",
        SHARE,
    ),
    theorem(
        "attentions-share-if-causal",
        "where only pairs count that attend, they are (s + 1)/(12h + s + 1) of them",
        "X/F == (s + 1)/(12*h + s + 1)",
        {"X": core(), "F": forward()},
    ),
    theorem(
        "attentions-share-grows",
        "the longer the sequence, the larger the share of the score products",
        "X/F < X_1/F_1",
        SHARE | {"X_1": core(FULL, at={"s": "s + 1"}), "F_1": forward(FULL, at={"s": "s + 1"})},
    ),
    theorem(
        "attentions-share-falls-with-width",
        "the wider the layer, the smaller the share of the score products",
        "X_1/F_1 < X/F",
        SHARE | {"X_1": core(FULL, at={"h": "h + 1"}), "F_1": forward(FULL, at={"h": "h + 1"})},
    ),
    theorem(
        "attention-takes-all-in-the-limit",
        "for every e > 0 the share of the score products is within e of 1 from a length of 6h/e - 6h on",
        "1 - X/F <= e",
        SHARE,
        given=("s >= 6*h/e - 6*h",),
        witness={"e": "1/2", "s": 6},
        equality={"e": "1/2", "s": 6, "h": 1},
        needed={"s >= 6*h/e - 6*h": {"e": "1/2", "s": 1}},
    ),
    theorem(
        "attention-vanishes-in-the-limit",
        "for every e > 0 the share of the score products is at most e from a width of s/(6e) - s/6 on",
        "X/F <= e",
        SHARE,
        given=("h >= s/(6*e) - s/6",),
        equality={"e": "1/2", "s": 6, "h": 1},
        needed={"h >= s/(6*e) - s/6": {"e": "1/100"}},
    ),
    theorem(
        "what-causal-saves",
        "in a GPT layer the pairs of tokens that do not attend are 2bhs(s - 1) of the forward pass's FLOPs",
        "F - F_c == 2*b*h*s*(s - 1)",
        {"F": forward(FULL), "F_c": forward()},
    ),
    theorem(
        "causal-at-most-full",
        "counting only pairs that attend never gives more",
        "F_c <= F",
        {"F_c": llama(), "F": llama(FULL)},
        equality={"s": 1},
    ),
    theorem(
        "causal-is-half-and-a-bit",
        "of the score products (s + 1)/(2s) are causal, a half for long sequences",
        "X_c == X*(s + 1)/(2*s)",
        {"X_c": core(), "X": core(FULL)},
    ),
    theorem(
        "causal-is-more-than-half",
        "causal FLOPs of a layer are more than half of the full ones",
        "F < 2*F_c",
        {"F": forward(FULL), "F_c": forward()},
    ),
    theorem(
        "six-for-each-multiplied-parameter",
        "a trained token costs 6 FLOPs for each weight of a matrix product, and the score products: no table, no norm",
        "F == 6*N_x + X",
        {
            "F": per_token(about="llama"),
            "N_x": Of("gemm-parameters", about="llama"),
            "X": Of("attention-flops", about="llama"),
        },
    ),
    theorem(
        "six-n-against-the-model",
        "6N counts 13L + s + 2 parameters for each unit of a GPT's width that multiply nothing, and no scores",
        "F - F_6 == X - 6*h*(13*L + s + 2)",
        {
            "F": per_token(),
            "F_6": Of("dense-flops-per-token", about="gpt"),
            "X": Of("attention-flops", about="gpt"),
        },
    ),
    theorem(
        "scores-beside-six-n",
        "causal score products add (s + 1)/(12h) to the 6 for each parameter of 12Lh^2",
        "X/(6*12*L*h^2) == (s + 1)/(12*h)",
        {"X": Of("attention-flops", about="gpt")},
    ),
    theorem(
        "scores-add-at-most-a-sixth",
        "as long as the sequence is not longer than the model is wide, score products add at most a sixth to 72Lh^2",
        "X/(6*12*L*h^2) <= 1/6",
        {"X": Of("attention-flops", about="gpt")},
        given=("s <= h",),
        equality={"s": 1, "h": 1},
        needed={"s <= h": {"s": 2}},
    ),
    theorem(
        "flash-runs-seven-sixths",
        "flash attention runs one of the core's two products again: 7/6 of its FLOPs",
        "X_f/X == 7/6",
        {
            "X_f": Of("attention-hardware-flops", "attention=flash", about="llama"),
            "X": Of("attention-hardware-flops", "attention=materialised", about="llama"),
        },
    ),
    theorem(
        "grouped-heads-never-cost-more",
        "with grouped key/value heads a layer never costs more FLOPs",
        "F <= F_a",
        {"F": llama(), "F_a": llama(at={"g": "a"})},
        given=("g <= a",),
        equality={"g": 2, "a": 2},
        needed={"g <= a": {"g": 2}},
    ),
    theorem(
        "longer-costs-more-a-token",
        "in a longer sequence every token costs more",
        "F < longer",
        {"F": per_token(), "longer": per_token(at={"s": "s + 1"})},
    ),
    theorem(
        "layer-is-homogeneous",
        "c times the width and c times the sequence cost c^3 times as much, where all pairs of tokens count",
        "scaled == c^3*F",
        {"scaled": forward(FULL, at={"s": "c*s", "h": "c*h"}), "F": forward(FULL)},
    ),
    theorem(
        "batch-costs-in-proportion",
        "c times the sequences cost c times as much",
        "more == c*F",
        {"more": llama(at={"b": "c*b"}), "F": llama()},
    ),
    theorem(
        "layer-again",
        "one more layer costs every token a layer's training, whose FLOPs are those of its micro-batch",
        "s*b*(deeper - F) == F_1",
        {"deeper": per_token(at={"L": "L + 1"}), "F": per_token(), "F_1": trained()},
    ),
)
