"""Figure 11 and tables 16 to 22: time and memory against vendors and rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from karat.errors import ValuationError
from karat.paper.base import Cell, Experiment, parts
from karat.paper.statistics import line_fit

EXACT_WORK = 5e12
"""Pairs of rows times columns beyond which the exact engine is left out: it would take minutes."""

COLUMNS = {"mnist": 784, "cifar10": 3072, "davinz": 784}

ENGINES: Mapping[str, tuple[str, ...]] = {
    "mnist": ("landmarks", "exact", "block"),
    "cifar10": ("landmarks", "exact", "block"),
    "davinz": ("davinz",),
}
"""data -> what is timed; DAVINZ is timed on MNIST."""


@dataclass(frozen=True, kw_only=True)
class Scaling(Experiment):
    """Every engine values n vendors of m rows against m rows of P*, each in a process of its own.

    data: "mnist", "cifar10", or "davinz" (on MNIST, ten vendors); vendors: n; rows: m; is_whole: every n with
    every m, otherwise every n with the least m and every m with the least n.
    Time is of the valuation alone; memory is the largest resident set of the whole process, data included.
    """

    family: ClassVar[str] = "scaling"

    data: str
    vendors: tuple[int, ...]
    rows: tuple[int, ...]
    is_whole: bool = False

    def cells(self) -> tuple[str, ...]:
        return tuple(
            f"{engine}-{n}-{m}"
            for engine in ENGINES[self.data]
            for n in self.vendors
            for m in self.rows
            if self.is_whole or n == self.vendors[0] or m == self.rows[0]
            if engine != "exact" or ((n + 1) * m) ** 2 / 2.0 * COLUMNS[self.data] <= EXACT_WORK
        )

    def run(self, cell: str) -> dict[str, Any]:
        engine, (n, m) = parts(cell)
        return measured({"engine": engine, "data": self.data, "n": n, "m": m, "seed": self.seed})

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for engine in ENGINES[self.data]:
            sizes = [(parts(cell)[1], cells[cell]) for cell in self.cells() if parts(cell)[0] == engine]
            least_n, least_m = min(n for (n, _), _ in sizes), min(m for (_, m), _ in sizes)
            found[engine] = {
                "grid": [
                    {"n": n, "m": m, "error": error_of(cell, cells.get(f"exact-{n}-{m}")), **cell}
                    for (n, m), cell in sizes
                ],
                "against_m": fits([(m, cell) for (n, m), cell in sizes if n == least_n]),
                "against_n": fits([(n, cell) for (n, m), cell in sizes if m == least_m]),
            }
        return {"engines": found}


def error_of(cell: Cell, exact: Cell | None) -> float | None:
    """The largest difference of a vendor's value from the exact engine's, on the same rows."""
    if exact is None:
        return None
    return max(abs(float(a) - float(b)) for a, b in zip(cell["scores"], exact["scores"], strict=True))


def fits(points: list[tuple[int, Cell]]) -> dict[str, Any] | None:
    """Straight lines through time and memory; None with fewer than three sizes."""
    if len(points) < 3:
        return None
    sizes = [float(size) for size, _ in points]
    return {what: line_fit(sizes, [cell[what] for _, cell in points]) for what in ("seconds", "peak_mb")}


def measured(job: Mapping[str, Any]) -> dict[str, Any]:
    """One timing in a fresh process."""
    run = subprocess.run(
        [sys.executable, "-m", "karat.paper.timing", json.dumps(job)],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        said = run.stderr.strip().splitlines()
        raise ValuationError(
            f"the timing of {job['engine']!r} failed: {said[-1] if said else run.returncode}.",
            hint="Run it again with fewer rows, or see whether the memory is enough.",
        )
    found: dict[str, Any] = json.loads(run.stdout)
    return found
