"""All vendors' rows in one scale, for valuations that look at nothing but spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.baselines.base import rows_of
from karat.errors import ValuationError
from karat.typing import Matrix
from karat.vendors import Source


def standardised(samples: Sequence[Source]) -> list[Matrix]:
    """Rows centred and scaled by mean and deviation over all vendors, each vendor weighing the same.

    Columns that are constant over all vendors are left out: they would make every volume 0. At least one is
    needed that is not.
    """
    parts = [rows_of(sample) for sample in samples]
    centre = np.mean([rows.mean(axis=0) for rows in parts], axis=0)
    deviation = np.sqrt(np.mean([((rows - centre) ** 2).mean(axis=0) for rows in parts], axis=0))
    is_alive = np.any([rows.min(axis=0) != rows.max(axis=0) for rows in parts], axis=0)
    is_alive |= np.ptp([rows[0] for rows in parts], axis=0) > 0.0
    if not is_alive.any():
        raise ValuationError(
            "all columns are constant over all vendors, so no rows take any room.",
            hint="Choose columns that vary.",
        )
    return [(rows[:, is_alive] - centre[is_alive]) / deviation[is_alive] for rows in parts]


def living_directions(parts: Sequence[Matrix], *, least: float = 1e-10) -> Matrix:
    """An orthonormal basis (d, r) of the directions in which the parts, pooled with equal weight, extend.

    Where no column depends on others, r = d and determinants do not change. A direction is dead if its share
    of the second moment is below `least` of the largest: beyond what float64 can tell from zero. Costs
    O(N d min(N, d)) for N rows in all.
    """
    if sum(map(len, parts)) < parts[0].shape[1]:  # fewer rows than columns: no (d, d) matrix is formed
        pooled = np.concatenate([rows / np.sqrt(len(rows) * len(parts)) for rows in parts])
        _, roots, directions = np.linalg.svd(pooled, full_matrices=False)
        wide: Matrix = directions[roots**2 > least * roots[0] ** 2].T
        return wide
    moment = np.mean([rows.T @ rows / len(rows) for rows in parts], axis=0)
    values, vectors = np.linalg.eigh(moment)
    basis: Matrix = vectors[:, values > least * values[-1]]
    return basis
