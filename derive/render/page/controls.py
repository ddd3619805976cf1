"""The page's controls as HTML: pickers, the plan, the numbers that are shown first, and tables of inputs."""

from __future__ import annotations

from html import escape

from derive.render.documents.blocks import coded
from derive.render.page.blocks import inline
from derive.render.page.live import Choice, Group, Input, Live, Picker
from derive.render.typeset.mathml import mathml

SIZES = "Sizes, run and device <small>an empty field has the value that is in grey</small>"


def controls(live: Live) -> str:
    """Everything that a reader can set, on one line: what the page's code puts into the form."""
    inputs = {each.key: each for each in live.inputs}
    first, rest = live.groups[:3], live.groups[3:]
    degrees = "".join(_degree(inputs[key]) for key in live.degrees)
    return (
        '<fieldset class="pickers"><legend class="hidden">Model and device</legend>'
        f"{''.join(map(_picker, live.pickers))}{''.join(map(_about, live.pickers))}</fieldset>"
        f'<fieldset class="plan"><legend>Plan</legend>{degrees}{"".join(map(_choice, live.choices))}</fieldset>'
        f"{_headline(live)}"
        '<ul class="note" id="missing" role="status"></ul>'
        '<p class="note"><output id="notes" role="status"></output></p>'
        f"{_groups(SIZES, first, inputs, live, shown=True)}"
        f"{_groups('Letters of the topics', rest, inputs, live, shown=False)}"
    )


def _groups(words: str, groups: tuple[Group, ...], inputs: dict[str, Input], live: Live, *, shown: bool) -> str:
    inside = "".join(_group(each, inputs, live) for each in groups)
    return (
        f'<details class="inputs"{" open" if shown else ""}><summary>{words}</summary>'
        f'<div class="groups">{inside}</div></details>'
    )


def _picker(picker: Picker) -> str:
    options = "".join(_option(each.name, each.title) for each in picker.presets)
    return _select(picker.label, f'id="pick-{escape(picker.key)}" data-pick="{escape(picker.key)}"', options)


def _about(picker: Picker) -> str:
    return f'<p class="note">{inline(coded(picker.about))}' if picker.about else ""


def _choice(choice: Choice) -> str:
    options = "".join(_option(value, words) for value, words in choice.options)
    return _select(choice.label, f'id="choose-{escape(choice.key)}" data-choice="{escape(choice.key)}"', options)


def _option(value: str, words: str) -> str:
    return f'<option value="{escape(value)}">{escape(words)}</option>'


def _select(label: str, attributes: str, options: str) -> str:
    return f'<label class="field"><span>{escape(label)}</span><select {attributes}>{options}</select></label>'


def _degree(each: Input) -> str:
    words = escape(each.meaning[0].upper() + each.meaning[1:])
    label = f'<label for="{_id(each)}"><span>{words} {mathml(each.latex)}</span></label>'
    return f'<div class="field" data-input="{escape(each.key)}">{label}{_entry(each)}</div>'


def _headline(live: Live) -> str:
    items = "".join(
        f'<div class="tile" data-headline="{escape(name)}"><dt><a href="#{escape(name)}">{escape(words)}</a></dt>'
        "<dd></dd></div>"
        for name, words in live.headline
    )
    return f'<dl class="headline" aria-label="key numbers">{items}</dl>'


def _group(group: Group, inputs: dict[str, Input], live: Live) -> str:
    rows = "".join(_row(inputs[key]) for key in group.inputs if key not in live.degrees)
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("letter", "meaning", "value"))
    return (
        f'<table class="sizes"><caption>{escape(group.title)}</caption><thead class="hidden"><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _row(each: Input) -> str:
    label = f'<label for="{_id(each)}">{mathml(each.latex)}</label>'
    return (
        f'<tr data-input="{escape(each.key)}"><th scope="row">{label}</th>'
        f'<td class="meaning">{escape(each.meaning)}</td><td>{_entry(each)}</td></tr>'
    )


SHORT = {"second": "s", "hour": "h", "dollar": "$", "device*hour": "device-hours", "byte": "B"}
COUNTS = ("1", "parameter", "token", "device")  # what the meaning names


def _unit(each: Input) -> str:
    """The unit beside a field: what a number without a suffix is in."""
    if each.unit in COUNTS:
        return ""
    parts = [SHORT.get(part, part) for part in each.unit.split("/")]
    return f"<small>{escape('/'.join(part for part in parts if part != 'device'))}</small>"


def _entry(each: Input) -> str:
    name = _id(each)
    return (
        f'<input id="{name}" data-entry="{escape(each.key)}" inputmode="text" spellcheck="false" maxlength="80" '
        f'aria-label="{escape(each.meaning)}" aria-describedby="{name}-said">{_unit(each)}'
        f'<span class="said" id="{name}-said"></span>'
    )


def _id(each: Input) -> str:
    return "in-" + escape(each.key.replace(".", "-"))
