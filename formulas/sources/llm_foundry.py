"""Databricks' llm-foundry: the FLOPs behind its MFU, in training and in the tables of its benchmarks."""

from derive import Citation, Role, claims
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.parameters import parameters

llm_foundry = Citation(
    key="llm-foundry",
    kind="tool",
    authors="MosaicML",
    year=2025,
    title="llm-foundry, llmfoundry/models/mpt/modeling_mpt.py and scripts/train/benchmarking/collect_results.py",
    locator="mosaicml/llm-foundry 8c8dd48f",
)

N = {"N": parameters}

tied = claims(
    llm_foundry, flops_per_token, "flops_per_batch, lines 1588-1618, of a tied model, divided by its bs*msl tokens",
    about=gpt, letters=N, includes={Role.GAIN, Role.BIAS, Role.POSITIONS},
    rows={"mask=full": "(2*N*s + L*2*2*(h*s^2))*3*b/(b*s)"},
)  # fmt: skip

untied = claims(
    llm_foundry, flops_per_token,
    "flops_per_batch, lines 1588-1618, with mpt_get_active_params, of an untied model, divided by its bs*msl tokens",
    about=llama, given={"d": "h/a"}, letters=N, includes={Role.GAIN},
    rows={"mask=full": "(2*(N - V*h)*s + L*2*2*(h*s^2))*3*b/(b*s)"},
    note="takes the input table off again: a lookup, not counted as FLOPs",
)  # fmt: skip

benchmark = claims(
    llm_foundry, flops_per_token, "parse_run, lines 165-186, of an untied model, divided by the tokens", about=llama,
    given={"d": "h/a"}, letters=N, expected="refuted",
    rows={"mask=full": "(3*(2*N*s) + 3*(L*2*2*(h*s^2)))/s"},
    note="all parameters, the input table too: too large by 6Vh, and by 6 FLOPs for each norm weight",
)  # fmt: skip
