"""The colours of pictures in both themes, and the style sheet that chooses between them."""

from __future__ import annotations

# Fills are those of Okabe and Ito, told apart by people who see colours differently; what is written on them is dark
# in both themes. Lines are thinner than fills: they are darker on light ground and lighter on dark ground.
FILLS = {"f1": "#56b4e9", "f2": "#e69f00", "f3": "#45c4a0", "f4": "#dd9fc2", "f5": "#f0e442", "f6": "#b3bac4"}
THEMES = {
    "light": {
        "bg": "#ffffff", "ink": "#16202c", "mute": "#55606e", "grid": "#dde2e8", "axis": "#7d8896", "pane": "#f2f5f8",
        "l1": "#0072b2", "l2": "#c45500", "l3": "#00795a", "l4": "#a8417d", "l5": "#8a7a00", "l6": "#55606e",
    },
    "dark": {
        "bg": "#10161d", "ink": "#e8edf2", "mute": "#a3afbc", "grid": "#2a343f", "axis": "#74808d", "pane": "#1a222c",
        "l1": "#56b4e9", "l2": "#ff9d4d", "l3": "#37cfa2", "l4": "#ee9fca", "l5": "#f0e442", "l6": "#a3afbc",
    },
}  # fmt: skip
ON_FILL = "#101820"
ROOT = "derive-figure"  # the class of every picture: rules reach nothing outside
FONTS = 'Helvetica Neue,Helvetica,Arial,"Liberation Sans",Roboto,"Noto Sans",sans-serif'
CARRIED = '"Libertinus Serif"'  # of typst's own fonts: what a PNG is set in, wherever it is made


def style(theme: str | None = None) -> str:
    """The style sheet of a picture: of one theme, or of both.

    Of both, the reader's system decides, unless an element around the picture has `data-theme="light"` or `"dark"`.
    """
    if theme is not None:
        colours = THEMES[theme]
        return "".join(_rules(lambda name: colours[name])) + _font(CARRIED)
    both = {name: _variables(colours) for name, colours in THEMES.items()}
    return (
        f".{ROOT}{{{both['light']}max-width:100%;height:auto}}"
        f"@media (prefers-color-scheme:dark){{.{ROOT}{{{both['dark']}}}}}"
        + "".join(f"[data-theme={name}] .{ROOT}{{{variables}}}" for name, variables in both.items())
        # Where variables are not understood, the colour before them holds.
        + "".join(_rules(lambda name: f"{THEMES['light'][name]};@:var(--{ROOT}-{name})"))
        + _font(FONTS)
    )


def _font(families: str) -> str:
    return f".{ROOT} text{{font-family:{families}}}"


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{ROOT}-{name}:{value};" for name, value in colours.items())


def _rules(colour):
    """One rule a class: text and ground are filled, lines are stroked; `@` repeats the property."""

    def rule(name: str, wanted: str, kind: str, more: str = "") -> str:
        return f".{ROOT} .{name}{{{kind}:{colour(wanted).replace('@', kind)}{more}}}"

    for name in ("bg", "pane", "ink", "mute"):
        yield rule(name, name, "fill")
    for name in ("grid", "axis", *(f"l{number}" for number in range(1, 7))):
        yield rule(name, name, "stroke", ";fill:none")
    for number in range(1, 7):
        yield rule(f"d{number}", f"l{number}", "fill")  # a dot, or text in the colour of a line
    yield rule("rim", "bg", "stroke")
    yield rule("edge", "grid", "stroke")
    yield rule("halo", "bg", "stroke", ";stroke-width:4px;stroke-linejoin:round;paint-order:stroke")
    yield from (f".{ROOT} .{name}{{fill:{value}}}" for name, value in FILLS.items())
    yield f".{ROOT} .on{{fill:{ON_FILL}}}.{ROOT} .hatch{{stroke:{ON_FILL};stroke-opacity:.42;fill:none}}"
