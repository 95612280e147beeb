"""The pictures of README and docs: report, panel, phone, notebook, terminal; made from the bundled market.

    .venv/bin/python scripts/screenshots.py

Needs chromium and the extra [dev]. Each picture is written to docs/pictures/ and should be looked at.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.terminal_theme import TerminalTheme

import karat
from karat.report.text import renderable
from karat.sources import demo

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
COMMAND = "karat appraise previews/*.parquet --anchor mine.parquet -o report.html"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]

DARK = TerminalTheme(
    (24, 27, 31),
    (226, 229, 232),
    [(24, 27, 31), (243, 166, 109), (138, 188, 247), (227, 184, 78), (138, 188, 247)] + [(165, 173, 181)] * 3,
)


def main() -> None:
    """Make every picture."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    market = karat.Market.read(demo.vendors(), anchor=demo.anchor())
    appraisal = karat.appraise(market, command=COMMAND)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        appraisal.to_html(report)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for name, dark in (("report", False), ("report-dark", True)):
            with opened(browser, report, width=1120, height=1090, dark=dark) as page:
                shoot(page, name)
        with opened(browser, report, width=390, height=844) as page:
            shoot(page, "report-phone")
        with opened(browser, report, width=1120, height=900) as page:
            shoot(page, "pairs", page.locator("#pairs"))
            shoot(page, "map", page.locator("#map"))
            page.locator("#what-if input[data-source='3']").fill("40")
            page.locator("#what-margin").fill("10")
            page.locator("#what-if td[tabindex='0']").focus()
            page.wait_for_timeout(200)
            shoot(page, "what-if", page.locator("#what-if"))
        cells = Path(folder) / "notebook.html"
        cells.write_text(notebook(market, appraisal), encoding="utf-8")
        with opened(browser, cells, width=940, height=300) as page:
            shoot(page, "notebook", page.locator("body"))
        browser.close()
    (PICTURES / "terminal.svg").write_text(terminal(appraisal), encoding="utf-8")


@contextmanager
def opened(browser: Any, path: Path, *, width: int, height: int, dark: bool = False) -> Iterator[Page]:
    """A page in a window of this size, a little denser than one dot per pixel."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        device_scale_factor=1.5 if width < 500 else 1.25,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(path.as_uri())
    yield page
    context.close()


def shoot(page: Page, name: str, part: Any = None) -> None:
    """Write the window, or a part of the page with a margin around what it shows."""
    path = PICTURES / f"{name}.png"
    if part is None:
        page.screenshot(path=path)
        return
    box = part.bounding_box()
    first = part.locator(":scope > *").first.bounding_box()
    top, margin = first["y"], 24
    clip = {
        "x": max(box["x"] - margin, 0),
        "y": top + page.evaluate("scrollY") - margin,
        "width": box["width"] + 2 * margin,
        "height": box["y"] + box["height"] - top + 2 * margin,
    }
    page.screenshot(path=path, full_page=True, clip=clip)


TERMINAL = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#181b1f"/>
<g fill="#3d444b">
<circle cx="22" cy="22" r="6"/><circle cx="42" cy="22" r="6"/><circle cx="62" cy="22" r="6"/>
</g>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""
"""Without the web fonts of rich's own form: a picture asks nothing of any server."""


def terminal(appraisal: karat.Appraisal) -> str:
    """What the command prints, as a terminal shows it, in SVG."""
    console = Console(
        file=io.StringIO(), record=True, width=104, force_terminal=True, color_system="truecolor"
    )
    console.print(f"[bold #e3b84e]$[/] {COMMAND}\n", highlight=False)
    console.print(renderable(appraisal))
    return console.export_svg(theme=DARK, code_format=TERMINAL, unique_id="karat")


def notebook(market: karat.Market, appraisal: karat.Appraisal) -> str:
    """Two cells with what they show."""
    cells = (
        ("appraisal = karat.appraise(market)\nappraisal", appraisal),
        ('appraisal.compare("acme", "hooli", margin="5%")', appraisal.compare("acme", "hooli", margin="5%")),
    )
    style = (
        "body{margin:0;padding:24px;font:14px system-ui,sans-serif;background:#fff;color:#111}"
        "pre.cell{margin:0 0 12px;padding:10px 12px;background:#f5f5f5;border-left:3px solid #c8940a;"
        "font:13px/1.5 ui-monospace,Menlo,Consolas,monospace} section{margin-bottom:24px}"
    )
    shown = "".join(
        f"<section><pre class='cell'>{code}</pre>{result._repr_html_()}</section>" for code, result in cells
    )
    return f"<!doctype html><meta charset='utf-8'><style>{style}</style><body>{shown}</body>"


if __name__ == "__main__":
    main()
