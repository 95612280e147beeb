"""Figure 11 and tables 16 to 22: time and memory against vendors and rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.errors import ValuationError
from karat.paper.base import Cell, Experiment, parts
from karat.paper.statistics import line_fit

EXACT_WORK = 5e12
"""Pairs of rows times columns beyond which the exact engine is left out: it would take minutes."""

COLUMNS = {"mnist": 784, "cifar10": 3072, "davinz": 784}

RACE = (10, 10_000)
"""n and m at which landmarks are judged against the authors' algorithm."""

RACERS, DRAWS = ("exact", "block", "landmarks", "adaptive"), 5
"""Engines that race, and on how many draws of the vendors: the largest error of one draw is much luck."""


@dataclass(frozen=True)
class Sizes:
    """The sizes that an engine is timed at.

    rows: m, against which time is told at `at_vendors` vendors; vendors: n, at `at_rows` rows each;
    is_whole: every n with every m.
    """

    rows: tuple[int, ...]
    vendors: tuple[int, ...] = ()
    at_vendors: int = 10
    at_rows: int = 10_000
    is_whole: bool = False

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """(n, m), each once, those of growing m first."""
        if self.is_whole:
            return tuple((n, m) for n in self.vendors for m in self.rows)
        growing_m = [(self.at_vendors, m) for m in self.rows]
        return tuple(dict.fromkeys([*growing_m, *((n, self.at_rows) for n in self.vendors)]))


@dataclass(frozen=True, kw_only=True)
class Scaling(Experiment):
    """Every engine values n vendors of m rows against m rows of P*, each in a process of its own.

    data: "mnist", "cifar10", or "davinz" (on MNIST); engines: of `karat.paper.timing`, and their sizes.
    Time is of the valuation alone, the least of up to three repeats; memory is the largest resident set of
    the whole process, data included. "landmarks" has as many landmarks at every size, or its time would
    jump where their number does; "adaptive" has as many as karat takes when it is not told.
    """

    family: ClassVar[str] = "scaling"

    data: str
    engines: Mapping[str, Sizes]

    def cells(self) -> tuple[str, ...]:
        return tuple(
            f"{engine}-{n}-{m}"
            for engine, sizes in self.engines.items()
            for n, m in sizes.pairs
            if engine != "exact" or ((n + 1) * m) ** 2 / 2.0 * COLUMNS[self.data] <= EXACT_WORK
        ) + tuple(cell for engine in RACERS if self.has_race for cell in race_cells(engine)[1:])

    @property
    def has_race(self) -> bool:
        """Whether all that race are timed at that size."""
        return all(engine in self.engines and RACE in self.engines[engine].pairs for engine in RACERS)

    def run(self, cell: str) -> dict[str, Any]:
        engine, (n, m, *draw) = parts(cell)
        return measured({"engine": engine, "data": self.data, "n": n, "m": m, "seed": self.seed + sum(draw)})

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for engine, wanted in self.engines.items():
            names = [cell for cell in self.cells() if parts(cell)[0] == engine and len(parts(cell)[1]) == 2]
            sizes = [(parts(cell)[1], cells[cell]) for cell in names]
            found[engine] = {
                "at_vendors": wanted.at_vendors,
                "at_rows": wanted.at_rows,
                "grid": [
                    {"n": n, "m": m, "error": error_of(cell, cells.get(f"exact-{n}-{m}")), **cell}
                    for (n, m), cell in sizes
                ],
                "against_m": fits([(m, cell) for (n, m), cell in sizes if n == wanted.at_vendors]),
                "against_n": fits([(n, cell) for (n, m), cell in sizes if m == wanted.at_rows]),
            }
        return {"engines": found} | ({"race": raced(cells)} if self.has_race else {})


def race_cells(engine: str) -> tuple[str, ...]:
    """One cell per draw; the first is that of the grid."""
    first = f"{engine}-{RACE[0]}-{RACE[1]}"
    return (first, *(f"{first}-{draw}" for draw in range(1, DRAWS)))


def raced(cells: Mapping[str, Cell]) -> dict[str, dict[str, list[float]]]:
    """Per engine and draw: seconds, and the largest error of a value and of a squared distance."""
    exact = [cells[cell] for cell in race_cells("exact")]
    found = {}
    for engine in RACERS[1:]:
        own = [cells[cell] for cell in race_cells(engine)]
        found[engine] = {
            "seconds": [float(cell["seconds"]) for cell in own],
            "value": [_farthest(a, b, 1) for a, b in zip(own, exact, strict=True)],
            "squared": [_farthest(a, b, 2) for a, b in zip(own, exact, strict=True)],
            "landmarks": [float(cell["landmarks"] or 0) for cell in own],
        }
    return found


def _farthest(cell: Cell, exact: Cell, power: int) -> float:
    """The largest difference of a value's power from the exact engine's."""
    pairs = zip(cell["scores"], exact["scores"], strict=True)
    return max(abs(abs(float(a)) ** power - abs(float(b)) ** power) for a, b in pairs)


def error_of(cell: Cell, exact: Cell | None) -> float | None:
    """The largest difference of a vendor's value from the exact engine's, on the same rows."""
    if exact is None:
        return None
    return _farthest(cell, exact, 1)


def fits(points: list[tuple[int, Cell]]) -> dict[str, Any] | None:
    """Straight lines through time and memory, and the power with which they grow; None under three sizes."""
    if len(points) < 3:
        return None
    sizes = np.array([float(size) for size, _ in points])
    found: dict[str, Any] = {}
    for what in ("seconds", "peak_mb"):
        numbers = np.array([float(cell[what]) for _, cell in points])
        power = line_fit(np.log(sizes), np.log(numbers))["slope"]
        found[what] = line_fit(sizes, numbers) | {"power": power}
    return found


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
