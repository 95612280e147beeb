"""Table 1: four divergences compared, measured where the paper argues.

Sample efficiency: normal distributions whose divergences have closed forms. Triangle inequality and the Huber
model: discrete distributions, population values, nothing estimated.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian
from karat.paper.base import Cell, Experiment, parts
from karat.paper.statistics import line_fit
from karat.paper.verification import POINTS, kernel_matrix, random_distributions
from karat.typing import Matrix, Vector

NEIGHBOURS = 5
"""Of the nearest-neighbour estimate of KL (Wang et al. 2009)."""

SHIFT = 1.0
"""Distance of the two normal distributions' means."""

LAW_CASES = 1000
"""Random triples and pairs that laws are tried on."""

ROUNDING = 1e-9

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Contaminations that the Huber model is tried at."""


@dataclass(frozen=True, kw_only=True)
class Divergences(Experiment):
    """Four divergences, and what they cost.

    columns: dimensions; sizes: rows of each side; cost_sizes: rows that are timed, in 10 columns;
    large_sizes: rows at which those of `FAST` are timed, too, whose cost is overhead below.
    """

    family: ClassVar[str] = "divergences"

    columns: tuple[int, ...]
    sizes: tuple[int, ...]
    cost_sizes: tuple[int, ...]
    large_sizes: tuple[int, ...] = ()

    def cells(self) -> tuple[str, ...]:
        errors = [f"error-{d}-{m}-{t}" for d in self.columns for m in self.sizes for t in range(self.trials)]
        return (*errors, *(f"cost-{m}" for m in (*self.cost_sizes, *self.large_sizes)), "laws")

    def run(self, cell: str) -> dict[str, Any]:
        kind, numbers = parts(cell)
        if kind == "laws":
            return laws(self.generator(0))
        if kind == "cost":
            (m,) = numbers
            x, y = normal_pair(10, m, self.generator(1, m))
            timed = ESTIMATES if m in self.cost_sizes else FAST
            return {name: _seconds(ESTIMATES[name], x, y) for name in timed}
        d, m, trial = numbers
        x, y = normal_pair(d, m, self.generator(2, d, m, trial))
        return {name: estimate(x, y) for name, estimate in ESTIMATES.items()}

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        errors: dict[str, dict[str, Any]] = {name: {} for name in ESTIMATES}
        for name in ESTIMATES:
            for d in self.columns:
                truth = truths(d)[name]
                found = [
                    float(
                        np.mean([abs(cells[f"error-{d}-{m}-{t}"][name] - truth) for t in range(self.trials)])
                    )
                    for m in self.sizes
                ]
                slope = line_fit(np.log(self.sizes), np.log(np.maximum(found, ROUNDING)))["slope"]
                errors[name][str(d)] = {"relative": [error / truth for error in found], "slope": slope}
        timed = {name: (*self.cost_sizes, *(self.large_sizes if name in FAST else ())) for name in ESTIMATES}
        costs = {name: [cells[f"cost-{m}"][name] for m in sizes] for name, sizes in timed.items()}
        return {
            "errors": errors,
            "seconds": costs,
            "growth": {name: growth(timed[name], seconds) for name, seconds in costs.items()},
            "laws": cells["laws"],
        }


def growth(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The power of m that time grows with, over the largest three sizes.

    >>> round(growth([10, 100, 200, 400], [5.0, 1.0, 4.0, 16.0]), 12)
    2.0
    """
    return line_fit(np.log(sizes[-3:]), np.log(seconds[-3:]))["slope"]


