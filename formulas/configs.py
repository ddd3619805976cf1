"""Models from a Hugging Face `config.json`: which module reads a model type, and what every type has in common."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from derive.config import Fields
    from derive.model import Model

HERE = Path(__file__).parent / "architectures"
_TYPES = re.compile(r"^MODEL_TYPES = \(([^)]*)\)", re.MULTILINE)
_READERS = "size|optional|positive|flag|choice|share|texts|whole_numbers|only|section|says"
_READ = re.compile(rf'fields\.(?:{_READERS})\(\s*((?:"\w+",?\s*)+)')

# Fields that modules here read by a name that is no text beside `fields`: a test reads every type and says which.
PASSED = (
    "attention_dropout", "attn_pdrop", "dropout", "embd_pdrop", "hidden_dropout", "moe_intermediate_size", "n_inner",
    "n_routed_experts", "num_experts", "num_local_experts", "partial_rotary_factor", "resid_pdrop", "rotary_pct",
)  # fmt: skip
# Fields of types that no module here reads: they change what is computed, so that a type which has them by surprise is
# refused. The fields that some module reads belong to these too.
FOREIGN = (
    "attention_chunk_size", "index_topk", "index_n_heads", "compress_ratios", "kv_channels", "num_kv_shared_layers",
    "hidden_size_per_layer_input", "interleave_moe_layer_step", "cross_attention_layers",
    "linear_num_value_heads", "linear_attn_config", "full_attention_interval", "mamba_d_state", "mamba_n_heads",
    "attn_layer_period", "num_zero_experts", "zero_expert_num", "shared_expert_intermediate_size", "use_mla",
    "altup_num_inputs", "laurel_rank", "num_meta_tokens", "encoder_layers", "num_encoder_layers", "num_loops",
)  # fmt: skip
# By the name of a format in a file, its bytes: where they are others than those of the recipe, a notice says so.
WIDTHS = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}
COMPUTED = 2  # bytes of the default's format
NEUTRAL = {"partial_rotary_factor": 1, "rotary_pct": 1}  # values of foreign fields that change nothing
# Files of these types whose text_config says that the embeddings are tied mean it, whatever stands beside: others' head
# belongs to the whole model, and what stands beside text_config decides.
TIED_INSIDE = ("fast_vlm", "llava", "llava_next_video", "llava_onevision", "video_llama_3")


@cache
def modules() -> dict[str, str]:
    """The module that reads each model type, as its line `MODEL_TYPES = (...)` says, found without importing it."""
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("*.py")):
        declared = _TYPES.search(path.read_text(encoding="utf-8"))
        for name in re.findall(r'"([^"]+)"', declared[1]) if declared else ():
            if name in found:
                raise ConfigError(f"model type {name!r} is read by {found[name]} and by {path.stem}")
            found[name] = path.stem
    return found


def model_types() -> tuple[str, ...]:
    """The model types that can be read, sorted."""
    return tuple(sorted(modules()))


@cache
def arithmetic() -> tuple[str, ...]:
    """Every field that changes the arithmetic of some model type: what the modules read, and what is foreign to all."""
    return (*sorted({*in_texts(), *PASSED} - set(EVERYWHERE)), *FOREIGN)


def in_texts() -> set[str]:
    """The fields that the modules here read by a name that stands in the call."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.py"))]
    return {name for text in texts for names in _READ.findall(text) for name in re.findall(r"\w+", names)}


# What every configuration may have and what is read here, for all types alike.
EVERYWHERE = (
    "vocab_size", "max_position_embeddings", "dtype", "torch_dtype", "text_config", "rope_parameters", "rope_scaling",
)  # fmt: skip


def is_path(name: str) -> bool:
    """Whether what a person names as a model is a file rather than a preset."""
    if "/" in name or "\\" in name or name.endswith(".json"):
        return True
    try:
        return bool(name) and Path(name).exists()
    except (OSError, ValueError):  # too long, or with a character that no path has
        return False


