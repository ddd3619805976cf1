"""Reports of people who were given wrong numbers: the right value of each, by its number in the collection of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from checks.oracles.configured import ours, value
from derive.evaluation import number
from derive.model import Given, Model
from derive.plan import Plan, parse_plan
from derive.precision import recipe
from derive.products import flops
from derive.reading import to_tree
from derive.roles import Role
from derive.situation import situation
from derive.values import show
from formulas import formula_of
from formulas.architectures.gpt import gpt
from formulas.notation import common
from tests.asking import value as asked

COLLECTION = Path(__file__).parents[2] / "shared" / "cases" / "cases.json"
Pairs = Iterator[tuple[Any, Any]]  # ours, and what is right


def config(model_type: str = "llama", **fields: Any) -> dict[str, Any]:
    """A configuration by the names that Llama's gave sizes."""
    names = {
        "h": "hidden_size", "L": "num_hidden_layers", "a": "num_attention_heads", "g": "num_key_value_heads",
        "d": "head_dim", "f": "intermediate_size", "V": "vocab_size", "E": "num_experts", "k": "num_experts_per_tok",
        "f_e": "moe_intermediate_size", "tied": "tie_word_embeddings",
    }  # fmt: skip
    usual = {"h": 64, "L": 1, "a": 1, "g": fields.get("a", 1), "f": 1, "V": 1}
    return {"model_type": model_type} | {names.get(name, name): each for name, each in (usual | fields).items()}


LLAMA_2 = config(h=4096, L=32, a=32, f=11008, V=32000)
QWEN3_4B = config("qwen3", h=2560, L=36, a=32, g=8, d=128, f=9728, V=151936)
QWEN3_30B = config("qwen3_moe", h=2048, L=48, a=32, g=4, d=128, f=6144, f_e=768, E=128, k=8, V=151936)
QWEN3_235B = config("qwen3_moe", h=4096, L=94, a=64, g=4, d=128, f=12288, f_e=1536, E=128, k=8, V=151936)
MIXTRAL = config("mixtral", h=4096, L=32, a=32, g=8, d=128, f=14336, num_local_experts=8, k=2, V=32000)
GPT_OSS = config("gpt_oss", h=2880, L=24, a=64, g=8, d=64, f=2880, num_local_experts=32, k=4, V=201088)
DEEPSEEK = {
    "model_type": "deepseek_v3", "vocab_size": 129280, "hidden_size": 7168, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128, "n_shared_experts": 1,
    "n_routed_experts": 256, "num_experts_per_tok": 8, "kv_lora_rank": 512, "q_lora_rank": 1536,
    "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "first_k_dense_replace": 3,
}  # fmt: skip


def rows(fields: dict[str, Any], name: str, keep: Callable[[Any], bool], plan: str = "", **sizes: Any) -> Fraction:
    """The rows of a quantity's ledger for which `keep` holds, added up."""
    at: dict[str, Any] = {"s": 1} | sizes
    case = ours(fields, name, plan, **at)
    return amount(case, case.formula.rows(case.model, case.plan).select(keep))


def amount(case: Any, ledger: Any) -> Fraction:
    """The value of a ledger at the sizes of a case."""
    found = number(to_tree(ledger.value), case.known)
    assert isinstance(found, Fraction)
    return found


def whole(row: Any) -> bool:
    """Rows as papers count a causal mask: s^2/2, without the half of the diagonal."""
    return row.role is not Role.DIAGONAL


def forward(fields: dict[str, Any], keep: Callable[[Any], bool], plan: str = "mask=full", **sizes: Any) -> Fraction:
    """FLOPs of the forward pass of the whole model, of the products for which `keep` holds."""
    case = ours(fields, "flops-per-token", plan, **sizes)
    return amount(case, flops(case.model.whole, case.plan, "forward").select(keep))


def in_core(row: Any) -> bool:
    return "core" in row.blocks


def within(block: str) -> Callable[[Any], bool]:
    """Rows of a block, wherever it stands."""
    return lambda row: block in row.blocks


def named(tensor: str) -> Callable[[Any], bool]:
    """Rows of the tensors of a name."""
    return lambda row: row.tensor == tensor


def of_dtype(dtype: str) -> Callable[[Any], bool]:
    """Rows of the tensors held in a data type."""
    return lambda row: row.dtype == dtype


def beside_core(block: str) -> Callable[[Any], bool]:
    """Rows of a block, without the core of attention."""
    return lambda row: block in row.blocks and not in_core(row)


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


