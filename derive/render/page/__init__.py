"""The live page: a document as one HTML file that needs nothing else, and recomputes every number in the reader's hands."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from html import escape
from pathlib import Path

from derive.errors import DeriveError
from derive.render.documents.blocks import Cards, Document
from derive.render.page.blocks import folded, inline, outline, section
from derive.render.page.controls import controls
from derive.render.page.data import embedded, payload
from derive.render.page.live import Live
from derive.render.page.packing import packed

HERE = Path(__file__).parent
FONT = "font/stix-two-math.woff2"
SCRIPTS = ("unpack.js", "exact.js", "numbers.js", "program.js", "address.js", "page.js")
STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)
FORBIDDEN = re.compile(
    r"<script|<foreignObject|\son\w+\s*=|\sstyle\s*=|<style\s|javascript:|\bhref\s*=\s*['\"]?(?!#)", re.IGNORECASE
)


@cache
def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    font = base64.b64encode((HERE / FONT).read_bytes()).decode()
    return _file("page.css").replace("FONT", f"data:font/woff2;base64,{font}")


def _script() -> str:
    return '(() => {\n"use strict";\n' + "".join(map(_file, SCRIPTS)) + "})();\n"


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(document: Document, live: Live) -> str:
    """One HTML file: the document, the controls of `live`, and the code that computes; the same text every time.

    Raises `DeriveError` for an expression that the page cannot compute, and for a picture that is more than a drawing.
    """
    sections = "".join(map(section, document.sections))
    for picture in re.findall(r"<svg.*?</svg>", sections, re.DOTALL):
        if found := FORBIDDEN.search(picture):
            raise DeriveError(f"a picture of the page has {found[0].strip()!r} in it: it may only draw")
    styles = list(dict.fromkeys([_style(), *STYLES.findall(sections)]))
    script, program = _script(), json.dumps(payload(live), separators=(",", ":"))
    insides = [
        inside
        for part in document.sections
        for block in part.blocks
        for each in (block.cards if isinstance(block, Cards) else ())
        for _, inside in folded(each)
    ]
    data = embedded(packed("\n".join([program, controls(live), *insides])))
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {' '.join(map(_digest, styles))}; "
        "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(document.title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#content">Skip to the formulas</a>\n'
        f'<nav class="outline" aria-label="outline"><p class="brand">{escape(document.title)}</p>'
        '<div class="tools live" hidden><label class="search"><span class="hidden">Search names, titles and sources</span>'
        '<input type="search" id="search" placeholder="Search  /" autocomplete="off" spellcheck="false"></label>'
        '<button type="button" id="theme" aria-label="Colours: as the system has them">◐</button></div>'
        f'<p class="hidden" id="found" role="status"></p>{outline(document.sections)}</nav>\n'
        f'<main id="content" tabindex="-1"><header class="top"><h1>{escape(document.title)}</h1><p class="about">{inline(document.about)}</p></header>\n'
        '<noscript><p class="note">Without JavaScript this is a static sheet: formulas, derivations and sources, no values.</p></noscript>\n'
        f'<form class="controls live" id="controls" hidden autocomplete="off" aria-label="what the numbers are for"></form>\n{sections}\n'
        "<footer><p>Mathematics is set in a subset of STIX Two Math, copyright 2001–2021 The STIX Fonts Project Authors, "
        "under the SIL Open Font License, version 1.1.</p></footer></main>\n"
        f'<script type="application/json" id="data">{data}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
