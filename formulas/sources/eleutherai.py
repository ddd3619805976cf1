"""EleutherAI's Transformer Math 101: compute from parameters and tokens, and from throughput and time."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.inference import decode_flops_per_token
from formulas.parameters import parameters
from formulas.scaling import training_flops
from formulas.time import compute_budget

eleutherai = Citation(
    key="eleutherai",
    kind="article",
    authors="Anthony, Biderman and Schoelkopf",
    year=2023,
    title="Transformer Math 101",
    locator="blog.eleuther.ai/transformer-math",
)

from_parameters = claims(
    eleutherai, training_flops, "Compute Requirements, C = 6PD", rows={"": "6*N*D"},
    note="its P is our N",
)  # fmt: skip

forward_and_backward = claims(
    eleutherai, training_flops, "Compute Requirements, 2PD forward and 4PD backward", about=gpt,
    letters={"N": parameters}, neglect={"core"}, includes={Role.GAIN, Role.BIAS, Role.POSITIONS},
    rows={"": "2*N*D + 4*N*D"},
)  # fmt: skip

inference = claims(
    eleutherai, decode_flops_per_token, "Compute Requirements, 2PD for inference: of each token", about=gpt,
    letters={"N": parameters}, neglect={"core"}, includes={Role.GAIN, Role.BIAS, Role.POSITIONS}, rows={"": "2*N"},
)  # fmt: skip

from_time = claims(
    eleutherai, compute_budget, "Compute Requirements, C = tau T, with tau the devices times what each achieves",
    rows={"": "(G*(eta*P))*T"},
)  # fmt: skip
