"""DeepSeek-AI 2024, DeepSeek-V3: how long pipelines wait, and what its latent attention caches."""

from derive import Citation, claims
from formulas.inference import latent_kv_cache
from formulas.parallelism import dual_pipe_idle, in_flight_microbatches, pipeline_idle, zero_bubble_idle

deepseek_v3 = Citation(
    key="deepseek-v3",
    kind="paper",
    authors="DeepSeek-AI",
    year=2024,
    title="DeepSeek-V3 Technical Report",
    locator="arXiv:2412.19437",
)

waiting = claims(
    deepseek_v3, pipeline_idle, "table 2, 1F1B: its PP, F and B", rows={"": "(p - 1)*(t_f + t_b)"}, form=True
)

waiting_without_weights = claims(
    deepseek_v3, zero_bubble_idle, "table 2, ZB1P: its PP, F, B and W; B is the whole backward pass", form=True,
    rows={"": "(p - 1)*(t_f + t_b - 2*t_w)"},
    note="holds where W is no longer than F and than the rest of B",
)  # fmt: skip

waiting_both_ways = claims(
    deepseek_v3, dual_pipe_idle, "table 2, DualPipe: its PP, F&B, B and W", form=True,
    rows={"": "(p/2 - 1)*(t_o + t_b - 3*t_w)"},
    note="of the middle devices, where a forward pass takes as long as the gradients of the inputs: the table says "
    "neither, and outer devices wait less where overlapping saves time",
)  # fmt: skip

in_flight = claims(
    deepseek_v3, in_flight_microbatches, "table 2, 1F1B: activations, its PP, for twice as many micro-batches",
    given={"m": "2*p"}, rows={"": "p"},
)  # fmt: skip

cached = claims(
    deepseek_v3, latent_kv_cache, "section 2.1.1: only c_t^KV and k_t^R are cached, in BF16 and for s*b tokens",
    rows={"": "L*(r_kv + d_rope)*2*s*b"},
)  # fmt: skip
