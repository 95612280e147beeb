"""All figures of `karat bench`, as plain data, and as lines of text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.bench.choices import choice_figures
from karat.bench.exact import exact_figures
from karat.bench.landmarks import landmark_figures
from karat.bench.machine import machine
from karat.bench.process import process_figures


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Time karat on this machine.

    exact.<width>: nanoseconds per pair of rows and its ratio to the bare product, scikit-learn and torch;
    choices.<width>: other kernels, precisions and threads, in times of the default;
    landmarks.<number>, block: seconds and errors; rows_per_second of the default landmarks; peak_rss_mb of
    ten vendors of 10,000 rows of 1,024 columns; seconds of what a user waits for. None where not measured.
    """
    figures: dict[str, Any] = {"schema": "karat/bench/1", "quick": quick, "machine": machine()}
    figures["exact"] = exact_figures(quick=quick)
    figures["choices"] = choice_figures(quick=quick)
    figures |= landmark_figures(quick=quick)
    figures |= process_figures(quick=quick)
    return figures


def as_lines(figures: Mapping[str, Any]) -> list[str]:
    """The figures as a table in text."""
    where = figures["machine"]
    lines = [
        f"{where['processor']}, {where['cores']:.0f} cores, {where['memory_gb']:.0f} GB",
        "",
        "exact engine        ns per pair   over bare product   scikit-learn / exact   torch / exact",
    ]
    for width, row in figures["exact"].items():
        lines.append(
            f"  {width:>5} columns  {row['ns_per_pair']:13.3f}   {row['over_blas']:17.3f}"
            f"   {_number(row['sklearn_over_exact'], 20, 1)}   {_number(row['torch_over_exact'], 13, 1)}"
        )
    lines += [
        "",
        "times the default   " + "".join(f"{width:>9}" for width in figures["choices"]) + "  columns",
    ]
    rows = list(figures["choices"].values())
    for name in rows[0] if rows else ():
        digits = 8 if name == "float32_error" else 2
        lines.append(f"  {name:<18}" + "".join(f"{row[name]:9.{digits}f}"[:9] for row in rows))
    lines += ["", "landmarks             seconds       largest error     its own estimate"]
    for name, row in figures["landmarks"].items():
        errors = f"{row['max_error']:17.2g}   {row['estimated_error']:18.2g}"
        lines.append(f"  {name:>12}  {row['seconds']:13.2f}   {errors}")
    block = figures["block"]
    lines.append(f"  {'block':>12}  {block['seconds']:13.2f}   {block['max_error']:17.2g}")
    lines += ["", f"{figures['rows_per_second']:,.0f} rows a second with landmarks"]
    for name, meaning, unit in WAITS:
        lines.append(f"{_number(figures.get(name), 10, 2)} {unit:<4} {meaning}")
    return lines


WAITS = (
    ("peak_rss_mb", "peak memory, exact, ten vendors of 1,024 columns", "MB"),
    ("import_cpu_seconds", "CPU of import karat", "s"),
    ("help_cpu_seconds", "CPU of karat --help", "s"),
    ("five_vendors_seconds", "five vendors of 10,000 x 20, command to leaderboard", "s"),
    ("thousand_vendors_seconds", "a thousand vendors of 500 x 20, command to leaderboard", "s"),
    ("thousand_vendors_peak_mb", "peak memory of that", "MB"),
)
"""Key, meaning and unit of the figures that are one number."""


def _number(value: float | None, width: int, digits: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"
