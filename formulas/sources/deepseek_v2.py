"""DeepSeek-AI 2024, DeepSeek-V2: what kinds of attention cache for a token."""

from derive import Citation, claims
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.inference import kv_cache, latent_kv_cache

deepseek_v2 = Citation(
    key="deepseek-v2",
    kind="paper",
    authors="DeepSeek-AI",
    year=2024,
    title="DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model",
    locator="arXiv:2405.04434",
)

multi_head = claims(
    deepseek_v2, kv_cache, "table 1, MHA: elements a token, for s*b tokens in 2 bytes", about=gpt,
    rows={"": "2*a*d*L*(2*s*b)"},
)  # fmt: skip

grouped = claims(
    deepseek_v2, kv_cache, "table 1, GQA: elements a token, for s*b tokens in 2 bytes", about=llama,
    rows={"": "2*g*d*L*(2*s*b)"},
)  # fmt: skip

multi_query = claims(
    deepseek_v2, kv_cache, "table 1, MQA: elements a token, for s*b tokens in 2 bytes", about=llama,
    given={"g": "1"}, rows={"": "2*d*L*(2*s*b)"},
)  # fmt: skip

latent = claims(
    deepseek_v2, latent_kv_cache, "table 1, MLA: elements a token, for s*b tokens in 2 bytes", form=True,
    rows={"": "(r_kv + d_rope)*L*(2*s*b)"},
)  # fmt: skip
