"""Every valuation on one market of ten vendors with 2,000 rows and 20 columns: seconds, and peak memory.

Each runs in a process of its own, so that its memory is its own: that of the interpreter and the libraries it
loads is in the figure, like the time for loading them. The figures of one machine are stored as data.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from karat.baselines import VALUATIONS, valuation_named, value
from karat.baselines.needs import lacking_extras
from karat.bench.machine import machine
from karat.bench.timing import in_a_process
from karat.typing import Matrix, Progress, Vector
from karat.vendors import Market

VENDORS, ROWS, COLUMNS, CLASSES = 10, 2_000, 20, 5

MOST_SECONDS, MOST_MEGABYTES = 120.0, 4_096.0
"""What no valuation may exceed on that market."""

LARGE_ROWS, LARGE_MEGABYTES = 10_000, 1_024.0
"""LAVA with so many rows on both sides has to stay below so much memory."""

PLAYERS, PLAYERS_ROWS, PLAYERS_SECONDS = 16, 200, 2.0
"""The exact game of coalitions under the MMD, with its root, takes no longer among so many vendors."""

STORED = "valuations.json"


@dataclass(frozen=True)
class Run:
    """One valuation with its options, as a line of the bench.

    vendors, rows: of the market, whose anchor has as many rows as a vendor; most_seconds: None where only the
    memory is promised.
    """

    valuation: str
    options: Mapping[str, Any] = field(default_factory=dict)
    vendors: int = VENDORS
    rows: int = ROWS
    most_seconds: float | None = MOST_SECONDS
    most_megabytes: float = MOST_MEGABYTES

    @property
    def title(self) -> str:
        """The valuation as `--valuation` takes it, and the size where it is not the usual one.

        >>> Run("volume", {"robust": False}).title, Run("mmd", vendors=3, rows=1000).title
        ('volume:robust=false', 'mmd, 3 x 1,000 rows')
        """
        size = "" if self.rows == ROWS else f", {self.vendors} x {self.rows:,} rows"
        return valuation_named(self.valuation, **self.options).title + size


VARIANTS = (
    Run("mmd2", {"tay": True}),
    Run("lava", {"transport": "exact"}),
    Run("lava", {"form": "distance"}),
    Run("lava", {"form": "distance", "transport": "exact"}),
    Run("volume", {"robust": False}),
    Run("information-gain", {"model": "gp"}),
    Run("classifier-two-sample", {"model": "logistic"}),
    Run("coalition-mmd", {"semivalue": "banzhaf"}),
    Run("davinz", {"model": "mlp-16"}),
    Run("mmd-cond", {"model": "mlp-16"}),
)
"""Options that are other algorithms, beside the defaults."""

GAME = Run("coalition-mmd", {}, PLAYERS, PLAYERS_ROWS, most_seconds=PLAYERS_SECONDS)
"""All 65,536 coalitions of sixteen vendors."""

LARGE = tuple(
    Run("lava", {"transport": way}, 1, LARGE_ROWS, most_seconds=None, most_megabytes=LARGE_MEGABYTES)
    for way in ("entropic", "exact")
)
"""As many rows of one vendor as of the anchor."""


def run_valuations_bench(
    names: Sequence[str] | None = None, *, large: bool = True, progress: Progress | None = None
) -> dict[str, Any]:
    """Seconds and megabytes of every valuation that can run here, and whether both stay within their limits.

    names: the valuations to run, by default all; large: LAVA at 10,000 x 10,000 rows, too.
    """
    runs = [*(Run(name) for name in VALUATIONS), *VARIANTS, GAME, *(LARGE if large else ())]
    wanted = [run for run in runs if names is None or run.valuation in names]
    lines = []
    for run in wanted:
        lines.append(_line(run))
        if progress is not None:
            progress(len(lines), len(wanted))
    return {
        "schema": "karat/bench-valuations/1",
        "machine": machine(),
        "market": {"vendors": VENDORS, "rows": ROWS, "columns": COLUMNS, "classes": CLASSES},
        "valuations": lines,
        "all_within": all(line["is_within"] is not False for line in lines),
    }


def as_lines(figures: Mapping[str, Any]) -> list[str]:
    """The figures as a table in text; a limit stands only where a line has one of its own."""
    where, market = figures["machine"], figures["market"]
    lines = [
        f"{where['processor']}, {where['cores']:.0f} cores, {where['memory_gb']:.0f} GB",
        f"{market['vendors']} vendors x {market['rows']:,} rows x {market['columns']} columns, "
        f"{market['classes']} classes, an anchor as large as a vendor;",
        f"at most {MOST_SECONDS:.0f} s and {MOST_MEGABYTES:,.0f} MB each unless another limit is named",
        "",
        f"{'valuation':<46}{'seconds':>8}{'of CPU':>8}{'MB':>8}",
    ]
    for line in figures["valuations"]:
        if line["is_within"] is None:
            lines.append(f"{line['title']:<46}not installed: karat[{','.join(line['lacks'])}]")
            continue
        seconds = f"{line['seconds']:8.1f}{line['cpu_seconds']:8.1f}"
        row = f"{line['title']:<46}{seconds}{line['peak_rss_mb']:8,.0f}{_limit(line)}"
        lines.append(row if line["is_within"] else f"{row}   OVER THE LIMIT")
    return [*lines, "", "all within their limits" if figures["all_within"] else "NOT all within their limits"]


def as_markdown(figures: Mapping[str, Any]) -> str:
    """The figures as the table that the documentation shows."""
    rows = ["| valuation | seconds | of CPU | MB |", "| --- | --- | --- | --- |"]
    for line in figures["valuations"]:
        if line["is_within"] is not None:
            cells = (f"{line['seconds']:.1f}", f"{line['cpu_seconds']:.1f}", f"{line['peak_rss_mb']:,.0f}")
            rows.append(f"| `{line['title']}`{_limit(line)} | {' | '.join(cells)} |")
    return "\n".join(rows)


def stored_valuations_bench() -> dict[str, Any]:
    """The figures of the last full run that was stored."""
    text = files("karat.bench").joinpath("results", STORED).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _limit(line: Mapping[str, Any]) -> str:
    """The limits that are not everybody's, in words."""
    own = []
    if line["most_seconds"] not in (None, MOST_SECONDS):
        own.append(f"{line['most_seconds']:.0f} s")
    if line["most_megabytes"] != MOST_MEGABYTES:
        own.append(f"{line['most_megabytes']:,.0f} MB")
    return f" (limit {', '.join(own)})" if own else ""


