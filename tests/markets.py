"""Markets that reports are tested on: ordinary ones, and one whose vendors would like to break the page."""

from __future__ import annotations

import numpy as np

import karat


def contaminated(vendors: int, *, rows: int = 120, anchor: int | None = 100, seed: int = 0, **options):
    """Vendor i of n has a share i / (2 n) of its rows moved away; sizes differ."""
    rng = np.random.default_rng(seed)

    def draw(share, size):
        return rng.normal(size=(size, 3)) + 3.0 * (rng.random((size, 1)) < share)

    market = {f"vendor {i}": draw(i / (2 * vendors), rows + 7 * i) for i in range(vendors)}
    own = None if anchor is None else draw(0.0, anchor)
    return karat.appraise(market, anchor=own, precision="float64", **options)


BELL, ESCAPE, RIGHT_TO_LEFT, NUL = chr(7), chr(27), chr(0x202E), chr(0)

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    '"><img src=x onerror=alert(3)>',
    "' onmouseover='alert(4)",
    "javascript:alert(5)",
    "{{ 7 * 7 }}{% include 'x' %}",
    f"{RIGHT_TO_LEFT}exe.lived",
    f"{ESCAPE}[2J{ESCAPE}]0;owned{BELL}{NUL}",
    "line\nbreak\r\nand\ttab",
    "Z" + "\u0301" * 400,
    "\u200b\u200d\ufeff",
    "W" * 1_000_000,
    '=HYPERLINK("http://x","y")',
    "\u0627\u0644\u0628\u0627\u0626\u0639",
    "&lt;b&gt;&#x3C;",
    "url(http://x.example/a.png)",
    "\ud800",
)
"""Names and columns: script, attribute breaks, bidirectional text, control characters, a megabyte."""


def hostile(*, anchor: bool = True):
    """A market of data frames whose vendors and columns carry hostile names."""
    import pandas as pd

    rng = np.random.default_rng(1)
    columns = [name[:5000] if len(name) > 5000 else name for name in HOSTILE[:9]]

    def frame(shift, rows=40):
        table = pd.DataFrame(rng.normal(shift, 1.0, size=(rows, len(columns))), columns=columns)
        table.iloc[::7, 0] = np.nan
        return table

    vendors = {name: frame(0.2 * i) for i, name in enumerate(HOSTILE)}
    return karat.appraise(vendors, anchor=frame(0.0) if anchor else None, command="karat " + HOSTILE[1])
