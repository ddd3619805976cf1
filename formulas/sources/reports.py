"""Public reports of people who were given wrong numbers, and whose own way out of it is wrong as well."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.flops import layer_flops
from formulas.inference import latent_kv_cache
from formulas.parallelism import in_flight_microbatches

reports = Citation(
    key="reports",
    kind="tool",
    authors="Users of several tools",
    year=2026,
    title="Issues and pull requests of public repositories",
    locator="as each claim says",
)

projections = claims(
    reports, layer_flops, "NVIDIA/Megatron-LM PR 682: queries shrink with the groups, keys and values stay whole",
    about=llama, given={"d": "h/a"}, expected="refuted",
    rows={"mask=full": "2*b*s*h^2*(3 + g/a) + 4*b*s^2*h + 6*b*s*h*f"},
    note="the other way round: keys and values shrink, 2bsh^2(2 + 2g/a)",
)  # fmt: skip

latent = claims(
    reports, latent_kv_cache, "gpustack/gguf-parser-go issue 8: one latent a token",
    expected="refuted", rows={"": "(r_kv + d_rope)*2*s*b"}, note="one layer's; each of L layers has its own",
)  # fmt: skip

in_flight = claims(
    reports, in_flight_microbatches, "fangwei123456/spikingjelly PR 726, a review: the share m/p is inverted",
    expected="refuted", rows={"": "p*min(1, p/m)"}, note="it is not: with fewer micro-batches than stages, m are held",
)  # fmt: skip
