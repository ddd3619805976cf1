"""Gemma 2 and 3 as transformers builds them: every setting of their files, capped scores, caches with windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from checks.configurations import Draw, Fields, draw, llama_like
from checks.oracles import optional
from checks.oracles.configured import cached_tensors
from checks.oracles.layers import dropout
from checks.oracles.measure import elements, kept, nodes

torch: Any = optional("torch")
CAPPED = "witness_capped"  # attention that writes its scores out and caps them; the mask is fused into the softmax
SCALED = "MulBackward0", "DivBackward0"  # products and quotients in the graph of a result
KINDS = "sliding_attention", "full_attention"


def typed(n: Draw, model_type: str, layers: int) -> Fields:
    """The kinds of the layers as files say them: by a list, by a number, by nothing."""
    mixed, alike = [n.one_of(*KINDS) for _ in range(layers)], [n.one_of(*KINDS)] * layers
    ways: list[Fields] = [{}, {"layer_types": mixed}, {"layer_types": alike}]
    if model_type == "gemma3_text":
        ways += [{"sliding_window_pattern": n.one_of(1, 2, 3)}, {"_sliding_window_pattern": n.one_of(2, 3)}]
    return n.one_of(*ways)


def configuration(model_type: str, seed: int) -> Fields:
    """A file of this type at random small sizes, with every setting that the type has, some of them left out."""
    n = draw(seed)
    layers = n.one_of(2, 3, 7)
    fields = llama_like(n, model_type=model_type, attention_bias=n.flag())
    fields |= {
        "num_hidden_layers": layers,
        "hidden_activation": n.one_of("gelu_pytorch_tanh", "silu", "relu"),
        "hidden_act": "relu",  # of old files, which transformers does not read
        "final_logit_softcapping": n.one_of(None, 30.0),
        "attn_logit_softcapping": n.one_of(None, 50.0),
        "sliding_window": n.one_of(3, 5, 2 * n.positions),
        "query_pre_attn_scalar": 16,
    }
    missing = n.one_of(*([name] for name in ("hidden_activation", "final_logit_softcapping", "attention_bias")), [])
    return {name: value for name, value in fields.items() if name not in missing} | typed(n, model_type, layers)


def multi_head(fields: Fields) -> Fields:
    """The same with as many key/value heads as query heads, so that none is copied out."""
    return fields | {"num_key_value_heads": fields["num_attention_heads"]}


def settings(fields: Fields) -> Any:
    """transformers' configuration of these fields."""
    return import_module("transformers").AutoConfig.for_model(**fields)


def register() -> None:
    """Let transformers know the capped attention by its name."""
    import_module("transformers").AttentionInterface.register(CAPPED, capped)


def capped(_module: Any, q: Any, k: Any, v: Any, *masks: Any, **options: Any) -> Any:
    """Scores, capped where there is a cap, softmax and dropout as on CUDA."""
    assert masks == (None,)
    scores, cap = q @ k.transpose(-1, -2), options.get("softcap")
    if cap is not None:
        scores = torch.tanh(scores * (1 / cap)) * cap
    return (dropout(torch.softmax(scores, -1), options["dropout"]) @ v).transpose(1, 2), None


def kept_bytes(run: Callable[[], Any], parameters: Iterable[Any]) -> int:
    """Bytes kept for backward, the numbers that tensors are multiplied or divided by included."""
    results: list[Any] = []
    found = kept(lambda: results.append(run()) or results[0], parameters)
    others = [getattr(node, "_saved_other", None) for node in nodes(results[0]) if type(node).__name__ in SCALED]
    numbers = [each for each in others if each is not None and (each.dim(), each.dtype) == (0, torch.float64)]
    tensors = sum(each.bytes for each in found if (each.shape, each.dtype) != ((), "float64"))
    return tensors + sum(each.element_size() for each in numbers)


def held_bytes(fields: Fields, b: int, s: int, *, static: bool) -> int:
    """Bytes in transformers' cache after b sequences of s tokens, one of fixed size for s tokens or one that grows."""
    auto = import_module("transformers")
    config = settings(fields)
    model = auto.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).train(mode=False)
    cache = auto.StaticCache(config=config, max_cache_len=s) if static else auto.DynamicCache(config=config)
    with torch.no_grad():
        model(input_ids=torch.ones(b, s, dtype=torch.long), cache=cache, use_cache=True)
    tensors = [each for layer in cache.layers for each in cached_tensors(layer)]
    return sum(each.element_size() * each.numel() for each in tensors)


def with_vision(fields: Fields) -> tuple[Fields, int]:
    """A file of Gemma 3 with images around these fields, and the parameters of its language model."""
    vision = {
        "model_type": "siglip_vision_model", "hidden_size": 12, "intermediate_size": 14, "num_hidden_layers": 1,
        "num_attention_heads": 2, "image_size": 28, "patch_size": 14,
    }  # fmt: skip
    file = {"model_type": "gemma3", "text_config": fields, "vision_config": vision, "mm_tokens_per_image": 4}
    auto = import_module("transformers")
    with torch.device("meta"):
        model = auto.Gemma3ForConditionalGeneration(settings(file))
    own = {*model.model.language_model.parameters(), *model.lm_head.parameters()}
    return file, elements(own)