def model_of_file(path: str) -> Model:
    """The model that a configuration file describes, with its sizes.

    Raises `ConfigError`, one line naming the field, for a file or a field that cannot be read, and `UnknownName` for a
    model type that no module reads, with those that are.
    """
    from derive.config import load

    return model_of_fields(load(path), path.encode("utf-8", "replace").decode())  # a name may hold any bytes


def model_of_fields(values: dict[str, Any], name: str) -> Model:
    """The model that the fields of a configuration describe; `name` is what it is called."""
    from derive.config import Fields
    from derive.model import Given, Model

    notices = []
    inner = values.get("text_config")
    if isinstance(inner, dict) and "model_type" in inner:
        notices.append(f"of {name}, what is in text_config is counted: the language model alone")
        values = inner | _tied(values, inner)
    model_type = values.get("model_type")
    if not isinstance(model_type, str) or not model_type:
        raise ConfigError(f"{name} has no model_type: known are {', '.join(model_types())}")
    known = modules()
    if model_type not in known:
        # The closest name is another architecture as a rule, not what was meant.
        raise UnknownName(f"unknown model_type {model_type[:60]!r}: known are {', '.join(model_types())}")
    fields = Fields(values, model_type)
    described = import_module(f"formulas.architectures.{known[model_type]}").read(fields)
    notices += _formats(fields)
    _refuse_narrow_angles(fields)
    fields.read.update(EVERYWHERE)
    if set(values.get("layer_types") or ()) == {"full_attention"}:  # newer files say so of every type
        fields.ignores("layer_types")
    fields.ignores(*(each for each, value in NEUTRAL.items() if values.get(each) == value))
    fields.refuse_others(arithmetic())
    sizes = dict(described.sizes)
    for part, whole in described.architecture.divides:
        if part in sizes and whole in sizes:
            fields.divides(sizes[part], sizes[whole])
    if "s" not in sizes and fields.has("max_position_embeddings"):
        sizes["s"] = fields.size("max_position_embeddings")
    sizes.setdefault("b", Given(1, "default"))
    read = {given.origin for given in sizes.values()}
    settings = {key: given for key, given in fields.given.items() if given.origin not in read}
    return Model(
        described.architecture,
        name,
        model_type,
        sizes,
        origin="config",
        settings=settings,
        order=described.order,
        notices=tuple(notices),
    )


def _refuse_narrow_angles(fields: Fields) -> None:
    """Refuse a share of rotated elements where a type rotates whole heads, but transformers makes angles for a part.

    Of those types it ignores the share in the default's angles and the proportional ones.
    """
    if "rope_parameters" in fields.read:
        return
    for name in ("rope_scaling", "rope_parameters"):
        section = fields.section(name)
        share = section.share("partial_rotary_factor", default=1.0) if section.has("partial_rotary_factor") else 1
        kind = section.values.get("rope_type", section.values.get("type", "default"))
        if share != 1 and kind not in ("default", "proportional"):
            why = f"{fields.model_type} rotates whole heads, and this rope_type has angles for a part of them"
            raise ConfigError(f"{name}.partial_rotary_factor = {share} is not supported: {why}")


def _tied(outer: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    """Whether the head is the token table, where a multimodal file says it beside its language model.

    Where it says nothing there, the language model's own word counts: transformers has a default for the whole, but
    does not tie weights that a checkpoint has apart.
    """
    name = "tie_word_embeddings"
    inside = outer.get("model_type") in TIED_INSIDE and inner.get(name) is True
    return {} if outer.get(name) is None or inside else {name: outer[name]}


def _formats(fields: Fields) -> list[str]:
    """What a person should know of the formats that a file names: they are not those that are counted."""
    said = []
    dtype = fields.choice("dtype", "torch_dtype", known=WIDTHS, default="bfloat16")
    for name in ("dtype", "torch_dtype"):
        fields.given.pop(name, None)
    if WIDTHS[dtype] != COMPUTED:
        said.append(f"the file says {dtype}; counted is what --recipe and --dtype say, bf16 without them")
    if fields.has("quantization_config"):
        said.append("quantization_config is about stored weights: counted is what --recipe and --dtype say")
    fields.ignores("quantization_config")
    return said
