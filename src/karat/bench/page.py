"""The stored figures as a page of the documentation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"

HEAD = """# Speed

What `karat bench` measured, on a quiet machine, in ratios within one run. Run it on yours: `karat
bench` (five minutes), `karat bench --large` (ten gigabytes of files), `karat bench --valuations`
([Valuations](valuations.md)).

Made from the stored results by `scripts/speed_page.py`.
"""

EXACT = """## Every pair of rows

Nanoseconds per pair of rows, with everything that the moments need: kernel values, row sums, column
sums and sums of squares, on all cores. The bare product is the inner products of the same rows
alone, by BLAS, into memory that is already there, in the best of four tile shapes, per entry of the
product; karat meets each pair once. scikit-learn (`rbf_kernel`) and a direct torch program are
given the paper's four bandwidths.
"""

ROOFLINE = """![Multiply-adds per second against columns](pictures/roofline.svg)

Rows stand in panels of 16. Inner products grow in vector registers, become kernel values there, and
leave as sums, so no inner product is ever written to memory ([decision
2](decisions/0002-products-in-registers.md)): the bare product's own write is saved, which is why
the engine can be faster than the product.
"""

CHOICES = """## What the choices are worth

The same moments by another choice, in times of the default kernel's: other kernels, precisions and
threads. Three bandwidths whose squares are whole multiples of one another share one exponential;
"three exponentials" has one that does not. The last line is what float32 products cost in accuracy:
the largest difference of a mean kernel value from float64, relative to the largest. The polynomial
kernel, and kernels of your own, are summed from their blocks in float64.
"""

LANDMARKS = """## Landmarks

Ten vendors and an anchor of 10,000 rows each, 1,024 columns. The error is the largest of a squared
distance to the anchor, against the exact engine; the estimate is what every interval is widened by.
"block" is the algorithm of the paper's authors with its division put right. "default" is the number
of landmarks that karat takes by itself.
"""

LARGE = """## Larger than memory

Files are read in parts, three times: once to look (counts, gaps, a sample for scales and kernel,
hashes of rows), once to draw landmarks, once to sum. Memory does not grow with the rows.
`--checkpoint FILE` keeps partial sums, so that a run that was stopped goes on.
"""

AUTO = """## Which method is taken

`--method auto` takes the exact engine where it needs at most two minutes and half of the machine's
memory, by an estimate from sizes alone, and landmarks beyond; the answer says which, why, and how
long exact would take. Sources of more than 50 million cells (the setting `KARAT_MAX_CELLS`), or
many that hold more than 200 million together, are always read in parts and valued by landmarks.
"""


def stored(name: str) -> dict[str, Any]:
    """A stored run: "speed" or "large"."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def as_markdown(speed: Mapping[str, Any], large: Mapping[str, Any]) -> str:
    """The page."""
    parts = [HEAD, _machine(speed["machine"])]
    parts += [EXACT, _table(_exact_rows(speed["exact"])), ROOFLINE]
    parts += [CHOICES, _table(_choice_rows(speed["choices"]))]
    parts += [LANDMARKS + f"\nRows of {speed['landmark_market']['data']}.\n", _table(_landmark_rows(speed))]
    parts += [LARGE, _table(_large_rows(large)), f"A straight line has r² = {large['r2']:.4f}.\n", AUTO]
    parts += ["## What a user waits for\n", _table(_wait_rows(speed))]
    return "\n".join(parts)


def _machine(machine: Mapping[str, Any]) -> str:
    return (
        f"{machine['processor']}, {machine['cores']:.0f} cores, {machine['memory_gb']:.0f} GB; "
        f"Python {machine['python']}, numpy {machine['numpy']}, numba {machine['numba']}.\n"
    )


def _table(rows: list[list[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _exact_rows(exact: Mapping[str, Mapping[str, float | None]]) -> list[list[str]]:
    rows = [["columns", "ns per pair", "over the bare product", "scikit-learn / karat", "torch / karat"]]
    for width, row in exact.items():
        figures = [_figure(row["ns_per_pair"], 3), _figure(row["over_blas"], 2)]
        rows.append(
            [width, *figures, _figure(row["sklearn_over_exact"], 1), _figure(row["torch_over_exact"], 1)]
        )
    return rows


def _choice_rows(choices: Mapping[str, Mapping[str, float]]) -> list[list[str]]:
    names = next(iter(choices.values()))
    rows = [["", *(f"{width} columns" for width in choices)]]
    for name in names:
        shown = [
            f"{row[name]:.1e}" if name == "float32_error" else f"{row[name]:.2f}" for row in choices.values()
        ]
        rows.append([name.replace("_", " "), *shown])
    return rows


def _landmark_rows(speed: Mapping[str, Any]) -> list[list[str]]:
    rows = [["", "landmarks", "seconds", "largest error", "its estimate"]]
    for name, row in speed["landmarks"].items():
        title = "default" if name == "default" else ""
        errors = [f"{row['max_error']:.1e}", f"{row['estimated_error']:.1e}"]
        rows.append([title, f"{row['landmarks']:,.0f}", f"{row['seconds']:.2f}", *errors])
    block, market = speed["block"], speed["landmark_market"]
    rows.append(["block", "", f"{block['seconds']:.2f}", f"{block['max_error']:.1e}", ""])
    rows.append(["exact", "", f"{market['exact_seconds']:.2f}", "", ""])
    return rows


def _large_rows(large: Mapping[str, Any]) -> list[list[str]]:
    rows = [[f"rows of each of {large['vendors']} vendors, {large['columns']:,} columns"]]
    rows[0] += ["files", "command to leaderboard", "peak memory"]
    for count, one in large["rows"].items():
        figures = [f"{one['gb']:.1f} GB", f"{one['seconds']:.0f} s", f"{one['peak_rss_mb']:,.0f} MB"]
        rows.append([f"{int(count):,}", *figures])
    return rows


def _wait_rows(speed: Mapping[str, Any]) -> list[list[str]]:
    from karat.bench.run import WAITS

    return [["what", "measured"]] + [
        [meaning, f"{_figure(speed.get(name), 2)} {unit}"] for name, meaning, unit in WAITS
    ]


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
