"""FLOPs of forward and backward passes, of masks and of mixtures of experts."""

from __future__ import annotations

from fractions import Fraction

from checks.oracles.configured import value
from derive.roles import Role
from tests.asking import value as asked
from tests.cases.asking import (
    DEEPSEEK,
    LLAMA_2,
    QWEN3_4B,
    QWEN3_30B,
    QWEN3_235B,
    Pairs,
    beside_core,
    config,
    forward,
    in_core,
    rows,
    whole,
    within,
)


def flo_04() -> Pairs:
    h, L, s, V = 6144, 44, 2048, 50432
    plan = "mask=full,recompute=layer,attention=materialised"
    found = asked("hardware-flops-per-token", "gpt", plan, h=h, L=L, s=s, V=V, a=64, S=2048, b=1)
    yield found / (96 * L * h**2), 1 + Fraction(s, 6 * h) + Fraction(V, 16 * L * h)
    yield round(float(Fraction(V, 16 * L * h) / (1 + Fraction(s, 6 * h) + Fraction(V, 16 * L * h))) * 100, 4), 1.0925


def flo_05() -> Pairs:
    fields = config(h=8192, a=64, g=8, d=128)
    projections = forward(fields, beside_core("attention"), s=1, b=1)
    yield projections, Fraction(9, 2) * 8192**2


def flo_07() -> Pairs:
    for s, total in ((8192, 1510110501273600), (129024, 72826857040379904)):
        yield rows(LLAMA_2, "flops-per-token", whole, s=s, b=4) * s * 4, total
    yield rows(LLAMA_2, "flops-per-token", lambda row: not in_core(row), s=8192, b=4) * 8192 * 4, 1299004268740608
    yield rows(LLAMA_2, "attention-flops", lambda _: True, "mask=full", s=8192, b=4) * 8192 * 4, 422212465065984


def flo_09() -> Pairs:
    types = ["sliding_attention"] * 24 + ["full_attention"] * 8
    fields = config("qwen3", L=32, a=32, g=8, d=128, use_sliding_window=True, sliding_window=4096, layer_types=types)
    yield value(fields, "attention-flops", "mask=full", s=8192), 8053063680


def flo_10() -> Pairs:
    packed = rows(config(), "attention-flops", whole, "mask=packed", s=4096, q_2=512**2 + 1024**2 + 2560**2)
    yield rows(config(), "attention-flops", whole, s=4096) / packed, Fraction(16777216, 7864320)


def flo_11() -> Pairs:
    split, alone = (value(LLAMA_2, "flops-per-token", plan, s=4096) for plan in ("cp=4", ""))
    yield split, alone
    short, long = (rows(LLAMA_2, "attention-flops", whole, s=s) * s for s in (1024, 4096))
    yield long / short, 16


def flo_12() -> Pairs:
    yield value(QWEN3_4B, "attention-flops", "mask=full", s=4096), 7247757312
    narrow = {**QWEN3_4B, "head_dim": 80}
    yield value(narrow, "attention-flops", "mask=full", s=4096), 4529848320


def flo_13() -> Pairs:
    s = 196608
    yield round(float(rows(QWEN3_235B, "flops-per-token", whole, s=s) * s / 10**15), 3), 204.038


def flo_14() -> Pairs:
    yield rows(DEEPSEEK, "attention-flops", whole, s=4096), 30702305280


def flo_16() -> Pairs:
    tied, untied = (config(h=2048, V=151936, tied=tied) for tied in (True, False))
    yield value(tied, "flops-per-token", s=8), value(untied, "flops-per-token", s=8)
    yield forward(tied, within("head"), s=1, b=1), 622329856


def flo_17() -> Pairs:
    weights = value(QWEN3_30B, "active-parameters") - value(QWEN3_30B, "embedding-parameters")
    norms = rows(QWEN3_30B, "parameters", lambda row: row.role is Role.GAIN)
    yield rows(QWEN3_30B, "flops-per-token", lambda row: not in_core(row)), 6 * (weights - norms)
    yield 6 * value(QWEN3_30B, "embedding-parameters"), 1866989568


def flo_18() -> Pairs:
    yield value(QWEN3_30B, "flops-per-token", "mask=full", s=8192), 37577293824
    yield value(QWEN3_30B, "parameters"), 30532122624
    yield value(QWEN3_30B, "active-parameters"), 3353032704


def flo_21() -> Pairs:
    frozen = rows(LLAMA_2, "flops-per-token", beside_core("layer"), "frozen=layer")
    yield frozen / rows(LLAMA_2, "flops-per-token", beside_core("layer")), Fraction(4, 6)


def flo_22() -> Pairs:
    yield forward(config(a=5, d=4), in_core, s=9, b=2), 12960


def flo_23() -> Pairs:
    yield forward(config(a=12, d=64), in_core, s=64, b=1), 12582912


def flo_24() -> Pairs:
    one, two = (value(LLAMA_2, "flops-per-token", s=s) * s for s in (8192, 16384))
    yield two / one > 2, True


def flo_26() -> Pairs:
    N, plans = 65290000000, ("mask=causal", "mask=full")
    fields = config(h=8192, L=80, a=64, d=128)
    causal, full = (6 * N + rows(fields, "attention-flops", whole, plan, s=65536) for plan in plans)
    yield round(float(causal / full), 4), 0.7159
    yield round(float(322 * causal / full), 2), 230.53


def flo_27() -> Pairs:
    fields = config(h=4608, a=36, d=128, f=4 * 4608)
    scores = value(fields, "attention-flops", "mask=full", s=36864)
    yield scores, rows(fields, "flops-per-token", beside_core("layer"), s=36864)


def flo_29() -> Pairs:
    fields = {**QWEN3_30B, "num_hidden_layers": 1}
    yield forward(fields, within("experts"), s=1, b=1) / 2, 37748736
    yield forward({**fields, "moe_intermediate_size": 6144}, within("experts"), s=1, b=1) / 2, 301989888


def flo_31() -> Pairs:
    sizes = {"h": 12288, "L": 96, "s": 2048, "V": 51200, "a": 96, "S": 2048, "b": 1}
    plan = "mask=full,attention=materialised,recompute=core"
    yield round(float(asked("recompute-factor", "gpt", plan, **sizes) - 1), 5), 0.00898


CASES = (
    flo_04,
    flo_05,
    flo_07,
    flo_09,
    flo_10,
    flo_11,
    flo_12,
    flo_13,
    flo_14,
    flo_16,
    flo_17,
    flo_18,
    flo_21,
    flo_22,
    flo_23,
    flo_24,
    flo_26,
    flo_27,
    flo_29,
    flo_31,
)
