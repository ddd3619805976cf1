"""Absorbed latent attention, as DeepSeek's own inference runs it: the same function as transformers' attention."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from checks.configurations import configuration
from checks.oracles import configured, obstacle, optional
from checks.oracles.configured import run_of, theirs, value
from checks.oracles.measure import flops

NO_TORCH, NO_TRANSFORMERS = obstacle("torch"), obstacle("transformers")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(bool(NO_TORCH or NO_TRANSFORMERS), reason=NO_TORCH or NO_TRANSFORMERS),
]
torch: Any = optional("torch")
b, s = 2, 7


def absorbed(module: Any, query: Any, key: Any, latent: Any, mask: Any, **options: Any) -> Any:
    """Attention on the latent: what `kv_b_proj` would make keys and values of is multiplied with the queries instead.

    `key` is the latent with the rotary key behind it, of one head, as `latent` is (DeepSeek-V3, inference/model.py, the
    branch of `attn_impl` that is not "naive").
    """
    width, value_width = module.qk_nope_head_dim, module.v_head_dim
    weight = module.kv_b_proj.weight.view(module.num_heads, width + value_width, module.kv_lora_rank)
    up_k, up_v = weight.split([width, value_width], dim=1)
    plain, turned = query.split([width, module.qk_rope_head_dim], dim=-1)
    k_rope, latent = key[:, 0, :, module.kv_lora_rank :], latent[:, 0]
    scores = torch.einsum("basr,btr->bast", torch.einsum("basd,adr->basr", plain, up_k), latent)
    scores = (scores + torch.einsum("basd,btd->bast", turned, k_rope)) * options["scaling"] + mask
    p = scores.softmax(dim=-1, dtype=torch.float32).to(query.dtype)  # as transformers' eager attention has it
    mixed = torch.einsum("bast,btr->basr", p, latent)
    return torch.einsum("basr,adr->bsad", mixed, up_v), None


def absorb(model: Any) -> None:
    """Make every attention of the model an absorbed one, with the weights that it has."""
    interface, masks = (import_module("transformers").AttentionInterface, import_module("transformers.masking_utils"))
    interface.register("absorbed", absorbed)
    masks.ALL_MASK_ATTENTION_FUNCTIONS.register("absorbed", masks.eager_mask)
    model.config._attn_implementation = "absorbed"
    for module in model.modules():
        if hasattr(module, "expand_kv"):
            module.expand_kv = lambda latent, k_rope: (torch.cat((latent, k_rope), dim=-1), latent)


@pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3"])
@pytest.mark.parametrize("seed", range(4))
def test_absorbed_attention(model_type: str, seed: int):
    """The logits of both forms agree in fp64, and the products of each are those that are derived."""
    fields = {**configuration(model_type, seed), "attention_dropout": 0.0}
    model = theirs(fields, "eager", "cpu").double().eval()
    for each in model.parameters():  # large enough that attention matters
        torch.nn.init.normal_(each, std=0.3)
    run = run_of(model, b, s, "cpu")
    before, written_out = run().detach(), flops(run)
    absorb(model)
    torch.testing.assert_close(run().detach(), before, rtol=1e-5, atol=1e-5)
    found = {plan: configured.both_passes(fields, f"mask=full{plan}", b=b, s=s)[0] for plan in ("", ",absorbed")}
    assert (written_out, flops(run)) == (found[""], found[",absorbed"])
    assert (
        value(fields, "parameters", "absorbed")
        == value(fields, "parameters")
        == configured.counted(model, fields)["parameters"]
    )
