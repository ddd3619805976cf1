"""A model from the fields of a configuration, as transformers builds it and as we derive it, measured alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from typing import Any

from checks.oracles import optional
from checks.oracles.layers import dropout
from checks.oracles.measure import elements, scalars, storage_of
from checks.oracles.transformers_models import settled
from derive.evaluation import number
from derive.model import Given
from derive.plan import parse_plan
from derive.precision import recipe
from derive.products import flops as forward
from derive.reading import to_tree
from derive.roles import Role
from derive.situation import situation
from formulas import formula_of
from formulas.configs import model_of_fields
from formulas.notation import common

torch: Any = optional("torch")
BLOCKS = ("layers", "h", "blocks")  # what transformers calls the list of layers


EXPERTS = ("mixtral", "qwen3_moe", "olmoe", "gpt_oss", "deepseek_v2", "deepseek_v3")  # data decides: on the CPU
SPACES = ("mamba", "mamba2")  # what their slow path keeps is not what their kernel keeps
SPELLED_OUT, SPELLED = ("gelu_new", "gelu_accurate", "gelu_python_tanh"), 3  # GELUs with so many numbers of the program
OWN = ("falcon", "bloom")  # attention of their own, no other can be put in its place


def attention_of(model_type: str) -> tuple[str, str, str]:
    """How transformers runs attention of a type here, on which device, and the same in our words."""
    if model_type in OWN:
        return "eager", "cpu", "attention=materialised"
    if model_type in EXPERTS:
        return "witness_kernel", "cpu", "attention=flash"
    return "witness_cuda", "meta", "attention=cuda_flash"


def beside(fields: dict[str, Any], kind: str, b: int, s: int) -> tuple[int, ...]:
    """Bytes that transformers keeps in a layer beside what the model needs, each explained; any one of them."""
    model_type = fields["model_type"]
    if model_type == "falcon" and not fields["new_decoder_architecture"] and fields["multi_query"]:
        # Its one head is copied out to all before each product, and the list [-2] that picks it is a tensor.
        d = fields["hidden_size"] // fields["num_attention_heads"]
        return (2 * 2 * b * s * (fields["num_attention_heads"] - 1) * d + 16,)
    if model_type == "falcon" and fields["new_decoder_architecture"]:
        return (16,)  # the lists [-2] and [-1] that pick keys and values are tensors
    experts = next((fields[x] for x in ("num_local_experts", "n_routed_experts", "num_experts") if x in fields), 0)
    # Numbers of the program are there once an expert in use: that in gpt-oss's sigmoid, those of a GELU spelled out.
    numbers = {"gpt_oss": 8}.get(model_type, 8 * SPELLED if fields.get("hidden_act") in SPELLED_OUT else 0)
    many = range(0, numbers * experts, numbers) if numbers and experts and kind != "dense layer" else (0,)
    if model_type == "deepseek_v3" and kind == "expert layer":
        # The choice of experts is differentiated in vain: two indices a group, a group's index, and a mask of experts.
        vain = b * s * (16 * fields["n_group"] + 8 * fields["topk_group"] + fields["n_routed_experts"])
        return tuple(vain + number for number in many)
    if fields.get("topk_method") == "group_limited_greedy" and kind == "expert layer":
        # So is the choice of groups: an index a group, and those of the chosen ones. What decides among experts is not.
        vain = b * s * 8 * (fields["n_group"] + fields["topk_group"])
        return tuple(vain + number for number in many)
    return tuple(many)


# ---- transformers ----


def theirs(fields: dict[str, Any], attention: str = "witness_cuda", device: str = "meta") -> Any:
    """The causal language model of these fields in bf16, in training, with dropout as on CUDA."""
    auto = import_module("transformers")
    config = auto.AutoConfig.for_model(**{**fields, "use_cache": False})
    config._experts_implementation = "eager"  # the loop over experts, which any shape and device can run
    with torch.device(device):
        model = auto.AutoModelForCausalLM.from_config(settled(config, attention), dtype=torch.bfloat16).train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.forward = lambda x, p=module.p: dropout(x, p)
    return model


def layers_of(model: Any) -> list[Any]:
    """The decoder layers of a model, in order."""
    return next(
        list(module)
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.ModuleList) and name.rpartition(".")[2] in BLOCKS
    )


def counted(model: Any, fields: dict[str, Any]) -> dict[str, int]:
    """Parameters in all, of the tables that are looked up, and those that one token uses."""
    tables = [module.weight for module in model.modules() if isinstance(module, torch.nn.Embedding)]
    routed = [each for name, each in model.named_parameters() if ".experts." in name]
    total, number = elements(model.parameters()), model.config
    experts = next(
        (getattr(number, x) for x in ("num_local_experts", "n_routed_experts", "num_experts") if hasattr(number, x)), 1
    )
    unused = elements(routed) - elements(routed) * fields.get("num_experts_per_tok", 1) // experts if routed else 0
    return {
        "parameters": total,
        "embedding-parameters": elements({storage_of(table): table for table in tables}.values()),
        "active-parameters": total - unused,
    }


def run_of(model: Any, b: int, s: int, device: str = "meta") -> Callable[[], Any]:
    """A forward pass over b sequences of s tokens, to the logits."""
    ids = torch.arange(b * s, device=device).reshape(b, s) % model.config.vocab_size
    return lambda: model(input_ids=ids, use_cache=False).logits


def kept_by_layer(model: Any, run: Callable[[], Any]) -> list[int]:
    """Bytes that each layer keeps for its backward pass, by storage, without parameters."""
    found: list[dict[int, int]] = []
    alive, inside = list(model.parameters()), []
    own = {storage_of(each) for each in alive}

    def pack(tensor: Any) -> Any:
        alive.append(tensor)
        if inside and storage_of(tensor) not in own:
            found[inside[-1]].setdefault(storage_of(tensor), tensor.untyped_storage().nbytes())
        return tensor

    numbers: list[int] = []
    layers, hooks = layers_of(model), torch.autograd.graph.saved_tensors_hooks
    with watched(layers, found, inside, numbers), fused_dropout(), hooks(pack, lambda x: x):
        run()
    return [sum(each.values()) + number for each, number in zip(found, numbers, strict=True)]


@contextmanager
def fused_dropout() -> Iterator[None]:
    """Within this, the function of dropout keeps what CUDA's keeps, as the module does."""
    functional, before = torch.nn.functional, torch.nn.functional.dropout
    functional.dropout = lambda x, p=0.5, training=True: dropout(x, p if training else 0.0)
    try:
        yield
    finally:
        functional.dropout = before


