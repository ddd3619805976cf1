"""Configuration files that are wrong: one line that names the field or the file, exit code 2, nothing printed."""

import json
import os
from typing import Any

import pytest

from derive.cli import main
from derive.errors import ConfigError
from formulas.configs import model_of_fields, model_types

LLAMA: dict[str, Any] = {
    "model_type": "llama", "vocab_size": 128, "hidden_size": 64, "intermediate_size": 172, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 32,
}  # fmt: skip
HUGE = 10**12
NO_TYPE = f"PATH has no model_type: known are {', '.join(model_types())}"
UNKNOWN = f"unknown model_type '{{}}': known are {', '.join(model_types())}"
IMPORT = "__import__('os')"
GPT2 = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2, "vocab_size": 9, "n_positions": 8}

DEEPSEEK = LLAMA | {
    "model_type": "deepseek_v2", "num_key_value_heads": None, "n_routed_experts": 8, "num_experts_per_tok": 2,
    "n_shared_experts": 1, "moe_intermediate_size": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8, "v_head_dim": 16,
}  # fmt: skip


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in LLAMA.items() if key != name}


# Fields, and the line that they end in.
BAD: dict[str, tuple[Any, str]] = {
    "no type": (without("model_type"), NO_TYPE),
    "unknown type": (LLAMA | {"model_type": "lama"}, UNKNOWN.format("lama")),
    "type that a known one is not": (LLAMA | {"model_type": "llama4"}, UNKNOWN.format("llama4")),
    "odd heads": (
        LLAMA | {"head_dim": 127}, "elements that rotary positions turn together = 2 does not divide head_dim = 127",
    ),
    "type of another kind": (LLAMA | {"model_type": 5}, NO_TYPE),
    "missing size": (without("hidden_size"), "llama needs hidden_size, which the file does not have"),
    "null size": (LLAMA | {"vocab_size": None}, "llama needs vocab_size, which is null in the file"),
    "text": (LLAMA | {"hidden_size": "64"}, 'hidden_size must be a whole number, is "64"'),
    "code": (LLAMA | {"hidden_size": IMPORT}, f'hidden_size must be a whole number, is "{IMPORT}"'),
    "negative": (LLAMA | {"hidden_size": -64}, f"hidden_size must be from 1 to {HUGE}, is -64"),
    "zero": (LLAMA | {"num_hidden_layers": 0}, "num_hidden_layers must be from 1 to 10000, is 0"),
    "layers that no list holds": (
        LLAMA | {"num_hidden_layers": 10**9}, "num_hidden_layers must be from 1 to 10000, is 1000000000",
    ),
    "fraction": (LLAMA | {"hidden_size": 64.5}, "hidden_size must be a whole number, is 64.5"),
    "whole float": (LLAMA | {"hidden_size": 64.0}, "hidden_size must be a whole number, is 64.0"),
    "boolean": (LLAMA | {"hidden_size": True}, "hidden_size must be a whole number, is true"),
    "huge": (LLAMA | {"hidden_size": 10**60}, f"hidden_size must be from 1 to {HUGE}, is a number of 61 digits"),
    "infinite": (LLAMA | {"hidden_size": float("inf")}, "hidden_size must be a whole number, is Infinity"),
    "no number": (LLAMA | {"hidden_size": float("nan")}, "hidden_size must be a whole number, is NaN"),
    "list": (LLAMA | {"hidden_size": [64] * 3}, "hidden_size must be a whole number, is a list of 3"),
    "object": (LLAMA | {"hidden_size": {"a": 1}}, "hidden_size must be a whole number, is an object of 1"),
    "angles for a part of each head": (
        LLAMA | {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "partial_rotary_factor": 0.5}},
        "rope_scaling.partial_rotary_factor = 0.5 is not supported: llama rotates whole heads, and this rope_type has "
        "angles for a part of them",
    ),
    "half a pair": (
        GPT2 | {"model_type": "gptj", "rotary_dim": 3}, "rotary_dim = 3 must be even: elements are rotated by pairs",
    ),
    "pairs that are null": (
        GPT2 | {"model_type": "gptj", "rotary_dim": None},
        "rotary_dim is null: how many of a head's elements are rotated is needed",
    ),
    "heads that do not divide": (
        LLAMA | {"num_attention_heads": 5, "num_key_value_heads": 5},
        "head_dim is missing, and num_attention_heads = 5 does not divide hidden_size = 64",
    ),
    "groups that do not divide": (
        LLAMA | {"num_key_value_heads": 3}, "num_key_value_heads = 3 does not divide num_attention_heads = 4",
    ),
    "flag": (LLAMA | {"tie_word_embeddings": 1}, "tie_word_embeddings must be true or false, is 1"),
    "activation": (
        LLAMA | {"hidden_act": "swish2"},
        'hidden_act = "swish2" is not known: it may be silu, swish, gelu, gelu_pytorch_tanh, gelu_new, gelu_accurate, '
        "gelu_python_tanh, gelu_fast, relu",
    ),
    "windows of no length": (
        LLAMA | {"model_type": "qwen2", "layer_types": ["sliding_attention", "full_attention"]},
        "layer_types has sliding_attention, but no window is used: its length is not known",
    ),
    "probability": (LLAMA | {"attention_dropout": 2}, "attention_dropout must be a number from 0 to 1, is 2"),
    "experts of another type": (
        LLAMA | {"num_local_experts": 8},
        "num_local_experts = 8 is not understood: it changes what others compute, and llama is not known to have it",
    ),
    "sparse attention of another type": (
        LLAMA | {"index_topk": 2048},
        "index_topk = 2048 is not understood: it changes what others compute, and llama is not known to have it",
    ),
    "two names that differ": (
        GPT2 | {"hidden_size": 32},
        "n_embd = 64, but hidden_size = 32: they are one thing",
    ),
    "layer types": (
        LLAMA | {"model_type": "qwen3", "layer_types": ["full_attention"], "use_sliding_window": True},
        "layer_types must be a list of 2, one for each layer, is a list of 1",
    ),
    "layer type": (
        LLAMA | {"model_type": "qwen3", "layer_types": ["full_attention", "linear_attention"]},
        'layer_types has "linear_attention": it may have sliding_attention, full_attention',
    ),
    "a size that is null": (
        DEEPSEEK | {"n_shared_experts": None}, "deepseek_v2 needs n_shared_experts, which is null in the file",
    ),
    "heads that share a latent in groups": (
        DEEPSEEK | {"num_key_value_heads": 2}, "num_key_value_heads = 2 must be num_attention_heads = 4",
    ),
    "a choice of experts that is not known": (
        DEEPSEEK | {"topk_method": "noaux_tc"},
        'topk_method = "noaux_tc" is not known: it may be greedy, group_limited_greedy',
    ),
    "groups of experts that are not equal": (
        DEEPSEEK | {"topk_method": "group_limited_greedy", "n_group": 3},
        "n_group = 3 does not divide n_routed_experts = 8",
    ),
    "more chosen than experts": (
        LLAMA | {"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3},
        "num_experts_per_tok = 3 is more than num_local_experts = 2",
    ),
}  # fmt: skip
# What a file holds, and the line that it ends in.
FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "PATH is not JSON: Expecting value in line 1"),
    "no JSON": (b"model: llama", "PATH is not JSON: Expecting value in line 1"),
    "a list": (b"[1, 2]", "PATH is no configuration: it has a list, not an object of fields"),
    "null": (b"null", "PATH is no configuration: it has null, not an object of fields"),
    "brackets": (b"[" * 100_000, "PATH is nested too deeply to be a configuration"),
    "braces": (b'{"a":' * 100_000, "PATH is nested too deeply to be a configuration"),
    "binary": (b"\xff\xfe\x00", "PATH is not JSON: it is no UTF-8 text"),
    "a long number": (b'{"hidden_size": ' + b"9" * 5000 + b"}", "PATH has a number that is too long to be a size"),
    "twice": (b'{"hidden_size": 1, "hidden_size": 2}', "PATH: the field 'hidden_size' is there twice"),
    "too large": (b" " * (100 * 10**6), f"PATH has more than {4 * 2**20} bytes: this is no configuration"),
}


