"""karpathy/nanoGPT: the FLOPs a token behind its MFU."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.flops import flops_per_token
from formulas.parameters import parameters

nanogpt = Citation(
    key="nanogpt",
    kind="tool",
    authors="Karpathy",
    year=2025,
    title="nanoGPT, model.py",
    locator="karpathy/nanoGPT 3adf61e1",
)

mfu = claims(
    nanogpt, flops_per_token, "estimate_mfu, lines 293-296, with get_num_params, lines 157-160", about=gpt,
    letters={"N": parameters}, includes={Role.GAIN, Role.BIAS},
    rows={"mask=full": "6*(N - S*h) + 12*L*a*(h/a)*s"},
    note="its model has the position table that get_num_params takes off again",
)  # fmt: skip
