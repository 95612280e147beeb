"""A finite feature map from a few rows: projections on the span of the landmarks.

With landmarks z and K their kernel matrix, U its eigenvectors and D its eigenvalues,

    phi(x) = D^-1/2 U' k(z, x),   so that  phi(x)' phi(y)  is the inner product of the two projections.

Directions whose eigenvalue is below the rounding of float32 kernel values are left out: there phi would be
the noise of these values, blown up. What the landmarks do not see is the residual k(x, y) - phi(x)' phi(y).
"""

from __future__ import annotations

import numpy as np

from karat.kernels import Kernel
from karat.typing import Matrix, Rows, Vector

SPECTRUM = 1e-6
"""Eigenvalues below this share of the largest are left out: float32 values err by some 1e-7 of it."""


class Landmarks:
    """Rows (p, d) that stand for all, and the features (., r) that follow from them."""

    def __init__(self, kernel: Kernel, rows: Rows, shift: Vector) -> None:
        from karat.gram.dense import KernelValues  # numba is imported by the first kernel that runs

        self.size = len(rows)
        self._values = KernelValues(kernel, rows, shift)
        eigenvalues, directions = np.linalg.eigh(self._values.of(rows).astype(np.float64))
        kept = eigenvalues > SPECTRUM * eigenvalues[-1]
        self.projection: Matrix = directions[:, kept] / np.sqrt(eigenvalues[kept])

    @property
    def rank(self) -> int:
        """How many directions were kept."""
        return int(self.projection.shape[1])

    def values(self, rows: Rows) -> Matrix:
        """k(x, z) for rows x and all landmarks z, (m, p)."""
        values: Matrix = self._values.of(rows).astype(np.float64)
        return values

    def value_sums(self, rows: Rows) -> Vector:
        """(p,), the sum of k(z, x) over rows x: in float32 over 32 rows, in float64 beyond."""
        values = self._values.of(rows)
        whole = len(values) - len(values) % 32
        sums = values[:whole].reshape(-1, 32, self.size).sum(axis=1).sum(axis=0, dtype=np.float64)
        total: Vector = sums + values[whole:].sum(axis=0, dtype=np.float64)
        return total

    def features(self, rows: Rows) -> Matrix:
        """The map of each row, (m, r)."""
        features: Matrix = self.values(rows) @ self.projection
        return features


class ProjectedRowMeans:
    """The row means h_l(x) of some rows of a source, projected on the landmarks: in effect a matrix (q, n).

    Written out for a thousand sources it would be large. What is asked of it is a product with contrasts c,
    k(x, z) B c with B (p, n), which costs one pass over the landmarks.
    """

    def __init__(
        self,
        landmarks: Landmarks,
        rows: Rows,
        coefficients: Matrix,
        *,
        source: int,
        size: float,
        itself: float,
    ) -> None:
        self._landmarks, self._rows, self._coefficients = landmarks, rows, coefficients
        self._source, self._size, self._itself = source, size, itself

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._rows), int(self._coefficients.shape[1])

    def __matmul__(self, contrasts: Matrix) -> Matrix:
        """Row means times contrasts (n, k); a row is left out of its own source's mean."""
        j = self._source
        both = np.column_stack([self._coefficients @ contrasts, self._coefficients[:, j]])
        found = self._landmarks.values(self._rows) @ both
        own = (found[:, -1] - self._itself) / (self._size - 1.0)
        product: Matrix = found[:, :-1] + np.outer(own, contrasts[j])
        return product
