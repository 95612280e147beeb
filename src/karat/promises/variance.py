"""Is P - V2 the variance: the mean of the estimate over the variance that simulation sees."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from karat.guarantees import squared_distances
from karat.promises.markets import Run, Setting, simulate
from karat.promises.populations import discrete, heavy_tails, normal
from karat.promises.promise import Effort, Must, Result
from karat.values import reference_named

SHARES, SIZES = (0.0, 0.15, 0.6, 0.0), (40, 60, 50, 45)

QUESTIONS = (("anchor", (1.0, 0.0, 0.0)), ("anchor", (0.0, 0.0, 1.0)), ("uniform", (0.0, -1.0, 1.0)))
"""Reference, and signs of the vendors' squared distances, of each statistic below."""

STATISTICS = ("vendor = reference", "far vendor", "difference of two vendors, mixture with both")

QUICK_RANGE = (0.75, 1.25)
"""Some hundred runs know a variance to about a tenth."""


def variances(effort: Effort, seed: int) -> Iterator[Result]:
    """Nine settings: three laws, three statistics; kernel and encoder chosen in every run."""
    rng = np.random.default_rng(seed)
    ratios: dict[str, float] = {}
    start = time.perf_counter()
    for law in (normal(), heavy_tails(), discrete()):
        errors: list[list[float]] = [[], [], []]
        estimates: list[list[float]] = [[], [], []]
        setting = Setting(law, SHARES, SIZES, encode=law.name != "discrete")
        for run in simulate(setting, effort.variance_runs, rng):
            for k, (error, estimate) in enumerate(_statistics(run)):
                errors[k].append(error)
                estimates[k].append(estimate)
        for k, name in enumerate(STATISTICS):
            ratios[f"{law.name}, {name}"] = float(np.mean(estimates[k]) / np.var(errors[k]))
    worst = max(ratios.values(), key=lambda ratio: abs(np.log(ratio)))
    must = Must(0.9, 1.1) if effort.is_full else Must(*QUICK_RANGE)
    seconds = time.perf_counter() - start
    yield Result(
        "variance with second order over Monte Carlo variance, worst of nine",
        worst,
        must,
        effort.variance_runs,
        seconds,
        seed,
        ratios,
    )


def _statistics(run: Run) -> list[tuple[float, float]]:
    """(error of the estimate, estimate of its variance without the floor) of each statistic."""
    distances, true = {}, {}
    for kind in ("anchor", "uniform"):
        contrasts = reference_named(run.moments, kind).contrasts
        distances[kind] = squared_distances(run.moments, contrasts, run.moments.vendor_names)
        true[kind] = run.squared(contrasts)
    found = []
    for kind, signs in QUESTIONS:
        c, estimate = np.array(signs), distances[kind]
        error = float(c @ (estimate.squared - true[kind]))
        found.append((error, float(c @ (estimate.plug_in - estimate.second_order) @ c)))
    return found
