"""Every valuation on one market of ten vendors with 2,000 rows and 20 columns: seconds, and peak memory.

Each runs in a process of its own, so that its memory is its own: that of the interpreter and the libraries it
loads is in the figure, like the time for loading them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from karat.baselines import VALUATIONS, valuation_class, value
from karat.baselines.needs import lacking_extras
from karat.bench.timing import in_a_process
from karat.typing import Matrix, Vector
from karat.vendors import Market

VENDORS, ROWS, COLUMNS, CLASSES = 10, 2_000, 20, 5

MOST_SECONDS, MOST_MEGABYTES = 120.0, 4_096.0
"""What no valuation may exceed on that market."""

LARGE_ROWS, LARGE_MEGABYTES = 10_000, 1_024.0
"""LAVA with so many rows on both sides has to stay below so much memory."""


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
        """The name, what is not default, and the size where it is not the usual one.

        >>> Run("volume", {"robust": False}).title
        'volume robust=False'
        """
        chosen = [f"{key}={choice}" for key, choice in self.options.items()]
        size = [] if self.rows == ROWS else [f"{self.rows} x {self.rows}"]
        return " ".join([self.valuation, *chosen, *size])


VARIANTS = (
    Run("mmd2", {"tay": True}),
    Run("lava", {"transport": "exact"}),
    Run("lava", {"form": "distance"}),
    Run("lava", {"form": "distance", "transport": "exact"}),
    Run("volume", {"robust": False}),
    Run("information-gain", {"model": "gp"}),
    Run("classifier-two-sample", {"model": "logistic"}),
)
"""Options that are other algorithms, beside the defaults."""

LARGE = tuple(
    Run("lava", {"transport": way}, 1, LARGE_ROWS, most_seconds=None, most_megabytes=LARGE_MEGABYTES)
    for way in ("entropic", "exact")
)


def run_valuations_bench(names: Sequence[str] | None = None, *, large: bool = True) -> dict[str, Any]:
    """Seconds and megabytes of every valuation that can run here, and whether both stay within their limits.

    names: the valuations to run, by default all; large: LAVA at 10,000 x 10,000 rows, too.
    """
    runs = [*(Run(name) for name in VALUATIONS), *VARIANTS, *(LARGE if large else ())]
    wanted = [run for run in runs if names is None or run.valuation in names]
    lines = [_line(run) for run in wanted]
    return {
        "market": {"vendors": VENDORS, "rows": ROWS, "columns": COLUMNS, "classes": CLASSES},
        "valuations": lines,
        "all_within": all(line["is_within"] is not False for line in lines),
    }


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
    """Seconds of one valuation, and the peak memory of this process; meant for a process of its own."""
    market = bench_market(vendors, rows)
    start = time.perf_counter()
    value(market, valuation, **options)
    return {"seconds": time.perf_counter() - start, "peak_rss_mb": peak_megabytes()}


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
    lacks = lacking_extras(valuation_class(run.valuation).needs)
    if lacks:
        return line | {"seconds": None, "peak_rss_mb": None, "is_within": None, "lacks": list(lacks)}
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
