"""What landmarks do not see, measured on a few rows of every source.

For rows x drawn from source j and y from source l, the mean of r(x, y) = k(x, y) - phi(x)' phi(y) is an
unbiased estimate of the error that the landmarks make in <mu_j, mu_l>. It is added to their result, and its
own standard error is what remains: with q_j of m_j rows drawn and r_l(x) the row means of the residual,

    se_jl^2 = var r_l(x) (1 - q_j / m_j) / q_j  +  var r_j(y) (1 - q_l / m_l) / q_l,

since all that is uncertain, given the data, is which rows were drawn. The row means are estimates, so their
variance already holds the interaction of x and y (and once more than needed, which is on the safe side).
The same rows give, without landmarks, the interaction variances and the covariances of row means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.gram.moments import interaction_variances
from karat.gram.stream import stacked
from karat.gram.workers import in_order
from karat.kernels import Kernel
from karat.typing import Matrix, Rows, Vector

Cube = NDArray[np.float64]

ROUNDING = 1e-7
"""Least standard error, in units of the largest mean kernel value: products are float32."""

STRIP_ROWS = 512
"""Rows that are compared with all drawn rows at a time."""


@dataclass(frozen=True)
class Compared:
    """All pairs of the drawn rows. n sources with q_j rows each, no row with itself.

    row_means: per source (q_j, n), means of the residual per row; means: (n, n), of all pairs.
    interaction: (n, n), of the residual; kernel_interaction: (n, n), of the kernel.
    kernel_variances: (n, n), of the kernel's row means of source j in source l.
    scale: the largest mean kernel value.
    """

    sizes: Vector
    row_means: tuple[Matrix, ...]
    means: Matrix
    interaction: Matrix
    kernel_interaction: Matrix
    kernel_variances: Matrix
    scale: float

    def variances(self) -> Matrix:
        """(n, n), variance of the residual row means of source j in source l over the rows of j."""
        return _variances(self.row_means)

    def standard_errors(self, sizes: Vector) -> Matrix:
        """(n, n), of the means, for sources of so many rows; see above."""
        spread = self.variances() * ((1.0 - self.sizes / sizes) / self.sizes)[:, None]
        total = spread + spread.T
        np.fill_diagonal(total, 4.0 * np.diag(spread))  # a row of j moves the mean within j from both sides
        errors: Matrix = np.maximum(np.sqrt(np.maximum(total, 0.0)), ROUNDING * self.scale)
        return errors

    def sampling_errors(self, sizes: Vector) -> Matrix:
        """(n, n), about what the inner products err by because the sources have no more than so many rows."""
        spread = self.kernel_variances / sizes[:, None]
        errors: Matrix = np.sqrt(spread + spread.T)
        return errors

    def predicted_errors(self, drawn: Vector) -> Matrix:
        """(n, n), standard errors that so many rows of each source would give, were the sources endless."""
        interaction = np.nan_to_num(np.maximum(self.interaction, 0.0))
        first = np.maximum(self.variances() - interaction / self.sizes[None, :], 0.0) / drawn[:, None]
        total = first + first.T + interaction / np.outer(drawn, drawn)
        np.fill_diagonal(total, 4.0 * np.diag(first) + 2.0 * np.diag(interaction) / drawn**2)
        errors: Matrix = np.sqrt(total)
        return errors


def compare(
    drawn: Sequence[Rows], features: Sequence[Matrix], kernel: Kernel, shift: Vector, *, workers: int | None
) -> Compared:
    """Residuals between all pairs of drawn rows; Q^2 (d + r) multiply-adds for Q rows in all."""
    from karat.gram.dense import KernelValues  # numba is imported by the first kernel that runs
    from karat.gram.segments import segment_sums

    sizes = np.array([len(rows) for rows in drawn], dtype=np.float64)
    everyone, phi = stacked(drawn), np.concatenate(features).astype(np.float32)
    starts = (np.cumsum(sizes) - sizes).astype(np.intp)
    with_all = KernelValues(kernel, everyone, shift)

    def strip(start: int) -> Cube:
        stop = min(start + STRIP_ROWS, len(everyone))
        values = with_all.of(everyone[start:stop])
        products = phi[start:stop] @ phi.T
        own = np.arange(stop - start)
        values[own, own + start], products[own, own + start] = 0.0, 0.0
        sums: Cube = segment_sums(values, products, starts)
        return sums

    places = range(0, len(everyone), STRIP_ROWS)
    residual, values, residual_squares, squares = np.concatenate(
        list(in_order(strip, places, workers)), axis=1
    )
    cuts = starts[1:]
    partners = np.maximum(sizes[None, :] - np.eye(len(drawn)), 1.0)
    row_means = [rows / partners[j] for j, rows in enumerate(np.split(residual, cuts))]
    value_means = [rows / partners[j] for j, rows in enumerate(np.split(values, cuts))]
    means, gram = _symmetric_means(row_means), _symmetric_means(value_means)
    residual_squares, squares = (
        np.add.reduceat(sums, starts, axis=0) for sums in (residual_squares, squares)
    )
    return Compared(
        sizes=sizes,
        row_means=tuple(row_means),
        means=means,
        interaction=interaction_variances(
            (residual_squares + residual_squares.T) / 2.0, means, _variances(row_means), sizes
        ),
        kernel_interaction=interaction_variances(
            (squares + squares.T) / 2.0, gram, _variances(value_means), sizes
        ),
        kernel_variances=_variances(value_means),
        scale=float(np.abs(gram).max()),
    )


def _symmetric_means(row_means: Sequence[Matrix]) -> Matrix:
    means = np.stack([rows.mean(axis=0) for rows in row_means])
    symmetric: Matrix = (means + means.T) / 2.0
    return symmetric


def _variances(row_means: Sequence[Matrix]) -> Matrix:
    return np.stack([rows.var(axis=0, ddof=1) for rows in row_means])
