"""How many parameters there are, are used by a token, and are held by a device."""

from __future__ import annotations

from fractions import Fraction

from checks.oracles.configured import value
from derive.roles import Role
from tests.cases.asking import DEEPSEEK, LLAMA_2, MIXTRAL, Pairs, beside_core, config, rows, within


def par_02() -> Pairs:
    yield value(LLAMA_2, "parameters"), 6738415616
    yield rows(LLAMA_2, "parameters", lambda row: row.tensor == "norm weight" and "layer" in row.blocks), 262144


def padded(V: int, divisor: int, tp: int) -> Fraction:
    return value(config(V=V), "embedding-parameters", f"pad-vocab={divisor},tp={tp}") / 64


def par_03() -> Pairs:
    for tp in (1, 2, 4, 8, 16, 32, 64, 128):
        yield padded(151936, 1187, tp) - 151936, 0
    yield padded(151936, 1187, 256) > 151936, True


def par_04() -> Pairs:
    yield padded(32002, 128, 2), 32256
    yield padded(32000, 128, 2), 32000


def par_05() -> Pairs:
    yield padded(250680, 128, 4), 250880
    yield padded(250680, 1024, 4), 253952


def par_06() -> Pairs:
    fields = config(V=50304, h=2048, L=4, a=16, d=128, f=64, tied=True)
    first, last = (value(fields, "device-parameters", f"pp=4,stage={stage}") for stage in ("first", "last"))
    middle = value(fields, "layer-parameters")
    yield first + 2 * middle + last - value(fields, "parameters", "pp=4"), 103022592


def par_07() -> Pairs:
    fields = config("qwen3", h=1024, L=28, a=16, g=8, d=128, f=3072, V=151936, tied=True)
    yield value(fields, "parameters"), 596049920
    yield value(fields, "gemm-parameters"), 595984384
    products = value(fields, "flops-per-token", s=1, b=1) - value(fields, "attention-flops", s=1, b=1)
    yield products, 3575906304


def par_08() -> Pairs:
    yield value(MIXTRAL, "parameters"), 46702792704
    yield value(MIXTRAL, "active-parameters"), 12879925248


def par_09() -> Pairs:
    fields = config("mixtral", h=6144, L=56, a=48, g=8, d=128, f=16384, num_local_experts=8, k=2, V=32000)
    yield value(fields, "parameters"), 140620634112
    yield value(fields, "active-parameters"), 39152031744


def par_10() -> Pairs:
    fields = {
        "model_type": "gpt2",
        "vocab_size": 50257,
        "n_embd": 768,
        "n_layer": 12,
        "n_head": 12,
        "n_positions": 1024,
    }
    yield value(fields, "parameters"), 124439808
    fields |= {"vocab_size": 50304}
    unbiased = rows(fields, "parameters", lambda row: row.role is not Role.BIAS and row.tensor != "norm bias")
    yield unbiased, 124373760
    yield unbiased - 1024 * 768, 123587328


def par_11() -> Pairs:
    yield value(LLAMA_2, "states", "dp=128,zero=3") / 16, 52643872
    yield value(LLAMA_2, "flops-per-token", "dp=128,zero=3", s=64), value(LLAMA_2, "flops-per-token", s=64)


def par_12() -> Pairs:
    fields = config(h=4096, a=32, g=8, d=128)
    yield rows(fields, "layer-parameters", within("attention")), 41943040
    yield rows(config(h=4096, a=32, g=32, d=128), "layer-parameters", within("attention")), 67108864
    yield rows(fields, "flops-per-token", beside_core("attention")), 251658240


def par_13() -> Pairs:
    attention = within("attention")
    yield rows(DEEPSEEK, "layer-parameters", lambda row: attention(row) and row.role is Role.WEIGHT), 187105280
    yield rows(DEEPSEEK, "layer-parameters", attention), 187107328


CASES = (
    par_02,
    par_03,
    par_04,
    par_05,
    par_06,
    par_07,
    par_08,
    par_09,
    par_10,
    par_11,
    par_12,
    par_13,
)
