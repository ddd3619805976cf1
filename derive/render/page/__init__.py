"""The live page: a document as one HTML file that needs nothing else and computes in the reader's hands."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Collection, Iterable
from functools import cache
from html import escape
from pathlib import Path

from derive.errors import DeriveError
from derive.render.documents.blocks import Card, Document
from derive.render.page.blocks import inline, on_one_line, outline, rest, section
from derive.render.page.controls import controls
from derive.render.page.data import embedded, payload
from derive.render.page.derived import unfolding
from derive.render.page.live import Live
from derive.render.page.packing import packed

HERE = Path(__file__).parent
FONT = "font/stix-two-math.woff2"
SCRIPTS = (
    "unpack.js", "exact.js", "numbers.js", "program.js", "address.js", "shown.js", "typed.js", "broken.js", "cards.js",
    "page.js",
)  # fmt: skip
STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)
FORBIDDEN = re.compile(
    r"<script|<foreignObject|\son\w+\s*=|\sstyle\s*=|<style\s|javascript:|\bhref\s*=\s*['\"]?(?!#)", re.IGNORECASE
)


TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the formulas</a>
<nav class="outline" aria-label="outline"><p class="brand">{title}</p>
<div class="tools live" hidden>
<label class="search"><span class="hidden">Search names, titles, letters and sources</span>
<input type="search" id="search" placeholder="Search  /" autocomplete="off" spellcheck="false"></label>
<button type="button" id="theme" aria-label="Colours: as the system has them">◐</button></div>
<div class="found live" hidden><p id="found" role="status"></p>
<button type="button" class="clear" aria-label="Clear the search" hidden>Clear</button></div>{outline}</nav>
<main id="content" tabindex="-1"><header class="top"><h1>{title}</h1><p class="about">{about}</p>
<p class="chosen" id="chosen"></p></header>
<noscript><p class="note">Without JavaScript this is a static sheet: formulas and tables, no values, nothing that
unfolds, and not what is refuted; <code>python -m derive NAME</code> prints a derivation.</p></noscript>
<form class="controls live" id="controls" hidden autocomplete="off" aria-label="what the numbers are for"></form>
<p class="nothing" id="nothing" hidden><span></span>
<button type="button" class="clear" aria-label="Clear the search">Clear the search</button></p>
{sections}
<footer><p>Mathematics is set in a subset of STIX Two Math, copyright 2001–2021 The STIX Fonts Project Authors, under
the SIL Open Font License, version 1.1.</p></footer></main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


@cache
def _file(name: str) -> str:
    """A file of code or of style without what is for its readers: indentation, and lines that are comments."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return "".join(f"{line.strip()}\n" for line in lines if line.strip() and not line.strip().startswith("// "))


@cache
def stylesheet() -> str:
    """The style sheet of a page, with the font in it."""
    font = base64.b64encode((HERE / FONT).read_bytes()).decode()
    return _file("page.css").replace("FONT", f"data:font/woff2;base64,{font}")


def _script() -> str:
    return '(() => {\n"use strict";\n' + "".join(map(_file, SCRIPTS)) + "})();\n"


def digest(text: str) -> str:
    """What a policy names a text by that it allows."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(
    document: Document, live: Live, others: Iterable[tuple[str, Card]] = (), later: Collection[str] = frozenset()
) -> str:
    """One HTML file: the document, the controls of `live`, and the code that computes; the same text every time.

    `others` are the cards of quantities for other kinds of models than the document's own are about, each with its
    kind; `later` are anchors of sections that say again what a card has: the code puts their insides in.

    Raises `DeriveError` for an expression that the page cannot compute, and for a picture that is more than a drawing.
    """
    sections = "".join(section(each, later) for each in document.sections)
    for picture in re.findall(r"<svg.*?</svg>", sections, re.DOTALL):
        if found := FORBIDDEN.search(picture):
            raise DeriveError(f"a picture of the page has {found[0].strip()!r} in it: it may only draw")
    styles = list(dict.fromkeys([stylesheet(), *STYLES.findall(sections)]))
    for style in styles[1:]:  # all pictures of a page have one style sheet: the first one brings it
        before, first, after = sections.partition(f"<style>{style}</style>")
        sections = before + first + after.replace(first, "")
    found = unfolding(document, live, others)
    script, program = _script(), json.dumps(payload(live, found), separators=(",", ":"))
    behind = [rest(each) for each in document.sections if each.anchor in later]
    data = embedded(packed("\n".join([program, on_one_line(controls(live)), *found.lines, *behind])))
    policy = (
        f"default-src 'none'; script-src {digest(script)}; style-src {' '.join(map(digest, styles))}; "
        "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
    )
    text = TEMPLATE.format(
        policy=policy, title=escape(document.title), about=inline(document.about), style=stylesheet(),
        sections=sections, outline=outline(document.sections), data=data, script=script,
    )  # fmt: skip
    return text.encode("utf-8", "replace").decode("utf-8")  # a file's name may have bytes that are no letters
