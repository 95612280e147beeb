"""Do intervals cover as often as they say: by law, rows, equal and unequal sizes, and reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from karat.guarantees import SquaredDistances, finite_distances, squared_distances
from karat.promises.images import image_features
from karat.promises.markets import Run, Setting, simulate
from karat.promises.populations import Population, discrete, heavy_tails, normal
from karat.promises.promise import Effort, Must, Result
from karat.promises.stacked import Stack
from karat.typing import Matrix, Vector
from karat.values import reference_named

CONFIDENCE = 0.95

SHARES = (0.0, 0.1, 0.4, 1.0, 0.0)
"""Four vendors, the first drawn from the anchor's own distribution, and the anchor."""

SHAPES = {"equal": (1, 1, 1, 1, 1), "unequal": (1, 2, 1, 3, 2)}
"""Rows of each source over the smallest preview."""

CLEAR = 3.0
"""Distances whose square is this many standard errors are away from the degenerate case."""

MUSTS = {20: 0.92, 50: 0.92, 500: 0.935}
MOST = 0.98

GAPS = ((1, 2), (0, 1))
"""Pairs of vendors whose gap is looked at."""

ROBUST_SHARES = (0.0, 0.03, 0.06, 0.1, 0.5, 1.0)


@dataclass
class Guaranteed:
    """Guaranteed intervals seen, those that missed the truth, and wrong verdicts made from them."""

    intervals: int = 0
    missed: int = 0
    wrong: int = 0


@dataclass
class Cells:
    """Shares of runs in which the truth was covered, by cell; `clear`: of those well away from distance 0."""

    values: dict[str, float] = field(default_factory=dict)
    clear: dict[str, float] = field(default_factory=dict)
    gaps: dict[str, float] = field(default_factory=dict)


def coverage(effort: Effort, seed: int) -> Iterator[Result]:
    """Coverage of value intervals by law and rows; of gaps; and the guaranteed policy's misses on the way."""
    rng = np.random.default_rng(seed)
    all_cells, guaranteed = Cells(), Guaranteed()
    total, begun = 0, time.perf_counter()
    for words, make in LAWS.items():
        law = make()
        for rows, runs in effort.coverage_runs.items():
            start = time.perf_counter()
            must = Must(at_least=effort.widened(MUSTS[rows], CONFIDENCE, runs))
            name = f"95 % intervals cover: {words}, {rows} rows"
            if law is None:
                yield Result(name, None, must, 0, 0.0, seed)
                continue
            cells = _cells(law, rows, runs, rng, guaranteed)
            all_cells.clear |= {f"{law.name}, {cell}": share for cell, share in cells.clear.items()}
            all_cells.gaps |= {f"{law.name}, {cell}": share for cell, share in cells.gaps.items()}
            total += runs
            lowest = min(cells.values.values())
            yield Result(name, lowest, must, runs, time.perf_counter() - start, seed, cells.values)
    yield from _robust(effort, rng, seed)
    fewest, seconds = min(effort.coverage_runs.values()), time.perf_counter() - begun

    def line(name: str, measured: float, must: Must, details: dict[str, float]) -> Result:
        return Result(name, measured, must, total, seconds, seed, details)

    most = Must(at_most=min(1.0, effort.widened(MOST, 1.0 - MOST, fewest)))
    clear, gaps = all_cells.clear, all_cells.gaps
    yield line("95 % intervals cover no more than they need, away from 0", max(clear.values()), most, clear)
    least = Must(at_least=effort.widened(0.92, CONFIDENCE, fewest))
    yield line("95 % intervals of gaps cover", min(gaps.values()), least, gaps)
    none, seen = Must(at_most=0.0), {"intervals": float(guaranteed.intervals)}
    yield line("guaranteed intervals that miss, in all these markets", guaranteed.missed, none, seen)
    yield line("guaranteed verdicts that are wrong, in all these markets", guaranteed.wrong, none, seen)


def _cells(law: Population, rows: int, runs: int, rng: np.random.Generator, guaranteed: Guaranteed) -> Cells:
    cells = Cells()
    encode = law.name in ("normal", "heavy tails")
    for shape, factors in SHAPES.items():
        setting = Setting(law, SHARES, tuple(rows * f for f in factors), encode=encode)
        stacks: dict[str, list[tuple[SquaredDistances, Vector]]] = {"anchor": [], "uniform": []}
        for run in simulate(setting, runs, rng):
            for kind, stack in stacks.items():
                contrasts = reference_named(run.moments, kind).contrasts
                true = run.squared(contrasts)
                stack.append((squared_distances(run.moments, contrasts, run.moments.vendor_names), true))
                _check_guarantees(run, contrasts, np.sqrt(true), guaranteed)
        for kind, found in stacks.items():
            _fill(cells, Stack.of(found), f"{rows} rows {shape}, {kind}")
    return cells


def _fill(cells: Cells, stack: Stack, where: str) -> None:
    for i, share in enumerate(SHARES[:-1]):
        cell = f"{where}, {share:.0%} contaminated"
        cells.values[cell] = float(stack.covered(i, CONFIDENCE).mean())
        if stack.signal(i) >= CLEAR:
            cells.clear[cell] = cells.values[cell]
    for i, j in GAPS:
        cell = f"{where}, {SHARES[i]:.0%} and {SHARES[j]:.0%}"
        cells.gaps[cell] = float(stack.gap_covered(i, j, CONFIDENCE).mean())


def _check_guarantees(run: Run, contrasts: Matrix, distances: Vector, count: Guaranteed) -> None:
    finite = finite_distances(run.moments, contrasts, run.moments.vendor_names)
    alone, pairwise = finite.intervals(CONFIDENCE), finite.intervals(CONFIDENCE, family=2)
    count.intervals += len(distances)
    count.missed += int(((alone.lower > distances) | (alone.upper < distances)).sum())
    claims = pairwise.upper[:, None] < pairwise.lower[None, :]  # [i, j]: i is better than j
    count.wrong += int((claims & (distances[:, None] >= distances[None, :])).sum())


def _robust(effort: Effort, rng: np.random.Generator, seed: int) -> Iterator[Result]:
    """Weights chosen from the same rows: the interval is for the reference as chosen."""
    for rows in (50, 500):
        runs, start = effort.coverage_runs[rows], time.perf_counter()
        sizes = (rows,) * len(ROBUST_SHARES)
        found = []
        for run in simulate(Setting(normal(), ROBUST_SHARES, sizes, anchor=False, encode=True), runs, rng):
            contrasts = reference_named(run.moments, "robust").contrasts
            distances = squared_distances(run.moments, contrasts, run.moments.vendor_names)
            found.append((distances, run.squared(contrasts)))
        stack = Stack.of(found)
        shares = {
            f"{share:.0%} contaminated": float(stack.covered(i, CONFIDENCE).mean())
            for i, share in enumerate(ROBUST_SHARES)
        }
        yield Result(
            f"95 % intervals cover: robust reference as chosen, {rows} rows",
            min(shares.values()),
            Must(at_least=effort.widened(0.92, CONFIDENCE, runs)),
            runs,
            time.perf_counter() - start,
            seed,
            shares,
        )


LAWS: dict[str, Callable[[], Population | None]] = {
    "normal": normal,
    "heavy tails": heavy_tails,
    "discrete": discrete,
    "image features": image_features,
}
