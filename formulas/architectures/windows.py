"""Layers whose attention reaches back over a window, all of them or some: which ones, and what they are made of."""

from functools import partial

from derive import Layers, cached
from derive.config import ConfigError
from derive.model import Given
from formulas.architectures.gpt import core

TYPES = {"sliding_attention": "window layer", "full_attention": "full layer"}
COUNTS = {"window layer": "L_w", "full layer": "L_f"}


def windowed(attention, core=core):
    """Attention by kind of layer: over a window of w tokens, and over all."""
    return {
        "window layer": partial(attention, core=partial(core, window="w"), hold=partial(cached, window="w")),
        "full layer": partial(attention, core=core),
    }


def alternating(fields, count, window, is_window):
    """The type of every layer: as the list says, or, where there is none, as the type's own rule for layer i."""
    listed = fields.texts("layer_types", known=TYPES, count=count.value)
    if window is None:
        if "sliding_attention" in (listed or ()):
            raise ConfigError("layer_types has sliding_attention, but no window is used: its length is not known")
        return ("full_attention",) * count.value
    rule = ("sliding_attention" if is_window(index) else "full_attention" for index in range(count.value))
    return listed or tuple(rule)


def all_alike(fields, count, window):
    """Refuse a list of types that says otherwise where all layers have the window, or none has one."""
    listed = fields.texts("layer_types", known=TYPES, count=count.value)
    expected = "full_attention" if window is None else "sliding_attention"
    if listed and set(listed) != {expected}:
        raise ConfigError(f"layer_types is not understood: this type has {expected} in every layer")


def kinds(types, layer, sizes, window, letters):
    """Layers, sizes, order and letters for these types of layers: of one kind they are L, of two L_w and L_f.

    `layer` is one layer function for each kind.
    """
    order = tuple(TYPES[each] for each in types)
    if window is None or set(order) == {"full layer"}:
        return {"layer": layer["full layer"], "sizes": sizes, "letters": letters}
    sizes = {**sizes, "w": window}
    if set(order) == {"window layer"}:
        return {"layer": layer["window layer"], "sizes": sizes, "letters": f"{letters} w"}
    del sizes["L"]
    counts = {COUNTS[kind]: Given(order.count(kind), "config layer_types") for kind in COUNTS}
    found = {kind: Layers(COUNTS[kind], layer[kind]) for kind in dict.fromkeys(order)}  # that of the first layer first
    names = " ".join(each for each in letters.split() if each != "L")
    return {"layer": found, "sizes": sizes | counts, "letters": f"{names} w L_w L_f", "order": order}
