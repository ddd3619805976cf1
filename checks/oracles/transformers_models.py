"""transformers' own layers and models at our sizes, with the attention operator that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from checks.oracles import optional
from checks.oracles.layers import Core, Sizes, cuda_flash, dropout, fused_softmax, kept_by_flash, repeated

torch: Any = optional("torch")
LLAMA, GPT2 = ".models.llama.modeling_llama", ".models.gpt2.modeling_gpt2"


def _part(name: str, module: str = "") -> Any:
    """A class of transformers, which is slow to import and so waits until it is used."""
    return getattr(import_module(f"transformers{module}"), name)


# Attention by our names, beside transformers' own `eager` and `sdpa`; transformers makes no mask for these, which it
# could not do on the meta device.
CORES: dict[str, Core] = {
    "witness_cuda": cuda_flash,
    "witness_cuda_repeated": repeated(cuda_flash),
    "witness_softmax": fused_softmax,
    "witness_kernel": kept_by_flash,
}


def _adapted(core: Core) -> Callable[..., Any]:
    """A core as transformers calls attention: heads before tokens going in, tokens before heads coming out."""

    def attention(_module: Any, q: Any, k: Any, v: Any, mask: Any, dropout: float = 0.0, **_options: Any) -> Any:
        assert mask is None
        return core(q, k, v, dropout).transpose(1, 2), None

    return attention


def settled(config: Any, attention: str) -> Any:
    if attention in CORES:
        _part("AttentionInterface").register(attention, _adapted(CORES[attention]))
    config._attn_implementation = attention
    return config


def llama_config(n: Sizes, attention: str) -> Any:
    """transformers' Llama of these sizes, its head untied."""
    config = _part("LlamaConfig")(
        vocab_size=n.V,
        hidden_size=n.h,
        intermediate_size=n.f,
        num_hidden_layers=n.L,
        num_attention_heads=n.a,
        num_key_value_heads=n.g,
        head_dim=n.d,
        max_position_embeddings=n.S,
        tie_word_embeddings=False,
        use_cache=False,
    )
    return settled(config, attention)


def gpt2_config(n: Sizes, attention: str, p: float, activation: str = "gelu") -> Any:
    """transformers' GPT-2 of these sizes with dropout `p`; its default activation is `gelu_new`."""
    config = _part("GPT2Config")(
        vocab_size=n.V,
        n_embd=n.h,
        n_inner=n.f,
        n_layer=n.L,
        n_head=n.a,
        n_positions=n.S,
        activation_function=activation,
        resid_pdrop=p,
        embd_pdrop=p,
        attn_pdrop=p,
        use_cache=False,
    )
    return settled(config, attention)


def llama_model(n: Sizes, attention: str, device: str) -> Any:
    """`LlamaForCausalLM` in bf16."""
    with torch.device(device):
        return _part("LlamaForCausalLM")(llama_config(n, attention)).to(torch.bfloat16).train()


def gpt2_model(n: Sizes, attention: str, device: str, p: float = 0.0, activation: str = "gelu") -> Any:
    """`GPT2LMHeadModel` in bf16, dropout as on CUDA."""
    with torch.device(device):
        model = _part("GPT2LMHeadModel")(gpt2_config(n, attention, p, activation)).to(torch.bfloat16).train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.forward = _native(module.p)
    return model


def _native(p: float) -> Callable[[Any], Any]:
    return lambda x: dropout(x, p)


def llama_decoder_layer(n: Sizes, attention: str, device: str) -> tuple[Any, Callable[[Any], Any]]:
    """`LlamaDecoderLayer` in bf16, and how to call it: with transformers' rotary tables, made for the whole model."""
    config = llama_config(n, attention)
    with torch.device(device):
        layer = _part("LlamaDecoderLayer", LLAMA)(config, 0).to(torch.bfloat16).train()
        rotary = _part("LlamaRotaryEmbedding", LLAMA)(config)
        tables = rotary(torch.empty(0, dtype=torch.bfloat16), torch.arange(n.s)[None])
    return layer, lambda x: layer(x, position_embeddings=tables)


def gpt2_block(n: Sizes, device: str) -> Any:
    """`GPT2Block` in bf16."""
    with torch.device(device):
        return _part("GPT2Block", GPT2)(gpt2_config(n, "eager", 0.0), 0).to(torch.bfloat16)


def loss_of(model: Any, n: Sizes, device: str) -> tuple[Callable[[], Any], list[Any]]:
    """A run of the model on b sequences of s tokens, which are also its labels, to the loss; and its parameters."""
    ids = torch.zeros(n.b, n.s, dtype=torch.long, device=device)
    return lambda: model(input_ids=ids, labels=ids).loss, list(model.parameters())
