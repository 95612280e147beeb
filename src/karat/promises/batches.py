"""Moments of many small simulated markets at once, in numpy.

The exact engine is made for one large market; below some hundred rows its set-up costs more than its sums.
Here the kernel matrices of many runs are one array. Equal to the engine and to the slow oracle of the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from karat.gram import Moments
from karat.gram.moments import interaction_variances
from karat.promises.populations import FACTORS, Batch
from karat.typing import Vector

NUMBERS = 4_000_000
"""Kernel values of one batch in memory: 32 MB, several times in flight."""


def runs_per_batch(rows: int) -> int:
    """How many markets of so many rows in all fit one batch."""
    return max(1, NUMBERS // rows**2)


def squared_distances_within(rows: Batch) -> Batch:
    """(runs, N, N) squared distances of all rows of each run."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    norms = np.einsum("rnd,rnd->rn", centred, centred)
    squares: Batch = norms[:, :, None] + norms[:, None, :] - 2.0 * centred @ centred.transpose(0, 2, 1)
    return np.maximum(squares, 0.0, out=squares)


def median_distances(squares: Batch) -> Vector:
    """(runs,), the bandwidth rule of `karat.kernels.bandwidth` on each run's squared distances."""
    i, j = np.triu_indices(squares.shape[1], 1)
    upper = np.sqrt(squares[:, i, j])
    medians: Vector = np.median(upper, axis=1)
    for run in np.flatnonzero(medians == 0.0):
        medians[run] = np.median(upper[run][upper[run] > 0.0])
    return medians


def default_kernel_values(squares: Batch, bandwidth: Vector) -> Batch:
    """The mean of Gaussians at 1/2, 1 and 2 bandwidths: u^16, u^4 and u with u = exp(-t / (8 s^2))."""
    assert FACTORS == (0.5, 1.0, 2.0)
    u = np.exp(squares / (-8.0 * bandwidth**2)[:, None, None])
    u4 = (u * u) ** 2
    values: Batch = (u + u4 + (u4 * u4) ** 2) / 3.0
    return values


def batched_moments(kernel: Batch, sizes: Sequence[int], *, anchor: bool) -> Iterator[Moments]:
    """Moments of each run from its (runs, N, N) kernel values, source by source in the order of the sizes."""
    m = np.array(sizes, dtype=np.float64)
    n, bounds = len(sizes), list(pairwise(np.concatenate([[0], np.cumsum(sizes)])))
    itself = np.einsum("rii->ri", kernel)
    self_mean = np.stack([itself[:, a:b].mean(axis=1) for a, b in bounds], axis=1)
    off = kernel.copy()
    np.einsum("rii->ri", off)[...] = 0.0
    row_sums = np.stack([off[:, :, a:b].sum(axis=2) for a, b in bounds], axis=2)  # (runs, N, n)
    square_rows = np.stack([(off[:, :, a:b] ** 2).sum(axis=2) for a, b in bounds], axis=2)
    squares = np.stack([square_rows[:, a:b].sum(axis=1) for a, b in bounds], axis=1)
    partners = m[None, :] - np.eye(n)
    means = [row_sums[:, a:b] / partners[j] for j, (a, b) in enumerate(bounds)]
    gram = np.stack([h.mean(axis=1) for h in means], axis=1)
    gram = (gram + gram.transpose(0, 2, 1)) / 2.0
    centred = [h - h.mean(axis=1, keepdims=True) for h in means]
    covariance = np.stack(
        [c.transpose(0, 2, 1) @ c / (size - 1.0) for c, size in zip(centred, sizes, strict=True)], axis=1
    )
    names = tuple([f"vendor {j}" for j in range(n - anchor)] + ["anchor"] * anchor)
    for run in range(len(kernel)):
        biased = gram[run].copy()
        np.fill_diagonal(biased, (np.diag(gram[run]) * (m - 1.0) + self_mean[run]) / m)
        variances = np.einsum("jll->jl", covariance[run])
        yield Moments(
            names=names,
            anchor=n - 1 if anchor else None,
            sizes=m,
            effective_sizes=m,
            bound=1.0,
            nonnegative=True,
            gram=gram[run],
            gram_biased=biased,
            self_mean=self_mean[run],
            covariance=covariance[run],
            interaction=interaction_variances(squares[run], gram[run], variances, m),
        )
