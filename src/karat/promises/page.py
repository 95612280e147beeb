"""The stored results as a page of the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = """# Promises: what was simulated

`karat verify-guarantees` simulates every promise; `--quick` ends within a minute, with fewer runs
and musts that are widened by what chance adds. The table is the full run whose results ship with
karat (`karat.promises.run.stored_results()`, every cell in `details`). Kernel, encoder and
reference are chosen inside every simulated run. A measured share is that of the worst cell.

Laws: *normal* (four columns of unlike scale), *heavy tails* (a tenth of the rows ten times, a
hundredth a hundred times as wide), *discrete* (two columns of counts, 25 atoms), *image features*
(block means of handwritten digits and clothes). In every coverage market four vendors carry 0, 10,
40 and 100 % contamination; the first is drawn from the anchor's own distribution. Sizes are equal
or 1 : 2 : 1 : 3 with an anchor of 2; references are the anchor and the uniform mixture, which
contains the vendor itself. CaliH/KingH: ten vendors, e_i = (i - 1)/10, seeds 0, 1, 2 for power and
0 to 19 for wrong verdicts; the pools that rows are drawn from are the distributions, so the truth
is exact. Landmarks: 16 of them for sources of 2,500 rows of which a third are compared, so that the
error that every interval holds is about as large as the sampling error.

Made from the stored results by `scripts/promises_page.py`.
"""

WORDS = {True: "holds", False: "**missed**", None: "-"}


def as_markdown(stored: Mapping[str, Any]) -> str:
    """The page: one row per promise, as measured."""
    lines = [HEAD, "| promise | measured | must | | runs |", "|---|---|---|---|---|"]
    lines += [_row(promise) for promise in stored["promises"]]
    versions = ", ".join(f"{name} {number}" for name, number in stored["versions"].items())
    minutes = stored["seconds"] / 60.0
    lines += ["", f"Seed {stored['seed']}; {versions}; {minutes:.0f} minutes on two shared cores.", ""]
    return "\n".join(lines)


def _row(promise: Mapping[str, Any]) -> str:
    measured = "no data" if promise["measured"] is None else f"{promise['measured']:.4g}"
    cells = (promise["promise"], measured, promise["must"], WORDS[promise["holds"]], f"{promise['runs']:,}")
    return f"| {' | '.join(cells)} |"
