"""Inference: caches of keys and values, and how intense decoding can be."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="inference", letters=(Letter("c", "factor"),))
cache, window = partial(Of, "kv-cache", about="llama"), Of("window-kv-cache", about="llama")
intensity = partial(Of, "decode-intensity", about="llama")
flops, read = Of("decode-flops-per-token", about="llama"), partial(Of, "decode-bytes-per-token", about="llama")

INFERENCE = (
    theorem(
        "cache-of-grouped-heads",
        "grouped heads have g/a of the cache of one key/value head for each query head",
        "M/M_a == g/a",
        {"M": cache(), "M_a": cache(at={"g": "a"})},
    ),
    theorem(
        "cache-is-linear-in-tokens",
        "c times the tokens take c times the cache",
        "longer == c*M",
        {"longer": cache(at={"s": "c*s"}), "M": cache()},
    ),
    theorem(
        "batch-for-length",
        "c times the sequences of a c-th of the tokens take the same cache",
        "traded == M",
        {"traded": cache(at={"b": "c*b", "s": "s/c"}), "M": cache()},
    ),
    theorem(
        "window-never-takes-more",
        "attention that reaches back over a window never takes more cache",
        "M_w <= M",
        {"M_w": window, "M": cache()},
        equality={"s": 2, "w": 2},
    ),
    theorem(
        "window-stops-growing",
        "from the window's length on its cache no longer grows",
        "M_w == M",
        {"M_w": window, "M": cache(at={"s": "w"})},
        given=("s >= w",),
        needed={"s >= w": {"w": 2}},
    ),
    theorem(
        "latent-never-takes-more",
        "a latent and a rotary key of no more elements than keys and values have never take more cache",
        "M_l <= M",
        {"M_l": Of("latent-kv-cache"), "M": cache()},
        given=("g >= (r_kv + d_rope)/(2*d)",),
        equality={"g": 1, "d": 1, "r_kv": 1, "d_rope": 1},
        needed={"g >= (r_kv + d_rope)/(2*d)": {"r_kv": 2}},
    ),
    theorem(
        "decoding-without-cache",
        "FLOPs over bytes read are b where nothing is read but weights",
        "I == b",
        {"I": intensity(at={"s": "0"})},
    ),
    theorem(
        "decoding-bound",
        "however large the batch, decoding does fewer FLOPs for a byte than for one of its cache alone",
        "I < X/M",
        {"I": intensity(), "X": flops, "M": cache(at={"b": "1"})},
    ),
    theorem(
        "decoding-at-most-the-batch",
        "with a key/value head for each query head, decoding does at most b FLOPs for a byte",
        "I <= b",
        {"I": intensity()},
        given=("g == a",),
        equality={"b": 1},
    ),
    theorem(
        "larger-batches-are-more-intense",
        "with every sequence more, decoding does more FLOPs for a byte",
        "I < more",
        {"I": intensity(), "more": intensity(at={"b": "b + 1"})},
    ),
    theorem(
        "larger-batches-read-less-a-token",
        "with every sequence more, fewer bytes are read for each token",
        "more < Q",
        {"Q": read(), "more": read(at={"b": "b + 1"})},
    ),
    theorem(
        "a-token-reads-its-cache",
        "however large the batch, more bytes are read for a token than its sequence's cache has",
        "M < Q",
        {"M": cache(at={"b": "1"}), "Q": read()},
    ),
    theorem(
        "decoding-costs-a-third",
        "a decoded token costs a third of a trained one, if the scores are causal and it attends to half the tokens",
        "3*X == F",
        {
            "X": Of("decode-flops-per-token", about="gpt", at={"s": "(s + 1)/2"}),
            "F": Of("flops-per-token", about="gpt"),
        },
    ),
)
