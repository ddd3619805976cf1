"""Hugging Face's transformers: what its caches of keys and values hold behind a sliding window."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.inference import window_kv_cache

transformers = Citation(
    key="transformers",
    kind="tool",
    authors="Hugging Face",
    year=2026,
    title="transformers, src/transformers/cache_utils.py",
    locator="transformers 5.24.0",
)

static = claims(
    transformers, window_kv_cache,
    "StaticSlidingWindowLayer, lines 526-541, keys and values in 2 bytes, its max_cache_len as s", about=llama,
    rows={"": "2*(b*g*min(s, w)*d)*2*L"},
)  # fmt: skip

dynamic = claims(
    transformers, window_kv_cache, "DynamicSlidingWindowLayer.update, lines 244-247, keys and values in 2 bytes",
    about=llama, expected="refuted", rows={"": "2*(b*g*min(s, w - 1)*d)*2*L"},
    note="between steps: the new token, whose keys and values a step adds, is one more, and its window is whole",
)  # fmt: skip
