"""A document as one HTML file without code: what a single quantity is shown as."""

from __future__ import annotations

from html import escape

from derive.render.documents.blocks import Document
from derive.render.documents.single import document
from derive.render.page import digest, stylesheet
from derive.render.page.blocks import inline, section
from derive.report import Report

TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src {digest}; font-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="alone">
<main id="content"><header class="top"><h1>{title}</h1><p class="about">{about}</p></header>
{sections}
</main>
</body>
</html>"""


def static(found: Document) -> str:
    """The document as HTML that needs no other file and runs nothing."""
    style = stylesheet()
    return TEMPLATE.format(
        digest=digest(style), title=escape(found.title), style=style, about=inline(found.about),
        sections="".join(map(section, found.sections)),
    )  # fmt: skip


def html(report: Report) -> str:
    """One quantity in full as an HTML page."""
    return static(document(report))
