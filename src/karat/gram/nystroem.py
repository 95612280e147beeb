"""A finite feature map from a few rows: projections on the span of the landmarks.

With landmarks z, K their kernel matrix and K = L L' (Cholesky),

    phi(x) = L^-1 k(z, x),   so that  phi(x)' phi(y)  is the inner product of the two projections.

The landmark that the others see least comes next (pivoting: Higham 2002, section 10.3), until what is left
of every one is near the rounding of float32 kernel values: there phi would be the noise of these values,
blown up. What the landmarks do not see is the residual k(x, y) - phi(x)' phi(y).
"""

from __future__ import annotations

import numpy as np

from karat.kernels import Kernel
from karat.typing import Matrix, Rows, Vector

LEAST_LEFT = 1e-6
"""Landmarks are left out of which the others leave less than this share of K's largest eigenvalue, about:
float32 values err by some 1e-7 of it."""


class Landmarks:
    """Rows (p, d) that stand for all, and the features (., r) that follow from them."""

    def __init__(self, kernel: Kernel, rows: Rows, shift: Vector) -> None:
        from karat.gram.dense import KernelValues  # numba is imported by the first kernel that runs

        self.size = len(rows)
        self._values = KernelValues(kernel, rows, shift)
        self.projection = _inverse_root(self._values.of(rows).astype(np.float64))

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


def _inverse_root(gram: Matrix) -> Matrix:
    """(p, r), the columns of L^-1 transposed, for the r landmarks that are not seen by the others."""
    from scipy.linalg import lapack, solve_triangular

    least = LEAST_LEFT * max(float(np.abs(gram).sum(axis=1).mean()), np.finfo(np.float64).tiny)
    factor, order, rank, _ = lapack.dpstrf(gram, tol=least, lower=1)
    root = np.zeros((len(gram), rank))
    root[order[:rank] - 1] = solve_triangular(factor[:rank, :rank], np.eye(rank), lower=True).T
    return root


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
