"""Random valid configurations of every model type: small sizes, every setting that a type has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

Fields = dict[str, Any]
# transformers' names of functions that a gated MLP may have; some are of one function.
ACTIVATIONS = ("silu", "swish", "gelu", "gelu_pytorch_tanh", "gelu_new", "gelu_accurate", "gelu_python_tanh", "relu")


@dataclass(frozen=True)
class Draw:
    """One draw of sizes from distinct small primes, so that no product of some is by chance one of others."""

    random: Random
    h: int
    a: int
    g: int
    d: int
    f: int
    V: int
    L: int
    positions: int

    def flag(self) -> bool:
        """True or false."""
        return self.random.random() < 0.5

    def one_of(self, *values: Any) -> Any:
        """One of the values."""
        return self.random.choice(values)


ALONE = 3  # the remainder by 4 of a seed whose model has one head


def draw(seed: int) -> Draw:
    """Sizes: heads are a multiple of key/value heads, the hidden size one of heads, a head's width even."""
    random = Random(seed)
    g, ratio = random.sample((2, 3, 5), 2) if seed % 4 != ALONE else (1, 1)
    half, m, f = random.sample((7, 11, 13, 17, 19), 3)
    V, positions = random.choice((53, 59, 61)), random.choice((67, 71, 73))
    a = g * ratio
    return Draw(random, a * 2 * m, a, g, 2 * half, f, V, random.choice((2, 3)), positions)


def llama_like(n: Draw, **more: Any) -> Fields:
    """The names that Llama's configuration gave sizes."""
    return {
        "vocab_size": n.V,
        "hidden_size": n.h,
        "intermediate_size": n.f,
        "num_hidden_layers": n.L,
        "num_attention_heads": n.a,
        "num_key_value_heads": n.g,
        "head_dim": n.d,
        "max_position_embeddings": n.positions,
        "tie_word_embeddings": n.flag(),
        "pad_token_id": 0,
        "hidden_act": n.one_of(*ACTIVATIONS),
        "attention_dropout": n.one_of(0.0, 0.1),
        **more,
    }


def shared_heads(n: Draw, **more: Any) -> Fields:
    """The same where heads share the hidden size."""
    fields = llama_like(n, **more)
    del fields["head_dim"]
    return fields


def windows(n: Draw) -> Fields:
    """A list of the layers' types, and the window of those that have one."""
    types = [n.one_of("sliding_attention", "full_attention") for _ in range(n.L)]
    return {"layer_types": types, "sliding_window": 2 * n.positions}


def gpt_like(n: Draw, **more: Any) -> Fields:
    """The names that GPT-2's configuration gave sizes."""
    return {
        "vocab_size": n.V, "n_embd": n.h, "n_layer": n.L, "n_head": n.a, "n_positions": n.positions,
        "n_inner": n.one_of(None, n.f), "bos_token_id": 0, "eos_token_id": 0, **more,
    }  # fmt: skip


SHARE = "partial_rotary_factor"