@contextmanager
def watched(layers: list[Any], found: list[dict[int, int]], inside: list[int], numbers: list[int]) -> Iterator[None]:
    """Within this, `inside` ends in the layer that runs, and `numbers` has the bytes of Python numbers in each."""

    def behind(tensor: Any) -> int:
        return sum(each.bytes for each in scalars(tensor)) if tensor.grad_fn is not None else 0

    def enter(index: int, inputs: tuple[Any, ...]) -> None:
        inside.append(index)
        numbers.append(-behind(inputs[0]))

    def leave(_layer: Any, _inputs: Any, output: Any) -> None:
        numbers[inside.pop()] += behind(output[0] if isinstance(output, tuple) else output)

    handles = []
    for index, layer in enumerate(layers):
        found.append({})
        handles.append(layer.register_forward_pre_hook(lambda _, inputs, index=index: enter(index, inputs)))
        handles.append(layer.register_forward_hook(leave))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def cache_bytes(fields: dict[str, Any], b: int, s: int) -> int:
    """Bytes that transformers' own cache holds after b sequences of s tokens."""
    auto = import_module("transformers")
    config = auto.AutoConfig.for_model(**fields)
    config._experts_implementation = "eager"
    model = auto.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).train(mode=False)
    with torch.no_grad():
        cache = model(input_ids=torch.ones(b, s, dtype=torch.long), use_cache=True)
    held = cache.cache if getattr(cache, "cache", None) is not None else cache.past_key_values
    tensors = [each for layer in held.layers for each in cached_tensors(layer)]
    return sum(each.element_size() * each.numel() for each in tensors)


def cached_tensors(layer: Any) -> Iterator[Any]:
    """The tensors that one layer of a cache holds."""
    for name in ("keys", "values", "conv_states", "recurrent_states"):
        value = getattr(layer, name, None)
        for each in value.values() if isinstance(value, dict) else (value,):
            if each is not None:
                yield each


# ---- ours ----


def ours(fields: dict[str, Any], name: str, plan: str = "", *, formats: str = "bf16", **sizes: Any) -> Any:
    """The situation of a quantity for the model of these fields, at these sizes."""
    model = model_of_fields(fields, fields["model_type"])
    options = {letter: Given(size, "option") for letter, size in sizes.items()}
    return situation(formula_of(name), model, parse_plan(plan, common.symbol, recipe(formats)), options=options)


def value(fields: dict[str, Any], name: str, plan: str = "", *, formats: str = "bf16", **sizes: Any) -> Fraction:
    """The exact value of a quantity."""
    found = ours(fields, name, plan, formats=formats, **sizes).value
    assert isinstance(found, Fraction)
    return found


def by_kind(
    fields: dict[str, Any], name: str, plan: str = "", *, formats: str = "bf16", **sizes: Any
) -> list[Fraction]:
    """The value of a quantity of one layer for every layer of the model, in order."""
    case = ours(fields, name, plan, formats=formats, **sizes)
    model = model_of_fields(fields, fields["model_type"])
    of_kind = {each.kind: each.value for each in case.layers}
    if of_kind:
        return [Fraction(of_kind[kind]) for kind in model.order]
    return [Fraction(case.value)] * (len(model.order) or int(case.real["L"].value))


def forward_flops(fields: dict[str, Any], **sizes: Any) -> Fraction:
    """FLOPs of the forward pass of the whole model without a mask."""
    case = ours(fields, "flops-per-token", "mask=full", **sizes)
    ledger = forward(case.model.whole, case.plan, "forward")
    found = number(to_tree(ledger.value), case.known)
    assert isinstance(found, Fraction)
    return found


def both_passes(fields: dict[str, Any], plan: str, **sizes: Any) -> tuple[Fraction, Fraction]:
    """FLOPs of the forward pass of the whole model and of its backward pass, what is run again included."""
    case = ours(fields, "flops-per-token", plan, **sizes)
    found = []
    for passes in (("forward",), ("backward", "recompute")):
        amount = number(to_tree(forward(case.model.whole, case.plan, *passes).value), case.known)
        assert isinstance(amount, Fraction)
        found.append(amount)
    return found[0], found[1]


def within_layers(fields: dict[str, Any], plan: str, *, formats: str = "bf16", **sizes: Any) -> Fraction:
    """Bytes that all layers keep for the backward pass, tables that they share counted in each."""
    case = ours(fields, "model-activations", plan, formats=formats, **sizes)
    rows = case.formula.rows(case.model, case.plan).within("layer")
    stacks = case.model.whole.stacks
    shared = [row for row in rows if row.role is Role.CONSTANT and (not row.shape or str(row.shape[0]) not in stacks)]
    amount = number(to_tree(rows.value), case.known)
    once = number(to_tree(sum((row.value for row in shared), rows.value * 0)), case.known)
    assert isinstance(amount, Fraction)
    assert isinstance(once, Fraction)
    return amount + (sum(case.known[each].value for each in stacks) - 1) * once