def bare(name: str, plan: str = "", formats: str = "bf16", **letters: Any) -> Fraction:
    """A quantity of numbers alone, without a model."""
    options = {letter: Given(each, "option") for letter, each in letters.items()}
    formula = formula_of(name)
    written = parse_plan(plan, formula.notation.symbol, recipe(formats))
    found = situation(formula, None, written, options=options).value
    assert isinstance(found, Fraction)
    return found


def mfu_02() -> Pairs:
    F = 6 * 123587328 + 12 * 12 * 12 * 64 * 1024
    yield F, 854770176
    at = {"F": F, "B": 491520, "T": Fraction(576, 1000), "G": 8, "P": 312 * 10**12}
    yield round(float(bare("mfu", **at)), 8), 0.29222912


def mfu_04() -> Pairs:
    for peak, right in ((Fraction(9895, 10), 0.4244568), (1979, 0.2122284)):
        yield round(float(bare("mfu", Q=420 * 10**12, P=Fraction(peak) * 10**12)), 7), right


def mfu_05() -> Pairs:
    found = bare("mfu", Q=9600 * 5 * 10**10, P=989 * 10**12)
    yield round(float(found), 4), 0.4853


def mfu_10() -> Pairs:
    split, alone = (value(LLAMA_2, "flops-per-token", plan, s=4096) for plan in ("cp=2", ""))
    yield split, alone


def mfu_12() -> Pairs:
    split, alone = (value(LLAMA_2, "flops-per-token", plan, s=4096) for plan in ("tp=8", ""))
    yield split - alone, 0


def mfu_14() -> Pairs:
    again = ours(LLAMA_2, "hardware-flops", "recompute=layer,attention=materialised", s=64, b=1).value
    yield again / value(LLAMA_2, "layer-flops", s=64, b=1), 4
    yield value(LLAMA_2, "recompute-factor", "recompute=layer,attention=materialised", s=64) < Fraction(4, 3), True


def mfu_15() -> Pairs:
    yield value(LLAMA_2, "flops-per-token", s=64) / (forward(LLAMA_2, lambda _: True, "", s=64, b=1) / 64), 3


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


def pp_02() -> Pairs:
    yield bare("in-flight-microbatches", p=8, m=4) / 8, Fraction(1, 2)


def pp_03() -> Pairs:
    for m, ideal, total in ((16, Fraction(3, 16), Fraction(3, 19)), (8, Fraction(3, 8), Fraction(3, 11))):
        yield bare("pipeline-bubble", p=4, m=m), ideal
        yield bare("pipeline-bubble-of-whole", p=4, m=m), total


def tim_02() -> Pairs:
    yield bare("gpu-hours", G=160, T=15 * 86400), 57600


def uni_01() -> Pairs:
    yield show(Fraction(83 * 10**9), "byte"), "83.00 GB (77.30 GiB)"


KINDS = ("par", "flo", "mfu", "mem", "act", "pp", "kv", "tim", "uni")
CASES: dict[str, Callable[[], Pairs]] = {
    name.replace("_", "-").upper(): case
    for name, case in list(globals().items())
    if name.partition("_")[0] in KINDS and name.partition("_")[2].isdigit()
}
# Identities and conventions that claims, theorems and facts decide: units, h = ad, what counts as compute, dense peaks,
# moments in another format, Chinchilla's constraint.
ELSEWHERE = ("FLO-15", "FLO-25", "FLO-30", "MFU-06", "MFU-07", "MFU-08", "MEM-08", "MEM-11", "SCA-02", "UNI-02")
# Two numbers of a program beside one another, of which nothing is derived: its factor, its label, its divisor.
OF_OTHERS = (
    "FLO-28", "MFU-03", "MFU-09", "MFU-11", "MFU-16", "MFU-17", "MFU-18", "MEM-04", "MEM-12", "MEM-13", "MEM-15",
)  # fmt: skip
BEYOND = ("FLO-19", "MFU-13", "PP-04")  # images, a mixture of peaks, an open question


@pytest.mark.parametrize("name", CASES)
def test_case(name: str):
    for here, right in CASES[name]():
        assert here == right


def test_every_case_is_somewhere():
    if not COLLECTION.exists():
        pytest.skip("the collection of reports is not beside this checkout")
    names = {each["id"] for each in json.loads(COLLECTION.read_text(encoding="utf-8"))}
    assert {*CASES, *ELSEWHERE, *OF_OTHERS, *BEYOND} == names
