"""Rajbhandari et al. 2020 (ZeRO): what mixed-precision training holds, whole and at each of three stages."""

from derive import Citation, claims
from formulas.states import bytes_per_parameter, optimizer_bytes, states, zero_1, zero_2, zero_3

rajbhandari2020 = Citation(
    key="rajbhandari2020",
    kind="paper",
    authors="Rajbhandari et al.",
    year=2020,
    title="ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
    locator="arXiv:1910.02054",
)

K = {"K": optimizer_bytes}

multiplier = claims(
    rajbhandari2020, optimizer_bytes, "section 3.1, mixed-precision Adam", recipe="fp16", rows={"": "12"},
    note="an fp32 copy of the parameters, momentum and variance, 4 bytes each",
)  # fmt: skip

whole = claims(rajbhandari2020, states, "figure 1, baseline", letters=K, recipe="fp16", rows={"": "(2 + 2 + K)*N"})

total = claims(rajbhandari2020, states, "section 3.1", recipe="fp16", rows={"": "16*N"})

of_a_parameter = claims(
    rajbhandari2020, bytes_per_parameter, "section 3.1, for each parameter", letters=K, recipe="fp16",
    rows={"": "2 + 2 + K"},
)  # fmt: skip

optimizer_state = claims(
    rajbhandari2020, zero_1, "figure 1, P_os", letters=K, recipe="fp16", rows={"": "2*N + 2*N + K*N/n"}
)

with_gradients = claims(
    rajbhandari2020, zero_2, "figure 1, P_os+g", letters=K, recipe="fp16", rows={"": "2*N + (2 + K)*N/n"}
)

everything = claims(
    rajbhandari2020, zero_3, "figure 1, P_os+g+p", letters=K, recipe="fp16", rows={"": "(2 + 2 + K)*N/n"}
)

# The same for Adam, as section 5 and table 1 use them.
optimizer_state_of_adam = claims(
    rajbhandari2020, zero_1, "section 5.1", letters=K, recipe="fp16", rows={"": "4*N + K*N/n"}
)

with_gradients_of_adam = claims(rajbhandari2020, zero_2, "section 5.2", recipe="fp16", rows={"": "2*N + 14*N/n"})

everything_of_adam = claims(rajbhandari2020, zero_3, "section 5.3", recipe="fp16", rows={"": "16*N/n"})