def line(capsys, path) -> str:
    """The one line that a wrong file ends in, its path as PATH."""
    code = main(["parameters", "--model", str(path)])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("derive: error: ")
    assert err.count("\n") == 1
    shown = err.removeprefix("derive: error: ").removesuffix("\n")
    return shown.replace(repr(str(path)[-60:]), "PATH").replace(str(path), "PATH")


@pytest.mark.parametrize("name", BAD)
def test_wrong_fields(name, tmp_path, capsys):
    fields, expected = BAD[name]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(fields))
    assert line(capsys, path) == expected


@pytest.mark.parametrize("name", FILES)
def test_wrong_files(name, tmp_path, capsys):
    data, expected = FILES[name]
    path = tmp_path / "config.json"
    path.write_bytes(data)
    assert line(capsys, path) == expected


def test_what_is_no_file(tmp_path, capsys):
    assert line(capsys, tmp_path) == "PATH is a folder: name the config.json in it"
    assert line(capsys, tmp_path / "none.json") == "PATH cannot be read: No such file or directory"
    assert line(capsys, "/dev/null/x.json") == "PATH cannot be read: Not a directory"
    assert line(capsys, "a\0b.json") == "PATH cannot be read: embedded null byte"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_text("{}")
    path.chmod(0)
    assert line(capsys, path) == "PATH cannot be read: Permission denied"