def partly_rotated(n: Draw, above: str = SHARE, *more: Fields) -> Fields:
    """A share of each head that is rotated: where older files have it, where newer ones do, in both, or nowhere."""
    places = (
        {above: 0.5},
        {above: 1.0, "rope_scaling": {"rope_type": "default", "partial_rotary_factor": 0.5}},
        {above: 1.0, "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
        {above: 1.0, "rope_parameters": {"rope_type": "default"}},
        {"rope_scaling": {}, "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
        {},
        *more,
    )
    return n.one_of(*places)


WHOLE: Fields = {"rope_parameters": {"rope_type": "proportional", "partial_rotary_factor": 0.5}}  # all of each head
UNREAD: Fields = {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}  # where heads are whole


def drops(n: Draw, *names: str) -> Fields:
    """Dropout in some places and in others none."""
    return {name: n.one_of(0.0, 0.1) for name in names}


def mixture(n: Draw, number: str, **more: Any) -> Fields:
    """Experts of which a token uses some; no dropout, which the kernel that is run with them has not."""
    k = n.one_of(1, 2, 3)
    return {number: k + n.one_of(1, 2, 4), "num_experts_per_tok": k, "attention_dropout": 0.0, **more}


def latent(n: Draw, least: int, **more: Any) -> Fields:
    """Latent attention and experts in groups of at least so many, as DeepSeek's files have them."""
    fields = shared_heads(
        n,
        **mixture(n, "n_routed_experts"),
        moe_intermediate_size=n.one_of(5, 7),
        n_shared_experts=n.one_of(1, 2),
        first_k_dense_replace=n.one_of(0, 1, n.L - 1, n.L + 1),
        kv_lora_rank=n.one_of(11, 13),
        q_lora_rank=n.one_of(None, 17),
        qk_nope_head_dim=n.one_of(8, 10),
        qk_rope_head_dim=n.one_of(4, 6),
        v_head_dim=n.one_of(9, 12),
        attention_bias=n.flag(),
    )
    E = fields["n_routed_experts"]
    groups = n.one_of(*(each for each in range(1, E + 1) if E % each == 0 and E // each >= least))
    chosen = n.one_of(*range(1, groups + 1))
    return fields | {"num_key_value_heads": n.a, "n_group": groups, "topk_group": chosen} | more


def falcon(n: Draw) -> Fields:
    """Either generation of Falcon."""
    new = n.flag()
    parallel = new or n.flag()
    return {
        "vocab_size": n.V, "hidden_size": n.h, "num_hidden_layers": n.L, "num_attention_heads": n.a,
        "num_kv_heads": n.one_of(None, 1, n.g, n.a) if new else None, "ffn_hidden_size": n.one_of(None, n.f),
        "new_decoder_architecture": new, "multi_query": n.flag(), "parallel_attn": parallel,
        "num_ln_in_parallel_attn": n.one_of(None, 1, 2) if new else None, "bias": n.flag(), "alibi": n.flag(),
        "tie_word_embeddings": n.flag(), "max_position_embeddings": n.positions, "bos_token_id": 0, "eos_token_id": 0,
    }  # fmt: skip


def opt(n: Draw) -> Fields:
    """OPT with norms before or behind, its embedding as wide as the hidden size or not."""
    return {
        "vocab_size": n.V, "hidden_size": n.h, "num_hidden_layers": n.L, "num_attention_heads": n.a, "ffn_dim": n.f,
        "max_position_embeddings": n.positions, "word_embed_proj_dim": n.one_of(None, n.h, 23),
        "do_layer_norm_before": n.flag(), "enable_bias": n.flag(), "layer_norm_elementwise_affine": n.flag(),
        "_remove_final_layer_norm": n.flag(), "tie_word_embeddings": True, "pad_token_id": 1, "bos_token_id": 0,
        "eos_token_id": 0, **drops(n, "dropout", "attention_dropout"),
    }  # fmt: skip


def state_space(n: Draw, **more: Any) -> Fields:
    """State-space layers."""
    return {
        "vocab_size": n.V, "hidden_size": n.h, "num_hidden_layers": n.L, "state_size": n.one_of(4, 6),
        "conv_kernel": n.one_of(3, 4), "use_bias": n.flag(), "use_conv_bias": n.flag(),
        "tie_word_embeddings": n.flag(), "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0,
        "residual_in_fp32": n.flag(), **more,
    }  # fmt: skip


def mamba2(n: Draw) -> Fields:
    """Heads of width d that together are twice the hidden size."""
    fields = state_space(n, expand=2, num_heads=n.a, head_dim=2 * n.h // n.a, n_groups=n.one_of(1, n.g))
    return {**fields, "chunk_size": n.one_of(2, 3, 8)}


TYPES: dict[str, Callable[[Draw], Fields]] = {
    "llama": lambda n: llama_like(n, attention_bias=n.flag(), mlp_bias=n.flag(), **n.one_of({}, UNREAD)),
    "mistral": lambda n: llama_like(n, sliding_window=n.one_of(None, 2 * n.positions)),
    "qwen2": lambda n: shared_heads(
        n, use_sliding_window=n.flag(), sliding_window=2 * n.positions, max_window_layers=1
    ),
    "qwen3": lambda n: llama_like(
        n, attention_bias=n.flag(), use_sliding_window=n.flag(), sliding_window=2 * n.positions, max_window_layers=1
    ),
    "phi3": lambda n: shared_heads(
        n, hidden_size=n.a * 4 * (n.d // 2), sliding_window=None, **drops(n, "resid_pdrop"), **partly_rotated(n)
    ),
    "glm": lambda n: llama_like(n, head_dim=4 * (n.d // 2), attention_bias=n.flag(), **partly_rotated(n, SHARE, WHOLE)),
    "glm4": lambda n: llama_like(
        n, head_dim=4 * (n.d // 2), attention_bias=n.flag(), **partly_rotated(n, SHARE, WHOLE)
    ),
    "olmo2": lambda n: shared_heads(n, attention_bias=n.flag()),
    "gemma2": lambda n: llama_like(
        n, attention_bias=n.flag(), attn_logit_softcapping=None, final_logit_softcapping=n.one_of(None, 30.0),
        **windows(n),
    ),
    "gemma3_text": lambda n: llama_like(
        n, attention_bias=n.flag(), final_logit_softcapping=n.one_of(None, 30.0), **windows(n)
    ),
    "gpt2": lambda n: gpt_like(
        n, activation_function=n.one_of("gelu_new", "gelu", "relu"), reorder_and_upcast_attn=n.flag(),
        **drops(n, "resid_pdrop", "embd_pdrop", "attn_pdrop"),
    ),
    "gptj": lambda n: gpt_like(
        n, rotary_dim=n.one_of(2, 4, n.h // n.a), **drops(n, "resid_pdrop", "embd_pdrop", "attn_pdrop")
    ),
    "gpt_neox": lambda n: {
        **{key: value for key, value in shared_heads(n).items() if key != "num_key_value_heads"},
        "use_parallel_residual": n.flag(), "attention_bias": n.flag(), "hidden_size": n.a * 8 * (n.d // 2),
        **drops(n, "hidden_dropout"), **partly_rotated(n, "rotary_pct", WHOLE),
    },
    "opt": opt,
    "bloom": lambda n: {
        "vocab_size": n.V, "hidden_size": n.h, "n_layer": n.L, "n_head": n.a, "tie_word_embeddings": n.flag(),
        "apply_residual_connection_post_layernorm": n.flag(), "bos_token_id": 0, "eos_token_id": 0,
    },
    "falcon": falcon,
    "mixtral": lambda n: llama_like(n, **mixture(n, "num_local_experts"), sliding_window=None),
    "qwen3_moe": lambda n: llama_like(
        n, **mixture(n, "num_experts"), moe_intermediate_size=n.one_of(5, 7), norm_topk_prob=n.flag(),
        attention_bias=n.flag(), mlp_only_layers=n.one_of([], [0]), decoder_sparse_step=1,
    ),
    "olmoe": lambda n: shared_heads(
        n, **mixture(n, "num_experts"), norm_topk_prob=n.flag(), attention_bias=n.flag()
    ),
    "gpt_oss": lambda n: llama_like(n, **mixture(n, "num_local_experts"), attention_bias=n.flag(), **windows(n)),
    "deepseek_v2": lambda n: latent(
        n, 1, topk_method=n.one_of("greedy", "group_limited_greedy"), norm_topk_prob=False
    ),
    "deepseek_v3": lambda n: latent(n, 2, norm_topk_prob=n.flag(), num_nextn_predict_layers=0),
    "mamba": lambda n: state_space(n, expand=n.one_of(1, 2), time_step_rank=n.one_of("auto", 5)),
    "mamba2": mamba2,
}  # fmt: skip


def configuration(model_type: str, seed: int) -> Fields:
    """One configuration of a type; the same one for the same seed."""
    return {"model_type": model_type, **TYPES[model_type](draw(seed))}
