"""Do intervals cover when moments are approximated: few landmarks, few compared rows, the error inside."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from karat.gram import landmark_moments
from karat.guarantees import squared_distances
from karat.kernels import default_kernel
from karat.promises.populations import Population, discrete, heavy_tails, normal
from karat.promises.promise import Effort, Must, Result
from karat.values import reference_named

CONFIDENCE, LEAST = 0.95, 0.93

SHARES, ROWS, LANDMARKS = (0.0, 0.1, 0.4, 1.0, 0.0), 2500, 16
"""Four vendors and the anchor, of so many rows each; a third of them are compared, and landmarks are few, so
that the error of the approximation is about as large as the sampling error."""

NAMES = ("0 %", "10 %", "40 %", "100 %", "anchor")


def landmark_intervals(effort: Effort, seed: int) -> Iterator[Result]:
    """Three laws; kernel and encoder are chosen, landmarks and compared rows drawn, in every run."""
    rng, runs = np.random.default_rng(seed), effort.landmark_runs
    shares: dict[str, float] = {}
    start = time.perf_counter()
    for law in (normal(), heavy_tails(), discrete()):
        covered = np.mean([_covered(law, rng, run) for run in range(runs)], axis=0)
        shares |= {
            f"{law.name}, {name} contaminated": float(c) for name, c in zip(NAMES, covered, strict=False)
        }
    yield Result(
        "95 % intervals cover with landmarks and their error inside",
        min(shares.values()),
        Must(at_least=effort.widened(LEAST, CONFIDENCE, runs)),
        runs,
        time.perf_counter() - start,
        seed,
        shares,
    )


def _covered(law: Population, rng: np.random.Generator, run: int) -> list[bool]:
    """Of one market, whether each vendor's interval holds the truth."""
    sources = [law.draw(rng, 1, ROWS, share)[0] for share in SHARES]
    scale = sources[-1].std(axis=0)
    sources = [rows / scale for rows in sources]
    kernel = default_kernel([sources[-1]])
    moments = landmark_moments(
        sources, kernel, names=NAMES, anchor=len(SHARES) - 1, landmarks=LANDMARKS, seed=run
    ).moments
    contrasts = reference_named(moments, "anchor").contrasts
    low, high = squared_distances(moments, contrasts, moments.vendor_names).mmd_intervals(CONFIDENCE)
    (products,) = law.products(np.array([kernel.bandwidths[1]]), scale[None])
    mixing = np.array([[1.0 - share, share] for share in SHARES])
    squared = np.einsum("ij,jk,ik->i", contrasts @ mixing, products, contrasts @ mixing)
    true = np.sqrt(np.maximum(squared, 0.0))
    covered: list[bool] = ((low <= true) & (true <= high)).tolist()
    return covered