def printed(capsys, path, *arguments: str) -> tuple[dict[str, Any], str]:
    assert main(["parameters", "--model", str(path), "--json", *arguments]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def test_where_each_value_is_from(tmp_path, capsys):
    """Sizes say which field they are; what the file leaves out is the type's default."""
    path = tmp_path / "config.json"
    more = {"torch_dtype": "bfloat16", "_name": "x", "unknown": [1]}
    path.write_text(json.dumps(without("num_key_value_heads") | more))
    data, err = printed(capsys, path)
    assert err == ""
    given = data["given"]
    assert given["h"] == {"value": 64, "from": "config hidden_size"}
    assert given["g"] == {"value": 4, "from": "config num_attention_heads"}
    assert given["d"] == {"value": 16, "from": "hidden_size/num_attention_heads"}
    assert given["tie_word_embeddings"] == {"value": False, "from": "default of llama"}
    assert data["model"] == str(path)


def test_a_multimodal_file_is_its_language_model(tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llava", "text_config": LLAMA, "vision_config": {"hidden_size": 7}}))
    data, err = printed(capsys, path)
    assert err == f"derive: note: of {path}, what is in text_config is counted: the language model alone\n"
    path.write_text(json.dumps(LLAMA))
    assert printed(capsys, path)[0]["value"] == data["value"]


# Beside text_config, within it, and whether transformers builds one table (5.24); of files that say nothing beside it,
# whether a checkpoint that has the head apart is read so.
TIED = {
    "mistral3": ((True, False, True), (False, True, False), (None, True, True), (None, False, False)),
    "gemma3": ((False, None, False), (True, None, True), (False, True, False)),
    "llava_onevision": ((False, True, True), (False, None, False), (None, True, True), (True, False, True)),
}


@pytest.mark.parametrize("outer", TIED)
def test_the_head_of_a_multimodal_file(outer):
    for beside, within, tied in TIED[outer]:
        file = {"model_type": outer, "text_config": LLAMA | {"tie_word_embeddings": within}}
        model = model_of_fields(file if beside is None else file | {"tie_word_embeddings": beside}, "it")
        assert model.settings["tie_word_embeddings"].value is tied


def rotated(fields):
    model = model_of_fields(fields, "it")
    return model.sizes["d_rope"].value if "d_rope" in model.sizes else model.sizes["d"].value


def test_which_share_of_a_head_is_rotated():
    """Rotary parameters before what is at the top, rope_scaling before rope_parameters; as transformers reads them."""
    half, quarter = ({"rope_type": "default", "partial_rotary_factor": share} for share in (0.5, 0.25))
    for model_type, usual in (("glm", 16), ("phi3", 32)):
        file = LLAMA | {"model_type": model_type, "hidden_size": 128, "head_dim": 32}
        file = file if model_type == "glm" else {name: each for name, each in file.items() if name != "head_dim"}
        top = file | {"partial_rotary_factor": 0.75}
        assert rotated(file) == usual
        assert rotated(top) == rotated(top | {"rope_parameters": {"rope_theta": 1.0}, "rope_scaling": None}) == 24
        assert rotated(top | {"rope_parameters": half}) == rotated(top | {"rope_parameters": half, "rope_scaling": {}})
        assert rotated(top | {"rope_parameters": half}) == 16
        assert rotated(top | {"rope_parameters": half, "rope_scaling": quarter}) == 8
        assert rotated(top | {"rope_parameters": half, "rope_scaling": {"type": "default"}}) == 24


def test_fields_that_change_nothing():
    """A share of 1 in a type that reads none, and a function's second name."""
    for more in ({"partial_rotary_factor": 1.0}, {"rotary_pct": 1.0}, {"hidden_act": "swish"}):
        assert model_of_fields(LLAMA | more, "it").sizes == model_of_fields(LLAMA, "it").sizes
    with pytest.raises(ConfigError, match=r"partial_rotary_factor = 0.5 is not understood"):
        model_of_fields(LLAMA | {"partial_rotary_factor": 0.5}, "it")


def test_notices_about_formats(tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA | {"torch_dtype": "float32", "quantization_config": {"quant_method": "fp8"}}))
    assert printed(capsys, path)[1].splitlines() == [
        "derive: note: the file says float32; counted is what --recipe and --dtype say, bf16 without them",
        "derive: note: quantization_config is about stored weights: counted is what --recipe and --dtype say",
    ]


def test_letters_and_sizes(tmp_path, capsys):
    """`--symbolic` keeps the letters and says which sizes are behind them."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA))
    symbolic, _ = printed(capsys, path, "--symbolic")
    numbers, _ = printed(capsys, path)
    assert symbolic["value"] is None
    assert symbolic["substitution"]["h"] == {"value": 64, "from": "config hidden_size"}
    assert main(["parameters", "--model", str(path), "--symbolic", "--latex"]) == 0
    out = capsys.readouterr().out
    assert r"\text{with } L = 2,\; a = 4,\; g = 2,\; d = 16" in out
    assert f"N &= {numbers['value']}\n" in out
