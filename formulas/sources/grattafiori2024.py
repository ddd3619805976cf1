"""Grattafiori et al. 2024 (Llama 3): a flagship's size and tokens for its compute budget."""

from derive import Citation, claims
from formulas.scaling import training_flops

grattafiori2024 = Citation(
    key="grattafiori2024",
    kind="paper",
    authors="Grattafiori et al.",
    year=2024,
    title="The Llama 3 Herd of Models",
    locator="arXiv:2407.21783",
)

flagship = claims(
    grattafiori2024, training_flops, "section 3.2.1: 402B parameters on 16.55T tokens for 3.8e25 FLOPs",
    given={"N": "402*10^9", "D": "16550*10^9"}, expected="refuted", rows={"": "38*10^24"},
    note="6ND of these is 3.992e25, 5% more. Its law for the tokens, 0.29 C^0.53 as printed, gives 10.5T there",
)  # fmt: skip
