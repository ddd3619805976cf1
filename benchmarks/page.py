"""How long the page takes to compute everything again, and how large it is: `python benchmarks/page.py [FILE.html]`.

The law: at most 5 ms and 600 KB. Times are of Debian's chromium through Playwright; numbers depend on the machine.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter

MOST_MILLISECONDS, MOST_BYTES = 5, 600_000
TIMES = "() => [...Array(200)].map(() => shapeproof.recompute()).sort((a, b) => a - b)"
SHOWN = "() => { const start = performance.now(); shapeproof.recompute(); return performance.now() - start; }"


def made() -> Path:
    """A page of the whole catalog, in a temporary folder."""
    from derive.render.documents.blocks import Document, Section
    from derive.render.page import page
    from derive.sheet.catalog import cards
    from derive.sheet.live import live

    held = tuple(Section(each.topic, f"topic-{each.topic}", (each,)) for each in cards())
    start = perf_counter()
    computed = live()
    middle = perf_counter()
    text = page(Document("All formulas", (), held), computed)
    print(f"expressions of all choices {middle - start:.2f} s, the page {perf_counter() - middle:.2f} s")
    path = Path(tempfile.mkdtemp()) / "page.html"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> int:
    """Print the sizes and times; 1 where one is above what it may be."""
    from playwright.sync_api import sync_playwright

    path = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else made()
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        start = perf_counter()
        tab.goto(path.as_uri() + "#model=llama3-70b&tp=8&sp=1&dp=8&zero=1&recompute=core")
        loaded = perf_counter() - start
        times, shown = tab.evaluate(TIMES), tab.evaluate(SHOWN)
        browser.close()
    size, middle = path.stat().st_size, times[len(times) // 2]
    print(f"{size} bytes (at most {MOST_BYTES}); opened in {loaded * 1000:.0f} ms")
    print(f"computed again in {middle:.2f} ms (at most {MOST_MILLISECONDS}), the slowest in {times[-1]:.2f} ms")
    print(f"computed and shown in {shown:.1f} ms")
    return int(size > MOST_BYTES or middle > MOST_MILLISECONDS)


if __name__ == "__main__":
    sys.exit(main())
