"""Austin et al. 2025, the JAX scaling book: FLOPs of a Transformer by part, and when attention outweighs the rest."""

from derive import Citation, Role, claims
from formulas.architectures.llama import llama
from formulas.flops import attention_flops, flops_per_token
from formulas.parameters import embedding_parameters

scaling_book = Citation(
    key="scaling-book",
    kind="article",
    authors="Austin et al.",
    year=2025,
    title="How to Scale Your Model, part 4: All the Transformer Math You Need to Know",
    locator="jax-ml/scaling-book 0819a7d8, transformers.md",
)

shape = {"d": "h/a", "g": "a", "f": "4*h"}
RATIO = "Fractional cost of attention: attention over matmul FLOPs is T/(8D)"
share = "s/(8*h)*((18*h*f + 24*h*a*d)*L)"

layers = claims(
    scaling_book, flops_per_token, "General rule of thumb: 18BTDF + 24BTDNH for each of B*T tokens, all layers",
    about=llama, given={"g": "a"}, neglect={"core", "head"}, rows={"mask=full": "(18*h*f + 24*h*a*d)*L"},
)  # fmt: skip

scores = claims(
    scaling_book, attention_flops, "Attention: 12BT^2NH for each of B*T tokens, all layers", about=llama,
    rows={"mask=full": "12*b*s^2*a*d/(b*s)*L"},
)  # fmt: skip

ratio = claims(
    scaling_book, attention_flops, f"{RATIO}, with F = 4D, D = NH and as many key/value heads", about=llama,
    given=shape, rows={"mask=full": share},
    note="at the 4608 of Gemma-27B the two are equal from 36864 tokens on, which it prints as around 32k",
)  # fmt: skip

ratio_of_a_narrow_mlp = claims(
    scaling_book, attention_flops, f"{RATIO}, for an MLP with F = 8D/3", about=llama, given=shape | {"f": "8*h/3"},
    expected="refuted", rows={"mask=full": share}, note="T/(6D) there",
)  # fmt: skip

ratio_of_grouped_heads = claims(
    scaling_book, attention_flops, f"{RATIO}, with key/value heads for every eight query heads", about=llama,
    given=shape | {"g": "a/8"}, expected="refuted",
    rows={"mask=full": "s/(8*h)*((18*h*f + 12*h*a*d + 12*h*g*d)*L)"},
    note="the projections are 2.25 D^2 weights there, not 4 D^2",
)  # fmt: skip

ratio_with_a_causal_mask = claims(
    scaling_book, attention_flops, f"{RATIO}, with the half of the scores that a causal mask leaves", about=llama,
    given=shape, neglect={Role.DIAGONAL}, expected="refuted", rows={"mask=causal": share},
    note="T/(16D) there",
)  # fmt: skip

PROJECTIONS = "question 5: attention is as much as the QKVO projections, 24BTDNH, at T = 2D"

equal_parts = claims(
    scaling_book, attention_flops, PROJECTIONS, about=llama, given={"s": "2*h"}, rows={"mask=full": "24*h*a*d*L"}
)

equal_parts_of_grouped_heads = claims(
    scaling_book, attention_flops, f"{PROJECTIONS}, of grouped heads", about=llama, given={"s": "2*h", "a": "8*g"},
    expected="refuted", rows={"mask=full": "6*(2*h*a*d + 2*h*g*d)*L"},
    note="grouped heads have smaller projections: it is at T = D(1 + K/N) already",
)  # fmt: skip

unembedding = claims(
    scaling_book, flops_per_token, "General rule of thumb: 6BSEV for the unembedding, for each of B*S tokens",
    about=llama, neglect={"layer"}, rows={"mask=full": "6*h*V"},
)  # fmt: skip

vocabulary_parameters = claims(
    scaling_book, embedding_parameters, "table of all parts, row Vocab: DV parameters", about=llama, rows={"": "h*V"}
)

vocabulary = claims(
    scaling_book, flops_per_token, "table of all parts, row Vocab: 12BTDV, for each of B*T tokens", about=llama,
    neglect={"layer"}, expected="refuted", rows={"mask=full": "12*h*V"},
    note="twice its own 6 FLOPs for each parameter and token: the lookup is no product. 3152019456 too many for each "
    "token of Llama 3 8B",
)  # fmt: skip
