"""Ridge regression on numbers, and on classes as one-hot columns, from sums that add up.

All that a ridge regression needs to know of its rows are counts, sums and products. They are additive, so the
model of any coalition of vendors follows from one set of sums per vendor: a thousand coalitions of 20,000
rows cost a thousand small linear systems, and no row is read twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import ValuationError
from karat.models.base import Fitted, Model
from karat.typing import Matrix, Progress, Rows, Vector

ROUNDING = 1e-10
"""A column whose variance is below this share of its mean square about the origin is taken as constant."""


@dataclass(frozen=True)
class RidgeSums:
    """Sums over rows x (d columns) and outputs y (c columns), both taken from a fixed origin.

    count: rows; first: (d + c,) sum of (x, y); second: (d, d + c) sum of x (x, y)'.
    """

    origin: Vector
    n_classes: int | None
    count: float
    first: Vector
    second: Matrix

    @classmethod
    def of(cls, rows: Rows, labels: NDArray[Any], n_classes: int | None, origin: Vector) -> RidgeSums:
        """The sums of these rows; O(m d (d + c)). Sums to be added need one origin, near the rows."""
        x = rows - origin
        y = labels[:, None] if n_classes is None else np.eye(n_classes)[labels]
        both = np.hstack([x, y])
        return cls(origin, n_classes, float(len(x)), both.sum(axis=0), x.T @ both)

    def __add__(self, other: RidgeSums) -> RidgeSums:
        assert self.origin is other.origin or np.array_equal(self.origin, other.origin)
        return RidgeSums(
            self.origin,
            self.n_classes,
            self.count + other.count,
            self.first + other.first,
            self.second + other.second,
        )

    def fitted(self, strength: float) -> Fitted:
        """The regression of y on the standardised columns of x, with an unpenalised intercept; O(d^3)."""
        d = len(self.origin)
        mean = self.first / self.count
        centred = self.second - self.count * np.outer(mean[:d], mean)
        variances = np.diag(centred)
        is_constant = variances <= ROUNDING * np.diag(self.second)
        penalty = np.where(is_constant, 1.0, strength * variances / self.count)
        system = np.where(is_constant[:, None] | is_constant, 0.0, centred[:, :d]) + np.diag(penalty)
        slopes = np.linalg.solve(system, np.where(is_constant[:, None], 0.0, centred[:, d:]))
        offset = mean[d:] - (self.origin + mean[:d]) @ slopes

        def numbers(rows: Rows) -> Matrix:
            predicted: Matrix = (rows @ slopes + offset)[:, 0]
            return predicted

        def probabilities(rows: Rows) -> Matrix:
            # The columns sum to one, because the one-hot columns do; only the ends need clipping.
            clipped = np.clip(rows @ slopes + offset, 0.0, 1.0)
            shares: Matrix = clipped / clipped.sum(axis=1, keepdims=True)
            return shares

        return Fitted(numbers if self.n_classes is None else probabilities, self.n_classes)


@dataclass(frozen=True, kw_only=True)
class Ridge(Model):
    """Least squares with a penalty on the slopes of standardised columns.

    With Z the columns of X centred and divided by their standard deviation, and y the numbers or one-hot
    classes, the slopes b minimise |y - mean - Z b|^2 + strength |b|^2. Classes are predicted by the largest
    output; as probabilities the outputs are clipped to [0, 1] and divided by their sum.
    """

    name: ClassVar[str] = "ridge"
    meaning: ClassVar[str] = "penalised least squares; classes as one-hot columns"

    strength: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.strength < float("inf"):
            raise ValuationError(
                f"the strength of the ridge penalty is {self.strength:g}.", hint="Pass a positive number."
            )

    def _fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> Fitted:
        origin: Vector = rows.mean(axis=0, dtype=np.float64)
        return RidgeSums.of(rows, labels, n_classes, origin).fitted(self.strength)
