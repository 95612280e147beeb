"""How often a verdict is wrong where it is hardest to be right: on the boundary of what is claimed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from karat.decisions import AsymptoticPolicy, best_set
from karat.decisions.multiplicity import holm_over_pairs
from karat.guarantees import Pairs, SquaredDistances, finite_distances, squared_distances
from karat.promises.images import image_features
from karat.promises.markets import Run, Setting, simulate
from karat.promises.populations import Population, discrete, heavy_tails, normal
from karat.promises.promise import Effort, Must, Result
from karat.promises.stacked import Stack
from karat.typing import Vector
from karat.values import reference_named

CONFIDENCE = 0.95
MOST = 0.06

SHARES = (0.2, 0.2, 0.1, 0.6, 0.0)
"""Vendors 0 and 1 are equally good; vendor 2 is better than 0 by a tenth against the anchor."""

EQUAL = (0.3, 0.3, 0.3, 0.3, 0.3, 0.0)
AT_ZERO = (0.0, 0.0, 0.5, 0.0)


QUESTIONS = {
    "none": "wrong verdicts without margin, equal vendors",
    "positive": "wrong verdicts at the boundary of a margin",
    "negative": "wrong verdicts at the boundary of a negative margin",
    "matrix": "any wrong verdict among five equal vendors",
    "best": "the best left out of the set that should contain it",
}


@dataclass
class Cells:
    """Shares of runs with a wrong verdict, by what was asked and cell."""

    none: dict[str, float] = field(default_factory=dict)
    positive: dict[str, float] = field(default_factory=dict)
    negative: dict[str, float] = field(default_factory=dict)
    matrix: dict[str, float] = field(default_factory=dict)
    best: dict[str, float] = field(default_factory=dict)
    guaranteed: int = 0


def boundary_errors(effort: Effort, seed: int) -> Iterator[Result]:
    """Wrong verdicts without, with positive and with negative margin; families of equal vendors."""
    rng = np.random.default_rng(seed)
    cells, start = Cells(), time.perf_counter()
    for law in _laws(effort):
        for rows, runs in effort.error_runs.items():
            where = f"{law.name}, {rows} rows"
            _boundaries(law, rows, runs, rng, cells, where)
            _at_zero(law, rows, runs, rng, cells, where)
            _family(law, rows, runs, rng, cells, where)
    fewest, total = min(effort.error_runs.values()), sum(effort.error_runs.values())
    must = Must(at_most=effort.widened(MOST, 0.05, fewest))
    for kind, words in QUESTIONS.items():
        shares = getattr(cells, kind)
        yield Result(words, max(shares.values()), must, total, time.perf_counter() - start, seed, shares)
    yield Result(
        "guaranteed verdicts that are wrong, at these boundaries",
        float(cells.guaranteed),
        Must(at_most=0.0),
        total,
        time.perf_counter() - start,
        seed,
    )


def _laws(effort: Effort) -> list[Population]:
    laws: list[Population] = [normal(), heavy_tails(), discrete()]
    images = image_features() if effort.is_full else None
    return laws if images is None else [*laws, images]


def _runs(
    law: Population, shares: tuple[float, ...], rows: int, runs: int, rng: np.random.Generator
) -> Iterator[Run]:
    encode = law.name in ("normal", "heavy tails")
    return simulate(Setting(law, shares, (rows,) * len(shares), encode=encode), runs, rng)


def _boundaries(
    law: Population, rows: int, runs: int, rng: np.random.Generator, cells: Cells, where: str
) -> None:
    """Equal vendors, and a margin that is exactly the gap of two others, under the kernel of each run."""
    found: dict[str, list[tuple[SquaredDistances, Vector]]] = {"anchor": [], "uniform": []}
    for run in _runs(law, SHARES, rows, runs, rng):
        for kind, numbers in found.items():
            contrasts = reference_named(run.moments, kind).contrasts
            true = run.squared(contrasts)
            numbers.append((squared_distances(run.moments, contrasts, run.moments.vendor_names), true))
            near, far = _order(true)
            finite = finite_distances(run.moments, contrasts, run.moments.vendor_names)
            sure = finite.intervals(CONFIDENCE, family=2)
            lead = math.sqrt(true[far]) - math.sqrt(true[near])
            cells.guaranteed += bool(sure.upper[near] + lead < sure.lower[far])
    for kind, numbers in found.items():
        stack = Stack.of(numbers)
        near, far = _order(stack.true[0])
        gap = stack.distances[:, far] - stack.distances[:, near]
        even, apart = stack.pairs(0, 1), stack.pairs(near, far)
        cell = f"{where}, {kind}"
        cells.none[cell] = _share(even, 0.0) + _share(even.swapped(), 0.0)
        cells.positive[cell] = _share(apart, gap)
        cells.negative[cell] = _share(apart.swapped(), -gap) + _share(apart, gap)


def _at_zero(
    law: Population, rows: int, runs: int, rng: np.random.Generator, cells: Cells, where: str
) -> None:
    """Two vendors drawn from the anchor's own distribution, and a third one's lead exactly the margin."""
    found = []
    for run in _runs(law, AT_ZERO, rows, runs, rng):
        contrasts = reference_named(run.moments, "anchor").contrasts
        distances = squared_distances(run.moments, contrasts, run.moments.vendor_names)
        found.append((distances, run.squared(contrasts)))
    stack = Stack.of(found)
    even, apart, gap = stack.pairs(0, 1), stack.pairs(0, 2), stack.distances[:, 2] - stack.distances[:, 0]
    cells.none[f"{where}, both as the anchor"] = _share(even, 0.0) + _share(even.swapped(), 0.0)
    cell = f"{where}, the nearer as the anchor"
    cells.negative[cell] = _share(apart.swapped(), -gap) + _share(apart, gap)


def _family(
    law: Population, rows: int, runs: int, rng: np.random.Generator, cells: Cells, where: str
) -> None:
    """Five equal vendors: any verdict of the matrix is wrong, and each vendor is a best one."""
    decided = left_out = 0
    i, j = np.nonzero(~np.eye(len(EQUAL) - 1, dtype=bool))
    for run in _runs(law, EQUAL, rows, runs, rng):
        contrasts = reference_named(run.moments, "anchor").contrasts
        policy = AsymptoticPolicy(squared_distances(run.moments, contrasts, run.moments.vendor_names))
        p = np.ones((5, 5))
        p[i, j] = policy.p_values(i, j)
        decided += bool((holm_over_pairs(p) <= 1.0 - CONFIDENCE).any())
        left_out += policy.names[0] not in best_set(policy, confidence=CONFIDENCE).names
    cells.matrix[where], cells.best[where] = decided / runs, left_out / runs


def _order(true: Vector) -> tuple[int, int]:
    """(near, far) of the vendors 0 and 2, whose gap is the margin."""
    return (2, 0) if true[2] < true[0] else (0, 2)


def _share(pairs: Pairs, margin: ArrayLike) -> float:
    """How often "better by the margin" is claimed at half of 1 - confidence, as a comparison does."""
    return float((pairs.p_value(margin) <= (1.0 - CONFIDENCE) / 2.0).mean())