def normal_pair(d: int, m: int, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """M rows of N(0, I) and of N(shift, I) in d dimensions."""
    x, y = rng.normal(size=(m, d)), rng.normal(size=(m, d))
    y[:, 0] += SHIFT
    return x, y


def bandwidth(d: int) -> float:
    """sqrt(2 d), about the median distance of two rows."""
    return math.sqrt(2.0 * d)


def truths(d: int) -> dict[str, float]:
    """Closed forms: KL = shift^2 / 2, Wasserstein distance = shift, and the Gaussian kernel's means.

    E k(x, y) = (s^2 / (s^2 + 2))^(d/2) exp(-gap^2 / (2 (s^2 + 2))) for rows whose means are `gap` apart.
    """
    wide = bandwidth(d) ** 2 + 2.0
    same = (bandwidth(d) ** 2 / wide) ** (d / 2.0)
    squared = 2.0 * same * -math.expm1(-(SHIFT**2) / (2.0 * wide))
    return {"KL": SHIFT**2 / 2.0, "WD": SHIFT, "MMD²": squared, "MMD": math.sqrt(squared)}


def kl_estimate(x: Matrix, y: Matrix) -> float:
    """KL(x || y) from the distances of each x to its k-th neighbour in x and in y."""
    own = cKDTree(x).query(x, NEIGHBOURS + 1)[0][:, -1]
    other = cKDTree(y).query(x, NEIGHBOURS)[0][:, -1]
    return float(x.shape[1] * np.mean(np.log(other / own)) + math.log(len(y) / (len(x) - 1.0)))


def wasserstein_estimate(x: Matrix, y: Matrix) -> float:
    """The first Wasserstein distance of two samples of one size: the cheapest pairing, exactly."""
    costs = cdist(x, y)
    picked = linear_sum_assignment(costs)
    return float(costs[picked].mean())


def squared_mmd_estimate(x: Matrix, y: Matrix) -> float:
    """The biased estimate, every pair counted."""
    contrast = np.array([1.0, -1.0])
    return float(contrast @ _moments(x, y).gram_biased @ contrast)


def mmd_estimate(x: Matrix, y: Matrix) -> float:
    """The root of the unbiased estimate, 0 where that is negative."""
    contrast = np.array([1.0, -1.0])
    return math.sqrt(max(float(contrast @ _moments(x, y).gram @ contrast), 0.0))


def _moments(x: Matrix, y: Matrix) -> Any:
    kernel = Gaussian(bandwidth(x.shape[1]))
    sums = kernel_sums([x, y], kernel)
    return moments_from_sums(sums, names=["x", "y"], kernel=kernel, anchor=None)


ESTIMATES: Mapping[str, Callable[[Matrix, Matrix], float]] = {
    "KL": kl_estimate,
    "WD": wasserstein_estimate,
    "MMD²": squared_mmd_estimate,
    "MMD": mmd_estimate,
}


FAST = ("MMD²", "MMD")
"""Estimates whose cost can be told from overhead at thousands of rows only."""


def laws(rng: np.random.Generator) -> dict[str, Any]:
    """Violations of the triangle inequality, and d((1-e)P + eQ, P) over e d(Q, P), for each divergence."""
    triangles = dict.fromkeys(POPULATION, 0)
    ratios: dict[str, list[float]] = {name: [] for name in POPULATION}
    for _ in range(LAW_CASES):
        p, q, r = random_distributions(3, rng)
        share = float(rng.choice(SHARES))
        for name, distance in POPULATION.items():
            triangles[name] += bool(distance(p, r) > distance(p, q) + distance(q, r) + ROUNDING)
            whole = distance(q, p)
            ratios[name].append(distance((1.0 - share) * p + share * q, p) / (share * whole))
    return {
        "cases": LAW_CASES,
        "triangle_violations": triangles,
        "huber_ratio": {name: [float(min(found)), float(max(found))] for name, found in ratios.items()},
    }


def kl(p: Vector, q: Vector) -> float:
    """Sum p log(p / q)."""
    return float((p * np.log(p / q)).sum())


def wasserstein(p: Vector, q: Vector, power: int) -> float:
    """(integral of |P^-1 - Q^-1|^power)^(1/power) for distributions on the integers."""
    p_steps, q_steps = np.cumsum(p), np.cumsum(q)
    cuts = np.unique(np.concatenate([[0.0], p_steps[:-1], q_steps[:-1], [1.0]]))
    middle = (cuts[1:] + cuts[:-1]) / 2.0
    x, y = np.searchsorted(p_steps[:-1], middle), np.searchsorted(q_steps[:-1], middle)
    return float((np.diff(cuts) @ np.abs(x - y).astype(np.float64) ** power) ** (1.0 / power))


def squared_kernel_distance(p: Vector, q: Vector) -> float:
    """(p - q)' K (p - q)."""
    gap = p - q
    return float(gap @ KERNEL @ gap)


KERNEL = kernel_matrix()
assert KERNEL.shape == (POINTS, POINTS)

POPULATION: Mapping[str, Callable[[Vector, Vector], float]] = {
    "KL": kl,
    "WD": lambda p, q: wasserstein(p, q, 1),
    "WD, second": lambda p, q: wasserstein(p, q, 2),
    "MMD²": squared_kernel_distance,
    "MMD": lambda p, q: math.sqrt(max(squared_kernel_distance(p, q), 0.0)),
}
"""Divergences of distributions that are known; the Wasserstein distance in its first and second form."""


def _seconds(estimate: Callable[[Matrix, Matrix], float], x: Matrix, y: Matrix) -> float:
    """Shortest of three runs, after one that warms up."""
    estimate(x[:50], y[:50])
    times = []
    for _ in range(3):
        started = time.perf_counter()
        estimate(x, y)
        times.append(time.perf_counter() - started)
    return min(times)
