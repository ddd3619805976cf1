"""Recomputation: what it costs at most, and the segments that keep least."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem

theorem = partial(Theorem, topic="recompute")
run = partial(Of, "hardware-flops", about="gpt")
factor = partial(Of, "recompute-factor", about="gpt")
FULL, SELECTIVE = "recompute=layer,mask=full", "recompute=core,mask=full"
F = run("mask=full")
bytes_at = partial(Of, "checkpointed-bytes")
interval = Of("checkpoint-interval")

RECOMPUTATION = (
    theorem(
        "full-costs-a-third-more",
        "full recomputation runs 4/3 of the FLOPs of a layer's training",
        "H/F == 4/3",
        {"H": run(FULL), "F": F},
    ),
    theorem(
        "head-is-not-run-again",
        "full recomputation runs less than 4/3 of a whole model's FLOPs, as the head is not run again",
        "rho < 4/3",
        {"rho": factor("recompute=layer")},
    ),
    theorem(
        "selective-costs-less-than-a-third",
        "selective recomputation runs less than 4/3 of a layer's FLOPs, however long the sequence",
        "H/F < 4/3",
        {"H": run(SELECTIVE), "F": F},
    ),
    theorem(
        "selective-costs-less-than-full",
        "selective recomputation runs less than full recomputation",
        "H_c < H_l",
        {"H_c": run(SELECTIVE), "H_l": run(FULL)},
    ),
    theorem(
        "selective-adds-at-most-a-21st",
        "as long as the sequence is not longer than the layer is wide, selective recomputation adds at most 1/21",
        "H/F <= 22/21",
        {"H": run(SELECTIVE), "F": F},
        given=("s <= h",),
        equality={"s": 1, "h": 1},
        needed={"s <= h": {"s": 2}},
    ),
    theorem(
        "selective-cost-grows-with-length",
        "the longer the sequence, the more of a layer selective recomputation runs again",
        "H/F < H_1/F_1",
        {
            "H": run(SELECTIVE),
            "F": F,
            "H_1": run(SELECTIVE, at={"s": "s + 1"}),
            "F_1": run("mask=full", at={"s": "s + 1"}),
        },
    ),
    theorem(
        "selective-of-a-model",
        "of a whole model selective recomputation runs less than full recomputation",
        "rho_c < rho_l",
        {"rho_c": factor("recompute=core"), "rho_l": factor("recompute=layer")},
    ),
    theorem(
        "segments-by-means",
        "k_s layers of a segment and L/k_s segments are at least 2 sqrt(L) together, by the two means",
        "2*sqrt(L) <= k_s + L/k_s",
        equality={"L": 4, "k_s": 2},
    ),
    theorem(
        "segments-that-keep-least",
        "no length of the segments keeps less than the interval where inputs and interior take the same",
        "least <= A_k",
        {"k_0": interval, "least": bytes_at(at={"k_s": "k_0"}), "A_k": bytes_at()},
        equality={"L": 4, "k_s": 2},
    ),
    theorem(
        "least-is-twice-the-root",
        "at the best interval the layers keep 2 sqrt(AcL), less the input that is counted twice",
        "least == 2*sqrt(A*c*L) - c",
        {"k_0": interval, "least": bytes_at(at={"k_s": "k_0"})},
    ),
    theorem(
        "root-of-the-layers",
        "where a layer keeps as much as its input, the best interval is sqrt(L), as Chen et al. have it",
        "k_0 == sqrt(L)",
        {"k_0": interval},
        given=("A == c",),
    ),
    theorem(
        "segments-of-one-layer",
        "segments of one layer keep the inputs of all but one layer and the interior of one",
        "A_1 == (L - 1)*c + A",
        {"A_1": bytes_at(at={"k_s": "1"})},
    ),
    theorem(
        "segments-of-all-layers",
        "one segment of all layers keeps everything, as if nothing were recomputed",
        "A_L == L*A",
        {"A_L": bytes_at(at={"k_s": "L"})},
    ),
)
