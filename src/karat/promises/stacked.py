"""Squared distances of many runs side by side, so that intervals and tests are computed for all at once.

One run at a time is what an appraisal does; a simulation asks the same functions about thousands. A stack
holds the numbers of every run for the same k contrasts, and hands them to `Pairs` and `score_interval` as
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from karat.guarantees import Pairs, SquaredDistances
from karat.guarantees.relative import Side
from karat.guarantees.score import score_interval, variance_of
from karat.typing import Matrix, Vector


@dataclass(frozen=True)
class Stack:
    """Numbers of R runs and k contrasts: (R, k), and P and V2 (R, k, k). true: the true squared distances."""

    squared: Matrix
    biased: Matrix
    plug_in: NDArray[np.float64]
    second_order: NDArray[np.float64]
    degrees: Matrix
    true: Matrix

    @classmethod
    def of(cls, runs: Sequence[tuple[SquaredDistances, Vector]]) -> Stack:
        """From each run's distances and their true values."""
        found = [distances for distances, _ in runs]
        return cls(
            np.stack([d.squared for d in found]),
            np.stack([d.biased for d in found]),
            np.stack([d.plug_in for d in found]),
            np.stack([d.second_order for d in found]),
            np.stack([d.degrees for d in found]),
            np.stack([true for _, true in runs]),
        )

    @property
    def distances(self) -> Matrix:
        """(R, k), the true distances."""
        return np.sqrt(self.true)

    def side(self, i: int) -> Side:
        """One contrast in all runs."""
        return Side(
            self.squared[:, i],
            self.biased[:, i],
            self.plug_in[:, i, i],
            self.second_order[:, i, i],
            self.degrees[:, i],
            np.zeros(len(self.squared)),
        )

    def pairs(self, i: int, j: int) -> Pairs:
        """Two contrasts in all runs."""
        return Pairs(self.side(i), self.side(j), self.plug_in[:, i, j], self.second_order[:, i, j])

    def covered(self, i: int, confidence: float) -> NDArray[np.bool_]:
        """(R,), whether the interval of a contrast contains the truth."""
        side = self.side(i)
        quantile = stdtrit(side.degrees, (1.0 + confidence) / 2.0)
        lower, upper = score_interval(
            side.squared, side.biased, side.plug_in, side.second_order, quantile=quantile
        )
        inside: NDArray[np.bool_] = (lower <= self.true[:, i]) & (self.true[:, i] <= upper)
        return inside

    def gap_covered(self, i: int, j: int, confidence: float) -> NDArray[np.bool_]:
        """(R,), whether the interval of the gap d_j - d_i contains the truth."""
        gap = self.distances[:, j] - self.distances[:, i]
        lower, upper = self.pairs(i, j).gap_interval(confidence)
        inside: NDArray[np.bool_] = (lower <= gap) & (gap <= upper)
        return inside

    def signal(self, i: int) -> float:
        """The median over runs of the true squared distance over its standard error."""
        error = np.sqrt(variance_of(self.plug_in[:, i, i], self.second_order[:, i, i]))
        return float(np.median(self.true[:, i] / error))
