"""States, activations, logits and caches."""

from __future__ import annotations

from checks.oracles.configured import value
from derive.model import Model
from derive.plan import Plan
from derive.roles import Role
from formulas import formula_of
from formulas.architectures.gpt import gpt
from formulas.notation import common
from tests.cases.asking import DEEPSEEK, GPT_OSS, LLAMA_2, MIXTRAL, QWEN3_4B, Pairs, bare, config, named, of_dtype, rows


def mem_10() -> Pairs:
    trained = value(LLAMA_2, "parameters", "lora=8") - value(LLAMA_2, "parameters")
    frozen = value(LLAMA_2, "parameters")
    yield value(LLAMA_2, "states", "lora=8"), 2 * frozen + 16 * trained


def mem_16() -> Pairs:
    yield 2 * value(MIXTRAL, "parameters"), 93405585408
    yield 2 * value(MIXTRAL, "active-parameters"), 25759850496


def act_02() -> Pairs:
    fields = config(h=8192, a=32, d=256)
    yield rows(fields, "activations", named("log-sum-exp"), "attention=flash", s=4096, b=1), 524288


def act_04() -> Pairs:
    fields = config("qwen3_moe", E=128, k=8, f_e=768)
    yield rows(fields, "activations", named("gated"), s=4096, b=1) / 2, 25165824


def act_05() -> Pairs:
    yield rows(config(V=151936), "logits", of_dtype("fp32"), s=8192, b=1), 4978638848


def act_06() -> Pairs:
    yield rows(config(V=128256), "logits", of_dtype("bf16"), s=4096, b=1), 1050673152


def kv_02() -> Pairs:
    yield value(QWEN3_4B, "kv-cache", s=1), 147456


def kv_03() -> Pairs:
    yield value({**GPT_OSS, "sliding_window": 128}, "kv-cache", s=8192, b=32), 6543114240


def kv_04() -> Pairs:
    yield value(config("qwen3", L=64, h=5120, a=64, g=8, d=128), "kv-cache", s=1), 262144


def kv_05() -> Pairs:
    yield value(config(L=32, h=4096, a=32), "kv-cache", s=1), 524288


def kv_06() -> Pairs:
    for g, right in ((8, 10737418240), (64, 85899345920)):
        yield value(config(L=80, h=8192, a=64, g=g), "kv-cache", s=32768), right


def kv_07() -> Pairs:
    yield value(DEEPSEEK, "kv-cache", s=65536) / 4, 1151336448  # 4 bits an element, not 16


def kv_08() -> Pairs:
    fields = config(L=80, h=8192, a=64, g=8, d=128, V=128, f=64)
    each = value(fields, "kv-cache", "tp=32", s=1)
    yield each, 40960
    yield each * 32, 1310720


def kv_09() -> Pairs:
    yield value(config(L=80, h=8192, a=64), "kv-cache", s=1025) / 2, 1343488000  # 1 byte an element


def kv_10() -> Pairs:
    grouped, all_heads = (value(config(a=32, g=g), "kv-cache", s=1) for g in (8, 32))
    yield all_heads / grouped, 4


def mem_02() -> Pairs:
    N, megatron = 6738415616, "bf16-fp32-grads"
    yield bare("states", formats=megatron, N=N), 121291481088
    yield bare("states", N=N), 107814649856
    yield bare("states", "zero=1,dp=8", megatron, N=N), 50538117120


def mem_05() -> Pairs:
    for formats in ("bf16", "fp32"):
        yield bare("bytes-per-parameter", formats=formats), 16


def mem_06() -> Pairs:
    yield bare("states", N=6700000000), 107200000000
    yield bare("optimizer-bytes") * 6700000000, 80400000000


def mem_07() -> Pairs:
    yield bare("resident-states", formats="fp32", N=6700000000), 80400000000


def mem_09() -> Pairs:
    yield (bare("optimizer-bytes") - 4) * 175 * 10**9, 1400000000000


def mem_14() -> Pairs:
    yield bare("bytes-per-parameter"), 16
    yield bare("bytes-per-parameter", formats="bf16-fp32-grads"), 18


def act_03() -> Pairs:
    layer = formula_of("activations").ledger(Model(gpt), Plan().filled(gpt.kernels, gpt.mask)).within("norm")
    yield layer.of({Role.ACTIVATION}).value, 2 * (2 * common.symbol("s") * common.symbol("b") * common.symbol("h"))


CASES = (
    mem_10,
    mem_16,
    act_02,
    act_04,
    act_05,
    act_06,
    kv_02,
    kv_03,
    kv_04,
    kv_05,
    kv_06,
    kv_07,
    kv_08,
    kv_09,
    kv_10,
    mem_02,
    mem_05,
    mem_06,
    mem_07,
    mem_09,
    mem_14,
    act_03,
)
