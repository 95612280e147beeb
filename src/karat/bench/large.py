"""A market larger than memory should hold, from files to leaderboard: fifty vendors of 1,024 columns.

Time against rows, and the peak memory of the process, which must not grow with them.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from karat.bench.machine import machine
from karat.bench.process import Command
from karat.errors import UsageError

VENDORS, WIDTH, ANCHOR_ROWS = 50, 1024, 2000
ROWS = (5_000, 10_000, 20_000, 35_000, 50_000)
QUICK_ROWS = (500, 1_000, 2_000)


def large_figures(*, quick: bool = False, told: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """By rows of each vendor: seconds from the command to the leaderboard, MB at the peak, GB of files.

    r2: of a straight line through seconds against rows. The smallest sizes fit in memory and are computed
    from there; all are valued by landmarks.
    """
    by_rows = {}
    for rows in QUICK_ROWS if quick else ROWS:
        told(f"{VENDORS} vendors of {rows:,} rows and {WIDTH:,} columns")
        by_rows[str(rows)] = _measured(rows)
    seconds = [one["seconds"] for one in by_rows.values()]
    return {
        "schema": "karat/bench-large/1",
        "quick": quick,
        "machine": machine(),
        "vendors": VENDORS,
        "columns": WIDTH,
        "rows": by_rows,
        "r2": float(np.corrcoef([float(rows) for rows in by_rows], seconds)[0, 1] ** 2),
    }


def _measured(rows: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        folder = Path(name)
        size = 4 * VENDORS * rows * WIDTH
        if shutil.disk_usage(folder).free < 1.5 * size:
            raise UsageError(
                f"this needs {1.5 * size / 1e9:.0f} GB of room for temporary files.",
                hint="Make room, or name another folder by the setting TMPDIR.",
            )
        arguments = ["appraise", *_written(folder, rows), "--anchor", "anchor.npz", "--method", "landmarks"]
        found = Command.run(*arguments, "--no-save", folder=folder)
        return {"seconds": found.seconds, "peak_rss_mb": found.peak_mb, "gb": size / 1e9}


def _written(folder: Path, rows: int) -> list[str]:
    """Gaussians in float32, every fifth vendor of the anchor's own distribution; the vendors' files."""
    draw = np.random.default_rng(0)
    np.savez(folder / "anchor.npz", draw.standard_normal((ANCHOR_ROWS, WIDTH), dtype=np.float32))
    names = [f"v{j}.npz" for j in range(VENDORS)]
    for j, name in enumerate(names):
        np.savez(
            folder / name, draw.standard_normal((rows, WIDTH), dtype=np.float32) + np.float32(0.02 * (j % 5))
        )
    return names


def as_lines(figures: Mapping[str, Any]) -> list[str]:
    """The figures as a table in text."""
    head = f"{figures['vendors']} vendors, {figures['columns']:,} columns, from files to leaderboard"
    lines = [head, "", "rows each      files     seconds   peak memory"]
    for rows, one in figures["rows"].items():
        lines.append(
            f"{int(rows):>9,}  {one['gb']:6.2f} GB  {one['seconds']:10.1f}   {one['peak_rss_mb']:8,.0f} MB"
        )
    return [*lines, "", f"a straight line through seconds against rows has r^2 {figures['r2']:.4f}"]
