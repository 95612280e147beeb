"""All promises, simulated here and now."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import version
from typing import Any

from karat.promises.approximation import landmark_intervals
from karat.promises.coverage import coverage
from karat.promises.errors import boundary_errors
from karat.promises.housing import housing
from karat.promises.promise import FULL, QUICK, Effort, Result
from karat.promises.repeated import repeated_looks
from karat.promises.variance import variances

Family = Callable[[Effort, int], Iterator[Result]]

FAMILIES: tuple[Family, ...] = (
    coverage,
    landmark_intervals,
    variances,
    boundary_errors,
    repeated_looks,
    housing,
)

STORED = "full.json"


@dataclass(frozen=True)
class PromiseReport:
    """Every promise with what was measured.

    effort: "quick" or "full". holds: whether every promise whose data are there holds.
    """

    effort: str
    promises: tuple[Result, ...]
    seconds: float
    seed: int

    @property
    def holds(self) -> bool:
        return all(result.holds is not False for result in self.promises)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values."""
        return {
            "schema": "karat/promises/1",
            "effort": self.effort,
            "seed": self.seed,
            "seconds": self.seconds,
            "versions": {name: version(name) for name in ("karat", "numpy", "scipy")},
            "holds": self.holds,
            "promises": [result.to_dict() for result in self.promises],
        }


def verify_guarantees(
    *,
    quick: bool = False,
    seed: int = 20240,
    families: Sequence[Family] = FAMILIES,
    progress: Callable[[Result], None] | None = None,
) -> PromiseReport:
    """Simulate every promise; `progress` is told each result as it comes."""
    start = time.perf_counter()
    effort = QUICK if quick else FULL
    found: list[Result] = []
    for family in families:
        for result in family(effort, seed):
            found.append(result)
            if progress is not None:
                progress(result)
    return PromiseReport(effort.name, tuple(found), time.perf_counter() - start, seed)


def stored_results() -> dict[str, Any]:
    """The full run whose numbers the docs show."""
    text = resources.files("karat.promises").joinpath("results", STORED).read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored


def as_lines(report: PromiseReport) -> list[str]:
    """A plain table: promise, measured, must, holds."""
    words = {True: "holds", False: "MISSED", None: "-"}
    rows = [("promise", "measured", "must", "")]
    for result in report.promises:
        measured = "no data" if result.measured is None else f"{result.measured:.4g}"
        rows.append((result.promise, measured, str(result.must), words[result.holds]))
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return lines
