"""karpathy/nanoGPT: the FLOPs a token behind its MFU, how it draws windows, how it scales residual branches."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.data import window_starts
from formulas.flops import flops_per_token
from formulas.init import residual_scale
from formulas.parameters import parameters

nanogpt = Citation(
    key="nanogpt",
    kind="tool",
    authors="Karpathy",
    year=2025,
    title="nanoGPT, model.py and train.py",
    locator="karpathy/nanoGPT 3adf61e1",
)

mfu = claims(
    nanogpt, flops_per_token, "estimate_mfu, lines 293-296, with get_num_params, lines 157-160", about=gpt,
    letters={"N": parameters}, includes={Role.GAIN, Role.BIAS},
    rows={"mask=full": "6*(N - S*h) + 12*L*a*(h/a)*s"},
    note="its model has the position table that get_num_params takes off again",
)  # fmt: skip

starts = claims(
    nanogpt, window_starts, "train.py, get_batch, line 123, randint(len(data) - block_size)", rows={"": "l - s"}
)

branches = claims(nanogpt, residual_scale, "GPT.__init__, line 145, its 0.02 aside", rows={"": "1/sqrt(2*L)"})
