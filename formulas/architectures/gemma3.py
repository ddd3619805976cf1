"""Gemma 3 (Gemma team 2025, arXiv 2503.19786): five layers with a window to one without, norms of queries and keys."""

from functools import partial

from formulas.architectures.gemma2 import outline, shifted_norm
from formulas.architectures.gpt import core
from formulas.architectures.llama import projections, rope, rotated

MODEL_TYPES = ("gemma3_text",)
ROTATE = {"window layer": partial(rotated, rope=partial(rope, of="local ")), "full layer": rotated}


def read(fields):
    """transformers' Gemma3TextConfig; it has a cap of the scores, which its attention does not apply.

    The pattern that newer files keep beside the list of types is not read: without the list the older name counts.
    """
    fields.ignores(
        "rope_theta", "rope_scaling", "rope_local_base_freq", "query_pre_attn_scalar", "attn_logit_softcapping",
        "cache_implementation", "_sliding_window_pattern",
    )  # fmt: skip
    every = fields.size("sliding_window_pattern", default=6)
    normed = partial(projections, normed=shifted_norm)
    capped = fields.positive("final_logit_softcapping", default=None) is not None
    usual = {"heads": 8, "vocabulary": 262208}  # of the published 4B, 12B and 27B, whose files do not say
    own = usual | {"core": core, "capped": capped, "project": normed, "rotate": ROTATE}
    about = "norms of query and key heads, "
    return outline(fields, about, is_window=lambda index: (index + 1) % every.value != 0, **own)
