"""Many questions at once: p-values adjusted so that the chance of any wrong answer stays at the level.

The questions are ordered pairs: p[i, j] belongs to "i is better than j", and both directions of a pair are
asked. See docs/theory/multiplicity.md for what is proved and what is simulated about each method.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from karat.errors import DecisionError
from karat.guarantees import Pairs, SquaredDistances
from karat.typing import Matrix, Vector

Multiplicity = Literal["holm", "holm one-sided", "max", "none"]

DRAWS = 100_000
"""Draws behind a max-type adjustment: its p-values are exact to 0.0007 at 0.05."""

MOST_VENDORS_FOR_MAX = 64
MOST_NUMBERS = 100_000_000
"""Draws times ordered pairs, some seconds; with 64 vendors 25,000 draws, and p-values exact to 0.0014."""

ROUNDING = 1e-10
"""Variances and standard errors below this share of the largest are rounding."""

CHUNK = 2_000_000
"""Numbers of a chunk of draws in memory at a time."""


def holm(p: Vector) -> Vector:
    """Holm's step-down adjustment (Holm 1979): nan stays nan and is not counted.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def holm_over_pairs(p: Matrix) -> Matrix:
    """Holm over unordered pairs, each with twice the smaller of its two one-sided p-values.

    The direction with the smaller p-value carries the pair's adjusted value, the other gets 1: once a pair is
    decided one way, its other direction is no longer a question.
    """
    n = len(p)
    i, j = np.triu_indices(n, 1)
    forward = p[i, j] <= p[j, i]
    both = holm(np.minimum(2.0 * np.where(forward, p[i, j], p[j, i]), 1.0))
    adjusted = np.where(np.isnan(p), np.nan, 1.0)
    adjusted[np.where(forward, i, j), np.where(forward, j, i)] = both
    adjusted[np.isnan(p)] = np.nan
    np.fill_diagonal(adjusted, 1.0)
    return adjusted


def holm_one_sided(p: Matrix) -> Matrix:
    """Holm over all n (n - 1) one-sided questions."""
    off = ~np.eye(len(p), dtype=bool)
    adjusted = np.ones_like(p)
    adjusted[off] = holm(p[off])
    return adjusted


def max_type(distances: SquaredDistances, z: Matrix, *, margin: float, seed: int) -> Matrix:
    """Step-down adjustment by the joint law of all statistics (Romano and Wolf 2005).

    z[i, j] is the statistic of "i is better than j by the margin". The squared distances are drawn from a
    multivariate t with covariance P - V2 and the fewest degrees of freedom among the vendors; each draw gives
    all statistics at once, and the adjusted p-value of the k-th largest is the share of draws whose largest
    statistic among it and all smaller ones reaches it. Strongly correlated pairs cost little, which is why
    this is sharper than Holm when many vendors share one anchor.
    """
    n = len(z)
    if n > MOST_VENDORS_FOR_MAX:
        raise DecisionError(
            f"the max-type adjustment was asked for {n} vendors, and takes up to {MOST_VENDORS_FOR_MAX}.",
            hint='Use "holm", or compare fewer vendors.',
        )
    i, j = np.nonzero(~np.eye(n, dtype=bool) & ~np.isnan(z))
    order = np.argsort(-z[i, j], kind="stable")
    i, j = i[order], j[order]
    observed = z[i, j]
    on_a, on_b = Pairs.of(distances, i, j).linearisation(margin)
    root = covariance_root(distances)
    scale = np.sqrt(((on_b[:, None] * root[j] - on_a[:, None] * root[i]) ** 2).sum(axis=1))
    scale[scale <= ROUNDING * scale.max(initial=0.0)] = np.inf  # two vendors that no row tells apart
    rng = np.random.default_rng(seed)
    degrees, draws = float(distances.degrees.min()), min(DRAWS, MOST_NUMBERS // max(len(i), 1))
    exceeded = np.zeros(len(i))
    chunk = max(1, CHUNK // max(len(i), 1))
    for start in range(0, draws, chunk):
        theta = rng.standard_normal((min(chunk, draws - start), root.shape[1])) @ root.T
        theta /= np.sqrt(rng.chisquare(degrees, size=(len(theta), 1)) / degrees)
        statistics = (on_b * theta[:, j] - on_a * theta[:, i]) / scale
        largest = np.maximum.accumulate(statistics[:, ::-1], axis=1)[:, ::-1]
        exceeded += (largest >= observed).sum(axis=0)
    adjusted = np.ones_like(z)
    adjusted[i, j] = np.maximum.accumulate((exceeded + 1.0) / (draws + 1.0))
    adjusted[np.isnan(z)] = np.nan
    return adjusted


def covariance_root(distances: SquaredDistances) -> Matrix:
    """(k, k) root R with R R' the covariance P - V2 of the squared distances, its diagonal max(P - V2, V2).

    An estimate may have slightly negative eigenvalues; they are set to 0, and so is what rounding left of 0.
    """
    covariance = distances.plug_in - distances.second_order
    covariance = (covariance + covariance.T) / 2.0
    np.fill_diagonal(covariance, distances.variance)
    values, vectors = np.linalg.eigh(covariance)
    values[values < ROUNDING * values.max(initial=0.0)] = 0.0
    root: Matrix = vectors * np.sqrt(values)
    return root
