"""What the cases ask: configurations of well-known models, chosen rows of a quantity, quantities of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from checks.oracles.configured import ours
from derive.evaluation import number
from derive.model import Given
from derive.plan import parse_plan
from derive.precision import recipe
from derive.products import flops
from derive.reading import to_tree
from derive.roles import Role
from derive.situation import situation
from formulas import formula_of

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


def bare(name: str, plan: str = "", formats: str = "bf16", **letters: Any) -> Fraction:
    """A quantity of numbers alone, without a model."""
    options = {letter: Given(each, "option") for letter, each in letters.items()}
    formula = formula_of(name)
    written = parse_plan(plan, formula.notation.symbol, recipe(formats))
    found = situation(formula, None, written, options=options).value
    assert isinstance(found, Fraction)
    return found
