"""Renderers: one function a format, behind one table."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

# Format -> module and function; a module is imported when its format is asked for.
RENDERERS = {
    "latex": ("derive.render.latex", "latex"),
    "markdown": ("derive.render.markdown", "markdown"),
    "html": ("derive.render.page.static", "html"),
    "typst": ("derive.render.documents.single", "typst"),
    "json": ("derive.render.json", "json"),
}


def renderer(name: str) -> Callable[[Any], str]:
    """The function that turns a report into text of that format."""
    module, function = RENDERERS[name]
    return getattr(import_module(module), function)
