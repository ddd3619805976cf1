"""huggingface/picotron: an MFU that counts the input table as if it were multiplied."""

from derive import Citation, claims
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.parameters import parameters

picotron = Citation(
    key="picotron",
    kind="tool",
    authors="Hugging Face",
    year=2025,
    title="picotron, picotron/utils.py",
    locator="huggingface/picotron 59714b1b",
)

mfu = claims(
    picotron, flops_per_token, "get_mfu, line 47, with num_params from get_num_params", about=llama,
    letters={"N": parameters}, given={"d": "h/a"}, expected="refuted", rows={"mask=full": "6*N + 12*L*h*s"},
    note="a lookup is no product: too large by 6Vh, and by 6 FLOPs for each norm weight",
)  # fmt: skip
