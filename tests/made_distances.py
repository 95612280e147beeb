"""Squared distances with a covariance of one's choice, for tests of decisions."""

from __future__ import annotations

import numpy as np

from karat.guarantees import FiniteDistances, SquaredDistances
from karat.guarantees.influence import AnchorShare


def made_distances(
    squared: list[float],
    *,
    covariance: np.ndarray | None = None,
    noise: float = 1e-3,
    second_order: float = 0.0,
    rows: float = 500.0,
    degrees: float = 1e9,
    anchor: float | None = None,
) -> SquaredDistances:
    """Independent estimates with standard error `noise` each, unless a covariance is given.

    anchor: the share of the variances that comes from the anchor's rows.
    """
    k = len(squared)
    p = np.eye(k) * noise**2 if covariance is None else covariance
    share = None
    if anchor is not None:
        share = AnchorShare(rows, p * anchor, np.zeros((k, k)), np.zeros((k, k)))
    return SquaredDistances(
        names=tuple(f"v{i}" for i in range(k)),
        squared=np.array(squared, dtype=float),
        biased=np.array(squared, dtype=float) + 0.01,
        plug_in=p + second_order * np.eye(k),
        second_order=second_order * np.eye(k),
        degrees=np.full(k, degrees),
        sizes=np.full(k, rows),
        fewest=np.full(k, rows),
        approximation=np.zeros(k),
        anchor=share,
    )


def made_finite(distances: list[float], *, rows: float = 2000.0, spread: float = 0.3) -> FiniteDistances:
    """Vendors against an anchor, all with the same rows and spread, under a kernel with bound 1."""
    k = len(distances)
    return FiniteDistances(
        names=tuple(f"v{i}" for i in range(k)),
        biased=np.array(distances) ** 2,
        contrasts=np.eye(k + 1)[:k] - np.eye(k + 1)[k],
        sizes=np.full(k + 1, rows),
        spread=np.full(k + 1, spread),
        bound=1.0,
        nonnegative=True,
    )
