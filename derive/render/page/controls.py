"""The page's controls as HTML: pickers, the plan, the numbers that are shown first, and a table of inputs by group."""

from __future__ import annotations

from html import escape

from derive.render.page.live import Choice, Group, Input, Live, Picker
from derive.render.typeset.mathml import mathml


def controls(live: Live) -> str:
    """Everything that a reader can set, on one line: what the page's code puts into the form."""
    inputs = {each.key: each for each in live.inputs}
    first, rest = live.groups[:3], live.groups[3:]
    return (
        f'<fieldset class="pickers"><legend class="hidden">Model and device</legend>{"".join(map(_picker, live.pickers))}</fieldset>'
        f'<fieldset class="plan"><legend>Plan</legend>{"".join(_degree(inputs[key], live) for key in live.degrees)}'
        f"{''.join(map(_choice, live.choices))}</fieldset>"
        f"{_headline(live)}"
        '<p class="note"><output id="notes" role="status"></output></p>'
        f'<details class="inputs" open><summary>Sizes, run and device <small>an empty field has the value beside it</small></summary>'
        f'<div class="groups">{"".join(_group(each, inputs, live) for each in first)}</div></details>'
        f'<details class="inputs"><summary>Letters of the topics</summary>'
        f'<div class="groups">{"".join(_group(each, inputs, live) for each in rest)}</div></details>'
    )


def _picker(picker: Picker) -> str:
    options = "".join(f'<option value="{escape(each.name)}">{escape(each.title)}</option>' for each in picker.presets)
    key = escape(picker.key)
    return f'<label class="field"><span>{escape(picker.label)}</span><select id="pick-{key}" data-pick="{key}">{options}</select></label>'


def _choice(choice: Choice) -> str:
    options = "".join(f'<option value="{escape(value)}">{escape(words)}</option>' for value, words in choice.options)
    key = escape(choice.key)
    return f'<label class="field"><span>{escape(choice.label)}</span><select id="choose-{key}" data-choice="{key}">{options}</select></label>'


def _degree(each: Input, live: Live) -> str:
    words = each.meaning[0].upper() + each.meaning[1:]
    return f'<div class="field" data-input="{escape(each.key)}"><label for="{_id(each)}">{escape(words)} {mathml(each.latex)}</label>{_entry(each)}</div>'


def _headline(live: Live) -> str:
    items = "".join(
        f'<div class="tile" data-headline="{escape(name)}"><dt><a href="#{escape(name)}">{escape(words)}</a></dt><dd></dd></div>'
        for name, words in live.headline
    )
    return f'<dl class="headline" aria-label="key numbers">{items}</dl>'


def _group(group: Group, inputs: dict[str, Input], live: Live) -> str:
    rows = "".join(_row(inputs[key]) for key in group.inputs if key not in live.degrees)
    return (
        f'<table class="sizes"><caption>{escape(group.title)}</caption><thead class="hidden"><tr><th scope="col">letter</th>'
        f'<th scope="col">meaning</th><th scope="col">value</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(each: Input) -> str:
    unit = f" <small>{escape(each.unit)}</small>" if each.unit != "1" and not _says(each) else ""
    return (
        f'<tr data-input="{escape(each.key)}"><th scope="row"><label for="{_id(each)}">{mathml(each.latex)}</label></th>'
        f'<td class="meaning">{escape(each.meaning)}{unit}</td><td>{_entry(each)}</td></tr>'
    )


def _says(each: Input) -> bool:
    """Whether the meaning names the unit already."""
    return each.unit.split("/")[0].lower() in each.meaning.lower()


def _entry(each: Input) -> str:
    name = _id(each)
    return (
        f'<input id="{name}" data-entry="{escape(each.key)}" inputmode="text" spellcheck="false" maxlength="80" '
        f'aria-label="{escape(each.meaning)}" aria-describedby="{name}-said"><span class="said" id="{name}-said"></span>'
    )


def _id(each: Input) -> str:
    return "in-" + escape(each.key.replace(".", "-"))