def bench_market(vendors: int = VENDORS, rows: int = ROWS, columns: int = COLUMNS, seed: int = 0) -> Market:
    """Classes around centres of their own, with label noise that grows from vendor to vendor up to a half."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0.0, 1.5, size=(CLASSES, columns))

    def draw(noise: float) -> tuple[Matrix, Vector]:
        classes = rng.integers(CLASSES, size=rows)
        features = centres[classes] + rng.normal(size=(rows, columns))
        drawn_anew = rng.random(rows) < noise
        return features, np.where(drawn_anew, rng.integers(CLASSES, size=rows), classes).astype(np.float64)

    shown = {f"vendor-{i}": draw(0.5 * i / vendors) for i in range(vendors)}
    features, labels = draw(0.0)
    return Market.from_arrays(
        {name: pair[0] for name, pair in shown.items()},
        labels={name: pair[1] for name, pair in shown.items()},
        anchor=features,
        anchor_labels=labels,
    )


def measure(valuation: str, options: Mapping[str, Any], vendors: int, rows: int) -> dict[str, float]:
    """Seconds of one valuation, and the peak memory of this process; meant for a process of its own.

    cpu_seconds: of all threads; far below `seconds` only where other programs kept the processors busy.
    """
    market = bench_market(vendors, rows)
    start, cpu_start = time.perf_counter(), time.process_time()
    value(market, valuation, **options)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
        "peak_rss_mb": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """The most memory that this process has held."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: ru_maxrss would include what the parent held before this program was loaded
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024.0
    import resource

    unit = 1024.0**2 if sys.platform == "darwin" else 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


_PROGRAM = """
import json, sys
from karat.bench.valuations import measure
print(json.dumps(measure(**json.loads(sys.argv[1]))))
"""


def _line(run: Run) -> dict[str, Any]:
    line: dict[str, Any] = {
        "title": run.title,
        "valuation": run.valuation,
        "options": dict(run.options),
        "most_seconds": run.most_seconds,
        "most_megabytes": run.most_megabytes,
    }
    lacks = lacking_extras(valuation_named(run.valuation, **run.options).required)
    if lacks:
        return line | {
            "seconds": None,
            "cpu_seconds": None,
            "peak_rss_mb": None,
            "is_within": None,
            "lacks": list(lacks),
        }
    asked = {
        "valuation": run.valuation,
        "options": dict(run.options),
        "vendors": run.vendors,
        "rows": run.rows,
    }
    found = json.loads(in_a_process(_PROGRAM, json.dumps(asked)))
    is_fast = run.most_seconds is None or found["seconds"] <= run.most_seconds
    line |= found | {"is_within": is_fast and found["peak_rss_mb"] <= run.most_megabytes}
    return line
