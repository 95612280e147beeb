"""Moments the slow and obvious way: the whole kernel matrix, and loops over sources and rows in float64.

The oracle for the engine and for everything that is computed from moments. It follows the definitions word
for word and shares no code with karat but the type it fills.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from karat.gram import Moments

Array = NDArray[np.float64]


def gaussian(bandwidth: float) -> Callable[[Array, Array], float]:
    """The kernel exp(-|x - y|^2 / (2 bandwidth^2)) of two rows."""
    return lambda x, y: math.exp(-float((x - y) @ (x - y)) / (2.0 * bandwidth**2))


def kernel_matrix(rows: Array, kernel: Callable[[Array, Array], float]) -> Array:
    """(N, N), every row against every row."""
    return np.array([[kernel(x, y) for y in rows] for x in rows])


def slow_moments(
    sources: Sequence[Array],
    kernel: Callable[[Array, Array], float],
    *,
    anchor: bool = True,
    bound: float = 1.0,
    nonnegative: bool = True,
) -> Moments:
    """Moments of the sources; with `anchor`, the last of them is the buyer's own rows."""
    whole = kernel_matrix(np.concatenate(sources), kernel)
    return moments_from_kernel_matrix(
        whole, [len(rows) for rows in sources], anchor=anchor, bound=bound, nonnegative=nonnegative
    )


def moments_from_kernel_matrix(
    whole: Array, sizes: Sequence[int], *, anchor: bool = True, bound: float = 1.0, nonnegative: bool = True
) -> Moments:
    """Moments from the (N, N) matrix of kernel values, source by source in the order of the sizes."""
    n = len(sizes)
    ends = np.cumsum(sizes)
    parts = [range(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    gram, biased, interaction = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    covariance = np.zeros((n, n, n))
    for j in range(n):
        means = np.array([[row_mean(whole, x, parts[l]) for l in range(n)] for x in parts[j]])  # (m_j, n)
        covariance[j] = sample_covariance(means)
        for l in range(n):
            gram[j, l] = np.mean([whole[x, y] for x in parts[j] for y in parts[l] if x != y])
            biased[j, l] = np.mean([whole[x, y] for x in parts[j] for y in parts[l]])
            interaction[j, l] = interaction_variance(whole, parts[j], parts[l])
    return Moments(
        names=tuple(f"source {j}" for j in range(n)),
        anchor=n - 1 if anchor else None,
        sizes=np.array(sizes, dtype=np.float64),
        effective_sizes=np.array(sizes, dtype=np.float64),
        bound=bound,
        nonnegative=nonnegative,
        gram=gram,
        gram_biased=biased,
        self_mean=np.array([np.mean([whole[x, x] for x in part]) for part in parts]),
        covariance=covariance,
        interaction=interaction,
    )


def row_mean(whole: Array, x: int, part: range) -> float:
    """Mean of k(x, y) over the rows y of a source, x itself left out."""
    return float(np.mean([whole[x, y] for y in part if y != x]))


def sample_covariance(rows: Array) -> Array:
    """Divisor one less than the number of rows."""
    centred = rows - rows.mean(axis=0)
    return centred.T @ centred / (len(rows) - 1)


def interaction_variance(whole: Array, rows: range, columns: range) -> float:
    """Residual mean square of the two-way layout k(x, y) = mean + row effect + column effect + rest.

    Between two sources the least-squares fit is row mean + column mean - mean, with (a - 1)(b - 1) degrees of
    freedom left. Within one, the layout is symmetric with an empty diagonal: the fit is found by least
    squares on one effect per row, with m (m - 3) / 2 degrees of freedom left; nan for fewer than four rows.
    """
    if rows != columns:
        block = whole[np.ix_(rows, columns)]
        rest = block - block.mean(1, keepdims=True) - block.mean(0, keepdims=True) + block.mean()
        return float((rest**2).sum() / ((len(rows) - 1) * (len(columns) - 1)))
    m = len(rows)
    if m < 4:
        return math.nan
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    design = np.zeros((len(pairs), m))
    for p, (i, j) in enumerate(pairs):
        design[p, i] = design[p, j] = 1.0  # the mean is in the span: every row of the design sums to 2
    values = np.array([whole[rows[i], rows[j]] for i, j in pairs])
    fit = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(((values - fit) ** 2).sum() / (m * (m - 3) / 2.0))
